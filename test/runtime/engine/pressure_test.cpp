// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs on devices whose memory does not hold all of their data: results equal the plain loops', memories are never
// too full, allocation blocks make room, and what cannot work says so.
#include <random>

#include "test_job.h"

namespace muster::rt::testing {
namespace {

struct Setup {
  int ranks;
  const char* devices;
  int percent;  // of the working set, which all devices with memory of their own may hold together
  friend void PrintTo(const Setup& setup, std::ostream* out) {
    *out << muster::testing::testName({std::to_string(setup.ranks), setup.devices, std::to_string(setup.percent)});
  }
};

class Pressure : public ::testing::TestWithParam<Setup> {
 protected:
  // The limit of one device for a working set of `bytes`.
  [[nodiscard]] static JobRules rules(std::size_t bytes) {
    const auto [ranks, devices, percent] = GetParam();
    return {.limitMemory = bytes * static_cast<std::size_t>(percent) / 100 / static_cast<std::size_t>(ranks)};
  }
  // The storage of devices checks its limit itself; this is that the model knew.
  static void expectModelHolds(TestJob& job, const std::vector<std::uint32_t>& arrays) {
    for (const DeviceEntry& device : job.table().devices()) {
      if (device.place.capacity == 0) continue;
      std::uint64_t bytes = 0;
      for (const std::uint32_t id : arrays) {
        const auto held = job.node().executor().state(id)->heldBy(device.place.memory).hull();
        bytes += static_cast<std::uint64_t>(held.size()) * job.node().executor().array(id)->elemSize;
      }
      EXPECT_LE(bytes, device.place.capacity) << device.info.name << " of rank " << device.place.rank;
    }
  }
};

TEST_P(Pressure, JacobiEqualsThePlainLoop) {
  constexpr std::size_t n = 150, m = 40;
  TestJob job(GetParam().ranks, GetParam().devices, {1, 3, 2}, {}, rules(2 * n * m * sizeof(double)));
  Pair<double> u(job, n * m), v(job, n * m);
  u.fill([](std::size_t i) { return static_cast<double>(i * 7919 % 1000) / 7; });
  v.fill([&](std::size_t i) { return u.plain[i]; });
  for (int step = 0; step < 8; ++step) {
    programs::jacobi(u.managed, v.managed, n, m);
    plainJacobi(u.plain, v.plain, n, m);
    std::swap(u, v);
    expectModelHolds(job, {0, 1});
    if (step == 3) u.write(job, 100 * m, 101 * m, 5.0);
    if (step == 5) u.expectSame(job, 50 * m, 51 * m);
  }
  u.expectSame(job, 0, n * m);
  v.expectSame(job, 0, n * m);
}

// Three arrays in turn, also read through an index, reversed, reduced, and touched by the host.
TEST_P(Pressure, RandomSequencesEqualThePlainLoops) {
  const bool native = std::string(GetParam().devices).find("cpu") != std::string::npos;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    std::mt19937 random(seed);
    const std::size_t n = 2000 + random() % 3000;
    TestJob job(GetParam().ranks, GetParam().devices, {1, 0.5, 2, 1.5}, {}, rules(3 * n * sizeof(int)));
    RandomArrays arrays(job, n, random);
    for (int step = 0; step < 40; ++step) {
      const std::size_t lo = random() % n;
      const std::size_t hi = lo + random() % (n - lo + 1);
      switch (random() % 6) {
        case 0:
          arrays.axpy(lo, hi, step, random() % 8 == 0 ? MUSTER_LAUNCH_HOST : 0);
          break;
        case 1:
          arrays.summarise(step);
          break;
        case 2:
          if (native) arrays.gather();  // else it reads all of x at once, and runs on the host
          break;
        case 3:
          arrays.addReversed();
          break;
        case 4:
          arrays.x.write(job, lo, hi, step);
          break;
        default:
          arrays.y.expectSame(job, lo, hi);
      }
      expectModelHolds(job, {0, 1, 2});
      if (HasFatalFailure()) return;
    }
    arrays.expectSame(job);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Pressure,
                         ::testing::Values(Setup{1, "opencl", 100}, Setup{1, "opencl", 50}, Setup{1, "opencl", 10},
                                           Setup{2, "opencl", 100}, Setup{2, "opencl", 50}, Setup{2, "opencl", 10},
                                           Setup{3, "opencl", 100}, Setup{3, "opencl", 50}, Setup{3, "opencl", 10},
                                           Setup{1, "cpu,opencl", 10}, Setup{2, "cpu,opencl", 50},
                                           Setup{3, "cpu,opencl", 10}, Setup{3, "0=opencl;1=cpu;2=opencl", 10}),
                         ::testing::PrintToStringParamName());

// ------------------------------------------------------------------ allocation blocks

// Three arrays that the devices hold together, though not if the faster device, by its speed alone, gets 3/4 of each.
struct BlockProgram {
  static constexpr std::size_t n = 4096, bytes = n * sizeof(int);
  // Three arrays: 6/8 of each go to device 0 without a block, which has room for 3/2.
  static constexpr std::uint64_t limit = bytes * 3 / 2 + 1024;

  BlockProgram(bool block, bool spill) : job(2, "opencl", {3, 1}, {}, {.limitMemory = limit, .spill = spill}) {
    for (int i = 0; i < 3; ++i) arrays.emplace_back(job, n, ArrayTraits{block ? 1u : 0u, false});
    for (auto& array : arrays) array.fill([](std::size_t i) { return static_cast<int>(i % 97); });
  }
  void run() {
    for (int step = 0; step < 3; ++step) {
      for (auto& array : arrays) {
        programs::axpy(array.managed, n, step + 1);
        for (std::size_t i = 0; i < n; ++i) array.plain[i] += static_cast<int>(i) * (step + 1);
        moved += step > 0 ? job.lastPlan->bytesMoved() : 0;
      }
    }
    for (auto& array : arrays) array.expectSame(job, 0, n);
  }

  TestJob job;
  std::vector<Pair<int>> arrays;
  std::int64_t moved = 0;  // once all arrays have their places
};

TEST(AllocationBlocks, MakeRoomForArraysThatFitOnlyTogether) {
  BlockProgram program(true, false);
  program.run();
  EXPECT_EQ(program.moved, 0);
}

TEST(AllocationBlocks, WithoutOneTheFirstArraysLeaveNoRoom) {
  BlockProgram program(false, false);
  try {
    program.run();
    FAIL() << "three times 3/4 of an array went into room for 3/2";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    for (const char* part : {"rank 0", "alloc_start", "MUSTER_SPILL=on", "test"})
      EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
  }
}

TEST(AllocationBlocks, WithSpillingBothRun) {
  BlockProgram with(true, true);
  with.run();
  EXPECT_EQ(with.moved, 0);
  BlockProgram without(false, true);
  without.run();
  EXPECT_GT(without.moved, 0) << "something had to leave";
}

TEST(PressureFaults, WrongEvictionsAndWeightsAreRefused) {
  TestJob job(1, "opencl", {});
  int* x = job.create<int>(1000);
  Node& node = job.node();
  for (const protocol::Evict::Part& part : std::vector<protocol::Evict::Part>{{9, 1, 0, 0, 0},
                                                                              {0, 7, 0, 0, 0},
                                                                              {0, 1, 7, 0, 0},
                                                                              {0, 0, 1, 0, 0},
                                                                              {0, 1, 1, 0, 0},
                                                                              {0, 1, 0, -1, 5},
                                                                              {0, 1, 0, 0, 1001}})
    EXPECT_EQ(node.planEviction({{part}}).status().code(), Errc::protocol);
  EXPECT_TRUE(node.planEviction({{{0, 1, 0, 0, 1000}}}).ok());
  programs::axpy(x, 1000, 1);
  for (const std::vector<double>& weights : std::vector<std::vector<double>>{{1, 1}, {-1}, {NAN}}) {
    PlannedLaunch launch;
    launch.command.kernel = 0x1002;
    launch.command.dims = {{0, 1, 10}};
    launch.command.forms = {1, 0, 1, 0};
    launch.command.arrays = {{0, 0, false}};
    launch.command.scalars = {cdm::Bytes(4)};
    launch.command.weights = weights;
    EXPECT_EQ(node.plan(launch).code(), Errc::protocol);
  }
}

}  // namespace
}  // namespace muster::rt::testing
