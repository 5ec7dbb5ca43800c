// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives out ranges of [0, size) in whole units, lowest address first, and takes them back. Not thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

namespace muster::rt {

class RangeAllocator {
 public:
  explicit RangeAllocator(std::size_t size);

  // First unit of a free range of `count` units that starts at a multiple of `alignment` (a power of two, in units).
  std::optional<std::size_t> take(std::size_t count, std::size_t alignment);
  // A range that take() gave, or one that is new: then it need not lie below `size`.
  void give(std::size_t begin, std::size_t count);
  // Calls visit(begin, count), lowest first.
  template <class Visit>
  void forEachFree(Visit visit) const {
    for (const auto& [begin, count] : free_) visit(begin, count);
  }
  [[nodiscard]] bool unused() const { return used_ == 0; }
  [[nodiscard]] std::size_t available() const { return size_ - used_; }

 private:
  std::size_t size_;
  std::size_t used_ = 0;
  std::map<std::size_t, std::size_t> free_;  // begin -> count; no two touch
};

}  // namespace muster::rt
