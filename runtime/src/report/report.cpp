// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collecting what a session did.
#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "registry/registry.h"

namespace muster::rt {
std::string formatSeconds(double seconds) {
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.1f} us", seconds * 1e6);
}

void Report::addLeftOut(int rank, const std::string& device, const std::string& reason) {
  leftOut_.push_back({rank, device, reason});
}

ArrayReport& Report::arrayOf(const muster_array_site* site) {
  const auto [found, added] = arrayIndex_.try_emplace(site, arrays_.size());
  if (added) {
    ArrayReport& array = arrays_.emplace_back();
    if (site == nullptr) {
      array.name = "(unnamed)";
      array.arrayClass = "partitioned";
    } else {
      array.name = site->name;
      array.location = location(site->loc);
      array.type = site->type_name;
      array.arrayClass = site->array_class == MUSTER_REPLICATED ? "replicated" : "partitioned";
      array.reason = site->reason != nullptr ? site->reason : "";
    }
  }
  return arrays_[found->second];
}

LoopReport& Report::loopOf(const muster_kernel& kernel) {
  const auto [found, added] = loops_.try_emplace(&kernel);
  if (added) {
    found->second.name = kernel.name;
    found->second.location = location(kernel.loc);
  }
  return found->second;
}

void Report::countArray(const muster_array_site* site, std::uint64_t bytes, std::uint32_t block) {
  const std::lock_guard lock(mutex_);
  ArrayReport& array = arrayOf(site);
  array.bytes += bytes;
  ++array.count;
  array.block = block;
}

void Report::countKept(const muster_array_site* site, std::uint64_t bytes) {
  countArray(site, bytes, 0);
  const std::lock_guard lock(mutex_);
  ++arrayOf(site).kept;
}

void Report::noteDirectMessages(std::size_t from) {
  const std::lock_guard lock(mutex_);
  directMessagesFrom_ = from;
}

void Report::noteThreads(const ThreadLaunches& launches) {
  const std::lock_guard lock(mutex_);
  threads_ = launches;
}

void Report::notePlans(std::size_t made, std::size_t found) {
  const std::lock_guard lock(mutex_);
  plansMade_ = made;
  plansFound_ = found;
}

void Report::countFetch(const muster_array_site* site, std::uint64_t bytes, double seconds) {
  const std::lock_guard lock(mutex_);
  ArrayReport& array = arrayOf(site);
  array.fetchSeconds += seconds;
  if (bytes == 0) return;
  ++array.fetches;
  array.fetchedBytes += bytes;
}

void Report::countAllocationTime(const muster_array_site* site, double seconds) {
  const std::lock_guard lock(mutex_);
  arrayOf(site).allocationSeconds += seconds;
}

void Report::countMove(double seconds) {
  const std::lock_guard lock(mutex_);
  moveSeconds_ += seconds;
}

void Report::endProgram(double seconds) {
  const std::lock_guard lock(mutex_);
  programSeconds_ = seconds;
}

void Report::countLaunch(const muster_kernel& kernel, double seconds, const cap::PlanRef& plan) {
  const std::lock_guard lock(mutex_);
  LoopReport& loop = loopOf(kernel);
  ++loop.launches;
  loop.seconds += seconds;
  loop.hasResults = kernel.n_results > 0;
  (plan == nullptr ? loop.inPlaceSeconds : loop.programSeconds) += seconds;
  if (plan == nullptr) {
    ++loop.nativeLaunches;
    return;
  }
  loop.lastBytesMoved = static_cast<std::uint64_t>(plan->bytesMoved());
  loop.bytesMoved += loop.lastBytesMoved;
  countMoves(*plan);
  if (!plan->chunks.empty()) loop.lastSplit = plan;
}

void Report::countJoined(const muster_kernel& kernel, std::uint32_t launches) {
  const std::lock_guard lock(mutex_);
  LoopReport& loop = loopOf(kernel);
  loop.joined += launches;
  ++loop.joinedInto;
}

void Report::addTime(const muster_kernel& kernel, double seconds) {
  const std::lock_guard lock(mutex_);
  loopOf(kernel).seconds += seconds;
}

void Report::countNative(const muster_kernel& kernel, double seconds, std::uint32_t device) {
  countLaunch(kernel, seconds, nullptr);
  const std::lock_guard lock(mutex_);
  nativeSeconds_[device] += seconds;
}

bool Report::countStepBack(const muster_kernel& kernel, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  return ++loopOf(kernel).stepBacks[reason] == 1;
}

void Report::nameArray(std::uint32_t id, const muster_array_site* site) {
  const std::lock_guard lock(mutex_);
  arrayOf(site);
  arrayById_[id] = arrayIndex_.at(site);
}

void Report::countMoves(const cap::Plan& plan) {
  cap::forEachCopy(plan, [this](const cap::Copy& copy) {
    const auto found = arrayById_.find(copy.array);
    if (found == arrayById_.end()) return;
    ArrayReport& array = arrays_[found->second];
    const auto bytes = static_cast<std::uint64_t>(copy.bytes());
    (copy.from == cap::hostMemory ? array.bytesOut
     : copy.to == cap::hostMemory ? array.bytesIn
                                  : array.bytesAcross) += bytes;
  });
}

void Report::countCorrection(const muster_kernel& kernel) {
  const std::lock_guard lock(mutex_);
  ++loopOf(kernel).corrections;
}

void Report::countDevice(const muster_kernel& kernel, const protocol::KernelTime& time) {
  const std::lock_guard lock(mutex_);
  DeviceTime& device = loopOf(kernel).devices[time.device];
  device.launches += time.launches;
  device.fused += time.fused;
  device.iterations += time.iterations;
  device.seconds += static_cast<double>(time.nanoseconds) * 1e-9;
}

void Report::countMerges(const muster_kernel& kernel, const protocol::RankTotals::Merges& merges) {
  const std::lock_guard lock(mutex_);
  LoopReport& loop = loopOf(kernel);
  loop.merges += merges.count;
  loop.bytesChanged += merges.bytesChanged;
  loop.bytesMerged += merges.bytesSent;
}

std::vector<double> Report::busySeconds() const {
  std::vector<double> busy(devices_.size());
  for (const auto& [device, seconds] : nativeSeconds_) {
    if (device < busy.size()) busy[device] += seconds;
  }
  for (const auto& [kernel, loop] : loops_) {
    for (const auto& [device, time] : loop.devices) {
      if (device < busy.size()) busy[device] += time.seconds;
    }
  }
  return busy;
}

std::vector<const LoopReport*> Report::loopsInOrder() const {
  std::vector<const LoopReport*> loops;
  loops.reserve(loops_.size());
  for (const auto& [kernel, loop] : loops_) loops.push_back(&loop);
  std::sort(loops.begin(), loops.end(), [](const LoopReport* a, const LoopReport* b) {
    if (a->location.size() != b->location.size()) return a->location.size() < b->location.size();  // line 9 before 10
    return std::tie(a->location, a->name) < std::tie(b->location, b->name);
  });
  return loops;
}

}  // namespace muster::rt
