// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ side of the ABI: what rewritten code is made of, and what a person can write by hand against the runtime; for
// vectors see vectors.hpp. Every rewritten file includes this, so it includes no header of the library that takes long.
// C++11, header-only over muster/abi.h. Units: `count`, `size` and indexes are in elements, `bytes` in bytes.
// Thread-safety: the functions may be called from any thread of rank 0; one object belongs to one thread at a
// time unless its comment says otherwise. Errors of the user's making end the program with a message (abi.h), except
// where an exception is named.
#ifndef MUSTER_CORE_HPP
#define MUSTER_CORE_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <type_traits>

#include "muster/abi.h"
#include "muster/trips.hpp"

namespace muster {

// ------------------------------------------------------------------ native code

// By its Fortran name: the runtime takes calls of omp_get_max_threads for the program's.
extern "C" int omp_get_max_threads_(void);

// In how many blocks native code runs `count` iterations: one for each thread, at least one.
inline int blocksOf(std::int64_t count) {
  const int threads = omp_get_max_threads_();
  return count >= threads ? threads : count > 0 ? static_cast<int>(count) : 1;
}

// ------------------------------------------------------------------ arrays

// A site does not describe the array that is made with it: the array would be too short.
class SiteMismatch : public std::exception {
 public:
  const char* what() const noexcept override { return "muster: the site's elem_size is not that of the type"; }
};

namespace detail {

template <class T>
T* createArray(const muster_array_site& site, std::size_t count) {
  if (site.elem_size != sizeof(T)) throw SiteMismatch();
  return static_cast<T*>(muster_array_create(&site, count));
}

template <class T>
T* newArray(const muster_array_site& site, std::size_t count) {
  if (site.elem_size != sizeof(T)) throw SiteMismatch();
  return static_cast<T*>(muster_array_new(&site, count));
}

}  // namespace detail

// Handle of an array of `size()` elements. Copyable like a pointer; it owns nothing: the memory lives until destroy(),
// muster_free(), free() or delete[] of host().
template <class T>
class ManagedArray {
 public:
  // An ordinary pointer to the elements in one block, valid in all host code; not for code on other ranks.
  T* host() const { return host_; }
  std::size_t size() const { return size_; }
  void destroy() {
    muster_free(host_);
    host_ = nullptr;
    size_ = 0;
  }

 protected:
  ManagedArray(T* elements, std::size_t count) : host_(elements), size_(count) {}

 private:
  T* host_;
  std::size_t size_;
};

// An array of one class: PartitionedArray or ReplicatedArray.
template <class T, muster_array_class Class>
class ArrayOfClass : public ManagedArray<T> {
 public:
  // `site` has static storage and describes T. Elements are zero. Throws std::bad_alloc, and SiteMismatch if
  // site.elem_size is not sizeof(T).
  static ArrayOfClass create(const muster_array_site& site, std::size_t count) {
    return ArrayOfClass(detail::createArray<T>(site, count), count);
  }
  // The same, with elements that have no values yet, as after `new T[count]`.
  static ArrayOfClass allocate(const muster_array_site& site, std::size_t count) {
    return ArrayOfClass(detail::newArray<T>(site, count), count);
  }

 private:
  ArrayOfClass(T* elements, std::size_t count) : ManagedArray<T>(elements, count) {}
};

// An array whose elements are split over the devices:
//
//     double *u = muster::PartitionedArray<double>::create(site, n * m).host();
template <class T>
using PartitionedArray = ArrayOfClass<T, MUSTER_PARTITIONED>;

// An array of which every device that uses it holds a full copy.
template <class T>
using ReplicatedArray = ArrayOfClass<T, MUSTER_REPLICATED>;

// Says of a LocalArray that its elements have no values at first.
struct Undefined {};

// Managed stand-in for a local array, released at the end of its scope. A is the array's type:
//
//     muster::LocalArray<double[64][32]> storage(site);
//     double (&a)[64][32] = storage.ref();
//
// Elements are zero at first. Throws as PartitionedArray::create does. A std::array is named with the type of its
// elements: LocalArray<std::array<double, 64>, double>.
template <class A, class Element = typename std::remove_all_extents<A>::type>
class LocalArray {
  static_assert(std::is_array<A>::value ? std::extent<A>::value != 0 : !std::is_same<A, Element>::value,
                "LocalArray needs an array type with its sizes");
  static_assert(sizeof(A) % sizeof(Element) == 0, "LocalArray needs an object that is nothing but its elements");

 public:
  explicit LocalArray(const muster_array_site& site)
      : elements_(detail::createArray<Element>(site, sizeof(A) / sizeof(Element))) {}
  LocalArray(const muster_array_site& site, Undefined)
      : elements_(detail::newArray<Element>(site, sizeof(A) / sizeof(Element))) {}
  ~LocalArray() { muster_free(elements_); }
  LocalArray(const LocalArray&) = delete;
  LocalArray& operator=(const LocalArray&) = delete;

  A& ref() const { return *reinterpret_cast<A*>(elements_); }

 private:
  Element* elements_;
};

// ------------------------------------------------------------------ reductions over arrays

namespace detail {

template <class T, muster_result_kind Kind>
T identityOf() {
  typedef std::numeric_limits<T> Limits;
  switch (Kind) {
    case MUSTER_REDUCE_MUL:
    case MUSTER_REDUCE_LAND:
      return static_cast<T>(1);
    case MUSTER_REDUCE_AND:
      return static_cast<T>(-1);
    case MUSTER_REDUCE_MIN:
      return Limits::has_infinity ? Limits::infinity() : (Limits::max)();
    case MUSTER_REDUCE_MAX:
      return Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
    default:
      return static_cast<T>(0);
  }
}

template <class T, muster_result_kind Kind>
struct Combination {
  static T of(T left, T right) {
    switch (Kind) {
      case MUSTER_REDUCE_ADD:
        return static_cast<T>(left + right);
      case MUSTER_REDUCE_MUL:
        return static_cast<T>(left * right);
      case MUSTER_REDUCE_LAND:
        return static_cast<T>(left && right);
      case MUSTER_REDUCE_LOR:
        return static_cast<T>(left || right);
      case MUSTER_REDUCE_MIN:
        return right < left ? right : left;
      default:
        return left < right ? right : left;
    }
  }
};

template <class T>
struct Combination<T, MUSTER_REDUCE_AND> {
  static T of(T left, T right) { return static_cast<T>(left & right); }
};
template <class T>
struct Combination<T, MUSTER_REDUCE_OR> {
  static T of(T left, T right) { return static_cast<T>(left | right); }
};
template <class T>
struct Combination<T, MUSTER_REDUCE_XOR> {
  static T of(T left, T right) { return static_cast<T>(left ^ right); }
};

}  // namespace detail

// What a launch reduces into in place of the elements [lower, lower + length) of an array: the array itself if it is
// managed, else a managed one that starts with the identity of the operation and is combined into the user's array
// after the launch. As in OpenMP, the array's values of before the launch take part once.
//
//     muster::ReductionSection<int, MUSTER_REDUCE_ADD> section(site, h, 0, 64);
//     ... a launch with section.data() in place of h ...
//     section.combine();
template <class T, muster_result_kind Kind>
class ReductionSection {
 public:
  // `site` as for PartitionedArray::create, whose exceptions this throws.
  ReductionSection(const muster_array_site& site, T* array, std::int64_t lower, std::int64_t length)
      : array_(array), own_(nullptr), lower_(lower), length_(length) {
    if (length <= 0 || lower < 0 || muster_is_managed(array + lower)) return;
    own_ = detail::newArray<T>(site, static_cast<std::size_t>(lower + length));
    for (std::int64_t i = lower; i < lower + length; ++i) own_[i] = detail::identityOf<T, Kind>();
  }
  ~ReductionSection() {
    if (own_ != nullptr) muster_free(own_);
  }
  ReductionSection(const ReductionSection&) = delete;
  ReductionSection& operator=(const ReductionSection&) = delete;

  // Indexed as the user's array.
  T* data() const { return own_ != nullptr ? own_ : array_; }

  // Once, after the launch.
  void combine() {
    if (own_ == nullptr) return;
    muster_host_access(own_ + lower_, static_cast<std::size_t>(length_) * sizeof(T), MUSTER_READ);
    for (std::int64_t i = lower_; i < lower_ + length_; ++i)
      array_[i] = detail::Combination<T, Kind>::of(array_[i], own_[i]);
  }

 private:
  T* array_;
  T* own_;
  std::int64_t lower_, length_;
};

// ------------------------------------------------------------------ scopes of allocation

// While it lives, the calling thread's operator new of `minBytes` or more gives managed memory of this site. Scopes
// nest; the end of one restores the one around it. Must end on the thread that began it.
class VectorScope {
 public:
  VectorScope(const muster_array_site& site, std::size_t minBytes) { muster_vector_scope_begin(&site, minBytes); }
  ~VectorScope() { muster_vector_scope_end(); }
  VectorScope(const VectorScope&) = delete;
  VectorScope& operator=(const VectorScope&) = delete;
};

// A VectorScope for what adds one element to a vector: where the vector has room for it, nothing is begun.
class GrowthScope {
 public:
  GrowthScope(bool grows, const muster_array_site& site, std::size_t minBytes) : grows_(grows) {
    if (grows_) muster_vector_scope_begin(&site, minBytes);
  }
  GrowthScope(GrowthScope&& other) noexcept : grows_(other.grows_) { other.grows_ = false; }
  ~GrowthScope() {
    if (grows_) muster_vector_scope_end();
  }

 private:
  bool grows_;
};

template <class Vector>
GrowthScope growthScope(const Vector& vector, const muster_array_site& site, std::size_t minBytes) {
  return GrowthScope(vector.size() == vector.capacity(), site, minBytes);
}

// The same for arrays that a function allocates with new T[n], malloc, calloc, aligned_alloc or posix_memalign, also
// one that knows nothing of Muster:
//
//     double *a = (muster::AllocationScope(site, sizeof(double)), makeArray(n));
class AllocationScope {
 public:
  AllocationScope(const muster_array_site& site, std::size_t minBytes) {
    muster_allocation_scope_begin(&site, minBytes);
  }
  ~AllocationScope() { muster_allocation_scope_end(); }
  AllocationScope(const AllocationScope&) = delete;
  AllocationScope& operator=(const AllocationScope&) = delete;
};

// The site of an array inside of a template, where the elements are of a type T that depends on its parameters. `Site`
// says the rest.
template <class T, const muster_array_site* Site>
class TypedSite {
 public:
  // Nothing is managed for a T whose objects cannot be copied byte by byte.
  static constexpr bool isManaged = std::is_trivially_copyable<T>::value;
  static constexpr std::size_t minBytes = isManaged ? sizeof(T) : SIZE_MAX;

  static const muster_array_site& site() {
    static const muster_array_site typed = {Site->loc,         Site->name, Site->type_name, sizeof(T), typeCode(),
                                            Site->array_class, 0,          Site->reason};
    return typed;
  }

 private:
  static std::uint8_t typeCode() {
    if (std::is_same<T, bool>::value) return MUSTER_TYPE_BOOL;
    if (std::is_same<T, float>::value) return MUSTER_TYPE_F32;
    if (std::is_same<T, double>::value) return MUSTER_TYPE_F64;
    if (!std::is_integral<T>::value) return MUSTER_TYPE_OTHER;
    const bool isSigned = std::is_signed<T>::value;
    switch (sizeof(T)) {
      case 1:
        return isSigned ? MUSTER_TYPE_I8 : MUSTER_TYPE_U8;
      case 2:
        return isSigned ? MUSTER_TYPE_I16 : MUSTER_TYPE_U16;
      case 4:
        return isSigned ? MUSTER_TYPE_I32 : MUSTER_TYPE_U32;
      case 8:
        return isSigned ? MUSTER_TYPE_I64 : MUSTER_TYPE_U64;
      default:
        return MUSTER_TYPE_OTHER;
    }
  }
};

// Scopes inside of a template.
template <class T, const muster_array_site* Site>
class TypedAllocationScope : public AllocationScope {
 public:
  TypedAllocationScope() : AllocationScope(TypedSite<T, Site>::site(), +TypedSite<T, Site>::minBytes) {}
};

// The elements of std::vector<bool> are bits.
template <class T, const muster_array_site* Site>
class TypedVectorScope : public VectorScope {
 public:
  TypedVectorScope()
      : VectorScope(TypedSite<T, Site>::site(),
                    std::is_same<T, bool>::value ? SIZE_MAX : +TypedSite<T, Site>::minBytes) {}
};

// ------------------------------------------------------------------ program

// The session of a program: the first object of main(). On every rank but 0 the constructor serves devices and does not
// return. One per program.
class Session {
 public:
  Session() { muster_session_begin(nullptr, nullptr); }
  // argc and argv as main() got them; the launcher's own arguments, if any, are taken out.
  Session(int& argc, char**& argv) { muster_session_begin(&argc, &argv); }
  ~Session() { muster_session_end(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

}  // namespace muster

#endif  // MUSTER_CORE_HPP
