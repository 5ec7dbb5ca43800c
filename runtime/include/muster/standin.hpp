// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What native code of a loop has in place of an object outside of it: storage of its size, in which the rewritten code
// puts the members that the loop uses. The object's constructors and destructor do not run. C++11, header-only.
#ifndef MUSTER_STANDIN_HPP
#define MUSTER_STANDIN_HPP

#include <cstddef>
#include <new>
#include <type_traits>

namespace muster {

// In place of a type without a name.
template <std::size_t Size, std::size_t Alignment>
struct StandInBytes {
  alignas(Alignment) unsigned char bytes[Size];
};

// Of decltype(a), where `a` is declared as a reference to what the program declares.
template <class T>
using ObjectType = typename std::remove_reference<T>::type;

template <class T>
class StandIn {
 public:
  // `offset` in bytes. By copying, so that the compiler sees each member as a value of its own.
  template <class Member>
  void set(std::size_t offset, const Member& value) {
    __builtin_memcpy(bytes_ + offset, &value, sizeof(Member));
  }
  T* pointer() { return reinterpret_cast<T*>(bytes_); }

 private:
  alignas(T) unsigned char bytes_[sizeof(T)];
};

// One that is too large for the stack. What is not set stays untouched, and costs no memory.
template <class T>
class LargeStandIn {
 public:
  LargeStandIn() : memory_(static_cast<unsigned char*>(::operator new(sizeof(T) + alignof(T)))) {}
  ~LargeStandIn() { ::operator delete(memory_); }
  LargeStandIn(const LargeStandIn&) = delete;
  LargeStandIn& operator=(const LargeStandIn&) = delete;

  template <class Member>
  void set(std::size_t offset, const Member& value) {
    __builtin_memcpy(reinterpret_cast<unsigned char*>(pointer()) + offset, &value, sizeof(Member));
  }
  T* pointer() const {
    const std::size_t address = reinterpret_cast<std::size_t>(memory_);
    return reinterpret_cast<T*>(memory_ + (alignof(T) - address % alignof(T)) % alignof(T));
  }

 private:
  unsigned char* memory_;
};

}  // namespace muster

#endif
