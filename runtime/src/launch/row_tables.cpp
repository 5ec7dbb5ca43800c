// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of tables of rows at a launch (docs/decisions/0020-tables-of-tables.md): whether the rows that a loop uses
// are evenly spaced in one managed array, in every direction.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "host/arrays/row_blocks.h"
#include "host/memory/host_memory.h"
#include "host/space/address_table.h"
#include "host/system/safe_read.h"
#include "launch/rows.h"
#include "session/program/session.h"

namespace muster::rt {
namespace {

constexpr unsigned kMostLevels = MUSTER_MAX_ROW_LEVELS;

// Entries of tables of which nobody knows how long they are, some pages at a time, as small tables lie close together;
// of one page all entries are there, or none.
class PageReader {
 public:
  // The entry and some that follow; none: it is not there. Until the next call.
  std::span<std::byte* const> from(const std::byte* at) {
    const std::size_t offset = reinterpret_cast<std::uintptr_t>(at) % kPageBytes;
    if (offset % sizeof(void*) != 0) return {};
    if (at < block_ || at >= block_ + bytes_) fill(at - offset);
    if (bytes_ == 0) return {};
    return std::span(entries_)
        .first(bytes_ / sizeof(void*))
        .subspan(static_cast<std::size_t>(at - block_) / sizeof(void*));
  }

 private:
  static constexpr std::size_t kPageBytes = AddressTable::kPageBytes, kMostBytes = 4 * kPageBytes;

  void fill(const std::byte* page) {
    entries_.resize(kMostBytes / sizeof(void*));
    block_ = page;
    bytes_ = kMostBytes;
    if (readSafely(page, bytes_, entries_.data())) return;
    bytes_ = kPageBytes;
    if (!readSafely(page, bytes_, entries_.data())) bytes_ = 0;
  }

  const std::byte* block_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<std::byte*> entries_;
};

// One of the tables, with the entries that the loop may use of those that it has.
struct Table {
  const std::byte* entries = nullptr;
  unsigned level = 0;
  std::int64_t first = 0, last = -1;
  std::optional<std::pair<std::int64_t, std::int64_t>> known;  // the entries that it has
};

class Tables {
 public:
  Tables(unsigned levels, const muster_range* used, std::size_t elemSize)
      : levels_(levels), used_(used), elemSize_(static_cast<std::ptrdiff_t>(elemSize)) {}

  // Sets `rows` if `why` stays empty. False, and no reason: the loop uses no row.
  bool find(const void* table, muster_rows& rows, std::string& why) {
    if (table == nullptr) return false;
    std::optional<Table> next = tableAt(static_cast<const std::byte*>(table), 0, why);
    for (unsigned level = 0; level < levels_; ++level) {
      if (!next || next->first > next->last) return false;
      path_[level] = *next;
      const auto entry = entryOf(*next, next->first);
      if (!entry) return refuse(why, fmt::format("there is no row {}", next->first));
      begin_ = *entry;
      if (level + 1 < levels_) next = tableAt(begin_, level + 1, why);
    }
    array_ = hostMemory().extentOf(begin_);
    if (!array_) return refuse(why, "the first is in no managed array");
    return measure(why) && origin(why) && check(Table(path_[0]), data_, why) && give(rows, why);
  }

 private:
  static bool refuse(std::string& why, std::string reason) {
    why = std::move(reason);
    return false;
  }

  std::optional<Table> tableAt(const std::byte* entries, unsigned level, std::string& why) const {
    Table table{.entries = entries,
                .level = level,
                .first = used_[level].low,
                .last = used_[level].high,
                .known = tableEntries(entries)};
    if (table.known) {
      table.first = std::max(table.first, table.known->first);
      table.last = std::min(table.last, table.known->second);
    } else if (table.first == INT64_MIN || table.last == INT64_MAX) {
      why =
          "the loop computes which rows it uses, and only of tables that are allocated under 'managed' is it known "
          "how many there are";
      return std::nullopt;
    }
    return table;
  }

  // The entry and some that follow; none: it is not there.
  std::span<std::byte* const> entriesFrom(const Table& table, std::int64_t number) {
    const std::byte* at = table.entries + number * std::ptrdiff_t{sizeof(void*)};
    if (!table.known) return readers_[table.level].from(at);
    if (number < table.known->first || number > table.known->second) return {};
    return {reinterpret_cast<std::byte* const*>(at), static_cast<std::size_t>(table.known->second - number + 1)};
  }
  std::optional<std::byte*> entryOf(const Table& table, std::int64_t number) {
    const auto entries = entriesFrom(table, number);
    return entries.empty() ? std::nullopt : std::optional(entries.front());
  }

  // The row to which the first entries lead from this one on.
  std::optional<std::byte*> rowBehind(unsigned level, std::int64_t number) {
    auto entry = entryOf(path_[level], number);
    for (++level; entry && level < levels_; ++level) {
      const Table table{.entries = *entry, .level = level, .known = tableEntries(*entry)};
      entry = entryOf(table, path_[level].first);
    }
    return entry;
  }

  // From one entry to the next. One entry alone has no distance: that to its neighbour is as good as any, and entry 0
  // needs none.
  bool measure(std::string& why) {
    bool isOpen[kMostLevels] = {};
    for (unsigned level = 0; level < levels_; ++level) {
      const Table& table = path_[level];
      isOpen[level] = table.first == table.last && table.first == 0;
      if (isOpen[level]) continue;
      const std::int64_t left = table.first == table.last ? table.first - 1 : table.first;
      const auto low = rowBehind(level, left), high = rowBehind(level, left + 1);
      if (!low || !high) return refuse(why, fmt::format("there is no row {}", low ? left + 1 : left));
      distance_[level] = *high - *low;
    }
    for (unsigned level = 1; level < levels_; ++level)
      if (isOpen[level] && distance_[level - 1] != 0) distance_[level] = distance_[level - 1];
    const std::ptrdiff_t rest = static_cast<std::ptrdiff_t>(array_->bytes) - (begin_ - array_->begin);
    for (unsigned level = levels_; level-- > 0;) {
      const bool isLast = level + 1 == levels_;
      if (distance_[level] == 0 && isOpen[level])
        distance_[level] = isLast ? rest - rest % elemSize_ : distance_[level + 1];
      const std::ptrdiff_t unit = isLast ? elemSize_ : distance_[level + 1];
      if (distance_[level] <= 0 || distance_[level] % unit != 0)
        return refuse(why, isLast ? "rows do not follow each other in memory"
                                  : fmt::format("the rows of entries {} and {} are no whole number of rows apart",
                                                path_[level].first, path_[level].first + 1));
    }
    return true;
  }

  // Where the row behind all entries 0 would be.
  bool origin(std::string& why) {
    std::ptrdiff_t offset = 0;
    for (unsigned level = 0; level < levels_; ++level) {
      std::ptrdiff_t part = 0;
      if (__builtin_mul_overflow(path_[level].first, distance_[level], &part) ||
          __builtin_add_overflow(offset, part, &offset))
        return refuse(why, "they are too far apart");
    }
    data_ = begin_ - offset;
    return true;
  }

  // Whether the entries of a table, and of all tables in it, lead to where the distances put them.
  bool check(const Table& table, const std::byte* data, std::string& why) {
    const bool areRows = table.level + 1 == levels_;
    const std::ptrdiff_t distance = distance_[table.level];
    std::int64_t number = table.first;
    while (number <= table.last) {
      const auto entries = entriesFrom(table, number);
      if (entries.empty()) return refuse(why, fmt::format("there is no row {}", number));
      const auto count = std::min<std::size_t>(entries.size(), static_cast<std::size_t>(table.last - number + 1));
      for (std::byte* entry : entries.first(count)) {
        const std::byte* place = data + number * distance;
        if (!areRows && !checkInner(entry, table.level + 1, place, why)) return false;
        if (areRows && entry != place)
          return refuse(why, fmt::format("row {} of a table is not where the others put it", number));
        ++number;
      }
    }
    if (table.first > table.last) return true;
    if (areRows) end_ = std::max(end_, data + table.last * distance);
    Table& all = path_[table.level];
    all.first = std::min(all.first, table.first);
    all.last = std::max(all.last, table.last);
    return true;
  }
  bool checkInner(const std::byte* entries, unsigned level, const std::byte* data, std::string& why) {
    const auto inner = tableAt(entries, level, why);
    return inner && check(*inner, data, why);
  }

  bool give(muster_rows& rows, std::string& why) const {
    if (hostMemory().extentOf(data_) != array_ || hostMemory().extentOf(end_) != array_)
      return refuse(why, "they are not in one managed array, from row 0 on");
    rows.data = const_cast<std::byte*>(data_);
    for (unsigned level = 0; level < levels_; ++level)
      rows.level[level] = {distance_[level] / (level + 1 == levels_ ? elemSize_ : distance_[level + 1]),
                           path_[level].first, path_[level].last};
    return true;
  }

  unsigned levels_;
  const muster_range* used_;
  std::ptrdiff_t elemSize_;
  std::array<PageReader, kMostLevels> readers_;
  std::array<Table, kMostLevels> path_;  // the first entries; later how far all tables of a level reach
  std::array<std::ptrdiff_t, kMostLevels> distance_ = {};
  std::byte* begin_ = nullptr;
  const std::byte *data_ = nullptr, *end_ = nullptr;
  std::optional<ArrayExtent> array_;
};

// Pointers of one level behind those of the levels above, in one block.
std::byte** fillTables(std::byte** next, std::byte* data, const std::ptrdiff_t* distance, unsigned levels,
                       const muster_row_level* level) {
  std::byte** table = next - level->first;
  next += level->last - level->first + 1;
  for (std::int64_t number = level->first; number <= level->last; ++number) {
    std::byte* place = data + number * *distance;
    if (levels == 1) {
      table[number] = place;
      continue;
    }
    table[number] = reinterpret_cast<std::byte*>(next - level[1].first);
    next = fillTables(next, place, distance + 1, levels - 1, level + 1);
  }
  return next;
}

}  // namespace
}  // namespace muster::rt

extern "C" int muster_find_tables(const muster_kernel* kernel, unsigned parameter, const void* table, unsigned levels,
                                  const muster_range* used, muster_rows* rows) {
  if (muster::rt::insideChunk()) return 0;
  std::string why;
  muster::rt::Tables tables(levels, used, kernel->arrays[parameter].elem_size);
  if (tables.find(table, *rows, why)) return 1;
  if (!why.empty()) muster::rt::noteUnevenRows(*kernel, parameter, why);
  return 0;
}

// Where entry 0 would be.
extern "C" void* muster_table_pointers(void* data, std::int64_t bytes, unsigned levels, const muster_row_level* level) {
  std::array<std::ptrdiff_t, MUSTER_MAX_ROW_LEVELS> distance{};
  std::size_t count = 0, tables = 1;
  for (unsigned i = 0; i < levels; ++i) {
    tables *= static_cast<std::size_t>(level[i].last - level[i].first + 1);
    count += tables;
  }
  std::ptrdiff_t unit = bytes;
  for (unsigned i = levels; i-- > 0;) distance[i] = unit *= level[i].length;
  auto** block = static_cast<std::byte**>(std::malloc(count * sizeof(void*)));
  if (block == nullptr) muster::panic(fmt::format("no memory for tables of {} rows", tables));
  muster::rt::fillTables(block, static_cast<std::byte*>(data), distance.data(), levels, level);
  return block - level->first;
}
