// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries of a table of pointers that may reach further than the table does: the rows that a loop may use are bounded
// from above, where a condition may keep it from using them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "host/space/address_table.h"

namespace muster::rt {

// read(from, bytes, into): false if not all of it is there. A system call, so that few are made: one for 512 entries.
template <class Read>
class TableReader {
 public:
  // `last`: nobody asks for a later entry. Those of [known.first, known.second] are there for sure.
  TableReader(const void* table, std::int64_t last, std::optional<std::pair<std::int64_t, std::int64_t>> known,
              Read read)
      : table_(static_cast<std::byte* const*>(table)), last_(last), known_(known), read_(std::move(read)) {}

  // nullopt: there is no such entry.
  std::optional<std::byte*> entry(std::int64_t row) {
    if (known_ && row >= known_->first && row <= known_->second) return table_[row];
    if (row < first_ || row >= first_ + count_) {
      if (!fill(row, std::clamp<std::int64_t>(last_ - row + 1, 1, kBlock)) && !fill(row, untilPageEnd(row)))
        return std::nullopt;
    }
    return block_[static_cast<std::size_t>(row - first_)];
  }

 private:
  static constexpr std::int64_t kBlock = AddressTable::kPageBytes / sizeof(void*);

  // Of one page all entries are there, or none.
  std::int64_t untilPageEnd(std::int64_t row) const {
    const std::size_t at = reinterpret_cast<std::uintptr_t>(table_ + row) % AddressTable::kPageBytes;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>((AddressTable::kPageBytes - at) / sizeof(void*)));
  }
  bool fill(std::int64_t row, std::int64_t count) {
    if (!read_(table_ + row, static_cast<std::size_t>(count) * sizeof(void*), block_.data())) return false;
    first_ = row;
    count_ = count;
    return true;
  }

  std::byte* const* table_;
  std::int64_t last_;
  std::optional<std::pair<std::int64_t, std::int64_t>> known_;
  Read read_;
  std::int64_t first_ = 0, count_ = 0;
  std::array<std::byte*, kBlock> block_;
};

}  // namespace muster::rt
