// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What many ranks read of each other, carried out from spreads: every rank finds its own copies in them.
#include <gtest/gtest.h>

#include <numeric>

#include "executor_job.h"
#include "nests.h"

namespace muster::cap::testing {
namespace {

constexpr int kRanks = 34;
constexpr std::int64_t kCount = 300;

// b[i] = sum of a + i
cdm::KernelCode sumOfAll() {
  cdm::KernelCode code;
  code.id = 0x5bead;
  code.name = "sum_of_all";
  code.location = "loop.cpp:20";
  code.arrays = {{"a", 8, false, cdm::ScalarType::i64}, {"b", 8, true, cdm::ScalarType::i64}};
  code.native = [](const muster_chunk* chunk) {
    const auto* a = static_cast<const std::int64_t*>(chunk->arrays[0]);
    auto* b = static_cast<std::int64_t*>(chunk->arrays[1]);
    for (std::int64_t i = chunk->lo; i < chunk->hi; ++i)
      b[i] = std::accumulate(a, a + kCount, std::int64_t{0}) % 977 + i;
  };
  return code;
}

TEST(ExecutorSpread, ManyRanksReadAll) {
  std::vector<std::int64_t> a(kCount), b(kCount);
  std::iota(a.begin(), a.end(), 5);
  std::vector<std::int64_t> expectedA = a, expectedB = b;
  for (int step = 0; step < 4; ++step) {
    const std::int64_t sum = std::accumulate(expectedA.begin(), expectedA.end(), std::int64_t{0}) % 977;
    std::iota(expectedB.begin(), expectedB.end(), sum);
    std::swap(expectedA, expectedB);
  }
  ExecutorJob job({kRanks, "cpu", {}});
  const cdm::KernelCode code = sumOfAll();
  std::vector<std::size_t> spreads(kRanks);
  job.run([&](ExecutorJob::Rank& rank) -> Status {
    MUSTER_TRY(rank.add(0, 8, kCount, a.data()));
    MUSTER_TRY(rank.add(1, 8, kCount, b.data()));
    LaunchSpec spec = launch({loop(0, kCount)}, {kCount, kCount}, {unbounded(AccessMode::read, 0), write(1, {1})});
    for (int step = 0; step < 4; ++step) {
      MUSTER_TRY(rank.launch(spec, code));
      if (rank.first()) spreads[static_cast<std::size_t>(step)] = rank.lastPlan->spreads.size();
      std::swap(spec.arrays[0], spec.arrays[1]);
    }
    MUSTER_TRY(rank.fetch(0));
    return rank.fetch(1);
  });
  EXPECT_TRUE(job.errors.empty()) << job.errors.front().second;
  EXPECT_EQ(a, expectedA);
  EXPECT_EQ(b, expectedB);
  EXPECT_EQ(spreads[0], 1u);
  EXPECT_EQ(spreads[1], static_cast<std::size_t>(kRanks));
}

}  // namespace
}  // namespace muster::cap::testing
