// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Claims: which iterations of a loop a device computes next, where iterations cost unequally. Each device begins with a
// range of its own, so that what it computed the last time is mostly there, and claims blocks from its front; the
// smaller, the less is left. A device whose range is done claims from the end of the range that would be done last
// (Markatos and LeBlanc, Using Processor Affinity in Loop Scheduling, IEEE TPDS 5(4), 1994, section 3). A block is the
// device's share of half of what is left of the range, so that no device ever holds more than it would compute in the
// time that all together need: nobody knows what iterations cost.
//
// Pure: it knows no clock and no device. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "muster/cap/region.h"

namespace muster::rt {

class Claims {
 public:
  struct Device {
    cap::Interval own;      // iterations; together those of the loop
    double speed = 0;       // relative
    std::int64_t unit = 1;  // blocks have a multiple of this, and two at least: less would not fill the device
  };
  explicit Claims(std::span<const Device> devices);

  // The device's next block; empty: nothing is left, or what it has is enough until it has computed a block of that.
  [[nodiscard]] cap::Interval take(std::size_t device);
  // It has computed a block.
  void noteDone(std::size_t device, const cap::Interval& block, double seconds);

 private:
  struct Range {
    cap::Interval left;
    double share = 0;  // of all devices' speed
    std::int64_t unit = 1;
    double secondsPerIteration = 0;  // of the device's last block; 0: none is known
    std::int64_t underWay = 0;       // iterations that the device has
  };
  // The range whose device would need longest for what is left of it; its device's own first.
  [[nodiscard]] Range* rangeFor(std::size_t device);
  // Half of its share of all that is not computed yet.
  [[nodiscard]] bool hasEnough(const Range& own) const;
  [[nodiscard]] std::int64_t sizeFor(const Range& own, const Range& from) const;

  std::vector<Range> ranges_;
  std::int64_t all_ = 0;  // iterations
};

}  // namespace muster::rt
