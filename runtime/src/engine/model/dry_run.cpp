// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over plans.
#include "engine/model/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "report/report.h"

namespace muster::rt {
namespace {

// Planning times that are kept per loop, so that a dry run's memory does not grow with the number of launches.
constexpr std::size_t mostTimes = 1024;

double medianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// If all contested elements were changed: each rank sends those of its chunks to every other rank with a chunk.
std::uint64_t mergedBytes(const cap::Plan& plan, const RanksOfMemories& ranks) {
  std::uint64_t bytes = 0;
  for (const cap::Merge& merge : plan.merges) {
    std::set<int> concerned;
    for (const cap::Merge::Part& part : merge.parts) concerned.insert(ranks.at(plan.chunks[part.chunk].memory));
    for (const cap::Merge::Part& part : merge.parts)
      bytes += static_cast<std::uint64_t>(part.elements.size()) * merge.elemSize * (concerned.size() - 1);
  }
  return bytes;
}

Traffic largest(const Traffic& a, const Traffic& b) {
  return {std::max(a.bytes, b.bytes), std::max(a.largestOfARank, b.largestOfARank), std::max(a.messages, b.messages),
          std::max(a.largestMessage, b.largestMessage), std::max(a.merged, b.merged)};
}

}  // namespace

RanksOfMemories ranksOf(const DeviceTable& table) {
  RanksOfMemories ranks{{cap::hostMemory, 0}};
  for (const cap::DevicePlace& place : table.places()) ranks.emplace(place.memory, place.rank);
  return ranks;
}

Traffic trafficOf(const cap::Plan& plan, const RanksOfMemories& ranks) {
  Traffic traffic;
  std::map<std::pair<cap::MemoryId, cap::MemoryId>, std::uint64_t> messages;
  cap::forEachCopy(plan, [&](const cap::Copy& copy) {
    traffic.bytes += static_cast<std::uint64_t>(copy.bytes());
    messages[{copy.from, copy.to}] += static_cast<std::uint64_t>(copy.bytes());
  });
  std::map<int, std::uint64_t> ofRank;
  for (const auto& [ends, bytes] : messages) {
    const int from = ranks.at(ends.first), to = ranks.at(ends.second);
    if (from == to) continue;
    ++traffic.messages;
    traffic.largestMessage = std::max(traffic.largestMessage, bytes);
    for (const int rank : {from, to}) traffic.largestOfARank = std::max(traffic.largestOfARank, ofRank[rank] += bytes);
  }
  traffic.merged = mergedBytes(plan, ranks);
  return traffic;
}

const Traffic& DryRun::trafficOf(Loop& loop, const cap::PlanRef& plan) const {
  for (const Known& known : loop.known) {
    if (!known.plan.owner_before(plan) && !plan.owner_before(known.plan)) return known.traffic;
  }
  Known& known = loop.known[loop.oldest++ % loop.known.size()];
  known = {plan, rt::trafficOf(*plan, ranks_)};
  return known.traffic;
}

void DryRun::noteLaunch(const KernelEntry& kernel, const cap::PlanRef& plan, double seconds, bool fresh) {
  const muster_kernel& launched = kernel.loop();
  Loop& loop = loops_[launched.id];
  if (loop.launches == 0) {
    loop.name = launched.name;
    loop.location = location(launched.loc);
  }
  ++loop.launches;
  loop.onHost += plan->onHost ? 1 : 0;
  const Traffic& traffic = trafficOf(loop, plan);
  loop.sum.bytes += traffic.bytes;
  loop.sum.messages += traffic.messages;
  loop.most = largest(loop.most, traffic);
  if (!fresh) return;
  ++loop.fresh;
  loop.longest = std::max(loop.longest, seconds);
  if (loop.seconds.size() < mostTimes) loop.seconds.push_back(seconds);
}

void DryRun::noteHostAccess(const cap::Plan& plan) {
  ++hostAccesses_;
  hostBytes_ += static_cast<std::uint64_t>(plan.bytesMoved());
  if (time_ != nullptr) time_->wait(plan);
}

double DryRun::medianSeconds() const {
  std::vector<double> all;
  for (const auto& [id, loop] : loops_) all.insert(all.end(), loop.seconds.begin(), loop.seconds.end());
  return medianOf(std::move(all));
}

double DryRun::longestSeconds() const {
  double longest = 0;
  for (const auto& [id, loop] : loops_) longest = std::max(longest, loop.longest);
  return longest;
}

void DryRun::print(std::string& out, const Loop& loop) const {
  fmt::format_to(std::back_inserter(out), "muster:   {} ({}): {} launches", loop.location, loop.name, loop.launches);
  if (loop.onHost > 0) fmt::format_to(std::back_inserter(out), ", {} of them on rank 0's CPU", loop.onHost);
  fmt::format_to(std::back_inserter(out), "; planned {} times anew, in {} (median), {} (longest)\n", loop.fresh,
                 formatSeconds(medianOf(loop.seconds)), formatSeconds(loop.longest));
  fmt::format_to(std::back_inserter(out),
                 "muster:     per launch {} in {} messages on average; at most {} in all, {} for one rank, {} in one "
                 "message\n",
                 formatByteCount(loop.sum.bytes / loop.launches), loop.sum.messages / loop.launches,
                 formatByteCount(loop.most.bytes), formatByteCount(loop.most.largestOfARank),
                 formatByteCount(loop.most.largestMessage));
  if (loop.most.merged > 0)
    fmt::format_to(std::back_inserter(out), "muster:     and up to {} of changes to merge\n",
                   formatByteCount(loop.most.merged));
}

std::string DryRun::text(const cap::PlanCache& plans) const {
  const auto& devices = table_.devices();
  const int ranks = devices.empty() ? 0 : devices.back().place.rank + 1;
  std::string out = fmt::format("muster: dry run for {} ranks with {} devices: nothing was computed or moved\n", ranks,
                                devices.size());
  for (const auto& [id, loop] : loops_) print(out, loop);
  fmt::format_to(std::back_inserter(out), "muster:   the host: {} accesses that would move {}\n", hostAccesses_,
                 formatByteCount(hostBytes_));
  fmt::format_to(std::back_inserter(out),
                 "muster:   the planner's memory: {} for {} plans; {} launches were replayed\n",
                 formatByteCount(plans.bytes()), plans.size(), plans.hits());
  if (time_ != nullptr)
    fmt::format_to(std::back_inserter(out), "muster:   modelled time: {:.6f} s\n", time_->seconds());
  return out;
}

}  // namespace muster::rt
