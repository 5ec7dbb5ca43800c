// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collecting what a session did, and the report for people.
#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "registry/registry.h"

namespace muster::rt {
namespace {

// Rows of the plan's split; the last launch stands for the others.
std::string shareText(const cap::Chunk& chunk) { return fmt::format("iterations [{}, {})", chunk.lo, chunk.hi); }

}  // namespace

std::string formatByteCount(std::uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

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

void Report::countFetch(const muster_array_site* site, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  ArrayReport& array = arrayOf(site);
  ++array.fetches;
  array.fetchedBytes += bytes;
}

void Report::countLaunch(const muster_kernel& kernel, double seconds, const cap::PlanRef& plan) {
  const std::lock_guard lock(mutex_);
  LoopReport& loop = loopOf(kernel);
  ++loop.launches;
  loop.seconds += seconds;
  if (plan == nullptr) {
    ++loop.nativeLaunches;
    return;
  }
  loop.bytesMoved += static_cast<std::uint64_t>(plan->bytesMoved());
  loop.lastPlan = plan;
}

bool Report::countStepBack(const muster_kernel& kernel, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  return ++loopOf(kernel).stepBacks[reason] == 1;
}

std::vector<const LoopReport*> Report::loopsInOrder() const {
  std::vector<const LoopReport*> loops;
  for (const auto& [kernel, loop] : loops_) loops.push_back(&loop);
  std::sort(loops.begin(), loops.end(), [](const LoopReport* a, const LoopReport* b) {
    if (a->location.size() != b->location.size()) return a->location.size() < b->location.size();  // line 9 before 10
    return std::tie(a->location, a->name) < std::tie(b->location, b->name);
  });
  return loops;
}

std::string Report::deviceLabel(std::uint32_t device) const {
  if (device >= devices_.size()) return fmt::format("device {}", device);
  const DeviceReport& entry = devices_[device];
  return fmt::format("rank {}  {:<7} {}", entry.rank, entry.backend, entry.name);
}

void Report::printDevices(std::string& out) const {
  out += "  devices\n";
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const DeviceReport& device = devices_[i];
    out += fmt::format("    [{}] {} on {}", i, deviceLabel(static_cast<std::uint32_t>(i)), device.host);
    if (device.threads > 0) out += fmt::format(", {} threads", device.threads);
    out += device.weight > 0 ? fmt::format("; weight {:.3f}", device.weight) : std::string("; takes no part: too slow");
    if (device.bytesPerSecond > 0)
      out += fmt::format("; host to device {:.1f} GB/s, {}", device.bytesPerSecond / 1e9,
                         formatSeconds(device.latencySeconds));
    out += "\n";
  }
  for (const LeftOut& left : leftOut_)
    out += fmt::format("    left out on rank {}: {}: {}\n", left.rank, left.device, left.reason);
}

void Report::printArrays(std::string& out) const {
  if (arrays_.empty()) return;
  out += "  arrays\n";
  for (const ArrayReport& array : arrays_) {
    out += fmt::format("    {} ({}): {} of {}", array.name, array.location, formatByteCount(array.bytes), array.type);
    if (array.count > 1) out += fmt::format(" in {} allocations", array.count);
    if (array.block > 0) out += fmt::format(", placed with block {}", array.block);
    out += fmt::format(", {}", array.arrayClass);
    if (!array.reason.empty()) out += ": " + array.reason;
    out += "\n";
    if (array.fetches > 0)
      out += fmt::format("      the host fetched {} in {} transfers\n", formatByteCount(array.fetchedBytes),
                         array.fetches);
  }
}

void Report::printLoop(std::string& out, const LoopReport& loop) const {
  const double mean = loop.launches > 0 ? loop.seconds / static_cast<double>(loop.launches) : 0;
  out += fmt::format("    {} ({}): {} launches, {} in all, {} each", loop.location, loop.name, loop.launches,
                     formatSeconds(loop.seconds), formatSeconds(mean));
  if (loop.bytesMoved > 0) out += fmt::format(", {} moved", formatByteCount(loop.bytesMoved));
  out += "\n";
  if (loop.lastPlan != nullptr) {
    for (const cap::Chunk& chunk : loop.lastPlan->chunks)
      out += fmt::format("      {}: {}\n", deviceLabel(chunk.device), shareText(chunk));
  }
  if (loop.nativeLaunches > 0 && loop.stepBacks.empty()) out += "      in place on rank 0's CPU\n";
  for (const auto& [reason, launches] : loop.stepBacks)
    out += fmt::format("      stepped back {} times: {}\n", launches, reason);
}

std::string Report::text() const {
  const std::lock_guard lock(mutex_);
  std::string out = "muster: what this run did\n";
  printDevices(out);
  printArrays(out);
  if (!loops_.empty()) out += "  loops\n";
  for (const LoopReport* loop : loopsInOrder()) printLoop(out, *loop);
  return out;
}

}  // namespace muster::rt
