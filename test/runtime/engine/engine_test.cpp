// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several ranks in one process (loopback): sequences of launches, host reads and host writes against plain loops.
#include <gtest/gtest.h>

#include <random>

#include "muster/cdm/transports.h"
#include "test_job.h"

namespace {

using muster::rt::testing::Pair;
using muster::rt::testing::plainJacobi;
using muster::rt::testing::RandomArrays;
using muster::rt::testing::TestJob;

struct Setup {
  int ranks;
  const char* devices;
  bool async = false;
  [[nodiscard]] muster::rt::testing::JobRules rules() const { return {.async = async}; }
  friend void PrintTo(const Setup& setup, std::ostream* out) {
    *out << muster::testing::testName({std::to_string(setup.ranks), setup.devices, setup.async ? "async" : ""});
  }
};

class Engine : public ::testing::TestWithParam<Setup> {};

TEST_P(Engine, JacobiEqualsThePlainLoop) {
  TestJob job(GetParam().ranks, GetParam().devices, {1, 3, 2}, {}, GetParam().rules());
  constexpr std::size_t n = 203, m = 57;
  Pair<double> u(job, n * m), v(job, n * m);
  u.fill([](std::size_t i) { return static_cast<double>(i * 7919 % 1000) / 7; });
  v.fill([&](std::size_t i) { return u.plain[i]; });
  for (int step = 0; step < 10; ++step) {
    programs::jacobi(u.managed, v.managed, n, m);
    plainJacobi(u.plain, v.plain, n, m);
    std::swap(u, v);
    if (step == 4) u.write(job, 100 * m, 100 * m + 1, 5.0);
    if (step == 6) u.expectSame(job, 50 * m, 51 * m);
  }
  u.expectSame(job, 0, n * m);
  v.expectSame(job, 0, n * m);
}

// Large enough for devices to compute their interior while ghost rows travel.
TEST_P(Engine, LargeJacobiEqualsThePlainLoop) {
  TestJob job(GetParam().ranks, GetParam().devices, {2, 1}, {}, GetParam().rules());
  constexpr std::size_t n = 900, m = 700;
  Pair<double> u(job, n * m), v(job, n * m);
  u.fill([](std::size_t i) { return static_cast<double>(i * 7919 % 1000) / 7; });
  v.fill([&](std::size_t i) { return u.plain[i]; });
  for (int step = 0; step < 8; ++step) {
    programs::jacobi(u.managed, v.managed, n, m);
    plainJacobi(u.plain, v.plain, n, m);
    std::swap(u, v);
  }
  u.expectSame(job, 0, n * m);
  v.expectSame(job, 0, n * m);
}

TEST_P(Engine, JacobiMovesOnlyGhostRowsOnceItRuns) {
  TestJob job(GetParam().ranks, GetParam().devices, {}, {}, GetParam().rules());
  constexpr std::size_t n = 400, m = 30;
  Pair<double> u(job, n * m), v(job, n * m);
  for (int step = 0; step < 6; ++step) {
    programs::jacobi(u.managed, v.managed, n, m);
    std::swap(u, v);
  }
  const auto devices = static_cast<std::int64_t>(job.table().devices().size());
  // Corners are not read.
  EXPECT_EQ(job.lastPlan->bytesMoved(), 2 * (devices - 1) * static_cast<std::int64_t>((m - 2) * sizeof(double)));
  EXPECT_GT(job.node().plans().hits(), 0u);
}

TEST_P(Engine, RandomSequencesEqualThePlainLoops) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    TestJob job(GetParam().ranks, GetParam().devices, {1, 0.5, 2, 1.5}, {}, GetParam().rules());
    const std::size_t n = 1000 + random() % 6000;
    RandomArrays arrays(job, n, random);
    for (int step = 0; step < 60; ++step) {
      const std::size_t lo = random() % n;
      const std::size_t hi = lo + random() % (n - lo + 1);
      switch (random() % 7) {
        case 0:
          arrays.axpy(0, n, step, random() % 4 == 0 ? MUSTER_LAUNCH_HOST : 0);
          break;
        case 1:
          arrays.axpy(lo, hi, 2);
          break;
        case 2:
          arrays.summarise(step);
          break;
        case 3:
          arrays.gather();
          break;
        case 4:
          arrays.addReversed();
          break;
        case 5:
          arrays.x.write(job, lo, hi, step);
          break;
        default:
          arrays.y.expectSame(job, lo, hi);
      }
      if (HasFatalFailure()) return;
    }
    arrays.expectSame(job);
  }
}

TEST_P(Engine, ArraysComeAndGo) {
  TestJob job(GetParam().ranks, GetParam().devices, {}, {}, GetParam().rules());
  for (int round = 0; round < 20; ++round) {
    Pair<int> x(job, 3000);
    x.fill([](std::size_t i) { return static_cast<int>(i); });
    programs::axpy(x.managed, 3000, round);
    for (std::size_t i = 0; i < 3000; ++i) x.plain[i] += static_cast<int>(i) * round;
    if (round % 2 == 0) x.expectSame(job, 0, 3000);
    job.release(x.managed);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Engine,
                         ::testing::Values(Setup{1, "cpu"}, Setup{2, "cpu"}, Setup{3, "cpu"}, Setup{5, "cpu"},
                                           Setup{1, "opencl"}, Setup{2, "opencl"}, Setup{3, "opencl"},
                                           Setup{1, "cpu,opencl"}, Setup{3, "cpu,opencl"}, Setup{5, "cpu,opencl"},
                                           Setup{2, "cpu", true}, Setup{3, "cpu", true}, Setup{1, "opencl", true},
                                           Setup{3, "opencl", true}, Setup{1, "cpu,opencl", true},
                                           Setup{3, "cpu,opencl", true}),
                         ::testing::PrintToStringParamName());

TEST(EngineFaults, TooLittleDeviceMemoryNamesRankArrayAndSizes) {
  TestJob job(1, "opencl", {}, {}, {.limitMemory = 2});
  int* x = job.create<int>(1000);
  try {
    programs::axpy(x, 1000, 1);
    FAIL() << "an int went into 2 bytes";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    for (const char* part : {"rank 0", "4 bytes for elements [500, 501) of test", "has 2 bytes for arrays",
                             "1 of 1000 iterations", "MUSTER_DEVICES"})
      EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
  }
}

TEST(EngineFaults, ALostDeviceNamesKernelAndLine) {
  muster::cap::ExecutorOptions options;
  options.loseDevices = true;
  TestJob job(1, "opencl", {}, options);
  int* x = job.create<int>(1000);
  try {
    programs::axpy(x, 1000, 1);
    FAIL() << "the device should be lost";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("muster_test_axpy (kernels.cc:20)"), std::string::npos) << error.what();
  }
}

TEST(EngineFaults, MalformedCommandsAreRefused) {
  TestJob job(1, "cpu", {});
  muster::rt::PlannedLaunch launch;
  launch.command.kernel = 0xdead;
  EXPECT_EQ(job.node().plan(launch).code(), muster::Errc::protocol);
  muster::rt::PlannedLaunch shape;
  shape.command.kernel = 0x1002;  // axpy, without its arguments
  EXPECT_EQ(job.node().plan(shape).code(), muster::Errc::protocol);
  EXPECT_FALSE(job.node().planAccess({99, muster::cap::IntervalSet{{0, 1}}, muster::cap::HostMode::read}).ok());
  EXPECT_FALSE(job.node().forgetArray({99}).ok());
}

}  // namespace
