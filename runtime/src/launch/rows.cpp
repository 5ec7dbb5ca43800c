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

#include "host/host_memory.h"
#include "host/row_blocks.h"
#include "host/safe_read.h"
#include "launch/step_back.h"
#include "session/session.h"

namespace muster::rt {
namespace {

constexpr std::int64_t kBlock = 512;

// Entries of a table. The rows that a loop may use are bounded from above, where a condition may keep it from using
// them: pages that are not there are found out without a fault.
class TableReader {
 public:
  explicit TableReader(const void* table) : table_(static_cast<std::byte* const*>(table)) {}

  // nullopt: there is no such entry.
  std::optional<std::byte*> entry(std::int64_t row) {
    if (row < first_ || row >= first_ + count_) {
      if (!fill(row, kBlock) && !fill(row, 1)) return std::nullopt;
    }
    return block_[static_cast<std::size_t>(row - first_)];
  }

 private:
  bool fill(std::int64_t row, std::int64_t count) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(void*);
    if (!readSafely(table_ + row, bytes, block_.data())) return false;
    first_ = row;
    count_ = count;
    return true;
  }

  std::byte* const* table_;
  std::int64_t first_ = 0, count_ = 0;
  std::array<std::byte*, kBlock> block_;
};

struct Rows {
  std::byte* data = nullptr;  // where row 0 is
  std::ptrdiff_t distance = 0;
};

// Why the rows [first, last] are not evenly spaced in one managed array; empty: they are, and `rows` is set.
std::string whyNotEven(const void* table, std::int64_t first, std::int64_t last, std::ptrdiff_t elemSize, Rows& rows) {
  TableReader reader(table);
  const auto at = [&](std::int64_t row) { return reader.entry(row); };
  const std::optional<std::byte*> begin = at(first);
  if (!begin) return fmt::format("there is no row {}", first);
  HostArray* array = hostMemory().find(*begin);
  if (array == nullptr) return fmt::format("row {} is in no managed array", first);
  // One row has no distance to the next: that to its neighbour is as good as any.
  const std::int64_t left = first == last && first > 0 ? first - 1 : first, right = std::max(last, left + 1);
  if (first == last && first == 0) {
    rows = {*begin, static_cast<std::ptrdiff_t>(array->bytes()) - (*begin - array->user())};
    rows.distance -= rows.distance % elemSize;
    return rows.distance > 0 ? "" : "row 0 is empty";
  }
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
  if (hostMemory().find(rows.data) != array || hostMemory().find(*at(last)) != array)
    return "they are not in one managed array, from row 0 on";
  return {};
}

bool findRows(const muster_kernel& kernel, unsigned parameter, const void* table, std::int64_t first, std::int64_t last,
              muster_rows& result) {
  Session* session = Session::current();
  if (session != nullptr && session->insideChunk()) return false;
  const muster_array_param& array = kernel.arrays[parameter];
  if (const auto entries = tableEntries(table)) {
    first = std::max<std::int64_t>(first, entries->first);
    last = std::min<std::int64_t>(last, entries->second);
  }
  if (table == nullptr || first > last) return false;  // the loop uses no row
  Rows rows;
  const bool isUnbounded = first == INT64_MIN || last == INT64_MAX;
  const std::string why = isUnbounded
                              ? "the loop computes which rows it uses, and only of a table that is allocated under "
                                "'managed' is it known how many there are"
                              : whyNotEven(table, first, last, array.elem_size, rows);
  if (!why.empty()) {
    if (session != nullptr)
      noteStepBack(
          *session, kernel,
          fmt::format("on rank 0's CPU, as a plain loop: the rows of {} are not evenly spaced: {}", array.name, why));
    return false;
  }
  result.data = rows.data;
  result.length = rows.distance / static_cast<std::ptrdiff_t>(array.elem_size);
  result.first = first;
  result.last = last;
  return true;
}

}  // namespace
}  // namespace muster::rt

extern "C" int muster_find_rows(const muster_kernel* kernel, unsigned parameter, const void* table, std::int64_t first,
                                std::int64_t last, muster_rows* rows) {
  return muster::rt::findRows(*kernel, parameter, table, first, last, *rows) ? 1 : 0;
}

// Where entry 0 would be.
extern "C" void* muster_row_pointers(void* data, std::int64_t bytes, std::int64_t first, std::int64_t last) {
  const auto count = static_cast<std::size_t>(last - first + 1);
  auto* entries = static_cast<std::byte**>(std::malloc(count * sizeof(std::byte*)));
  if (entries == nullptr) muster::panic(fmt::format("no memory for a table of {} rows", count));
  for (std::size_t i = 0; i < count; ++i)
    entries[i] = static_cast<std::byte*>(data) + (first + static_cast<std::int64_t>(i)) * bytes;
  return entries - first;
}

extern "C" void muster_row_pointers_end(void* table, std::int64_t first) {
  std::free(static_cast<std::byte**>(table) + first);
}
