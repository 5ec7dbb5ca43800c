// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulation of simulation.h, and proof that it notices wrong plans.
#include "simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

namespace muster::cap::testing {

namespace {

std::size_t position(std::int64_t element) { return static_cast<std::size_t>(element); }

std::string at(std::uint32_t array, std::int64_t element, MemoryId memory) {
  return "array " + std::to_string(array) + " element " + std::to_string(element) + " in memory " +
         std::to_string(memory);
}

}  // namespace

void Simulation::create(std::uint32_t array, std::int64_t count, MemoryId id) {
  Values values(position(count));
  for (std::int64_t& value : values) value = newValue();
  arrays_[array] = {std::make_shared<const ArrayState>(count, id), values, {}};
  memory(array, id) = std::move(values);
}

std::vector<ArrayStateRef> Simulation::states(const LaunchSpec& spec) const {
  std::vector<ArrayStateRef> result;
  for (const ArrayUse& use : spec.arrays) result.push_back(state(use.array));
  return result;
}

Simulation::Values& Simulation::memory(std::uint32_t array, MemoryId id) {
  Array& a = arrays_.at(array);
  Values& data = a.data[id];
  data.resize(a.newest.size(), -1);
  return data;
}

std::string Simulation::applyCopies(const Plan& plan) {
  std::vector<Copy> copies = plan.copiesOf([](MemoryId) { return true; });
  if (!plan.spreads.empty()) {
    std::sort(copies.begin(), copies.end(), [](const Copy& a, const Copy& b) {
      return std::tuple(a.array, a.to, a.elements.lo) < std::tuple(b.array, b.to, b.elements.lo);
    });
  }
  if (std::string error = checkMinimal(plan, copies); !error.empty()) return error;
  for (const Copy& copy : copies) {
    const Array& array = arrays_.at(copy.array);
    const Values from = memory(copy.array, copy.from);
    Values& to = memory(copy.array, copy.to);
    for (std::int64_t e = copy.elements.lo; e < copy.elements.hi; ++e) {
      const std::size_t i = position(e);
      if (from[i] != array.newest[i]) return "a copy reads an old " + at(copy.array, e, copy.from);
      to[i] = from[i];
    }
  }
  return {};
}

// Copies are in order, none brings what is there already, none reads what another one brings.
std::string Simulation::checkMinimal(const Plan& plan, const std::vector<Copy>& copies) const {
  for (std::size_t c = 0; c < copies.size(); ++c) {
    const Copy& copy = copies[c];
    const ArrayState& state = *arrays_.at(copy.array).state;
    if (copy.elements.empty()) return "a copy of nothing";
    if (copy.from == copy.to) return "a copy to where it comes from";
    if (state.heldBy(copy.to).overlaps(IntervalSet(copy.elements))) return "a copy brings what is there already";
    if (!state.missingAt(copy.from, IntervalSet(copy.elements)).empty()) return "a source that is no holder";
    if (c == 0) continue;
    const Copy& last = copies[c - 1];
    if (std::tuple(last.array, last.to, last.elements.hi) > std::tuple(copy.array, copy.to, copy.elements.lo)) {
      return "copies are not in canonical order, or overlap";
    }
    const bool longer = last.array == copy.array && last.to == copy.to && last.elements.hi == copy.elements.lo;
    if (longer && last.from == copy.from && plan.spreads.empty()) return "two copies that could be one";
  }
  return {};
}

std::string Simulation::checkWindows(const LaunchSpec& spec, const Chunk& chunk, std::size_t parameter) const {
  const ArrayUse& use = spec.arrays[parameter];
  const Interval window = chunk.windows.at(parameter);
  if (!Interval{0, use.count}.contains(window)) return "a window outside the array";
  const Interval hull = chunk.reads.at(parameter).hull().hull(chunk.writes.at(parameter).hull());
  if (spec.part ? !window.contains(hull) : window != hull) return "not the hull";
  return {};
}

// Chunks cover each iteration once, ascending, on devices of the set.
std::string Simulation::checkChunks(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices,
                                    const Plan& plan) const {
  bool iterations = !spec.space.dims.empty();
  for (const Dim& dim : spec.space.dims) iterations &= dim.count > 0;
  if (plan.onHost && plan.reason.empty()) return "on the host without a reason";
  if (plan.onHost || !iterations) return plan.chunks.empty() ? "" : "chunks that nobody asked for";
  const Interval asked = spec.part ? spec.part->iterations : Interval{0, spec.space.dims[0].count};
  std::int64_t done = asked.lo;
  for (const Chunk& chunk : plan.chunks) {
    const bool known = std::any_of(devices.begin(), devices.end(), [&](const DeviceSlot& slot) {
      return slot.device == chunk.device && slot.memory == chunk.memory && slot.weight > 0;
    });
    if (!known) return "a chunk on a device that takes no part";
    if (chunk.lo != done || chunk.hi <= chunk.lo) return "chunks are not ascending, or empty";
    done = chunk.hi;
    for (std::size_t p = 0; p < spec.arrays.size(); ++p) {
      if (std::string error = checkWindows(spec, chunk, p); !error.empty()) return error;
    }
  }
  if (done != asked.hi) return "iterations are missing";
  if (plan.reason.empty()) return {};
  const bool fastest = std::all_of(devices.begin(), devices.end(), [&](const DeviceSlot& slot) {
    const DeviceSlot& only = *std::find_if(
        devices.begin(), devices.end(), [&](const DeviceSlot& other) { return other.device == plan.chunks[0].device; });
    return slot.weight < only.weight || (slot.weight == only.weight && &slot >= &only);
  });
  return fastest && plan.chunks.size() == 1 ? "" : "not on one device, the fastest";
}

std::string Simulation::collect(const LaunchSpec& spec, const Chunk& chunk, const Plan& plan,
                                std::vector<Touch>& touches) {
  std::string error;
  for (const Access& access : spec.accesses) {
    const ArrayUse& use = spec.arrays[access.array];
    const Values& data = memory(use.array, chunk.memory);
    const Values& newest = arrays_.at(use.array).newest;
    const Nesting nesting = chance(random_, 0.5) ? Nesting::allLoops : Nesting::neededLoops;
    forEachTouch(access, spec.space, chunk.lo, chunk.hi, nesting, [&](std::int64_t index) {
      // What is not affine may be anything; what is outside the array is guarded by a condition.
      const std::int64_t element = access.unbounded ? pick(random_, 0, use.count - 1) : index + use.offset;
      if (element < 0 || element >= use.count || (access.conditional && chance(random_, 0.5))) return;
      if (!plan.onHost && !chunk.windows[access.array].contains({element, element + 1})) {
        error = "outside the window: " + at(use.array, element, chunk.memory);
      }
      if (access.mode != AccessMode::write && data[position(element)] != newest[position(element)]) {
        error = "an old value is read: " + at(use.array, element, chunk.memory);
      }
      const std::int64_t value = access.mode == AccessMode::update ? pick(random_, -3, 9) : newValue();
      touches.push_back({&access, use.array, element, value});
    });
  }
  return error;
}

void Simulation::run(const std::vector<Touch>& touches, MemoryId where) {
  for (const Touch& touch : touches) {
    std::int64_t& value = memory(touch.array, where)[position(touch.element)];
    if (touch.access->mode == AccessMode::write) value = touch.value;
    if (touch.access->mode == AccessMode::update) value = updated(touch.access->op, value, touch.value);
  }
}

void Simulation::runOracle(const Touches& touches) {
  for (const std::vector<Touch>& ofChunk : touches) {
    for (const Touch& touch : ofChunk) {
      std::int64_t& value = arrays_.at(touch.array).newest[position(touch.element)];
      if (touch.access->mode == AccessMode::write) value = touch.value;
      if (touch.access->mode == AccessMode::update) value = updated(touch.access->op, value, touch.value);
    }
  }
}

std::string Simulation::takeStates(const Plan& plan) {
  std::uint32_t previous = 0;
  for (const auto& [id, state] : plan.next) {
    if (id < previous) return "next states are not ascending";
    previous = id;
    Array& array = arrays_.at(id);
    array.state = state;
    if (state->count() != static_cast<std::int64_t>(array.newest.size())) return "a state of another size";
    for (const auto& piece : state->pieces()) {
      if (piece.holders.empty()) return "elements without a holder";
      for (const MemoryId holder : piece.holders) {
        const Values& data = memory(id, holder);
        for (std::int64_t e = piece.elements.lo; e < piece.elements.hi; ++e) {
          const std::size_t i = position(e);
          if (data[i] != array.newest[i]) return "a holder of an old value: " + at(id, e, holder);
        }
      }
    }
  }
  return {};
}

std::string Simulation::launch(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices, const Plan& plan) {
  std::string error = checkChunks(spec, devices, plan);
  if (error.empty()) error = applyCopies(plan);
  if (!error.empty()) return error;
  std::vector<Chunk> chunks = plan.chunks;
  if (plan.onHost) {
    chunks.resize(1);
    chunks[0].hi = spec.space.dims[0].count;
  }
  Touches touches(chunks.size());
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    if (error = collect(spec, chunks[c], plan, touches[c]); !error.empty()) return error;
  }
  error = checkMerges(spec, plan);
  if (error.empty()) error = checkSharing(spec, plan, touches);
  if (error.empty()) error = runAndMerge(plan, chunks, touches);
  if (!error.empty()) return error;
  runOracle(touches);
  return takeStates(plan);
}

std::string Simulation::hostAccess(std::uint32_t array, const IntervalSet& elements, bool write, const Plan& plan) {
  if (!plan.chunks.empty()) return "chunks in a host access";
  if (std::string error = applyCopies(plan); !error.empty()) return error;
  Array& a = arrays_.at(array);
  Values& host = memory(array, hostMemory);
  for (const Interval& interval : elements) {
    for (std::int64_t e = interval.lo; e < interval.hi; ++e) {
      const std::size_t i = position(e);
      if (host[i] != a.newest[i]) return "the host sees an old value: " + at(array, e, hostMemory);
      if (write && chance(random_, 0.7)) host[i] = a.newest[i] = newValue();
    }
  }
  return takeStates(plan);
}

class SimulationTest : public ::testing::Test {
 protected:
  SimulationTest() {
    simulation_.create(0, 12, 0);
    simulation_.create(1, 12, 0);
    spec_.space.dims = {loop(1, 11)};
    spec_.arrays = {{0, 0, 12, 8}, {1, 0, 12, 8}};
    spec_.accesses = {read(0, {1}, -1), read(0, {1}, 1), write(1, {1})};
    plan_ = makePlan(spec_, devices_, simulation_.states(spec_));
  }

  std::string run(const Plan& plan) { return simulation_.launch(spec_, devices_, plan); }

  Simulation simulation_{1};
  LaunchSpec spec_;
  std::vector<DeviceSlot> devices_{{0, 0, 1}, {1, 1, 1}, {2, 2, 1}};
  Plan plan_;
};

TEST_F(SimulationTest, AcceptsAGoodPlan) { EXPECT_EQ(run(plan_), ""); }

TEST_F(SimulationTest, SeesAMissingCopy) {
  plan_.copies.pop_back();
  EXPECT_NE(run(plan_), "");
}

TEST_F(SimulationTest, SeesAnOldSource) {
  plan_.copies.back().from = 7;
  EXPECT_NE(run(plan_), "");
}

TEST_F(SimulationTest, SeesADoubleCopy) {
  plan_.copies.push_back(plan_.copies.back());
  EXPECT_NE(run(plan_), "");
}

TEST_F(SimulationTest, SeesAWrongState) {
  plan_.next[1].second = simulation_.state(1);
  EXPECT_EQ(run(plan_).find("a holder of an old value"), 0u);
}

TEST_F(SimulationTest, SeesASmallWindow) {
  --plan_.chunks[1].windows[0].hi;
  EXPECT_NE(run(plan_), "");
}

TEST_F(SimulationTest, SeesAMissingIteration) {
  --plan_.chunks.back().hi;
  EXPECT_NE(run(plan_), "");
}

}  // namespace muster::cap::testing
