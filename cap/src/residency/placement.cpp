// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a launch is made to fit: smaller shares for small memories, then passes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "muster/cap/residency.h"
#include "residency/demand.h"

namespace muster::cap {
namespace {

constexpr std::size_t mostRemembered = 64;

// Shares are rounded down to this, so that launches over arrays of one shape, whose ghost cells differ, are cut alike.
constexpr double shareUnit = 1.0 / 256;

bool takesPart(const DeviceSlot& slot) { return slot.weight > 0 && std::isfinite(slot.weight); }

bool hasIterations(const LaunchSpec& spec) {
  return !spec.space.dims.empty() &&
         std::all_of(spec.space.dims.begin(), spec.space.dims.end(), [](const Dim& dim) { return dim.count > 0; });
}

// In proportion to the weights, none above its cap: what is cut off goes to the others. Empty if the caps leave no
// room.
std::vector<double> waterFill(const std::vector<DeviceSlot>& slots, const std::vector<double>& caps) {
  std::vector<double> shares(slots.size(), 0);
  std::vector<bool> full(slots.size(), false);
  double rest = 1;
  for (bool changed = true; changed;) {
    changed = false;
    double weights = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (takesPart(slots[i]) && !full[i]) weights += slots[i].weight;
    }
    if (weights == 0) return rest < 1e-9 ? shares : std::vector<double>();
    double taken = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (!takesPart(slots[i]) || full[i]) continue;
      shares[i] = rest * slots[i].weight / weights;
      if (shares[i] <= caps[i]) continue;
      shares[i] = caps[i];
      taken += caps[i];
      full[i] = changed = true;
    }
    rest -= taken;
  }
  return shares;
}

}  // namespace

LaunchSpec partOf(const LaunchSpec& spec, const Interval& iterations) {
  LaunchSpec part = spec;
  Dim& dim = part.space.dims.at(0);
  dim.first += iterations.lo * dim.step;
  dim.count = iterations.size();
  return part;
}

Residency::Companions Residency::companionsOf(const LaunchSpec& spec) const {
  Companions companions;
  const auto used = [&](std::uint32_t id) {
    return std::any_of(spec.arrays.begin(), spec.arrays.end(), [&](const ArrayUse& use) { return use.array == id; });
  };
  const auto inABlockOfTheLaunch = [&](const ResidentArray& array) {
    return array.block != 0 && std::any_of(spec.arrays.begin(), spec.arrays.end(), [&](const ArrayUse& use) {
             return arrays_.at(use.array).info.block == array.block;
           });
  };
  for (const auto& [id, array] : arrays_) {
    if (used(id) || !inABlockOfTheLaunch(array.info)) continue;
    (array.info.replicated ? companions.replicated : companions.partitioned) +=
        bytesOf({0, array.info.count}, array.info.elemSize);
  }
  return companions;
}

bool Residency::holdsAlone(std::size_t place, const Demand& demand) const {
  const LimitedMemory& memory = memories_[place];
  if (demand.bytes() > memory.capacity) return false;
  return std::all_of(demand.windows.begin(), demand.windows.end(), [&](const auto& entry) {
    return bytesOf(entry.second, arrays_.at(entry.first).info.elemSize) <= memory.largestWindow;
  });
}

bool Residency::fits(const LaunchSpec& spec, const Plan& plan, const Companions& companions) const {
  for (const auto& [place, demand] : demandsOf(spec, plan)) {
    if (!holdsAlone(place, demand)) return false;
    const double together = static_cast<double>(demand.bytes()) + static_cast<double>(companions.replicated) +
                            demand.share * static_cast<double>(companions.partitioned);
    if (together > static_cast<double>(memories_[place].capacity)) return false;
  }
  return true;
}

// Weights under which each memory's part should fit, if its arrays shrink with its share of the iterations. Empty where
// there is no such choice. `part`: of the room, for what this estimate does not see (rows are not cut).
std::vector<DeviceSlot> Residency::capped(const LaunchSpec& spec, const std::vector<DeviceSlot>& slots,
                                          const std::vector<ArrayStateRef>& states, const Companions& companions,
                                          double part) const {
  const Plan plan = makePlan(spec, slots, states);
  const auto demands = demandsOf(spec, plan);
  std::map<std::uint32_t, Interval> all;           // by array: what all chunks touch
  std::map<std::uint32_t, std::int64_t> elements;  // the sum of the chunks' windows
  for (const Chunk& chunk : plan.chunks) {
    for (std::size_t p = 0; p < chunk.windows.size(); ++p) {
      Interval& hull = all[spec.arrays[p].array];
      hull = hull.hull(chunk.windows[p]);
      elements[spec.arrays[p].array] += chunk.windows[p].size();
    }
  }
  // Each chunk touches its own part, apart from some ghost cells.
  const auto slides = [&](std::uint32_t id) {
    return plan.chunks.size() > 1 && 2 * elements.at(id) <= 3 * all.at(id).size();
  };
  std::vector<double> caps(slots.size(), 1);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const int place = placeOf(slots[i].memory);
    if (place < 0) continue;
    const auto found = demands.find(static_cast<std::size_t>(place));
    if (found == demands.end()) continue;  // no part, or none that takes room
    const LimitedMemory& memory = memories_[found->first];
    const Demand& demand = found->second;
    double fixed = static_cast<double>(companions.replicated + demand.twins);
    double sliding = static_cast<double>(companions.partitioned);
    for (const auto& [id, window] : demand.windows) {
      const std::uint32_t elemSize = arrays_.at(id).info.elemSize;
      const auto bytes = static_cast<double>(bytesOf(window, elemSize));
      if (!slides(id)) {
        fixed += bytes;
        continue;
      }
      const auto whole = static_cast<double>(bytesOf(all.at(id), elemSize));
      const double ghosts = std::max(0.0, bytes - demand.share * whole);
      fixed += ghosts;
      sliding += whole;
      caps[i] = std::min(caps[i], (static_cast<double>(memory.largestWindow) - ghosts) / whole * part);
    }
    const double room = static_cast<double>(memory.capacity) - fixed;
    if (sliding > 0) {
      caps[i] = std::min(caps[i], room / sliding * part);
    } else if (room < 0) {
      caps[i] = 0;
    }
    caps[i] = std::max(0.0, std::floor(caps[i] / shareUnit) * shareUnit);
  }
  const std::vector<double> shares = waterFill(slots, caps);
  if (shares.empty()) return {};
  std::vector<DeviceSlot> result = slots;
  for (std::size_t i = 0; i < slots.size(); ++i) result[i].weight = shares[i];
  return result;
}

// Whether this part of the iterations fits: with the pass's slots, or with others, which it gets then.
bool Residency::search(const LaunchSpec& spec, const std::vector<ArrayStateRef>& states, const Companions& companions,
                       Pass& pass) const {
  const LaunchSpec part = partOf(spec, pass.iterations);
  if (fits(part, makePlan(part, pass.slots, states), companions)) return true;
  for (const double room : {1.0, 15.0 / 16, 7.0 / 8, 3.0 / 4}) {
    std::vector<DeviceSlot> slots = capped(part, pass.slots, states, companions, room);
    if (slots.empty()) return false;
    if (!fits(part, makePlan(part, slots, states), companions)) continue;
    pass.slots = std::move(slots);
    return true;
  }
  return false;
}

Status Residency::divide(const LaunchSpec& spec, const std::vector<DeviceSlot>& slots,
                         const std::vector<ArrayStateRef>& states, std::vector<Pass>& passes) const {
  const std::int64_t count = spec.space.dims[0].count;
  std::int64_t parts = 1;
  const auto partFrom = [&](std::int64_t number) {
    const auto boundary = [&](std::int64_t n) {
      return static_cast<std::int64_t>(static_cast<__int128>(count) * n / parts);
    };
    return Interval{boundary(number), boundary(number + 1)};
  };
  // How fine they have to be shows in the middle: at the ends a few iterations may need much more than all others.
  for (;;) {
    Pass pass{partFrom(parts / 2), slots};
    if (search(spec, states, {}, pass)) break;
    if (!spill_ || parts >= count) return tooLarge(spec, pass.iterations, slots, states);
    parts = std::min(2 * parts, count);
  }
  for (std::int64_t number = 0; number < parts; ++number)
    MUSTER_TRY(addPasses(spec, partFrom(number), slots, states, passes));
  return {};
}

Status Residency::addPasses(const LaunchSpec& spec, const Interval& iterations, const std::vector<DeviceSlot>& slots,
                            const std::vector<ArrayStateRef>& states, std::vector<Pass>& passes) const {
  const auto add = [&](const std::vector<DeviceSlot>& start) {
    Pass pass{iterations, start};
    if (!search(spec, states, {}, pass)) return false;
    passes.push_back(std::move(pass));
    return true;
  };
  // As the pass before if that is another choice, so that data stays where it is.
  if (!passes.empty() && passes.back().slots != slots && add(passes.back().slots)) return {};
  if (add(slots)) return {};
  if (iterations.size() <= 1) return tooLarge(spec, iterations, slots, states);
  const std::int64_t middle = iterations.lo + iterations.size() / 2;
  MUSTER_TRY(addPasses(spec, {iterations.lo, middle}, slots, states, passes));
  return addPasses(spec, {middle, iterations.hi}, slots, states, passes);
}

Result<Placement> Residency::place(const LaunchSpec& spec, const std::vector<DeviceSlot>& slots,
                                   const std::vector<ArrayStateRef>& states) {
  const Pass whole{{0, spec.space.dims.empty() ? 0 : spec.space.dims[0].count}, slots};
  if (spec.hostOnly || slots.empty() || !hasIterations(spec)) return Placement{{whole}, {}};
  for (const Remembered& known : remembered_) {
    if (known.slots == slots && known.spec == spec) return known.placement;
  }
  const Companions companions = companionsOf(spec);
  Placement placement{{whole}, {}};
  Pass& only = placement.passes.front();
  if (!search(spec, states, companions, only) && (companions.none() || !search(spec, states, {}, only))) {
    placement.passes.clear();
    MUSTER_TRY(divide(spec, slots, states, placement.passes));
  }
  if (placement.passes.size() > 1) {
    placement.reason = fmt::format("in {} passes: its arrays do not fit at once", placement.passes.size());
  } else if (placement.passes.front().slots != slots) {
    placement.reason = "with less work for devices whose memory is small";
  }
  if (remembered_.size() < mostRemembered) {
    remembered_.push_back({spec, slots, placement});
  } else {
    remembered_[nextRemembered_++ % mostRemembered] = {spec, slots, placement};
  }
  return placement;
}

Status Residency::tooLarge(const LaunchSpec& spec, const Interval& iterations, const std::vector<DeviceSlot>& slots,
                           const std::vector<ArrayStateRef>& states) const {
  const LaunchSpec part = partOf(spec, iterations);
  for (const auto& [place, demand] : demandsOf(part, makePlan(part, slots, states))) {
    if (holdsAlone(place, demand)) continue;
    const LimitedMemory& memory = memories_[place];
    const std::string what = spill_ ? fmt::format("{} of {} iterations", iterations.size(), spec.space.dims[0].count)
                                    : std::string("its share");
    const std::string advice =
        spill_ ? "Use more ranks or devices with more memory (MUSTER_DEVICES), or make the rows smaller"
               : "Let it run in passes with MUSTER_SPILL=on, or use more ranks or devices "
                 "(MUSTER_DEVICES)";
    return {
        Errc::outOfMemory,
        fmt::format("{} has {} bytes for arrays, {} at most for one; {} of this loop needs {} ({}). {}", memory.device,
                    memory.capacity, memory.largestWindow, what, demand.bytes(), listOf(demand), advice)};
  }
  panic("Residency::tooLarge: the launch fits");
}

}  // namespace muster::cap
