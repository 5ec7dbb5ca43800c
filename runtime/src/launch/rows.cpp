// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of rows at a launch (docs/decisions/0010-rows-of-pointers.md): whether the rows that a loop uses are evenly
// spaced in one managed array, so that devices can compute where they are.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "host/arrays/row_blocks.h"
#include "host/arrays/table_reader.h"
#include "host/memory/host_memory.h"
#include "host/system/safe_read.h"
#include "launch/rows.h"
#include "launch/step_back.h"
#include "session/program/session.h"

namespace muster::rt {

void noteUnevenRows(const muster_kernel& kernel, unsigned parameter, const std::string& why, const char* wanted) {
  if (Session* session = Session::current())
    noteStepBack(*session, kernel,
                 fmt::format("on rank 0's CPU, as a plain loop: the rows of {} are not {}: {}",
                             kernel.arrays[parameter].name, wanted, why));
}

bool insideChunk() {
  Session* session = Session::current();
  return session != nullptr && session->insideChunk();
}

namespace {

struct Rows {
  std::byte* data = nullptr;  // where row 0 is
  std::ptrdiff_t distance = 0;
};

// Entries of a vector of vectors, of which all are there.
class VectorReader {
 public:
  VectorReader(const void* table, std::size_t count)
      : table_(static_cast<const Entry*>(table)), count_(static_cast<std::int64_t>(count)) {}

  std::optional<std::byte*> entry(std::int64_t row) const {
    return row < 0 || row >= count_ ? std::nullopt : std::optional(table_[row].begin);
  }
  // Why the rows have not all `bytes`; empty: they have.
  std::string whyRagged(std::int64_t first, std::int64_t last, std::ptrdiff_t bytes) const {
    for (std::int64_t row = first; row <= last; ++row)
      if (table_[row].end - table_[row].begin != bytes) return fmt::format("row {} is not as long as row 0", row);
    return {};
  }

 private:
  struct Entry {
    std::byte *begin, *end, *endOfStorage;
  };
  const Entry* table_;
  std::int64_t count_;
};

// The same for the rows [first, last] and, if that is one, its neighbour.
template <class Reader>
std::string whyNotEvenWithNeighbour(Reader& reader, std::int64_t first, std::int64_t last, std::ptrdiff_t elemSize,
                                    const ArrayExtent& array, Rows& rows) {
  const auto at = [&](std::int64_t row) { return reader.entry(row); };
  const std::int64_t left = first == last && first > 0 ? first - 1 : first, right = std::max(last, left + 1);
  const std::optional<std::byte*> low = at(left), high = at(left + 1);
  if (!low || !high) return fmt::format("there is no row {}", low ? left + 1 : left);
  rows.distance = *high - *low;
  if (rows.distance <= 0 || rows.distance % elemSize != 0)
    return fmt::format("row {} does not follow row {} in memory", left + 1, left);
  rows.data = *low - left * rows.distance;
  for (std::int64_t row = left; row <= right; ++row) {
    const std::optional<std::byte*> entry = at(row);
    if (!entry) return fmt::format("there is no row {}", row);
    if (*entry != rows.data + row * rows.distance)
      return fmt::format("row {} is not where the distance of rows {} and {} puts it", row, left, left + 1);
  }
  if (hostMemory().extentOf(rows.data) != array || hostMemory().extentOf(*at(last)) != array)
    return "they are not in one managed array, from row 0 on";
  return {};
}

// Why the rows [first, last] are not evenly spaced in one managed array; empty: they are, and `rows` is set.
template <class Reader>
std::string whyNotEven(Reader& reader, std::int64_t first, std::int64_t last, std::ptrdiff_t elemSize, Rows& rows) {
  const std::optional<std::byte*> begin = reader.entry(first);
  if (!begin) return fmt::format("there is no row {}", first);
  const std::optional<ArrayExtent> array = hostMemory().extentOf(*begin);
  if (!array) return fmt::format("row {} is in no managed array", first);
  if (first == last && first == 0) {
    rows = {*begin, static_cast<std::ptrdiff_t>(array->bytes) - (*begin - array->begin)};
    rows.distance -= rows.distance % elemSize;
    return rows.distance > 0 ? "" : "row 0 is empty";
  }
  std::string why = whyNotEvenWithNeighbour(reader, first, last, elemSize, *array, rows);
  // One row has no distance to the next: that to its neighbour is as good as any, but all others are as well.
  if (why.empty() || first != last) return why;
  rows = {*begin, 0};
  return {};
}

bool giveRows(const muster_kernel& kernel, unsigned parameter, const std::string& why, const Rows& rows,
              std::int64_t first, std::int64_t last, muster_rows& result) {
  const muster_array_param& array = kernel.arrays[parameter];
  if (!why.empty()) {
    noteUnevenRows(kernel, parameter, why);
    return false;
  }
  result.data = rows.data;
  result.length = rows.distance / static_cast<std::ptrdiff_t>(array.elem_size);
  result.first = first;
  result.last = last;
  return true;
}

bool findRows(const muster_kernel& kernel, unsigned parameter, const void* table, std::int64_t first, std::int64_t last,
              muster_rows& result) {
  if (insideChunk()) return false;
  const auto entries = tableEntries(table);
  if (entries) {
    first = std::max<std::int64_t>(first, entries->first);
    last = std::min<std::int64_t>(last, entries->second);
  }
  if (table == nullptr || first > last) return false;  // the loop uses no row
  Rows rows;
  const bool isUnbounded = first == INT64_MIN || last == INT64_MAX;
  std::string why =
      "the loop computes which rows it uses, and only of a table that is allocated under 'managed' is it known how "
      "many "
      "there are";
  if (!isUnbounded) {
    TableReader reader(table, first == last ? last + 1 : last, entries, readSafely);  // one row has a neighbour
    why = whyNotEven(reader, first, last, kernel.arrays[parameter].elem_size, rows);
  }
  return giveRows(kernel, parameter, why, rows, first, last, result);
}

bool findVectorRows(const muster_kernel& kernel, unsigned parameter, const void* table, std::size_t count,
                    std::size_t size, std::int64_t first, std::int64_t last, muster_rows& result) {
  if (insideChunk()) return false;
  first = std::max<std::int64_t>(first, 0);
  last = std::min(last, static_cast<std::int64_t>(count) - 1);
  if (first > last) return false;  // the loop uses no row
  const std::ptrdiff_t elemSize = kernel.arrays[parameter].elem_size;
  VectorReader reader(table, count);
  Rows rows;
  std::string why = reader.whyRagged(first, last, static_cast<std::ptrdiff_t>(size) * elemSize);
  if (why.empty()) why = whyNotEven(reader, first, last, elemSize, rows);
  result.size = static_cast<std::int64_t>(size);
  return giveRows(kernel, parameter, why, rows, first, last, result);
}

using RowPointers = std::array<std::byte*, 3>;

}  // namespace
}  // namespace muster::rt

extern "C" int muster_find_rows(const muster_kernel* kernel, unsigned parameter, const void* table, std::int64_t first,
                                std::int64_t last, muster_rows* rows) {
  return muster::rt::findRows(*kernel, parameter, table, first, last, *rows) ? 1 : 0;
}

extern "C" int muster_find_vector_rows(const muster_kernel* kernel, unsigned parameter, const void* table,
                                       std::size_t count, std::size_t size, std::int64_t first, std::int64_t last,
                                       muster_rows* rows) {
  return muster::rt::findVectorRows(*kernel, parameter, table, count, size, first, last, *rows) ? 1 : 0;
}

// Where entry 0 would be.
extern "C" void* muster_row_pointers(void* data, std::int64_t bytes, std::int64_t first, std::int64_t last) {
  return muster::rt::makeEntries<std::byte*>(
      first, last, [&](std::int64_t row) { return static_cast<std::byte*>(data) + row * bytes; });
}

extern "C" void* muster_row_vectors(void* data, std::int64_t bytes, std::int64_t size, std::int64_t first,
                                    std::int64_t last) {
  return muster::rt::makeEntries<muster::rt::RowPointers>(first, last, [&](std::int64_t row) {
    std::byte* begin = static_cast<std::byte*>(data) + row * bytes;
    return muster::rt::RowPointers{begin, begin + size, begin + size};
  });
}

extern "C" void muster_row_vectors_end(void* table, std::int64_t first) {
  std::free(static_cast<muster::rt::RowPointers*>(table) + first);
}

extern "C" void muster_row_pointers_end(void* table, std::int64_t first) {
  std::free(static_cast<std::byte**>(table) + first);
}
