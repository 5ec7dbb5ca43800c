// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What planning costs: a launch planned from scratch for many devices, and one that is replayed from the memo.
#include <benchmark/benchmark.h>

#include <utility>

#include "muster/cap/planner.h"

namespace {

using namespace muster::cap;

constexpr std::int64_t columns = 16384;

LaunchSpec jacobi(std::int64_t rows) {
  LaunchSpec spec;
  spec.kernel = 1;
  spec.space.dims = {{1, 1, rows - 2}, {1, 1, columns - 2}};
  spec.arrays = {{0, 0, rows * columns, 4}, {1, 0, rows * columns, 4}};
  for (const std::int64_t constant : {-columns, columns, std::int64_t{0}}) {
    spec.accesses.push_back({.array = 0, .mode = AccessMode::read, .index = {{columns, 1}, constant}});
  }
  spec.accesses.push_back({.array = 1, .mode = AccessMode::write, .index = {{columns, 1}, 0}});
  return spec;
}

std::vector<DeviceSlot> devices(std::int64_t n) {
  std::vector<DeviceSlot> slots;
  for (std::uint32_t d = 0; d < n; ++d) slots.push_back({d, d, 1.0 + 0.1 * (d % 7)});
  return slots;
}

// The states that a Jacobi program is in after a few steps.
struct Program {
  explicit Program(std::int64_t n, std::int64_t rowsPerDevice = 64)
      : slots(devices(n)), spec(jacobi(rowsPerDevice * n)) {
    const auto start = std::make_shared<const ArrayState>(spec.arrays[0].count, hostMemory);
    states = {start, start};
    for (int step = 0; step < 6; ++step) replay(cache);
  }
  void replay(PlanCache& memo) {
    const PlanRef plan = memo.launch(spec, slots, states);
    states[spec.arrays[0].array == 0 ? 0 : 1] = plan->next[0].second;
    states[spec.arrays[0].array == 0 ? 1 : 0] = plan->next[1].second;
    std::swap(spec.arrays[0], spec.arrays[1]);
    std::swap(states[0], states[1]);
  }

  std::vector<DeviceSlot> slots;
  LaunchSpec spec;
  PlanCache cache;
  std::vector<ArrayStateRef> states;
};

void planFromScratch(benchmark::State& state) {
  const Program program(state.range(0));
  for (auto _ : state) {
    Plan plan = makePlan(program.spec, program.slots, program.states);
    benchmark::DoNotOptimize(plan);
  }
  state.counters["copies"] = static_cast<double>(makePlan(program.spec, program.slots, program.states).copies.size());
}
BENCHMARK(planFromScratch)->Arg(4)->Arg(64)->Arg(1024)->Unit(benchmark::kMicrosecond);

// The same with 8 rows per device.
void planFewRows(benchmark::State& state) {
  const Program program(state.range(0), 8);
  for (auto _ : state) {
    Plan plan = makePlan(program.spec, program.slots, program.states);
    benchmark::DoNotOptimize(plan);
  }
}
BENCHMARK(planFewRows)->Arg(1024)->Unit(benchmark::kMicrosecond);

// As above, with all that a launch costs that was never planned before: look-up, plan, memory for it, memo of its
// states.
void planAndRemember(benchmark::State& state) {
  const Program program(state.range(0));
  for (auto _ : state) {
    PlanCache memo;
    benchmark::DoNotOptimize(memo.launch(program.spec, program.slots, program.states));
  }
}
BENCHMARK(planAndRemember)->Arg(1024)->Unit(benchmark::kMicrosecond);

// All bodies act on all bodies: each device reads four arrays as a whole, of which three were written by all devices,
// and updates its part of three others.
void planAllToAll(benchmark::State& state) {
  constexpr std::int64_t bodies = 200000;
  LaunchSpec move, accelerate;
  move.kernel = 1;
  accelerate.kernel = 2;
  move.space.dims = accelerate.space.dims = {{0, 1, bodies}};
  accelerate.space.inner = {{{{}, 0}, {{}, bodies - 1}}};
  for (std::uint32_t array = 0; array < 7; ++array) accelerate.arrays.push_back({array, 0, bodies, 4});
  for (const std::uint32_t array : {0U, 1U, 2U, 4U, 5U, 6U}) move.arrays.push_back({array, 0, bodies, 4});
  const auto access = [](LaunchSpec& spec, std::uint16_t parameter, AccessMode mode, std::vector<std::int64_t> index) {
    spec.accesses.push_back({.array = parameter, .mode = mode, .index = {std::move(index), 0}});
  };
  for (const std::uint16_t parameter : {0, 1, 2}) {
    access(accelerate, parameter, AccessMode::read, {1, 0});
    access(accelerate, parameter, AccessMode::read, {0, 1});
    for (const AccessMode mode : {AccessMode::read, AccessMode::write}) {
      access(accelerate, static_cast<std::uint16_t>(parameter + 4), mode, {1, 0});
      access(move, parameter, mode, {1});
    }
    access(move, static_cast<std::uint16_t>(parameter + 3), AccessMode::read, {1});
  }
  access(accelerate, 3, AccessMode::read, {0, 1});
  const std::vector<DeviceSlot> slots = devices(state.range(0));
  PlanCache cache;
  std::vector<ArrayStateRef> states(7, std::make_shared<const ArrayState>(bodies, hostMemory));
  const auto launch = [&](const LaunchSpec& spec) {
    std::vector<ArrayStateRef> used;
    for (const ArrayUse& use : spec.arrays) used.push_back(states[use.array]);
    for (const auto& [array, next] : cache.launch(spec, slots, used)->next) states[array] = next;
  };
  for (int step = 0; step < 2; ++step) {
    launch(accelerate);
    launch(move);
  }
  for (auto _ : state) {
    PlanCache memo;
    benchmark::DoNotOptimize(memo.launch(accelerate, slots, states));
  }
}
BENCHMARK(planAllToAll)->Arg(1024)->Unit(benchmark::kMicrosecond);

// Every device deposits anywhere in an array: all of it is merged.
void planMerge(benchmark::State& state) {
  LaunchSpec spec;
  spec.space.dims = {{0, 1, std::int64_t{1} << 24}};
  spec.arrays = {{0, 0, std::int64_t{1} << 20, 8}};
  spec.accesses.push_back({.array = 0, .mode = AccessMode::update, .unbounded = true, .index = {}});
  const std::vector<DeviceSlot> slots = devices(state.range(0));
  const std::vector<ArrayStateRef> states = {std::make_shared<const ArrayState>(spec.arrays[0].count, hostMemory)};
  for (auto _ : state) {
    Plan plan = makePlan(spec, slots, states);
    benchmark::DoNotOptimize(plan);
  }
}
BENCHMARK(planMerge)->Arg(4)->Arg(1024)->Unit(benchmark::kMicrosecond);

// A garbled circuit (samples/sfe): every launch reads any wires of its copies and writes a few words in each copy's row
// of one or two arrays, which stay apart.
struct Circuit {
  static constexpr std::int64_t copies = 1024, wires = 65536, levels = 64, ands = 20, xors = 92, inputs = 257;

  Circuit() {
    for (std::int64_t level = 0; level < levels; ++level) {
      const std::int64_t first = level * (ands + xors);
      launches.push_back(gates(first, ands, level * ands));
      launches.push_back(gates(first + ands, xors, -1));
    }
  }

  // `table`: the first AND gate's number among them; negative: XOR gates.
  static LaunchSpec gates(std::int64_t first, std::int64_t count, std::int64_t table) {
    LaunchSpec spec;
    spec.kernel = table < 0 ? 1 : 2;
    spec.space.dims = {{0, 1, copies}, {first, 1, count}};
    spec.space.inner = {{{{}, 0}, {{}, wires - 1}}};  // left[g]
    spec.arrays = {{0, 0, 2 * wires * copies, 8}, {1, 0, wires, 2}};
    spec.accesses.push_back({.array = 1, .mode = AccessMode::read, .index = {{0, 1}, 0}});
    for (std::int64_t word = 0; word < 2; ++word) {
      spec.accesses.push_back(
          {.array = 0, .mode = AccessMode::read, .conditional = true, .index = {{2 * wires, 0, 2}, word}});
      spec.accesses.push_back({.array = 0, .mode = AccessMode::write, .index = {{2 * wires, 2}, 2 * inputs + word}});
    }
    if (table < 0) return spec;
    spec.arrays.push_back({2, 0, 4 * levels * ands * copies, 8});
    for (std::int64_t word = 0; word < 4; ++word) {
      spec.accesses.push_back(
          {.array = 2, .mode = AccessMode::write, .index = {{4 * levels * ands, 4}, 4 * (table - first) + word}});
    }
    return spec;
  }

  void round(PlanCache& cache, const std::vector<DeviceSlot>& slots) {
    for (const LaunchSpec& spec : launches) {
      std::vector<ArrayStateRef> used;
      for (const ArrayUse& use : spec.arrays) used.push_back(states[use.array]);
      for (const auto& [array, next] : cache.launch(spec, slots, used)->next) states[array] = next;
    }
  }

  std::vector<LaunchSpec> launches;
  std::vector<ArrayStateRef> states = {std::make_shared<const ArrayState>(2 * wires * copies, hostMemory),
                                       std::make_shared<const ArrayState>(wires, hostMemory),
                                       std::make_shared<const ArrayState>(4 * levels * ands * copies, hostMemory)};
};

void planCircuit(benchmark::State& state) {
  std::vector<DeviceSlot> slots = devices(state.range(0));
  for (DeviceSlot& slot : slots) ++slot.memory;  // none of them is the host
  const bool first = state.range(1) == 0;        // the round in which arrays go to their devices
  Circuit steady;
  PlanCache rounds(1, 1);
  if (!first) {
    steady.round(rounds, slots);
    steady.round(rounds, slots);
  }
  std::size_t plans = 0, bytes = 0;
  for (auto _ : state) {
    PlanCache cache(4096, std::size_t{1} << 30);
    Circuit circuit = steady;
    circuit.round(cache, slots);
    plans += cache.size();
    bytes += cache.bytes();
  }
  state.counters["perPlan"] =
      benchmark::Counter(static_cast<double>(plans), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["bytesPerPlan"] = static_cast<double>(bytes) / static_cast<double>(plans);
}
BENCHMARK(planCircuit)->ArgsProduct({{1, 2, 16}, {0, 1}})->Unit(benchmark::kMillisecond);

void replayFromMemo(benchmark::State& state) {
  Program program(state.range(0));
  const std::size_t misses = program.cache.misses();
  for (auto _ : state) program.replay(program.cache);
  if (program.cache.misses() != misses) state.SkipWithError("a replay missed the memo");
}
BENCHMARK(replayFromMemo)->Arg(4)->Arg(1024)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
