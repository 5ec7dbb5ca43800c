// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors in managed memory. Included by rewritten files that have some.
#ifndef MUSTER_VECTORS_HPP
#define MUSTER_VECTORS_HPP

#include <stdexcept>
#include <vector>

#include "muster/core.hpp"
#include "muster/rows.hpp"

namespace muster {

// Moves the vector's buffer into managed memory of this site if it is not there: size, capacity and contents are kept,
// pointers and iterators into it are not. An empty vector without capacity is left as it is. False: the buffer is not
// in managed memory now (the program has an operator new or an allocator of its own, or runs under AddressSanitizer, or
// elements cannot be copied); the vector is then as it was. Throws std::bad_alloc, with the vector as it was.
template <class T, class Allocator>
bool manageVector(std::vector<T, Allocator>& vector, const muster_array_site& site) {
  static_assert(!std::is_same<T, bool>::value, "the elements of std::vector<bool> are bits and cannot be managed");
  if (vector.capacity() == 0) return true;
  if (muster_is_managed(vector.data())) return true;
  if (!detail::IsCopied<T>::value) return false;
  VectorScope scope(site, vector.capacity() * sizeof(T));
  std::vector<T, Allocator> moved(vector.get_allocator());
  moved.reserve(vector.capacity());
  if (!muster_is_managed(moved.data())) return false;
  detail::copyElements(vector, moved, detail::IsCopied<T>());
  vector.swap(moved);
  return true;
}

namespace detail {

template <const muster_array_site* Site, class T, class Allocator>
void manageVectorOf(std::vector<T, Allocator>& vector, std::true_type) {
  manageVector(vector, TypedSite<T, Site>::site());
}
template <const muster_array_site* Site, class T, class Allocator>
void manageVectorOf(std::vector<T, Allocator>&, std::false_type) {}

}  // namespace detail

// The same inside of a template: a vector whose elements are no bytes to copy, or bits, stays as it is.
template <const muster_array_site* Site, class T, class Allocator>
void manageVectorOf(std::vector<T, Allocator>& vector) {
  typedef std::integral_constant<bool, TypedSite<T, Site>::isManaged && !std::is_same<T, bool>::value> Managed;
  detail::manageVectorOf<Site>(vector, Managed());
}

// What native code indexes in place of a std::vector: the part of its interface that does not change its size. A view
// of elements that somebody else owns; copyable; as thread-safe as a pointer.
template <class T>
class VectorView {
 public:
  typedef typename std::remove_cv<T>::type value_type;
  typedef std::size_t size_type;
  typedef std::ptrdiff_t difference_type;
  typedef T& reference;
  typedef T* pointer;
  typedef T* iterator;
  typedef T* const_iterator;

  VectorView(T* data, std::size_t size) : data_(data), size_(size) {}

  T& operator[](std::size_t index) const { return data_[index]; }
  // Throws std::out_of_range for index >= size().
  T& at(std::size_t index) const {
    if (index >= size_) throw std::out_of_range("muster::VectorView::at: index out of range");
    return data_[index];
  }
  T& front() const { return data_[0]; }
  T& back() const { return data_[size_ - 1]; }
  T* data() const { return data_; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  T* cbegin() const { return data_; }
  T* cend() const { return data_ + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  T* data_;
  std::size_t size_;
};

}  // namespace muster

#endif  // MUSTER_VECTORS_HPP
