// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of equal page access: lookup by binary search, assignment by replacing the runs that a range covers.
#include "host/space/page_access_map.h"

#include <algorithm>
#include <array>

namespace muster::rt {

PageAccessMap::PageAccessMap(std::size_t pages, PageAccess initial) : pages_(pages), runs_{{0, initial}} {}

std::size_t PageAccessMap::runOf(std::size_t page) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), page,
                                      [](std::size_t value, const Run& run) { return value < run.begin; });
  return static_cast<std::size_t>(after - runs_.begin()) - 1;
}

std::size_t PageAccessMap::endOf(std::size_t run) const {
  return run + 1 < runs_.size() ? runs_[run + 1].begin : pages_;
}

PageAccess PageAccessMap::at(std::size_t page) const { return runs_[runOf(page)].access; }

std::optional<PageRange> PageAccessMap::differing(std::size_t lo, std::size_t hi, PageAccess access) const {
  if (lo >= hi) return std::nullopt;
  std::size_t first = runOf(lo);
  while (first < runs_.size() && runs_[first].begin < hi && runs_[first].access == access) ++first;
  if (first == runs_.size() || runs_[first].begin >= hi) return std::nullopt;
  std::size_t last = runOf(hi - 1);
  while (runs_[last].access == access) --last;
  return PageRange{std::max(lo, runs_[first].begin), std::min(hi, endOf(last))};
}

template <class Matches>
std::optional<PageRange> PageAccessMap::first(std::size_t lo, std::size_t hi, Matches matches) const {
  if (lo >= hi) return std::nullopt;
  std::size_t run = runOf(lo);
  while (run < runs_.size() && runs_[run].begin < hi && !matches(runs_[run].access)) ++run;
  if (run == runs_.size() || runs_[run].begin >= hi) return std::nullopt;
  std::size_t last = run;
  while (last + 1 < runs_.size() && runs_[last + 1].begin < hi && matches(runs_[last + 1].access)) ++last;
  return PageRange{std::max(lo, runs_[run].begin), std::min(hi, endOf(last))};
}

std::optional<PageRange> PageAccessMap::firstAbove(std::size_t lo, std::size_t hi, PageAccess access) const {
  return first(lo, hi, [access](PageAccess now) { return now > access; });
}

std::optional<PageRange> PageAccessMap::firstBelow(std::size_t lo, std::size_t hi, PageAccess access) const {
  return first(lo, hi, [access](PageAccess now) { return now < access; });
}

void PageAccessMap::assign(std::size_t lo, std::size_t hi, PageAccess access) {
  if (lo >= hi) return;
  const std::size_t first = runOf(lo);
  const std::size_t last = runOf(hi - 1);
  // What is left of the first and last run on either side, and the new run between them.
  std::array<Run, 3> pieces;
  std::size_t count = 0;
  const auto add = [&](std::size_t begin, PageAccess value) {
    const bool same = count > 0 ? pieces[count - 1].access == value : first > 0 && runs_[first - 1].access == value;
    if (!same) pieces[count++] = {begin, value};
  };
  if (runs_[first].begin < lo) add(runs_[first].begin, runs_[first].access);
  add(lo, access);
  if (hi < endOf(last)) add(hi, runs_[last].access);
  std::size_t stop = last + 1;
  const PageAccess before = count > 0 ? pieces[count - 1].access : runs_[first - 1].access;
  if (stop < runs_.size() && runs_[stop].access == before) ++stop;

  const auto position = runs_.begin() + static_cast<std::ptrdiff_t>(first);
  const std::size_t room = stop - first;
  const std::size_t reused = std::min(room, count);
  std::copy_n(pieces.begin(), reused, position);
  const auto rest = position + static_cast<std::ptrdiff_t>(reused);
  if (count > room) {
    runs_.insert(rest, pieces.begin() + static_cast<std::ptrdiff_t>(reused),
                 pieces.begin() + static_cast<std::ptrdiff_t>(count));
  } else {
    runs_.erase(rest, runs_.begin() + static_cast<std::ptrdiff_t>(stop));
  }
}

}  // namespace muster::rt
