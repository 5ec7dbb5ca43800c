// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches for the fastest device set. Pure: a search is a function of what was measured so far; it says which set to
// try next, and why. papers/clusterjamp.txt, section V: "grow" and "shrink".
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/search/device_set.h"

namespace muster::rt {

// What sets took, in seconds per unit of work.
class Ledger {
 public:
  struct Entry {
    DeviceSet set;
    double seconds = 0;
  };
  // Once more for the same set: the new value counts.
  void note(const DeviceSet& set, double seconds);
  [[nodiscard]] std::optional<double> seconds(const DeviceSet& set) const;
  // The fastest; of those within a hundredth of it the one with the fewest machines, then kinds. There must be one.
  [[nodiscard]] Entry best() const;
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }  // in the order of the first trials

 private:
  std::vector<Entry> entries_;
};

struct Proposal {
  DeviceSet set;
  std::string reason;
};

// A smaller gain than this is "a slight improvement": of the time.
inline constexpr double kSlightGain = 0.05;

// Both: nullopt once the search has ended; the ledger's best set stays.
//
// Starts with one device of one kind, then one machine, then doubles the machines. After a slight gain or a loss the
// last step, all machines, is tried before the next kind is (the loss may be the price of leaving the first machine,
// which is paid only once); a kind is given up where perfect scaling could not make it win. Then kinds are combined, in
// sets that could win if the kinds helped each other perfectly.
[[nodiscard]] std::optional<Proposal> grow(const Park& park, const Ledger& ledger);

// Starts with everything, halves the machines until that loses; then one machine, if that could still win (it has no
// network). Then starts again without one of the kinds, and so on, from as many machines as the best set has, or one
// that is hardly slower.
[[nodiscard]] std::optional<Proposal> shrink(const Park& park, const Ledger& ledger);

}  // namespace muster::rt
