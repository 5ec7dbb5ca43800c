// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges among devices that reach each other's memory (docs/decisions/0060-merges-between-devices.md). Each gets the
// others' contested elements as they are, by the same messages as copies of arrays, and takes from them what changed,
// in the order of the chunks. The host waits for messages, and for devices where values have to be compared.
#include <algorithm>

#include "executor/executor_impl.h"

namespace muster::cap {
namespace {

// Of one part at a time. Enough for messages to overlap; more would only take memory.
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20, kLeastBytes = std::uint64_t{64} << 10;
// All shares in a memory take this part of it at most.
constexpr std::uint64_t kMemoryPart = 64;
// Of an interval in a table of pairs.
constexpr std::int64_t kPairBytes = 12;

}  // namespace

bool Executor::Impl::isDirect(const Plan& plan, const Merge& merge) const {
  const auto reach = [&](const Merge::Part& from, const Merge::Part& to) {
    return from.chunk == to.chunk || links_.isDirect(memoryOf(plan, from), memoryOf(plan, to));
  };
  return std::ranges::all_of(merge.parts, [&](const Merge::Part& from) {
    const auto intervals = static_cast<std::int64_t>(from.elements.intervals());
    return intervals * kPairBytes <= from.elements.size() * merge.elemSize &&
           std::ranges::all_of(merge.parts, [&](const Merge::Part& to) { return reach(from, to); });
  });
}

std::int64_t Executor::Impl::directElements(const Plan& plan, const Merge& merge) const {
  std::uint64_t bytes = kMostBytes;
  for (const Merge::Part& part : merge.parts) {
    const std::uint64_t capacity = placeOf(memoryOf(plan, part)).capacity;
    if (capacity > 0) bytes = std::min(bytes, capacity / kMemoryPart / merge.parts.size());
  }
  return static_cast<std::int64_t>(std::max<std::uint64_t>(1, std::max(bytes, kLeastBytes) / merge.elemSize));
}

Status Executor::Impl::exchangeShares(LaunchInFlight& launch, const MergeRange& range,
                                      std::span<LaunchMerges::Local> local) {
  const auto memory = [&](std::size_t part) { return memoryOf(*launch.plan, range.parts[part]); };
  const auto mineOf = [&](std::size_t part) {
    const auto found = std::ranges::find(local, part, &LaunchMerges::Local::part);
    return found == local.end() ? nullptr : &*found;
  };
  Transfer transfer;
  ErrorGuard guard(*this, &transfer);
  std::vector<Copy>& copies = transfer.own;
  shares_.clear();
  for (std::size_t from = 0; from < range.parts.size(); ++from) {
    for (std::size_t to = 0; to < range.parts.size(); ++to) {
      LaunchMerges::Local *const source = mineOf(from), *const target = mineOf(to);
      if (from == to || (source == nullptr && target == nullptr)) continue;
      const IntervalSet both = range.parts[from].elements.intersect(range.parts[to].elements);
      if (both.empty()) continue;
      for (const Interval& piece : both)
        copies.push_back({range.merge->array, range.merge->elemSize, piece, memory(from), memory(to)});
      if (target == nullptr) {
        source->bytesSent += static_cast<std::uint64_t>(both.size()) * range.merge->elemSize;
        continue;
      }
      auto share = target->copy->share(from, both);
      if (!share.ok()) return share.status().at(where(*target->device));
      shares_[{memory(from), memory(to)}] = std::move(*share);
    }
  }
  MUSTER_TRY(beginTransfer(transfer, copies, launch.sequence));
  MUSTER_TRY(endTransfer(transfer, launch.sequence));
  guard.dismiss();
  return {};
}

Status Executor::Impl::joinShares(const LaunchInFlight& launch, const MergeRange& range,
                                  const LaunchMerges::Local& local) {
  const auto memory = [&](std::size_t part) { return memoryOf(*launch.plan, range.parts[part]); };
  // Nothing: that chunk can have written none of these elements.
  const auto withShareOf = [&](std::size_t part, auto use) -> Status {
    const auto found = shares_.find({memory(part), memory(local.part)});
    return found == shares_.end() ? Status() : use(found->second);
  };
  ContestedCopy& copy = *local.copy;
  const std::size_t parts = range.parts.size();
  if (range.merge->accumulate) {
    auto own = copy.share(local.part, range.parts[local.part].elements);
    if (!own.ok()) return own.status();
    MUSTER_TRY(copy.fillShare(*own));
    MUSTER_TRY(copy.restore());
    const auto combine = [&](const ContestedCopy::Share& share) { return copy.combine(share); };
    for (std::size_t p = 0; p < parts; ++p) MUSTER_TRY(p == local.part ? combine(*own) : withShareOf(p, combine));
    return {};
  }
  for (std::size_t p = local.part + 1; p < parts && !range.merge->atomic; ++p)
    MUSTER_TRY(withShareOf(p, [&](const ContestedCopy::Share& share) { return copy.compare(share, p); }));
  for (std::size_t p = local.part; p-- > 0;)
    MUSTER_TRY(withShareOf(p, [&](const ContestedCopy::Share& share) { return copy.join(share, false); }));
  for (std::size_t p = local.part + 1; p < parts; ++p)
    MUSTER_TRY(withShareOf(p, [&](const ContestedCopy::Share& share) { return copy.join(share, true); }));
  return {};
}

// Of the whole launch, so that ranges do not wait for each other.
Status Executor::Impl::noteRaces(const LaunchInFlight& launch, const MergeRange& range,
                                 const LaunchMerges::Local& local) {
  if (local.copy->compared().empty()) return local.copy->waitForSources().at(where(*local.device));
  MUSTER_TRY(local.device->finish().at(where(*local.device)));
  for (const ContestedCopy::Compared& compared : local.copy->compared()) {
    const Conflicts conflicts{compared.found[0], compared.found[1]};
    if (conflicts.count > 0) MUSTER_TRY(noteRace(launch, range, local.part, compared.part, conflicts));
  }
  return {};
}

Status Executor::Impl::mergeDirectly(LaunchInFlight& launch) {
  LaunchMerges::Group& merges = launch.merges->direct;
  std::span<LaunchMerges::Local> left(merges.local);
  for (std::size_t r = 0; r < merges.ranges.size(); ++r) {
    const auto end = std::ranges::find_if(left, [&](const LaunchMerges::Local& local) { return local.range != r; });
    const auto local = left.first(static_cast<std::size_t>(end - left.begin()));
    left = left.subspan(local.size());
    if (local.empty()) continue;
    const MergeRange& range = merges.ranges[r];
    const std::int64_t beganNs = trace_.now();
    MUSTER_TRY(exchangeShares(launch, range, local));
    for (const LaunchMerges::Local& mine : local) {
      MUSTER_TRY(joinShares(launch, range, mine).at(where(*mine.device)));
      const auto bytes = static_cast<std::uint64_t>(range.parts[mine.part].elements.size()) * range.merge->elemSize;
      recordMerge(launch, range, mine, beganNs, bytes);
    }
  }
  for (const LaunchMerges::Local& mine : merges.local) MUSTER_TRY(noteRaces(launch, merges.ranges[mine.range], mine));
  return {};
}

}  // namespace muster::cap
