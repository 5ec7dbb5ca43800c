// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of vectors: their rows in one managed array, evenly spaced, and what launches and native code make of them
// (docs/decisions/0010-rows-of-pointers.md). C++11, header-only; included by vectors.hpp.
#ifndef MUSTER_ROWS_HPP
#define MUSTER_ROWS_HPP

#include <exception>
#include <new>
#include <type_traits>
#include <vector>

#include "muster/core.hpp"

namespace muster {

namespace detail {

// Elements that can only be moved stay where they are.
template <class T>
struct IsCopied
    : std::integral_constant<bool, std::is_copy_constructible<T>::value && std::is_copy_assignable<T>::value> {};
template <class Vector>
void copyElements(const Vector& from, Vector& to, std::true_type) {
  to.assign(from.begin(), from.end());
}
template <class Vector>
void copyElements(const Vector&, Vector&, std::false_type) {}

// Gives the row's elements the place. Only for a row whose elements nobody else points to. False: its memory is not
// ours to choose (the program has an operator new of its own, or runs under AddressSanitizer).
template <class T, class Allocator>
bool moveRow(std::vector<T, Allocator>& row, void* place) {
  if (!IsCopied<T>::value) {
    muster_free(place);
    return false;
  }
  std::vector<T, Allocator> moved(row.get_allocator());
  muster_place_scope_begin(place, row.size() * sizeof(T));
  try {
    moved.reserve(row.size());
  } catch (...) {
    muster_vector_scope_end();
    muster_free(place);
    throw;
  }
  muster_vector_scope_end();
  if (static_cast<void*>(moved.data()) != place) {
    muster_free(place);
    return false;
  }
  copyElements(row, moved, IsCopied<T>());
  row.swap(moved);
  return true;
}

// A row that may push_back without moving keeps its memory.
template <class Row>
bool isFull(const Row& row) {
  return !row.empty() && row.capacity() == row.size();
}

// How many exceptions are on their way: an object that ends because of one finds others half made.
inline int exceptions() {
#if defined(__cpp_lib_uncaught_exceptions)
  return std::uncaught_exceptions();
#else
  return std::uncaught_exception() ? 1 : 0;
#endif
}

}  // namespace detail

// Moves the elements of all rows into one managed array of this site, if the rows are equally long; pointers and
// iterators to elements are lost, those to rows are kept. Rows that cannot be moved stay as they are.
template <class T, class Allocator, class Outer>
void manageRows(std::vector<std::vector<T, Allocator>, Outer>& table, const muster_array_site& site) {
  static_assert(!std::is_same<T, bool>::value, "the elements of std::vector<bool> are bits and cannot be managed");
  for (const auto& row : table)
    if (!detail::isFull(row) || row.size() != table[0].size() || muster_is_managed(row.data())) return;
  for (std::size_t i = 0; i < table.size(); ++i) {
    void* place = muster_vector_row(&site, table.data(), nullptr, i, table.size(), table[i].size() * sizeof(T));
    if (place == nullptr || !detail::moveRow(table[i], place)) return;
  }
}

// The following live while a table gets rows, and move those that are new at their end. Where there is no memory for
// that, rows stay where they are: loops that use them say so when they run.

// All rows: `isFresh` says that nobody can point to elements even if there were some before.
template <class Table>
class RowsScope {
 public:
  RowsScope(Table& table, const muster_array_site& site, bool isFresh)
      : table_(&table), site_(&site), exceptions_(detail::exceptions()) {
    if (isFresh) return;
    for (const auto& row : table)
      if (row.capacity() != 0) table_ = nullptr;
  }
  RowsScope(RowsScope&& other) noexcept : table_(other.table_), site_(other.site_), exceptions_(other.exceptions_) {
    other.table_ = nullptr;
  }
  ~RowsScope() {
    if (table_ == nullptr || detail::exceptions() > exceptions_) return;
    try {
      manageRows(*table_, *site_);
    } catch (const std::bad_alloc&) {
    }
  }

 private:
  Table* table_;
  const muster_array_site* site_;
  int exceptions_;
};

// One row, which had no elements before. `isNew`: it is not there yet, and will be the last.
template <class Table>
class RowScope {
  typedef typename Table::value_type Row;

 public:
  RowScope(Table& table, const Row& row, const muster_array_site& site)
      : table_(row.capacity() == 0 ? &table : nullptr),
        site_(&site),
        number_(static_cast<std::size_t>(&row - table.data())),
        isNew_(false),
        exceptions_(detail::exceptions()) {}
  RowScope(Table& table, const muster_array_site& site)
      : table_(&table), site_(&site), number_(table.size()), isNew_(true), exceptions_(detail::exceptions()) {}
  RowScope(RowScope&& other) noexcept
      : table_(other.table_),
        site_(other.site_),
        number_(other.number_),
        isNew_(other.isNew_),
        exceptions_(other.exceptions_) {
    other.table_ = nullptr;
  }
  ~RowScope() {
    if (table_ == nullptr || detail::exceptions() > exceptions_ || number_ >= table_->size()) return;
    try {
      move((*table_)[number_]);
    } catch (const std::bad_alloc&) {
    }
  }

 private:
  // Rows that are added one by one are as many as the table has room for, or a guess.
  std::size_t rowsFor(std::size_t bytes) const {
    const std::size_t most = 65536, mostBytes = std::size_t(64) << 20;
    if (!isNew_ || table_->capacity() > table_->size()) return table_->capacity();
    return mostBytes / bytes < 16 ? 16 : mostBytes / bytes < most ? mostBytes / bytes : most;
  }
  void move(Row& row) {
    if (!detail::isFull(row) || muster_is_managed(row.data())) return;
    const std::size_t bytes = row.size() * sizeof(typename Row::value_type);
    const void* neighbour = isNew_ && number_ > 0 ? (*table_)[number_ - 1].data() : nullptr;
    if (isNew_ && number_ > 0 && !muster_is_managed(neighbour)) return;
    void* place = muster_vector_row(site_, table_->data(), neighbour, number_, rowsFor(bytes), bytes);
    if (place != nullptr) detail::moveRow(row, place);
  }

  Table* table_;
  const muster_array_site* site_;
  std::size_t number_;
  bool isNew_;
  int exceptions_;
};

template <class Table>
RowsScope<Table> rowsScope(Table& table, const muster_array_site& site, bool isFresh) {
  return RowsScope<Table>(table, site, isFresh);
}
template <class Table>
RowScope<Table> rowScope(Table& table, const typename Table::value_type& row, const muster_array_site& site) {
  return RowScope<Table>(table, row, site);
}
template <class Table>
RowScope<Table> newRowScope(Table& table, const muster_array_site& site) {
  return RowScope<Table>(table, site);
}

// The length of all rows, if they have one.
template <class T, class Allocator, class Outer>
std::size_t rowSize(const std::vector<std::vector<T, Allocator>, Outer>& table) {
  return table.empty() ? 0 : table.front().size();
}

// As muster_find_vector_rows. nullptr: there is no table.
template <class T, class Allocator, class Outer>
bool findRows(const muster_kernel* kernel, unsigned array, const std::vector<std::vector<T, Allocator>, Outer>* table,
              std::int64_t first, std::int64_t last, muster_rows* rows) {
  static_assert(sizeof(*table) == 3 * sizeof(void*) && sizeof(std::vector<T, Allocator>) == 3 * sizeof(void*),
                "Muster knows another layout of std::vector");
  return table != nullptr &&
         muster_find_vector_rows(kernel, array, table->data(), table->size(), rowSize(*table), first, last, rows) != 0;
}

// What native code has in place of a vector of vectors: the rows [first, last] of an array, evenly spaced by `length`
// elements, as vectors of `size` elements each, in a vector of `count`. Nothing is owned, no constructor runs.
template <class T>
class RowVectors {
 public:
  RowVectors(void* data, std::int64_t length, std::int64_t size, std::int64_t first, std::int64_t last,
             std::size_t count)
      : first_(first) {
    const std::int64_t bytes = sizeof(T);
    rows_[0] = static_cast<char*>(muster_row_vectors(data, length * bytes, size * bytes, first, last));
    rows_[1] = rows_[2] = rows_[0] + count * sizeof(std::vector<T>);
  }
  ~RowVectors() { muster_row_vectors_end(rows_[0], first_); }
  RowVectors(const RowVectors&) = delete;
  RowVectors& operator=(const RowVectors&) = delete;

  // In place of the user's vector.
  void* vector() { return rows_; }
  void* begin() const { return rows_[0]; }
  void* end() const { return rows_[1]; }

 private:
  char* rows_[3];
  std::int64_t first_;
};

}  // namespace muster

#endif  // MUSTER_ROWS_HPP
