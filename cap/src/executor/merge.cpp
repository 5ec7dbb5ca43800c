// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merging what several chunks wrote (docs/architecture.md, Writes that are not exact, and merges). A rank sends the
// diffs of all its chunks as one bundle to each rank that has a copy of some of their elements. Each copy then takes
// everybody's changes in the order of the chunks, so that all copies become equal bit for bit.
#include "executor/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "executor/executor_impl.h"
#include "muster/cdm/host_allocation.h"

namespace muster::cap {
namespace {

// Between the tag of the flow-control window (0xE000) and those of results.
constexpr std::uint32_t kHeadIndex = 0xE001, kBodyIndex = 0xE002;
// A bundle's first message: its size, and as much of it as fits. Small bundles take no second one.
constexpr std::size_t kHeadBytes = 1024, kInline = kHeadBytes - sizeof(std::uint64_t);

// "a.cpp:10" of a loop and the line of a write in the same file.
std::string withLine(const std::string& location, std::uint32_t line) {
  const auto colon = location.rfind(':');
  if (line == 0 || colon == std::string::npos) return location;
  return fmt::format("{}:{}", location.substr(0, colon), line);
}

bool overlap(const Merge::Part& a, const Merge::Part& b) {
  return a.elements == b.elements || a.elements.overlaps(b.elements);
}

}  // namespace

int Executor::Impl::rankOfPart(const LaunchInFlight& launch, const Merge::Part& part) const {
  return rankOf(memoryOf(*launch.plan, part));
}

MergeBuffers& Executor::Impl::mergeBuffers(DeviceStorage& storage) {
  return mergeBuffers_.try_emplace(&storage, storage.device()).first->second;
}

Status Executor::Impl::releaseMergeBuffers(DeviceStorage& storage) {
  return launchesMerging_ == 0 ? mergeBuffers(storage).release() : Status();
}

Status Executor::Impl::beginMerges(LaunchInFlight& launch) {
  if (launch.plan->merges.empty()) return {};
  launch.merges = std::make_unique<LaunchMerges>();
  ++launchesMerging_;
  LaunchMerges& merges = *launch.merges;
  for (const Merge& merge : launch.plan->merges) {
    const bool direct = isDirect(*launch.plan, merge);
    appendRanges((direct ? merges.direct : merges.byHost).ranges, merge,
                 direct ? directElements(*launch.plan, merge) : std::int64_t{maxDiffElements});
  }
  std::map<DeviceStorage*, std::size_t> copies;
  MUSTER_TRY(beginMerges(launch, merges.byHost, copies));
  return beginMerges(launch, merges.direct, copies);
}

Status Executor::Impl::beginMerges(const LaunchInFlight& launch, LaunchMerges::Group& merges,
                                   std::map<DeviceStorage*, std::size_t>& copies) {
  for (std::size_t r = 0; r < merges.ranges.size(); ++r) {
    const MergeRange& range = merges.ranges[r];
    const Merge& merge = *range.merge;
    const Combination combination{merge.accumulate, merge.op, launch.request.code->arrays[merge.parameter].type};
    for (std::size_t p = 0; p < range.parts.size(); ++p) {
      DeviceStorage* storage = storageOf(memoryOf(*launch.plan, range.parts[p]));
      if (storage == nullptr) continue;
      const ArrayInfo& array = record(merge.array).info;
      const auto fail = [&](const Status& status) {
        return status.at(fmt::format("{}, array {}, written in the loop at {}", where(storage->device()), array.name,
                                     launch.request.code->location));
      };
      if (merge.accumulate && cdm::sizeOf(combination.type) != merge.elemSize)
        return fail({Errc::unsupported, "updates of elements of this type cannot be added up"});
      LaunchMerges::Local local{r, p, {}, &storage->device()};
      local.copy =
          std::make_unique<ContestedCopy>(mergeBuffers(*storage), copies[storage]++, *storage->find(merge.array),
                                          merge.elemSize, range.parts[p].elements, range.base, combination);
      MUSTER_TRY(fail(local.copy->begin()));
      merges.local.push_back(std::move(local));
    }
  }
  return {};
}

// The devices that work by themselves search first; native code then searches meanwhile.
Status Executor::Impl::findChanges(LaunchInFlight& launch) {
  LaunchMerges::Group& merges = launch.merges->byHost;
  const auto forEach = [&](Status (ContestedCopy::*step)()) -> Status {
    for (const bool native : {false, true}) {
      for (LaunchMerges::Local& local : merges.local) {
        if (local.device->info().hostAddressable != native) continue;
        MUSTER_TRY(((*local.copy).*step)().at(fmt::format("{}, kernel {} ({})", where(*local.device),
                                                          launch.request.code->name, launch.request.code->location)));
      }
    }
    return {};
  };
  MUSTER_TRY(forEach(&ContestedCopy::search));
  MUSTER_TRY(forEach(&ContestedCopy::gather));
  return forEach(&ContestedCopy::waitForChanges);
}

// Ranks whose chunks share elements with this rank's; both sides find each other.
std::vector<int> Executor::Impl::mergePeers(const LaunchInFlight& launch) const {
  std::vector<bool> isPeer(static_cast<std::size_t>(transport_.size()));
  const int me = transport_.rank();
  for (const MergeRange& range : launch.merges->byHost.ranges) {
    for (const Merge::Part& mine : range.parts) {
      if (rankOfPart(launch, mine) != me) continue;
      for (const Merge::Part& other : range.parts) {
        const int rank = rankOfPart(launch, other);
        if (rank == me || isPeer[static_cast<std::size_t>(rank)] || !overlap(mine, other)) continue;
        isPeer[static_cast<std::size_t>(rank)] = true;
      }
    }
  }
  std::vector<int> peers;
  for (std::size_t rank = 0; rank < isPeer.size(); ++rank) {
    if (isPeer[rank]) peers.push_back(static_cast<int>(rank));
  }
  return peers;
}

Status Executor::Impl::exchangeDiffs(LaunchInFlight& launch) {
  LaunchMerges& merges = *launch.merges;
  for (const int rank : mergePeers(launch))
    merges.bundles.push_back({rank, cdm::Bytes(kHeadBytes), mergeScratch_.takeBytes(), {}});
  if (merges.bundles.empty()) return {};
  std::vector<cdm::RequestPtr> heads, others;
  const auto keep = [](std::vector<cdm::RequestPtr>& requests, Result<cdm::RequestPtr> request) -> Status {
    if (!request.ok()) return request.status();
    requests.push_back(std::move(*request));
    return {};
  };
  for (LaunchMerges::Bundle& bundle : merges.bundles)
    MUSTER_TRY(keep(heads, transport_.receive(bundle.rank, tag(launch.sequence, kHeadIndex), bundle.head)));

  cdm::Bytes mine = mergeScratch_.takeBytes();
  mine.clear();
  mine.resize(sizeof(std::uint64_t));
  for (LaunchMerges::Local& local : merges.byHost.local) {
    const MergeRange& range = merges.byHost.ranges[local.range];
    const std::size_t before = mine.size();
    const Changes& changes = local.copy->changes();
    MUSTER_TRY(cdm::growHost(changes.values.size(), "diffs to send", [&] {
                 appendDiff(mine, shapeOf(range.parts[local.part], range.merge->elemSize), changes);
               }).at(here()));
    local.bytesSent = (mine.size() - before) * merges.bundles.size();
  }
  const std::uint64_t size = mine.size() - sizeof(std::uint64_t);
  std::memcpy(mine.data(), &size, sizeof size);
  if (mine.size() < kHeadBytes) mine.resize(kHeadBytes);
  const std::span<const std::byte> body = std::span(mine).subspan(kHeadBytes);
  for (const LaunchMerges::Bundle& bundle : merges.bundles) {
    MUSTER_TRY(keep(others, transport_.send(bundle.rank, tag(launch.sequence, kHeadIndex),
                                            std::span<const std::byte>(mine).first(kHeadBytes))));
    if (!body.empty()) MUSTER_TRY(keep(others, transport_.send(bundle.rank, tag(launch.sequence, kBodyIndex), body)));
  }
  for (std::size_t i = 0; i < heads.size(); ++i) {
    MUSTER_TRY(transport_.wait(heads[i]));
    LaunchMerges::Bundle& bundle = merges.bundles[i];
    MUSTER_TRY(makeRoom(bundle, launch));
    const std::size_t inlined = std::min(bundle.bytes.size(), kInline);
    std::copy_n(bundle.head.begin() + sizeof(std::uint64_t), inlined, bundle.bytes.begin());
    if (bundle.bytes.size() == inlined) continue;
    MUSTER_TRY(keep(others, transport_.receive(bundle.rank, tag(launch.sequence, kBodyIndex),
                                               std::span(bundle.bytes).subspan(inlined))));
  }
  MUSTER_TRY(transport_.waitAll(others));
  mergeScratch_.keep(std::move(mine));
  for (LaunchMerges::Bundle& bundle : merges.bundles) MUSTER_TRY(decode(bundle, launch));
  return {};
}

Status Executor::Impl::makeRoom(LaunchMerges::Bundle& bundle, const LaunchInFlight& launch) const {
  std::uint64_t size = 0, largest = 0;
  std::memcpy(&size, bundle.head.data(), sizeof size);
  for (const MergeRange& range : launch.merges->byHost.ranges) {
    for (const Merge::Part& part : range.parts) {
      if (rankOfPart(launch, part) == bundle.rank) largest += maxDiffBytes(shapeOf(part, range.merge->elemSize));
    }
  }
  if (size > largest)
    return {Errc::protocol, fmt::format("rank {}: diffs of {} bytes from rank {}, at most {} are possible",
                                        transport_.rank(), size, bundle.rank, largest)};
  return cdm::growHost(size, "another rank's diffs", [&] { bundle.bytes.resize(static_cast<std::size_t>(size)); })
      .at(here());
}

Status Executor::Impl::decode(LaunchMerges::Bundle& bundle, const LaunchInFlight& launch) {
  std::span<const std::byte> left(bundle.bytes);
  const std::string from =
      fmt::format("rank {}, loop at {}, rank {}", transport_.rank(), launch.request.code->location, bundle.rank);
  for (const MergeRange& range : launch.merges->byHost.ranges) {
    for (const Merge::Part& part : range.parts) {
      if (rankOfPart(launch, part) != bundle.rank) continue;
      auto changes = takeDiff(left, shapeOf(part, range.merge->elemSize), mergeScratch_.takePositions());
      if (!changes.ok()) return changes.status().at(from);
      bundle.changes.push_back(std::move(*changes));
    }
  }
  if (!left.empty()) return Status(Errc::protocol, "more bytes than diffs").at(from);
  return {};
}

// By range and part; parts whose changes this rank has no use for stay empty.
std::vector<std::vector<PlacedChanges>> Executor::Impl::placeChanges(const LaunchInFlight& launch) const {
  const LaunchMerges& merges = *launch.merges;
  std::map<int, std::size_t> next;  // of each rank's changes
  std::vector<std::vector<PlacedChanges>> all;
  for (const MergeRange& range : merges.byHost.ranges) {
    auto& list = all.emplace_back(range.parts.size());
    for (std::size_t p = 0; p < range.parts.size(); ++p) {
      const int rank = rankOfPart(launch, range.parts[p]);
      const auto place = [&](const Changes& changes) {
        list[p] = placed(changes, range.parts[p].elements, range.base);
      };
      if (rank == transport_.rank()) {
        place(merges.byHost.local[next[rank]++].copy->changes());
        continue;
      }
      const auto bundle = std::find_if(merges.bundles.begin(), merges.bundles.end(),
                                       [&](const auto& candidate) { return candidate.rank == rank; });
      if (bundle != merges.bundles.end()) place(bundle->changes[next[rank]++]);
    }
  }
  return all;
}

Status Executor::Impl::noteRace(const LaunchInFlight& launch, const MergeRange& range, std::size_t part,
                                std::size_t other, const Conflicts& conflicts) {
  const auto nameOf = [&](std::size_t which) {
    const DevicePlace& place = placeOf(memoryOf(*launch.plan, range.parts[which]));
    return fmt::format("rank {} device {} ({})", place.rank, place.index, place.name);
  };
  const cdm::KernelCode& code = *launch.request.code;
  const Race race{.kernel = code.id,
                  .write = withLine(code.location, range.merge->line),
                  .loop = code.location,
                  .array = record(range.merge->array).info.name,
                  .element = range.base + conflicts.first,
                  .count = conflicts.count,
                  .devices = nameOf(part) + " and " + nameOf(other)};
  if (options_.failOnRaces) return {Errc::invalidArgument, RaceLog::describe(race)};
  races_.add(race);
  return {};
}

// A chunk's rank looks at those of later chunks, so that each pair is looked at once.
Status Executor::Impl::checkRaces(const LaunchInFlight& launch, const LaunchMerges::Local& local,
                                  std::span<const PlacedChanges> changes) {
  const MergeRange& range = launch.merges->byHost.ranges[local.range];
  const Merge& merge = *range.merge;
  if (merge.accumulate || merge.atomic) return {};
  const Merge::Part& mine = range.parts[local.part];
  if (local.part + 1 == range.parts.size()) return {};
  const ElementBits bits(changes[local.part].elements);
  for (std::size_t p = local.part + 1; p < range.parts.size(); ++p) {
    if (!overlap(mine, range.parts[p]) || !bits.mayShare(changes[p].elements)) continue;
    const Conflicts conflicts = conflictsOf(changes[local.part], changes[p], merge.elemSize);
    if (conflicts.count == 0) continue;
    MUSTER_TRY(noteRace(launch, range, local.part, p, conflicts));
  }
  return {};
}

Status Executor::Impl::applyChanges(const LaunchInFlight& launch, const LaunchMerges::Local& local,
                                    std::span<const PlacedChanges> changes, std::deque<PlacedChanges>& kept) {
  const MergeRange& range = launch.merges->byHost.ranges[local.range];
  const IntervalSet& mine = range.parts[local.part].elements;
  if (range.merge->accumulate) MUSTER_TRY(local.copy->restore());
  bool own = range.merge->accumulate;  // whether the chunk's own changes are not, or no longer, in place
  for (std::size_t p = 0; p < range.parts.size(); ++p) {
    if (p == local.part) {
      if (own) MUSTER_TRY(local.copy->apply(changes[p]));
      continue;
    }
    const IntervalSet& theirs = range.parts[p].elements;
    const PlacedChanges* some = &changes[p];
    if (some->elements.empty()) continue;
    if (theirs != mine) some = &kept.emplace_back(within(*some, mine, range.base, range.merge->elemSize));
    if (some->elements.empty()) continue;
    own = true;
    MUSTER_TRY(local.copy->apply(*some));
  }
  return {};
}

void Executor::Impl::recordMerge(const LaunchInFlight& launch, const MergeRange& range,
                                 const LaunchMerges::Local& local, std::int64_t beganNs,
                                 std::uint64_t bytesChanged) const {
  if (!trace_.on()) return;
  trace_.sink()->record({.kind = TraceEvent::Kind::merge,
                         .beginNs = beganNs,
                         .endNs = trace_.now(),
                         .sequence = launch.sequence,
                         .kernel = launch.request.code->id,
                         .bytes = local.bytesSent,
                         .amount = bytesChanged,
                         .device = launch.plan->chunks[range.parts[local.part].chunk].device,
                         .array = range.merge->array});
}

Status Executor::Impl::mergeByHost(LaunchInFlight& launch) {
  LaunchMerges& merges = *launch.merges;
  if (merges.byHost.ranges.empty()) return {};
  const std::int64_t beganNs = trace_.now();
  MUSTER_TRY(findChanges(launch));
  MUSTER_TRY(exchangeDiffs(launch));
  const auto changes = placeChanges(launch);
  std::deque<PlacedChanges> kept;  // until the devices have read them
  for (const LaunchMerges::Local& local : merges.byHost.local) {
    MUSTER_TRY(checkRaces(launch, local, changes[local.range]));
    MUSTER_TRY(applyChanges(launch, local, changes[local.range], kept).at(where(*local.device)));
  }
  for (const LaunchMerges::Local& local : merges.byHost.local)
    MUSTER_TRY(local.device->finish().at(where(*local.device)));
  for (const LaunchMerges::Local& local : merges.byHost.local)
    recordMerge(launch, merges.byHost.ranges[local.range], local, beganNs, local.copy->changes().values.size());
  for (LaunchMerges::Bundle& bundle : merges.bundles) {
    mergeScratch_.keep(std::move(bundle.bytes));
    for (Changes& remote : bundle.changes) mergeScratch_.keep(std::move(remote.positions));
  }
  return {};
}

Status Executor::Impl::finishMerges(LaunchInFlight& launch) {
  if (launch.merges == nullptr) return {};
  MUSTER_TRY(mergeByHost(launch));
  const Status direct = mergeDirectly(launch);
  shares_.clear();
  MUSTER_TRY(direct);
  launch.merges.reset();
  --launchesMerging_;
  return {};
}

}  // namespace muster::cap
