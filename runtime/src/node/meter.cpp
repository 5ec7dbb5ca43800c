// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/meter.h"

#include <algorithm>
#include <bit>

namespace muster::rt {
namespace {

// Two, because programs swap arrays: each of both is touched for the first time.
constexpr std::uint32_t kWarmUpLaunches = 2;

}  // namespace

void Meter::Sums::add(const cap::TraceEvent& chunk, bool newLaunch) {
  launches += newLaunch ? 1 : 0;
  fused += newLaunch && chunk.fused > 1 ? 1 : 0;
  Size& size = sizes[std::bit_width(chunk.amount)];
  if (!chunk.measured) {
    size.otherIterations += chunk.amount;
    return;
  }
  size.iterations += chunk.amount;
  size.nanoseconds += static_cast<std::uint64_t>(std::max<std::int64_t>(0, chunk.endNs - chunk.beginNs));
}

Meter::Sums::Size Meter::Sums::timed() const {
  Size sum;
  for (const auto& [bits, size] : sizes) {
    sum.iterations += size.iterations;
    sum.nanoseconds += size.nanoseconds;
  }
  return sum;
}

protocol::KernelTime Meter::Sums::all(std::uint64_t kernel, std::uint32_t device) const {
  const Size sum = timed();
  protocol::KernelTime all{kernel, device, launches, sum.iterations, sum.nanoseconds, fused};
  for (const auto& [bits, size] : sizes) {
    all.iterations += size.otherIterations;
    const Size& alike = size.iterations > 0 ? size : sum;
    if (alike.iterations == 0) continue;
    const double each = static_cast<double>(alike.nanoseconds) / static_cast<double>(alike.iterations);
    all.nanoseconds += static_cast<std::uint64_t>(each * static_cast<double>(size.otherIterations));
  }
  return all;
}

void Meter::record(const cap::TraceEvent& event) {
  if (event.kind == cap::TraceEvent::Kind::chunk) {
    recordChunk(event);
  } else if (event.kind == cap::TraceEvent::Kind::merge) {
    const std::lock_guard lock(mutex_);
    protocol::RankTotals::Merges& merges = merges_[event.kernel];
    merges.kernel = event.kernel;
    ++merges.count;
    merges.bytesChanged += event.amount;
    merges.bytesSent += event.bytes;
  }
  if (next_ != nullptr) next_->record(event);
}

void Meter::recordChunk(const cap::TraceEvent& event) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[{event.kernel, event.device}];
  // A chunk can come in several parts.
  const bool newLaunch = event.sequence != entry.lastSequence;
  entry.lastSequence = event.sequence;
  entry.total.add(event, newLaunch);
  if (event.sequence <= epoch_) return;  // a device told of it late
  if (newLaunch) ++entry.launchesOfEpoch;
  if (entry.launchesOfEpoch > kWarmUpLaunches) entry.window.add(event, newLaunch);
}

std::vector<protocol::KernelTime> Meter::takeWindow() {
  const std::lock_guard lock(mutex_);
  std::vector<protocol::KernelTime> window;
  for (auto& [key, entry] : entries_) {
    // Chunks of which none was timed wait for one that is.
    if (entry.window.timed().iterations == 0 || window.size() == protocol::maxMeasured) continue;
    window.push_back(entry.window.all(key.first, key.second));
    entry.window = {};
  }
  return window;
}

void Meter::startEpoch(std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  epoch_ = sequence;
  for (auto& [key, entry] : entries_) {
    entry.window = {};
    entry.launchesOfEpoch = 0;
  }
}

protocol::RankTotals Meter::totals() const {
  const std::lock_guard lock(mutex_);
  protocol::RankTotals totals;
  for (const auto& [key, entry] : entries_) totals.times.push_back(entry.total.all(key.first, key.second));
  for (const auto& [kernel, merges] : merges_) totals.merges.push_back(merges);
  return totals;
}

}  // namespace muster::rt
