// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "balance/claims.h"

#include <algorithm>
#include <cmath>

namespace muster::rt {
namespace {

// A block costs a command and a message or two. One that takes less is made larger, up to this part of the device's
// share of the loop: the next iterations may cost more than the last ones.
constexpr double leastSeconds = 300e-6;
constexpr double partOfShare = 1.0 / 32;

}  // namespace

Claims::Claims(std::span<const Device> devices) {
  double speeds = 0;
  for (const Device& device : devices) {
    speeds += device.speed;
    all_ += device.own.size();
  }
  ranges_.reserve(devices.size());
  for (const Device& device : devices)
    ranges_.push_back({device.own, device.speed / speeds, std::max<std::int64_t>(device.unit, 1)});
}

Claims::Range* Claims::rangeFor(std::size_t device) {
  if (!ranges_[device].left.empty()) return &ranges_[device];
  Range* last = nullptr;
  double longest = 0;
  for (Range& range : ranges_) {
    if (range.left.empty()) continue;
    // Of a range whose device has not done anything yet nothing is known, but that it takes long.
    const double seconds =
        range.secondsPerIteration > 0 ? range.secondsPerIteration * static_cast<double>(range.left.size()) : HUGE_VAL;
    if (last != nullptr && seconds <= longest) continue;
    last = &range;
    longest = seconds;
  }
  return last;
}

std::int64_t Claims::sizeFor(const Range& own, const Range& from) const {
  const std::int64_t left = from.left.size(), least = 2 * own.unit;
  double wanted = static_cast<double>(left) * own.share / 2;
  if (own.secondsPerIteration > 0)
    wanted = std::max(
        wanted, std::min(leastSeconds / own.secondsPerIteration, static_cast<double>(all_) * own.share * partOfShare));
  const std::int64_t size = std::max(static_cast<std::int64_t>(wanted) / own.unit * own.unit, least);
  return left - size < least ? left : size;
}

bool Claims::hasEnough(const Range& own) const {
  std::int64_t undone = 0;
  for (const Range& range : ranges_) undone += range.left.size() + range.underWay;
  return own.underWay > 0 && static_cast<double>(own.underWay) >= static_cast<double>(undone) * own.share / 2;
}

cap::Interval Claims::take(std::size_t device) {
  Range* const range = rangeFor(device);
  Range& own = ranges_[device];
  if (range == nullptr || hasEnough(own)) return {};
  const std::int64_t size = sizeFor(own, *range);
  cap::Interval block = range->left;
  if (range == &own) {
    block.hi = range->left.lo = block.lo + size;
  } else {
    block.lo = range->left.hi = block.hi - size;
  }
  own.underWay += size;
  return block;
}

void Claims::noteDone(std::size_t device, const cap::Interval& block, double seconds) {
  ranges_[device].secondsPerIteration = seconds / static_cast<double>(block.size());
  ranges_[device].underWay -= block.size();
}

}  // namespace muster::rt
