// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What native code of a loop has in place of an object outside of it: storage of its size, in which the rewritten code
// puts the members that the loop uses. The object's constructors and destructor do not run. C++11, header-only.
#ifndef MUSTER_STANDIN_HPP
#define MUSTER_STANDIN_HPP

#include <cstddef>

namespace muster {

// In place of a type without a name.
template <std::size_t Size, std::size_t Alignment>
struct StandInBytes {
  alignas(Alignment) unsigned char bytes[Size];
};

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

}  // namespace muster

#endif
