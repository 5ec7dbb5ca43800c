// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which access each page of an array's user view has, as runs of equal pages: an array of any size that is uniform
// costs one run. Pure bookkeeping, no system call. Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "host/space/extent.h"

namespace muster::rt {

struct PageRange {
  std::size_t lo = 0, hi = 0;  // pages [lo, hi)
  bool operator==(const PageRange&) const = default;
};

class PageAccessMap {
 public:
  PageAccessMap(std::size_t pages, PageAccess initial);

  [[nodiscard]] std::size_t pages() const { return pages_; }
  [[nodiscard]] std::size_t runs() const { return runs_.size(); }
  [[nodiscard]] PageAccess at(std::size_t page) const;
  // The smallest range that holds every page of [lo, hi) whose access is not `access`; nothing if there is none.
  [[nodiscard]] std::optional<PageRange> differing(std::size_t lo, std::size_t hi, PageAccess access) const;
  // The first run of pages of [lo, hi) that may do more than `access` allows (above), or less (below).
  [[nodiscard]] std::optional<PageRange> firstAbove(std::size_t lo, std::size_t hi, PageAccess access) const;
  [[nodiscard]] std::optional<PageRange> firstBelow(std::size_t lo, std::size_t hi, PageAccess access) const;
  void assign(std::size_t lo, std::size_t hi, PageAccess access);

 private:
  struct Run {
    std::size_t begin;  // ends where the next one begins
    PageAccess access;
  };
  template <class Matches>
  [[nodiscard]] std::optional<PageRange> first(std::size_t lo, std::size_t hi, Matches matches) const;
  [[nodiscard]] std::size_t runOf(std::size_t page) const;
  [[nodiscard]] std::size_t endOf(std::size_t run) const;

  std::size_t pages_;
  std::vector<Run> runs_;  // sorted, begins at 0, neighbours differ
};

}  // namespace muster::rt
