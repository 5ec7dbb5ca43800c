// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timings of operations. Devices whose operations are native code, or run elsewhere, list none.
#include "conformance.h"
#include "muster/cdm/clock.h"

namespace muster::cdm::test {

namespace {

using Kind = OperationTiming::Kind;

bool lists(const ComputeDevice& device) { return device.info().backend != "cpu"; }

}  // namespace

TEST_P(Conformance, TimingsAreNotKeptUnlessAskedFor) {
  const BufferId buffer = bufferOf(std::vector<int>(100, 1));
  EXPECT_TRUE(device().takeTimings().empty());
  expectOk(device().keepTimings(Timings::all));
  EXPECT_TRUE(device().takeTimings().empty());
  expectOk(device().keepTimings(Timings::off));
  expectOk(device().write(buffer, 0, "text", 4).status());
  expectOk(device().finish());
  EXPECT_TRUE(device().takeTimings().empty());
}

TEST_P(Conformance, TimingsListEachCallOnceInOrder) {
  expectOk(device().keepTimings(Timings::all));
  const std::vector<int> values(1000, 1);
  std::vector<int> back(1000);
  const BufferId buffer = allocate(4000), other = allocate(4000);
  const std::int64_t before = traceClock();
  const Result<Event> written = device().write(buffer, 0, values.data(), 4000);
  const Result<Event> launched = launch1(increment(), {0, 1, 1000}, 0, 1000, {{buffer, 0}});
  const Result<Event> copied = device().copy(buffer, 0, other, 400, 2000);
  const Result<Event> read = device().read(other, 400, back.data(), 2000);
  for (const Result<Event>& event : {written, launched, copied, read}) expectOk(event.status());
  expectOk(device().finish());
  const std::int64_t after = traceClock();
  const std::vector<OperationTiming> timings = device().takeTimings();
  EXPECT_TRUE(device().takeTimings().empty());
  if (!lists(device())) {
    EXPECT_TRUE(timings.empty());
    return;
  }
  ASSERT_EQ(timings.size(), 4u);
  const Kind kinds[] = {Kind::write, Kind::kernel, Kind::copy, Kind::read};
  const Event events[] = {*written, *launched, *copied, *read};
  const std::uint64_t bytes[] = {4000, 0, 2000, 2000};
  std::int64_t last = before;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(timings[i].kind, kinds[i]) << i;
    EXPECT_EQ(timings[i].event, events[i]) << i;
    EXPECT_EQ(timings[i].bytes, bytes[i]) << i;
    // Each depends on the one before. Clocks may differ by what a small transfer takes.
    EXPECT_GE(timings[i].beginNs, last - 200000) << i;
    EXPECT_GE(timings[i].endNs, timings[i].beginNs) << i;
    last = timings[i].endNs;
  }
  EXPECT_GE(timings[0].beginNs, before);
  EXPECT_LE(timings[3].endNs, after);
}

TEST_P(Conformance, TimingsListFillsAsCopies) {
  expectOk(device().keepTimings(Timings::all));
  const BufferId buffer = allocate(4000);
  const Result<Event> filled = device().fill(buffer, 100, std::byte{1}, 2000);
  expectRuns(filled);
  const std::vector<OperationTiming> timings = device().takeTimings();
  ASSERT_EQ(timings.size(), lists(device()) ? 1u : 0u);
  if (timings.empty()) return;
  EXPECT_EQ(timings[0].kind, Kind::copy);
  EXPECT_EQ(timings[0].event, *filled);
  EXPECT_EQ(timings[0].bytes, 2000u);
}

TEST_P(Conformance, TimingsCountACallOfSeveralOperationsOnce) {
  if (!lists(device())) GTEST_SKIP() << "lists no operations";
  expectOk(device().keepTimings(Timings::all));
  constexpr std::size_t bytes = (std::size_t{9} << 20) + 100;  // more than two of the largest staging slots
  const std::vector<char> values(bytes, 1);
  const BufferId buffer = allocate(bytes);
  expectOk(device().write(buffer, 0, values.data(), bytes).status());
  const BufferId x = bufferOf(std::vector<int>(1000, 1)), m = bufferOf(std::vector<int>(1000, 1));
  std::vector<int> results(reductionKinds<int>().size());
  std::vector<void*> places;
  for (int& result : results) places.push_back(&result);
  expectRuns(launch1(reduceAll<int>(), {0, 1, 1000}, 0, 1000, {{x, 0}, {m, 0}}, {}, places));
  expectOk(device().finish());
  const std::vector<OperationTiming> timings = device().takeTimings();
  ASSERT_EQ(timings.size(), 4u);  // three writes, one launch
  EXPECT_EQ(timings[0].bytes, bytes);
  EXPECT_LT(timings[0].beginNs, timings[0].endNs);
  EXPECT_EQ(timings[3].kind, Kind::kernel);
}

TEST_P(Conformance, SamplesListEachLaunchAndTimeSomeOfThem) {
  if (!lists(device())) GTEST_SKIP() << "lists no operations";
  expectOk(device().keepTimings(Timings::samples));
  const BufferId buffer = bufferOf(std::vector<int>(100, 1));
  std::vector<Event> events;
  constexpr int launches = 200;
  for (int i = 0; i < launches; ++i) {
    const Result<Event> launched = launch1(increment(), {0, 1, 100}, 0, 100, {{buffer, 0}});
    expectOk(launched.status());
    events.push_back(*launched);
  }
  expectOk(device().wait(events[100]));
  EXPECT_EQ(contents<int>(buffer, 100), std::vector<int>(100, 1 + launches));
  expectOk(device().finish());
  const std::vector<OperationTiming> timings = device().takeTimings();
  ASSERT_EQ(timings.size(), events.size());  // transfers are not listed
  std::size_t measured = 0;
  for (std::size_t i = 0; i < timings.size(); ++i) {
    EXPECT_EQ(timings[i].kind, Kind::kernel) << i;
    EXPECT_EQ(timings[i].event, events[i]) << i;
    EXPECT_EQ(timings[i].measured, timings[i].endNs != 0) << i;
    measured += timings[i].measured ? 1 : 0;
  }
  EXPECT_GE(measured, events.size() / 8);
}

TEST_P(Conformance, ReductionsAmongSampledLaunchesAreRight) {
  expectOk(device().keepTimings(Timings::samples));
  const BufferId x = bufferOf(std::vector<int>(1000, 1)), m = bufferOf(std::vector<int>(1000, 1));
  for (int i = 0; i < 30; ++i) {
    expectOk(launch1(increment(), {0, 1, 1000}, 0, 1000, {{x, 0}}).status());
    std::vector<int> results(reductionKinds<int>().size());
    std::vector<void*> places;
    for (int& result : results) places.push_back(&result);
    expectRuns(launch1(reduceAll<int>(), {0, 1, 1000}, 0, 1000, {{x, 0}, {m, 0}}, {}, places));
    EXPECT_EQ(results[0], 1000 * (2 + i)) << i;  // the sum of x
  }
}

TEST_P(Conformance, TimingsChangeNoResult) {
  std::vector<int> values(1000);
  for (int i = 0; i < 1000; ++i) values[static_cast<std::size_t>(i)] = i;
  const BufferId buffer = bufferOf(values);
  for (int round = 0; round < 6; ++round) {
    expectOk(device().keepTimings(round % 3 == 0 ? Timings::all : round % 3 == 1 ? Timings::samples : Timings::off));
    expectOk(launch1(increment(), {0, 1, 1000}, 0, 1000, {{buffer, 0}}).status());
  }
  for (int& value : values) value += 6;
  EXPECT_EQ(contents<int>(buffer, 1000), values);
}

}  // namespace muster::cdm::test
