// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report as people and programs read it.
#include "report/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace muster::rt {
namespace {

const muster_array_site kSite = {{"a.cpp", 7, 1}, "u", "double", 8, MUSTER_TYPE_F64, MUSTER_PARTITIONED, 0, "why"};

muster_kernel loopAt(const char* file, std::uint32_t line) {
  muster_kernel kernel{};
  kernel.name = "k";
  kernel.loc = {file, line, 1};
  return kernel;
}

cap::PlanRef splitPlan() {
  auto plan = std::make_shared<cap::Plan>();
  plan->chunks.push_back({0, 0, 0, 75, {}, {}, {}});
  plan->chunks.push_back({1, 2, 75, 100, {}, {}, {}});
  plan->copies.push_back({0, 8, {10, 20}, 0, 2});
  return plan;
}

cap::PlanRef hostPlan() {
  auto plan = std::make_shared<cap::Plan>();
  plan->onHost = true;
  return plan;
}

void fill(Report& report, const muster_kernel& split, const muster_kernel& native) {
  report.addDevice({0, "h", "EPYC", "cpu", "cpu", 1, 0, 0, 4});
  report.addDevice({1, "h", "H100", "opencl", "gpu", 0.5, 5e10, 1e-5, 0, {0, 2}});
  report.addLeftOut(0, "POCL", "same cores");
  report.addLeftOut(1, "POCL", "same cores");
  report.countArray(&kSite, 1 << 20, 0);
  report.countKept(&kSite, 1 << 20);
  report.nameArray(0, &kSite);
  report.countFetch(&kSite, 4096);
  report.countFetch(&kSite, 0);  // nothing had to move: not a transfer
  report.countLaunch(split, 0.002, splitPlan());
  report.countLaunch(split, 0.004, hostPlan());
  EXPECT_TRUE(report.countStepBack(split, "on the host: its `if` clause says so"));
  EXPECT_FALSE(report.countStepBack(split, "on the host: its `if` clause says so"));
  report.countNative(native, 1e-6, 0);
  report.countDevice(split, {1, 0, 2, 750, 1'000'000});
  report.countDevice(split, {1, 1, 2, 250, 3'000'000});
  report.countCorrection(split);
  report.countMerges(split, {1, 2, 100, 60});
  report.countMerges(split, {1, 1, 50, 40});
  report.notePlans(2, 40);
}

TEST(Report, SaysWhereTheTimeWentAndWhatWouldSaveIt) {
  const muster_kernel split = loopAt("a.cpp", 10);
  const muster_kernel native = loopAt("a.cpp", 9);
  const muster_kernel brief = loopAt("a.cpp", 11);
  muster_kernel sum = loopAt("a.cpp", 12);
  sum.n_results = 1;
  Report report;
  report.addDevice({0, "h", "H100", "opencl", "gpu", 1, 0, 0, 0});
  report.countArray(&kSite, 1 << 20, 0);
  report.countFetch(&kSite, 4096, 0.5);
  report.countAllocationTime(&kSite, 0.01);  // less than a hundredth: not worth a line
  report.countLaunch(split, 2, hostPlan());
  EXPECT_TRUE(report.countStepBack(split, "on rank 0's CPU: its argument q does not point into a managed array"));
  report.countNative(native, 1, 0);
  for (int i = 0; i < 50'000; ++i) report.countLaunch(brief, 2e-5, splitPlan());
  report.countLaunch(sum, 0.25, splitPlan());
  EXPECT_EQ(report.text().find("the program's time"), std::string::npos) << "it has not ended";
  report.countMove(0.24);
  report.endProgram(10);
  const std::string text = report.text();
  EXPECT_EQ(
      text.substr(text.find("  the program's time")),
      "  the program's time: 10.00 s\n"
      "    its own code                                  5.00 s   50.0 %\n"
      "    loops in place on rank 0's CPU                1.00 s   10.0 %\n"
      "    launches, with waits for their results     250.00 ms    2.5 %\n"
      "    other launches                                3.00 s   30.0 %\n"
      "    waits for data that was on devices         500.00 ms    5.0 %\n"
      "    allocations and releases of arrays          10.00 ms    0.1 %\n"
      "    going to all devices and back              240.00 ms    2.4 %\n"
      "  what cost most\n"
      "    2.00 s: a.cpp:10 ran on rank 0's CPU: its argument q does not point into a managed array: mark what it "
      "uses with '#pragma omp managed'\n"
      "    1.00 s: a.cpp:11 was launched 50000 times for 20.0 us each: make its loop larger, or fewer of them\n"
      "    500.00 ms: the host waited for u (a.cpp:7), 4.0 KiB in 1 transfers: let loops under '#pragma omp "
      "parallel for' do what the program does with it\n");
}

TEST(Report, TextHasDevicesArraysAndLoopsInOrder) {
  const muster_kernel split = loopAt("a.cpp", 10);
  const muster_kernel native = loopAt("a.cpp", 9);
  Report report;
  fill(report, split, native);
  EXPECT_EQ(
      report.text(),
      "muster: what this run did\n"
      "  devices\n"
      "    [0] rank 0 on h: cpu, EPYC, 4 threads; weight 1.000; computed for 1.00 ms\n"
      "    [1] rank 1 on h: opencl, H100; weight 0.500; from the host 50.0 GB/s, 10.0 us; sends to [0], [2] past the "
      "host; computed for 3.00 ms\n"
      "    left out on ranks 0 to 1: POCL: same cores\n"
      "  arrays\n"
      "    u (a.cpp:7): 2.0 MiB of double in 2 allocations, 1 of them in freed arrays, partitioned: why\n"
      "      the host fetched 4.0 KiB in 1 transfer\n"
      "      launches moved 80 B from the host, 0 B to it, 0 B between devices\n"
      "  loops\n"
      "    a.cpp:9 (k): 1 launch, 1.0 us in all, 1.0 us each\n"
      "      in place on rank 0's CPU\n"
      "    a.cpp:10 (k): 2 launches, 6.00 ms in all, 3.00 ms each; 80 B moved, 0 B by the last launch\n"
      "      [0] rank 0 cpu     iterations   0 to  74   75.0 %   in all  75.0 % of the iterations,  25.0 % of the "
      "time, 1.00 ms\n"
      "      [1] rank 1 opencl  iterations  75 to  99   25.0 %   in all  25.0 % of the iterations,  75.0 % of the "
      "time, 3.00 ms\n"
      "      weights corrected 1 time\n"
      "      3 merges: 150 B changed, 100 B sent\n"
      "      2 launches on the host: its `if` clause says so\n"
      "  2 plans made, 40 found again\n");
}

TEST(Report, JsonHasTheSameNumbers) {
  const muster_kernel split = loopAt("a.cpp", 10);
  const muster_kernel native = loopAt("a.cpp", 9);
  Report report;
  fill(report, split, native);
  const auto json = nlohmann::json::parse(report.json());
  EXPECT_EQ(json["devices"].size(), 2u);
  EXPECT_EQ(json["devices"][1]["weight"], 0.5);
  EXPECT_EQ(json["devices"][1]["direct"], nlohmann::json({0, 2}));
  EXPECT_EQ(json["arrays"][0]["fetchedBytes"], 4096);
  EXPECT_EQ(json["arrays"][0]["fetches"], 1);
  EXPECT_EQ(json["arrays"][0]["kept"], 1);
  EXPECT_EQ(json["plans"]["made"], 2);
  EXPECT_EQ(json["plans"]["found"], 40);
  EXPECT_EQ(json["loops"][0]["nativeLaunches"], 1);
  EXPECT_EQ(json["loops"][1]["bytesMoved"], 80);
  EXPECT_EQ(json["loops"][1]["lastBytesMoved"], 0);
  EXPECT_EQ(json["loops"][1]["lastSplit"][1]["lo"], 75);
  EXPECT_EQ(json["loops"][1]["stepBacks"][0]["launches"], 2);
  EXPECT_EQ(json["loops"][1]["devices"][0]["iterations"], 750);
  EXPECT_EQ(json["loops"][1]["devices"][1]["seconds"], 0.003);
  EXPECT_EQ(json["loops"][1]["merges"], 3);
  EXPECT_EQ(json["loops"][1]["bytesChanged"], 150);
  EXPECT_EQ(json["loops"][1]["bytesMerged"], 100);
  EXPECT_EQ(json["loops"][1]["corrections"], 1);
  EXPECT_EQ(json["arrays"][0]["bytesOut"], 80);
  EXPECT_EQ(json["arrays"][0]["bytesIn"], 0);
  EXPECT_EQ(json["devices"][1]["busySeconds"], 0.003);
}

TEST(Report, LaunchesOfThreadsAreCountedByWhereTheyWere) {
  const muster_kernel loop = loopAt("a.cpp", 10);
  Report report;
  report.addDevice({0, "h", "EPYC", "cpu", "cpu", 1, 0, 0, 4});
  report.countLaunch(loop, 0.5, splitPlan());
  report.countNative(loop, 1, 0);
  report.countNative(loop, 1, 0);
  report.noteThreads({1, 2, 1});
  report.endProgram(2);
  const std::string text = report.text();
  EXPECT_NE(text.find("      2 launches in place on rank 0's CPU\n"), std::string::npos) << text;
  EXPECT_NE(text.find("the program's time: 2.00 s, with its threads' times added up\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  3 launches of threads that launch at once: 1 on the devices of their threads, 2 on cores; "
                      "devices changed hands 1 time\n"),
            std::string::npos)
      << text;
  const auto json = nlohmann::json::parse(report.json());
  EXPECT_EQ(json["threads"], nlohmann::json({{"onDevices", 1}, {"onCores", 2}, {"donations", 1}}));
}

TEST(Report, ADeviceThatIsNoLongerUsedKeepsItsLine) {
  const muster_kernel split = loopAt("a.cpp", 10);
  Report report;
  fill(report, split, loopAt("a.cpp", 9));
  report.addDevice({2, "h", "old", "opencl", "gpu", 0, 0, 0, 0});
  report.countDevice(split, {1, 2, 1, 1000, 1'000'000});
  EXPECT_NE(
      report.text().find("      [2] rank 2 opencl  not in the last split            in all  50.0 % of the iterations"),
      std::string::npos)
      << report.text();
}

TEST(Report, QuantitiesReadWell) {
  EXPECT_EQ(formatSeconds(1.5), "1.50 s");
  EXPECT_EQ(formatSeconds(0.0123), "12.30 ms");
  EXPECT_EQ(formatSeconds(0.0000042), "4.2 us");
}

}  // namespace
}  // namespace muster::rt
