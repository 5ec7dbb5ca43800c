// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both heuristics run from their beginning over what is known; the first set that is not known is the next to try.
#include "tuner/search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace muster::rt {
namespace {

// Sets whose times differ by less are as good as each other.
constexpr double kSame = 0.01;
// More devices can be faster than their number says, because more data fits into caches.
constexpr double kSuperlinear = 0.8;
// One machine with all kinds that is slower than the best by more than this: fewer kinds will not make it faster.
constexpr double kHopeless = 1.5;

using Next = std::optional<Proposal>;

bool betterThan(double seconds, double other) { return seconds < other * (1 - kSlightGain); }

std::string gainText(double before, double after) {
  const double percent = 100 * (1 - after / before);
  return percent >= 0 ? fmt::format("{:.0f} % faster", percent) : fmt::format("{:.0f} % slower", -percent);
}

double bestSeconds(const Ledger& ledger) {
  return ledger.empty() ? std::numeric_limits<double>::infinity() : ledger.best().seconds;
}

// What a set takes at least: no less than the largest smaller set of the same kinds if the devices that this one lacks
// helped perfectly; for several kinds, no less than if each helped the others perfectly. 0: nothing is known.
double leastSeconds(const Park& park, const Ledger& ledger, const DeviceSet& set) {
  double least = 0;
  int most = 0;
  for (const Ledger::Entry& entry : ledger.entries()) {
    const int members = park.memberCount(entry.set);
    if (entry.set.kinds != set.kinds || entry.set.machines > set.machines || members < most) continue;
    most = members;
    least = entry.seconds * std::min(1.0, static_cast<double>(members) / park.memberCount(set)) * kSuperlinear;
  }
  if (std::popcount(set.kinds) < 2) return least;
  double speed = 0;
  for (std::uint32_t rest = set.kinds; rest != 0; rest &= rest - 1) {
    const std::uint32_t kind = rest & -rest;
    const int machines = std::min(set.machines, park.machineCount(kind));
    speed += 1 / leastSeconds(park, ledger, {machines, kind, 0});  // infinity where nothing is known
  }
  return std::max(least, 1 / speed);
}

bool couldWin(const Park& park, const Ledger& ledger, const DeviceSet& set) {
  return betterThan(leastSeconds(park, ledger, set), bestSeconds(ledger));
}

std::vector<DeviceSet> growingSets(const Park& park, std::uint32_t kinds) {
  std::vector<DeviceSet> sets;
  if (std::popcount(kinds) == 1 && park.mostPerMachine(kinds) > 1) sets.push_back({1, kinds, 1});
  for (const int machines : park.machineSteps(kinds)) sets.push_back({machines, kinds, 0});
  return sets;
}

Next climb(const Park& park, const Ledger& ledger, std::uint32_t kinds) {
  const std::vector<DeviceSet> sets = growingSets(park, kinds);
  const DeviceSet& last = sets.back();
  std::string reason = "the first set of these kinds";
  double before = std::numeric_limits<double>::infinity();
  for (const DeviceSet& set : sets) {
    const auto seconds = ledger.seconds(set);
    if (!seconds) {
      if (std::popcount(kinds) > 1 && !couldWin(park, ledger, set)) continue;
      return Proposal{set, reason};
    }
    if (set != last && !couldWin(park, ledger, last)) return {};
    if (!betterThan(*seconds, before)) {
      if (ledger.seconds(last)) return {};
      return Proposal{last, fmt::format("{} than the step before: the last step decides about these kinds",
                                        gainText(before, *seconds))};
    }
    reason = before < std::numeric_limits<double>::infinity()
                 ? fmt::format("{} than the step before: more", gainText(before, *seconds))
                 : "more devices of these kinds";
    before = *seconds;
  }
  return {};
}

// Down from `from` machines as long as that does not lose.
Next descend(const Park& park, const Ledger& ledger, std::uint32_t kinds, int from, const std::string& firstReason) {
  std::vector<int> steps = park.machineSteps(kinds);
  std::reverse(steps.begin(), steps.end());
  std::string reason = firstReason;
  double before = std::numeric_limits<double>::infinity();
  for (const int machines : steps) {
    if (machines > from) continue;
    const auto seconds = ledger.seconds({machines, kinds, 0});
    if (!seconds) return Proposal{{machines, kinds, 0}, reason};
    if (*seconds > before * (1 + kSame)) return {};
    reason = before < std::numeric_limits<double>::infinity()
                 ? fmt::format("{} with half the machines: halved again", gainText(before, *seconds))
                 : "halved";
    before = *seconds;
  }
  return {};
}

Next oneMachine(const Park& park, const Ledger& ledger, std::uint32_t kinds) {
  const DeviceSet one{1, kinds, 0};
  if (ledger.seconds(one)) return {};
  const auto allKinds = ledger.seconds({1, park.allKinds(), 0});
  if (kinds != park.allKinds() && allKinds && *allKinds > kHopeless * bestSeconds(ledger)) return {};
  return Proposal{one, "a single machine needs no network"};
}

// The most machines of a set that is hardly slower than the best: what keeps more machines from being faster may be one
// of the kinds.
int machinesOfBest(const Ledger& ledger) {
  int machines = 0;
  for (const Ledger::Entry& entry : ledger.entries())
    if (entry.seconds <= bestSeconds(ledger) * (1 + kSlightGain)) machines = std::max(machines, entry.set.machines);
  return machines;
}

}  // namespace

void Ledger::note(const DeviceSet& set, double seconds) {
  for (Entry& entry : entries_) {
    if (entry.set == set) {
      entry.seconds = seconds;
      return;
    }
  }
  entries_.push_back({set, seconds});
}

std::optional<double> Ledger::seconds(const DeviceSet& set) const {
  for (const Entry& entry : entries_) {
    if (entry.set == set) return entry.seconds;
  }
  return {};
}

Ledger::Entry Ledger::best() const {
  const auto faster = [](const Entry& a, const Entry& b) { return a.seconds < b.seconds; };
  const double least = std::min_element(entries_.begin(), entries_.end(), faster)->seconds;
  const auto size = [](const Entry& e) {
    return std::tuple(e.set.machines, std::popcount(e.set.kinds), e.set.perMachine == 0, e.seconds);
  };
  const Entry* best = nullptr;
  for (const Entry& entry : entries_) {
    if (entry.seconds <= least * (1 + kSame) && (best == nullptr || size(entry) < size(*best))) best = &entry;
  }
  return *best;
}

Next grow(const Park& park, const Ledger& ledger) {
  for (const std::uint32_t kinds : park.combinations()) {
    if (Next next = climb(park, ledger, kinds)) return next;
  }
  return {};
}

Next shrink(const Park& park, const Ledger& ledger) {
  std::vector<std::uint32_t> combinations = park.combinations();
  std::stable_sort(combinations.begin(), combinations.end(),
                   [](std::uint32_t a, std::uint32_t b) { return std::popcount(a) > std::popcount(b); });
  for (const std::uint32_t kinds : combinations) {
    const int all = park.machineCount(kinds);
    const int most = ledger.empty() ? all : std::min(all, machinesOfBest(ledger));
    const std::string reason = kinds == park.allKinds() ? "everything"
                               : most == all            ? "all machines, without one of the kinds"
                                             : "as many machines as the best sets have, without one of the kinds";
    if (Next next = descend(park, ledger, kinds, most, reason)) return next;
    if (Next next = oneMachine(park, ledger, kinds)) return next;
  }
  return {};
}

}  // namespace muster::rt
