// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the meter makes of chunks of which some were not timed.
#include "node/meter.h"

#include <gtest/gtest.h>

namespace muster::rt {
namespace {

cap::TraceEvent chunkOf(std::uint64_t sequence, std::uint64_t iterations, std::int64_t ns, bool measured = true) {
  cap::TraceEvent event;
  event.kind = cap::TraceEvent::Kind::chunk;
  event.sequence = sequence;
  event.kernel = 5;
  event.device = 1;
  event.amount = iterations;
  event.endNs = ns;
  event.measured = measured;
  return event;
}

// The window leaves the first two launches out.
void warmUp(Meter& meter) {
  for (std::uint64_t sequence : {1, 2}) meter.record(chunkOf(sequence, 100, 1'000'000));
}

TEST(Meter, ChunksThatWereNotTimedCountAsThoseThatWere) {
  Meter meter(nullptr);
  warmUp(meter);
  meter.record(chunkOf(3, 100, 1000));
  meter.record(chunkOf(4, 300, 0, false));
  meter.record(chunkOf(5, 500, 0, false));
  meter.record(chunkOf(6, 100, 3000));
  const auto window = meter.takeWindow();
  ASSERT_EQ(window.size(), 1u);
  EXPECT_EQ(window[0].kernel, 5u);
  EXPECT_EQ(window[0].device, 1u);
  EXPECT_EQ(window[0].launches, 4u);
  EXPECT_EQ(window[0].iterations, 1000u);
  EXPECT_EQ(window[0].nanoseconds, 20'000u);  // 20 ns an iteration
  EXPECT_TRUE(meter.takeWindow().empty());
}

// The short ones of a kernel's chunks take longer for each iteration, and only some of those are timed.
TEST(Meter, ChunksThatWereNotTimedCountAsThoseOfTheirSize) {
  Meter meter(nullptr);
  warmUp(meter);
  for (std::uint64_t i = 0; i < 8; ++i) {
    meter.record(chunkOf(3 + 2 * i, 1'000'000, 1'000'000));
    meter.record(chunkOf(4 + 2 * i, 100, i == 5 ? 10'000 : 0, i == 5));
  }
  const auto window = meter.takeWindow();
  ASSERT_EQ(window.size(), 1u);
  EXPECT_EQ(window[0].launches, 16u);
  EXPECT_EQ(window[0].iterations, 8'000'800u);
  EXPECT_EQ(window[0].nanoseconds, 8'080'000u);
}

TEST(Meter, AWindowWithoutATimedChunkWaitsForOne) {
  Meter meter(nullptr);
  warmUp(meter);
  meter.record(chunkOf(3, 100, 0, false));
  EXPECT_TRUE(meter.takeWindow().empty());
  meter.record(chunkOf(4, 100, 500));
  const auto window = meter.takeWindow();
  ASSERT_EQ(window.size(), 1u);
  EXPECT_EQ(window[0].launches, 2u);
  EXPECT_EQ(window[0].iterations, 200u);
  EXPECT_EQ(window[0].nanoseconds, 1000u);
}

TEST(Meter, TotalsKnowAllLaunches) {
  Meter meter(nullptr);
  warmUp(meter);
  meter.record(chunkOf(3, 200, 0, false));
  const protocol::RankTotals totals = meter.totals();
  ASSERT_EQ(totals.times.size(), 1u);
  EXPECT_EQ(totals.times[0].launches, 3u);
  EXPECT_EQ(totals.times[0].iterations, 400u);
  EXPECT_EQ(totals.times[0].nanoseconds, 4'000'000u);
}

TEST(Meter, NewWeightsBeginANewWindow) {
  Meter meter(nullptr);
  warmUp(meter);
  meter.record(chunkOf(3, 100, 0, false));
  meter.startEpoch(3);
  meter.record(chunkOf(3, 100, 700));  // told of late
  for (std::uint64_t sequence : {4, 5, 6}) meter.record(chunkOf(sequence, 100, 700));
  const auto window = meter.takeWindow();
  ASSERT_EQ(window.size(), 1u);
  EXPECT_EQ(window[0].launches, 1u);
  EXPECT_EQ(window[0].iterations, 100u);
}

}  // namespace
}  // namespace muster::rt
