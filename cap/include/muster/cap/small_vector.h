// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector that keeps its first elements inside itself. Plans for a thousand devices are made of tens of thousands of
// sets with one interval each; an allocation for each of them would take longer than all the rest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>
#include <type_traits>

namespace muster::cap {

// Up to `Inside` elements need no allocation. Once they are outside, they stay there. Iterators are pointers.
template <class T, std::uint32_t Inside>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T> && Inside > 0);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() {}
  SmallVector(const SmallVector& other) { append(other.begin(), other.end()); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this == &other) return *this;
    size_ = 0;
    append(other.begin(), other.end());
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this == &other) return *this;
    release();
    take(other);
    return *this;
  }
  ~SmallVector() { release(); }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  // Bytes outside of the object.
  [[nodiscard]] std::size_t allocated() const { return isInside() ? 0 : capacity_ * sizeof(T); }
  iterator begin() { return isInside() ? inside_ : outside_; }
  iterator end() { return begin() + size_; }
  [[nodiscard]] const_iterator begin() const { return isInside() ? inside_ : outside_; }
  [[nodiscard]] const_iterator end() const { return begin() + size_; }
  T& operator[](std::size_t i) { return begin()[i]; }
  const T& operator[](std::size_t i) const { return begin()[i]; }
  [[nodiscard]] const T& front() const { return *begin(); }
  T& back() { return end()[-1]; }
  [[nodiscard]] const T& back() const { return end()[-1]; }

  void reserve(std::size_t capacity) {
    if (capacity > capacity_) grow(static_cast<std::uint32_t>(capacity));
  }
  void push_back(T element) {
    if (size_ == capacity_) grow(2 * capacity_);
    begin()[size_++] = element;
  }
  void append(const_iterator first, const_iterator last) {
    reserve(size_ + static_cast<std::size_t>(last - first));
    std::copy(first, last, end());
    size_ += static_cast<std::uint32_t>(last - first);
  }
  iterator insert(iterator place, T element) {
    const std::ptrdiff_t at = place - begin();
    push_back(element);
    std::copy_backward(begin() + at, end() - 1, end());
    begin()[at] = element;
    return begin() + at;
  }
  iterator erase(iterator first, iterator last) {
    std::copy(last, end(), first);
    size_ -= static_cast<std::uint32_t>(last - first);
    return first;
  }

  bool operator==(const SmallVector& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

 private:
  [[nodiscard]] bool isInside() const { return capacity_ == Inside; }
  void grow(std::uint32_t capacity) {
    T* const larger = std::allocator<T>().allocate(capacity);
    std::copy(begin(), end(), larger);
    release();
    outside_ = larger;
    capacity_ = capacity;
  }
  void release() {
    if (!isInside()) std::allocator<T>().deallocate(outside_, capacity_);
  }
  // Leaves `other` empty; what this vector had is gone.
  void take(SmallVector& other) {
    std::memcpy(static_cast<void*>(this), static_cast<const void*>(&other), sizeof *this);
    other.size_ = 0;
    other.capacity_ = Inside;
  }

  std::uint32_t size_ = 0, capacity_ = Inside;
  union {
    T inside_[Inside];
    T* outside_;
  };
};

}  // namespace muster::cap
