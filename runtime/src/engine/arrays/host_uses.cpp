// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory that commands use.
#include "engine/arrays/host_uses.h"

#include <algorithm>
#include <map>
#include <utility>

namespace muster::rt {
namespace {

// More pieces than that are not worth telling apart: pages that nobody uses are asked for again when touched.
constexpr std::size_t kMostPieces = 16;
// So many uses of an array are kept at most before they are put together.
constexpr std::size_t kMostUses = 64;

}  // namespace

std::vector<HostUse> hostUsesOf(const cap::Plan& plan, const std::vector<cap::ArrayUse>& arrays) {
  std::map<std::pair<std::uint32_t, bool>, cap::IntervalSet> sets;  // by array, and whether they are written
  std::map<std::pair<std::uint32_t, bool>, std::vector<cap::Interval>> copies;
  for (const cap::Copy& copy : plan.copies) {
    if (copy.from == cap::hostMemory) copies[{copy.array, false}].push_back(copy.elements);
    if (copy.to == cap::hostMemory) copies[{copy.array, true}].push_back(copy.elements);
  }
  for (const cap::Spread& spread : plan.spreads) {
    if (spread.from == cap::hostMemory) copies[{spread.array, false}].push_back(spread.elements);
    if (spread.reaches(cap::hostMemory)) copies[{spread.array, true}].push_back(spread.elements);
  }
  for (auto& [key, elements] : copies) sets[key] = cap::IntervalSet::of(std::move(elements));
  for (const cap::Chunk& chunk : plan.chunks) {
    if (chunk.memory != cap::hostMemory) continue;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      sets[{arrays[i].array, false}].add(chunk.reads[i]);
      sets[{arrays[i].array, true}].add(chunk.writes[i]);
    }
  }
  for (const cap::Merge& merge : plan.merges) {
    for (const cap::Merge::Part& part : merge.parts) {
      if (plan.chunks[part.chunk].memory == cap::hostMemory) sets[{merge.array, true}].add(part.elements);
    }
  }
  std::vector<HostUse> uses;
  for (const auto& [key, elements] : sets) {
    if (elements.intervals() > kMostPieces) {
      uses.push_back({key.first, elements.hull(), key.second});
    } else {
      for (const cap::Interval& piece : elements) uses.push_back({key.first, piece, key.second});
    }
  }
  return uses;
}

std::optional<HostUses::Pending> HostUses::newest(std::uint32_t array, const cap::Interval& elements, bool write,
                                                  const Done& done) const {
  const auto found = uses_.find(array);
  if (found == uses_.end()) return {};
  std::optional<Pending> newest;
  for (const Use& use : found->second) {
    if ((!write && !use.write) || use.elements.intersect(elements).empty()) continue;
    if ((!newest || use.pending.command > newest->command) && !done(use.pending)) newest = use.pending;
  }
  return newest;
}

void HostUses::note(const HostUse& use, std::uint64_t command) {
  if (use.elements.empty()) return;
  std::vector<Use>& uses = uses_[use.array];
  const auto same = std::find_if(uses.begin(), uses.end(), [&](const Use& known) {
    return known.write == use.write && known.elements == use.elements;
  });
  if (same != uses.end()) {
    same->pending.command = command;
    return;
  }
  uses.push_back({use.elements, use.write, {command}});
  if (uses.size() > kMostUses) uses = joined(uses);
}

// One use of the hull for all that read, and one for all that write.
std::vector<HostUses::Use> HostUses::joined(const std::vector<Use>& uses) {
  std::vector<Use> all;
  for (const bool write : {false, true}) {
    Use hull{{}, write, {0, true}};
    for (const Use& use : uses) {
      if (use.write != write) continue;
      hull.elements = hull.elements.hull(use.elements);
      hull.pending.command = std::max(hull.pending.command, use.pending.command);
    }
    if (!hull.elements.empty()) all.push_back(hull);
  }
  return all;
}

}  // namespace muster::rt
