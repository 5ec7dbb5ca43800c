// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large transfers in parts: every size arrives, on every way between hosts and devices; little memory is under way at a
// time; and reading, sending and writing overlap.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "../cdm/test_directory.h"
#include "executor_job.h"
#include "nests.h"
#include "rendezvous_transport.h"

namespace muster::cap::testing {
namespace {

constexpr std::size_t kMessage = 4096, kWindow = 8 * kMessage, kRoom = 3 * kMessage;
constexpr std::uint32_t kArray = 1;

// Records events of all ranks.
class Recorder final : public TraceSink {
 public:
  [[nodiscard]] Detail detail() const override { return Detail::everything; }
  void record(const TraceEvent& event) override {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  // In the order of their beginnings.
  [[nodiscard]] std::vector<TraceEvent> of(TraceEvent::Kind kind, std::uint64_t sequence) const {
    std::vector<TraceEvent> found;
    for (const TraceEvent& event : events_) {
      if (event.kind == kind && event.sequence == sequence) found.push_back(event);
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.beginNs < b.beginNs; });
    return found;
  }

 private:
  std::mutex mutex_;
  std::vector<TraceEvent> events_;
};

class Pipeline {
 public:
  Pipeline(int ranks, const std::string& devices, TraceSink* trace = nullptr, const cdm::LoanLimits& loans = {})
      : job_({.ranks = ranks,
              .devices = devices,
              .weights = {},
              .loans = loans,
              .wrap =
                  [this](std::unique_ptr<cdm::Transport> inner) {
                    return std::make_unique<RendezvousTransport>(std::move(inner), rendezvous_);
                  }},
             {.pipeline = {kMessage, kWindow, kRoom}, .trace = trace}) {}

  void run(const ExecutorJob::Script& script) {
    job_.run(script);
    for (const auto& [rank, text] : job_.errors) ADD_FAILURE() << "rank " << rank << ": " << text;
  }
  [[nodiscard]] const std::vector<DeviceSlot>& slots() const { return job_.slots(); }
  [[nodiscard]] MemoryId memory(std::size_t device) const { return job_.slots()[device].memory; }
  [[nodiscard]] std::size_t devices() const { return job_.deviceCount(); }
  [[nodiscard]] const Rendezvous& messages() const { return *rendezvous_; }

 private:
  std::shared_ptr<Rendezvous> rendezvous_ = std::make_shared<Rendezvous>();
  ExecutorJob job_;
};

bool has(const std::string& device) {
  cdm::DiscoveryOptions options;
  options.selection = device;
  options.cudaLibrary = FAKE_CUDA_LIBRARY;
  options.nvrtcLibraries = {FAKE_CUDA_LIBRARY};
  options.warn = [](const std::string&) {};
  return cdm::discoverDevices(options).ok();
}

// Host -> each device -> the next one -> everybody has everything -> host.
void sendRound(int ranks, const std::string& devices, std::uint32_t elemSize, std::int64_t count,
               const cdm::LoanLimits& loans = {}) {
  SCOPED_TRACE(devices + ", " + std::to_string(ranks) + " ranks, " + std::to_string(count) + " elements of " +
               std::to_string(elemSize));
  const bool isCuda = devices.starts_with("cuda");
  Pipeline pipeline(ranks, devices, nullptr, loans);
  std::vector<std::uint8_t> host(static_cast<std::size_t>(count) * elemSize);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  const std::vector<std::uint8_t> expected = host;
  const auto n = static_cast<std::int64_t>(pipeline.devices());
  const auto share = [&](std::int64_t device) { return Interval{device * count / n, (device + 1) * count / n}; };
  const auto memory = [&](std::int64_t device) { return pipeline.memory(static_cast<std::size_t>(device % n)); };
  // Copies of no element, and those within a memory, are none.
  const auto among = [&](std::vector<Copy> copies) {
    std::erase_if(copies, [](const Copy& copy) { return copy.from == copy.to || copy.elements.empty(); });
    return copies;
  };
  std::vector<Copy> out, round, all;
  for (std::int64_t d = 0; d < n; ++d) {
    out.push_back({kArray, elemSize, share(d), hostMemory, memory(d)});
    round.push_back({kArray, elemSize, share(d), memory(d), memory(d + 1)});
    for (std::int64_t to = 0; to < n; ++to) {
      if (to != (d + 1) % n) all.push_back({kArray, elemSize, share(d), memory(d + 1), memory(to)});
    }
  }
  pipeline.run([&](ExecutorJob::Rank& rank) -> Status {
    MUSTER_TRY(rank.executor().connect());
    for (std::int64_t from = 0; from < n; ++from)
      for (std::int64_t to = 0; to < n; ++to)
        EXPECT_EQ(rank.executor().isDirect(memory(from), memory(to)), isCuda && from != to);
    MUSTER_TRY(rank.add(kArray, elemSize, count, host.data()));
    MUSTER_TRY(rank.move(among(out)));
    MUSTER_TRY(rank.move(among(round)));
    MUSTER_TRY(rank.move(among(all), true));
    return rank.fetch(kArray, true);
  });
  EXPECT_EQ(host, expected);
  EXPECT_EQ(pipeline.messages().lent, pipeline.messages().borrowed);
  const auto message = static_cast<std::size_t>(std::min<std::int64_t>(kMessage, count * elemSize / n));
  EXPECT_EQ(pipeline.messages().lent > 0, isCuda ? count > 0 && elemSize <= kRoom : loans.allow(message));
}

TEST(ExecutorPipeline, EverySizeArrives) {
  for (const char* devices : {"cpu", "opencl:0", "cpu,opencl:0"}) {
    if (std::string(devices) != "cpu" && !has("opencl:0")) continue;
    for (const int ranks : {2, 3}) {
      for (const std::int64_t bytes : {0, 1, 4095, 4096, 4097, 3 * 4096, 30011}) sendRound(ranks, devices, 1, bytes);
      sendRound(ranks, devices, 12, 9001);
      sendRound(ranks, devices, 5000, 11);  // an element is more than a message
      sendRound(ranks, devices, 8, 100003);
    }
  }
}

// All parts of it, from one room for all of a sender's messages up to more rooms than messages may be under way; and
// with small messages and large ones that are none.
TEST(ExecutorPipeline, EverySizeArrivesInSharedMemory) {
  for (const char* devices : {"cpu", "opencl:0", "cpu,opencl:0"}) {
    if (std::string(devices) != "cpu" && !has("opencl:0")) continue;
    for (const int ranks : {2, 3}) {
      for (const std::size_t rooms : {1, 2, 3, 16}) {
        sendRound(ranks, devices, 8, 30011, {1, kMessage, rooms * kMessage});
        sendRound(ranks, devices, 1, 100003, {1, kMessage, rooms * kMessage});
      }
      sendRound(ranks, devices, 12, 9001, {kMessage / 2, kMessage, 4 * kMessage});
      sendRound(ranks, devices, 12, 9001, {1, 100, 400});
    }
  }
}

// In rooms on the sender's card, where the bytes come only after the receiver was told; messages of any size do.
TEST(ExecutorPipeline, EverySizeArrivesInDevicesMemory) {
  if (!has("cuda:0")) GTEST_SKIP() << "no POCL here, which the stand-in for CUDA needs";
  for (const char* words : {"devices=2 opens-own late-signals", "devices=2 opens-own late-signals shuffle=3"}) {
    const cdm::test::ScopedVariable fake("FAKE_CUDA", words);
    for (const char* devices : {"cuda:1", "cuda"}) {
      for (const std::uint32_t rooms : {1, 2, 8}) {
        const cdm::LoanLimits loans{kMessage / 2, kMessage, 2 * kMessage, rooms};
        sendRound(2, devices, 8, 20011, loans);
        sendRound(3, devices, 1, 30011, loans);
        sendRound(2, devices, 20000, 7, loans);  // an element is more than a room
      }
      for (const std::int64_t bytes : {0, 5, 4097}) sendRound(2, devices, 1, bytes, {4096, kMessage, 4 * kMessage, 3});
    }
  }
}

// What a device still writes stays in its room; a sender gets on all the same, whoever else moves what meanwhile.
TEST(ExecutorPipeline, RoomsComeBackFromRankToRank) {
  if (!has("opencl:0")) GTEST_SKIP() << "no OpenCL here";
  constexpr std::int64_t kCount = 6000;
  Pipeline pipeline(3, "opencl:0", nullptr, {1, kMessage, 3 * kMessage});
  std::vector<std::uint64_t> host(kCount);
  std::iota(host.begin(), host.end(), 0);
  const std::vector<std::uint64_t> expected = host;
  pipeline.run([&](ExecutorJob::Rank& rank) -> Status {
    MUSTER_TRY(rank.add(kArray, 8, kCount, host.data()));
    MUSTER_TRY(rank.move({{kArray, 8, {0, kCount}, hostMemory, pipeline.memory(0)}}));
    for (int i = 0; i < 40; ++i) {
      const MemoryId first = pipeline.memory(0), other = pipeline.memory(static_cast<std::size_t>(1 + i % 2));
      MUSTER_TRY(rank.move({{kArray, 8, {0, kCount}, first, other}}));
      if (i % 3 == 0) MUSTER_TRY(rank.move({{kArray, 8, {0, kCount}, first, pipeline.memory(2 - i % 2)}}, true));
      MUSTER_TRY(rank.move({{kArray, 8, {0, kCount}, other, first}}));
    }
    return rank.fetch(kArray, true);
  });
  EXPECT_EQ(host, expected);
}

// The bytes of a rank's messages under way stay within its window, in both directions at once.
TEST(ExecutorPipeline, LittleIsUnderWay) {
  constexpr std::int64_t kCount = 120000;
  Pipeline pipeline(3, "cpu");
  std::vector<std::uint64_t> host(kCount);
  std::iota(host.begin(), host.end(), 0);
  pipeline.run([&](ExecutorJob::Rank& rank) -> Status {
    MUSTER_TRY(rank.add(kArray, 8, kCount, host.data()));
    std::vector<Copy> out, back;
    for (const std::size_t device : {1, 2}) {
      const std::int64_t half = kCount / 2, first = device == 1 ? 0 : half;
      out.push_back({kArray, 8, {first, first + half}, hostMemory, pipeline.memory(device)});
      back.push_back({kArray, 8, {first, first + half}, pipeline.memory(device), pipeline.memory(3 - device)});
    }
    MUSTER_TRY(rank.move(out));
    return rank.move(back, true);
  });
  for (const auto* loads : {&pipeline.messages().sending, &pipeline.messages().receiving}) {
    for (const auto& [rank, load] : *loads) {
      EXPECT_LE(load.most, kWindow) << "rank " << rank;
      EXPECT_EQ(load.now, 0u) << "rank " << rank;
    }
  }
  EXPECT_GE(pipeline.messages().sending.at(0).most, kWindow - 2 * kMessage);  // but all of it is used
}

// What arrived first is on its device before the last part leaves the other one.
TEST(ExecutorPipeline, HopsOfDifferentPartsOverlap) {
  if (!has("opencl:0")) GTEST_SKIP() << "no OpenCL here";
  constexpr std::int64_t kCount = 60000;
  Recorder recorder;
  std::vector<std::uint64_t> host(kCount, 3);
  {
    Pipeline pipeline(2, "opencl:0", &recorder);
    pipeline.run([&](ExecutorJob::Rank& rank) -> Status {
      MUSTER_TRY(rank.add(kArray, 8, kCount, host.data()));
      MUSTER_TRY(rank.move({{kArray, 8, {0, kCount}, hostMemory, pipeline.memory(0)}}));
      MUSTER_TRY(rank.move({{kArray, 8, {0, kCount}, pipeline.memory(0), pipeline.memory(1)}}));
      MUSTER_TRY(rank.executor().finishDevices());
      rank.executor().harvestTimings();
      return {};
    });
  }
  using Kind = TraceEvent::Kind;
  const auto reads = recorder.of(Kind::deviceRead, 2), sends = recorder.of(Kind::send, 2),
             writes = recorder.of(Kind::deviceWrite, 2);
  ASSERT_EQ(reads.size(), (kCount * 8 + kMessage - 1) / kMessage);
  ASSERT_EQ(sends.size(), reads.size());
  ASSERT_EQ(writes.size(), reads.size());
  EXPECT_LT(sends.front().endNs, reads.back().beginNs);
  EXPECT_LT(writes.front().endNs, sends.back().beginNs);
  EXPECT_LT(writes.front().endNs, reads.back().beginNs);
}

// for (i = 0; i < n; ++i) x[i] = x[i] * 3 + i
cdm::KernelCode scaleAndAdd() {
  cdm::KernelCode code;
  code.id = 0x5ca1e;
  code.name = "scale_and_add";
  code.location = "loop.cpp:30";
  code.arrays = {{"x", 8, true, cdm::ScalarType::i64}};
  code.opencl = R"(
__kernel __attribute__((reqd_work_group_size(MUSTER_WG0, MUSTER_WG1, MUSTER_WG2)))
void scale_and_add(__global long* x_buf, long x_origin, long muster_first_0, long muster_step_0, long muster_lo_0, long muster_hi_0) {
  const long k = muster_lo_0 + get_global_id(0);
  if (k >= muster_hi_0) return;
  const long i = muster_first_0 + k * muster_step_0;
  (x_buf + x_origin)[i] = (x_buf + x_origin)[i] * 3 + i;
})";
  code.native = [](const muster_chunk* chunk) {
    auto* x = static_cast<std::int64_t*>(chunk->arrays[0]);
    for (std::int64_t i = chunk->lo; i < chunk->hi; ++i) x[i] = x[i] * 3 + i;
  };
  return code;
}

// A device joins or leaves: what its neighbour had before computes while many windows of the rest are under way.
TEST(ExecutorPipeline, WhatStaysComputesWhileTheRestMoves) {
  if (!has("opencl:0")) GTEST_SKIP() << "no OpenCL here";
  constexpr std::int64_t kCount = 400000;
  const LaunchSpec spec = launch({loop(0, kCount)}, {kCount}, {read(0, {1}), write(0, {1})});
  const cdm::KernelCode code = scaleAndAdd();
  std::vector<std::int64_t> host(kCount, 1), expected = host;
  Recorder recorder;
  constexpr std::uint64_t kLeaves = 3, kJoins = 5;  // numbers of launches
  {
    Pipeline pipeline(2, "opencl:0", &recorder);
    std::vector<DeviceSlot> alone = pipeline.slots();
    alone[1].weight = 0;
    pipeline.run([&](ExecutorJob::Rank& rank) -> Status {
      MUSTER_TRY(rank.add(0, 8, kCount, host.data()));
      for (const bool both : {true, true, false, false, true}) {
        MUSTER_TRY(rank.launch(both ? pipeline.slots() : alone, spec, code));
        MUSTER_TRY(rank.executor().finishDevices());
      }
      rank.executor().harvestTimings();
      return rank.fetch(0, true);
    });
  }
  for (int step = 0; step < 5; ++step) {
    for (std::int64_t i = 0; i < kCount; ++i)
      expected[static_cast<std::size_t>(i)] = expected[static_cast<std::size_t>(i)] * 3 + i;
  }
  EXPECT_EQ(host, expected);
  using Kind = TraceEvent::Kind;
  const auto left = recorder.of(Kind::chunk, kLeaves), joined = recorder.of(Kind::chunk, kJoins);
  const auto leaving = recorder.of(Kind::receive, kLeaves), joining = recorder.of(Kind::send, kJoins);
  ASSERT_GT(leaving.size(), 4 * kWindow / kMessage);
  ASSERT_GT(joining.size(), 4 * kWindow / kMessage);
  ASSERT_EQ(left.size(), 2u) << "what it had, and the rest";
  EXPECT_EQ(left[0].amount, static_cast<std::uint64_t>(kCount / 2));
  EXPECT_LT(left[0].endNs, leaving.back().endNs);
  EXPECT_GE(left[1].endNs, leaving.back().endNs);
  ASSERT_EQ(joined.size(), 2u) << "one of each device";
  EXPECT_LT(joined[0].endNs, joining.back().endNs) << "what is not read yet lies elsewhere";
}

}  // namespace
}  // namespace muster::cap::testing
