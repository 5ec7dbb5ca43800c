// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of rows that start anywhere in one array (docs/decisions/0021-rows-that-start-anywhere.md): a managed array of
// numbers travels in place of the pointers.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "host/arrays/managed_memory.h"
#include "host/arrays/row_blocks.h"
#include "host/memory/host_memory.h"
#include "host/system/safe_read.h"
#include "launch/rows.h"
#include "session/program/session.h"

namespace muster::rt {
namespace {

using Entries = std::span<std::byte* const>;

// The numbers for one table: kept for later launches, and written again only where the table has changed.
struct Starts {
  std::thread::id user;  // releases no numbers of a launch that another thread is about to make
  const void* table = nullptr;
  std::int64_t count = 0;
  std::int64_t* numbers = nullptr;
  // What they were written for: these rows, of this array, as the table was at this watch.
  std::int64_t first = 0, last = -1;
  std::optional<ArrayExtent> rows;
  std::ptrdiff_t elemSize = 0;
  std::uint64_t watch = 0;

  [[nodiscard]] bool hold(std::int64_t from, std::int64_t to, std::ptrdiff_t size) const {
    return rows && first <= from && to <= last && elemSize == size && watch != 0 && watchOfTable(table) == watch &&
           hostMemory().extentOf(rows->begin) == rows;
  }
};

class KnownStarts {
 public:
  // nullptr: no memory. It is the calling thread's until its next call.
  Starts* find(const muster_kernel& kernel, unsigned parameter, const void* table, std::int64_t count) {
    const std::lock_guard lock(mutex_);
    const std::thread::id user = std::this_thread::get_id();
    const auto known = std::find_if(list_.begin(), list_.end(), [&](const Starts& starts) {
      return starts.user == user && starts.table == table && starts.count == count;
    });
    if (known != list_.end()) {
      list_.splice(list_.begin(), list_, known);
      return &*known;
    }
    void* memory =
        allocateManaged(siteOf(kernel, parameter), static_cast<std::size_t>(count) * sizeof(std::int64_t), 1, true);
    if (memory == nullptr) return nullptr;
    Starts& starts = list_.emplace_front();
    starts.user = user;
    starts.table = table;
    starts.count = count;
    starts.numbers = static_cast<std::int64_t*>(memory);
    releaseOldest(user);
    return &list_.front();
  }

 private:
  static constexpr std::ptrdiff_t kMostTables = 32;  // more than one launch has

  const muster_array_site& siteOf(const muster_kernel& kernel, unsigned parameter) {
    muster_array_site site{};
    site.loc = kernel.loc;
    site.name = kernel.arrays[parameter].name;
    site.type_name = "starts of rows, in place of a table of pointers";
    site.elem_size = sizeof(std::int64_t);
    site.elem_type = MUSTER_TYPE_I64;
    site.array_class = MUSTER_REPLICATED;
    site.reason = "all devices have the whole table";
    return sites_.emplace(&kernel.arrays[parameter], site).first->second;
  }
  void releaseOldest(std::thread::id user) {
    const auto isTheirs = [&](const Starts& starts) { return starts.user == user; };
    if (std::count_if(list_.begin(), list_.end(), isTheirs) <= kMostTables) return;
    const auto oldest = std::find_if(list_.rbegin(), list_.rend(), isTheirs);
    muster_free(oldest->numbers);
    list_.erase(std::next(oldest).base());
  }

  std::mutex mutex_;
  std::list<Starts> list_;  // the last used first
  std::map<const muster_array_param*, muster_array_site> sites_;
};

KnownStarts& knownStarts() {
  static auto& instance = *new KnownStarts;  // arrays outlive static objects
  return instance;
}

// Makes numbers[i] the distance of entries[i] from `begin`, in elements. False: one lies between two elements.
bool update(std::int64_t* numbers, Entries entries, const std::byte* begin, std::ptrdiff_t elemSize) {
  constexpr std::size_t kBlock = 8192;
  for (std::size_t at = 0; at < entries.size(); at += kBlock) {
    const Entries block = entries.subspan(at, std::min(kBlock, entries.size() - at));
    bool isSame = true;
    for (std::size_t i = 0; i < block.size(); ++i) isSame &= block[i] == begin + numbers[at + i] * elemSize;
    if (isSame) continue;
    muster_host_access(numbers + at, block.size() * sizeof(std::int64_t), MUSTER_READ | MUSTER_WRITE);
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::ptrdiff_t distance = block[i] - begin;
      if (distance % elemSize != 0) return false;
      numbers[at + i] = distance / elemSize;
    }
  }
  return true;
}

// Why the rows [first, last] are not in one managed array; empty: they are, and `starts` has their numbers.
std::string write(Starts& starts, std::ptrdiff_t elemSize, Entries entries, std::int64_t first, std::int64_t last) {
  starts.rows.reset();
  starts.elemSize = elemSize;
  const auto [low, high] = std::minmax_element(entries.begin(), entries.end());
  const std::optional<ArrayExtent> array = hostMemory().extentOf(*low);
  if (!array) return fmt::format("row {} is in no managed array", first + (low - entries.begin()));
  if (*high > array->begin + array->bytes)
    return fmt::format("row {} is not in the array of row {}", first + (high - entries.begin()),
                       first + (low - entries.begin()));
  if (!update(starts.numbers + first, entries, array->begin, elemSize))
    return "one starts between two elements of its array";
  starts.first = first;
  starts.last = last;
  starts.rows = array;
  return {};
}

// The same for the table's rows. `known`: its entries can be read, and it may be watched.
std::string giveStarts(const muster_kernel& kernel, unsigned parameter, const void* table, bool known,
                       std::int64_t first, std::int64_t last, muster_rows& rows) {
  Starts* const starts = knownStarts().find(kernel, parameter, table, last + 1);
  if (starts == nullptr) return "there is no memory for where they start";
  const auto elemSize = std::ptrdiff_t{kernel.arrays[parameter + 1].elem_size};
  if (!starts->hold(first, last, elemSize)) {
    starts->watch = watchTable(table);  // before it is read, or a write in between would not be noticed
    const auto* at = static_cast<std::byte* const*>(table) + first;
    const auto count = static_cast<std::size_t>(last - first + 1);
    std::vector<std::byte*> read(known ? 0 : count);
    if (!known && !readSafely(at, count * sizeof(void*), read.data()))
      return fmt::format("not all of rows {} to {} are there", first, last);
    std::string why = write(*starts, elemSize, known ? Entries(at, count) : Entries(read), first, last);
    if (!why.empty()) return why;
  }
  rows.data = const_cast<std::byte*>(starts->rows->begin);
  rows.starts = starts->numbers;
  rows.first = first;
  rows.last = last;
  return {};
}

bool findStarts(const muster_kernel& kernel, unsigned parameter, const void* table, std::int64_t first,
                std::int64_t last, muster_rows& rows) {
  if (insideChunk() || table == nullptr) return false;
  Session* session = Session::current();
  if (session == nullptr || session->runsInPlace()) {
    rows.data = rows.starts = const_cast<void*>(table);
    rows.first = 0;
    rows.last = -1;
    return true;
  }
  const auto known = tableEntries(table);
  if (known) {
    first = std::max<std::int64_t>(first, known->first);
    last = std::min<std::int64_t>(last, known->second);
  }
  if (first > last) return false;  // the loop uses no row
  std::string why;
  if (first == INT64_MIN || last == INT64_MAX) {
    why =
        "the loop computes which rows it uses, and only of a table that is allocated under 'managed' is it known how "
        "many there are";
  } else if (first < 0) {
    why = fmt::format("row {} is in front of the table", first);
  } else {
    why = giveStarts(kernel, parameter, table, known.has_value(), first, last, rows);
  }
  if (!why.empty()) noteUnevenRows(kernel, parameter, why, "in one managed array");
  return why.empty();
}

}  // namespace
}  // namespace muster::rt

extern "C" int muster_find_starts(const muster_kernel* kernel, unsigned array, const void* table, std::int64_t first,
                                  std::int64_t last, muster_rows* rows) {
  return muster::rt::findStarts(*kernel, array, table, first, last, *rows) ? 1 : 0;
}

extern "C" void* muster_start_pointers(void* data, void* starts, std::int64_t bytes, std::int64_t first,
                                       std::int64_t last) {
  if (first > last) return starts;
  const auto* numbers = static_cast<const std::int64_t*>(starts);
  return muster::rt::makeEntries<std::byte*>(
      first, last, [&](std::int64_t row) { return static_cast<std::byte*>(data) + numbers[row] * bytes; });
}

extern "C" void muster_start_pointers_end(void* table, std::int64_t first, std::int64_t last) {
  if (first <= last) std::free(static_cast<std::byte**>(table) + first);
}
