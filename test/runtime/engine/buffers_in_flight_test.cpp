// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that touch what another library reads or fills: only what they surely do counts.
#include "engine/arrays/buffers_in_flight.h"

#include <gtest/gtest.h>

namespace {

using muster::cap::Access;
using muster::cap::AccessMode;
using muster::cap::IntervalSet;
using muster::cap::LaunchSpec;
using muster::rt::BuffersInFlight;

// for (i = 0; i < 100; ++i) u[2 * i + 10], of an array of 1,000 elements whose number is 7.
LaunchSpec loop(AccessMode mode) {
  LaunchSpec spec;
  spec.space.dims = {{0, 1, 100}};
  spec.arrays = {{3, 0, 1000, 8}, {7, 0, 1000, 8}};
  Access access;
  access.array = 1;
  access.mode = mode;
  access.line = 12;
  access.index = {{2}, 10};
  spec.accesses = {access};
  return spec;
}

TEST(BuffersInFlight, WhatIsReadMayBeReadAndWhatIsFilledMayNot) {
  BuffersInFlight buffers;
  EXPECT_FALSE(buffers.clashOf(loop(AccessMode::write)));
  const auto sent = buffers.begin({7, IntervalSet{{20, 40}}, "MPI_Isend", false});
  EXPECT_FALSE(buffers.clashOf(loop(AccessMode::read)));
  for (const AccessMode mode : {AccessMode::write, AccessMode::update}) {
    const auto clash = buffers.clashOf(loop(mode));
    ASSERT_TRUE(clash);
    EXPECT_EQ(clash->element, 20);
    EXPECT_EQ(clash->access.line, 12u);
    EXPECT_EQ(clash->buffer.call, "MPI_Isend");
  }
  const auto received = buffers.begin({7, IntervalSet{{30, 32}}, "MPI_Irecv", true});
  const auto clash = buffers.clashOf(loop(AccessMode::read));
  ASSERT_TRUE(clash);
  EXPECT_EQ(clash->buffer.call, "MPI_Irecv");
  buffers.end(sent);
  buffers.end(received);
  EXPECT_FALSE(buffers.clashOf(loop(AccessMode::write)));
}

TEST(BuffersInFlight, OtherElementsAndOtherArraysAreFree) {
  BuffersInFlight buffers;
  buffers.begin({7, IntervalSet{{0, 10}, {11, 12}, {209, 1000}}, "MPI_Irecv", true});  // 11: only even ones are touched
  buffers.begin({3, IntervalSet{{0, 1000}}, "MPI_Irecv", true});
  EXPECT_FALSE(buffers.clashOf(loop(AccessMode::write)));
}

TEST(BuffersInFlight, WhatALoopPerhapsTouchesSaysNothing) {
  BuffersInFlight buffers;
  buffers.begin({7, IntervalSet{{0, 1000}}, "MPI_Irecv", true});
  LaunchSpec spec = loop(AccessMode::write);
  spec.accesses[0].conditional = true;
  EXPECT_FALSE(buffers.clashOf(spec));
  spec = loop(AccessMode::write);
  spec.accesses[0].unbounded = true;
  EXPECT_FALSE(buffers.clashOf(spec));
  spec = loop(AccessMode::write);
  spec.arrays[1].absent = true;
  EXPECT_FALSE(buffers.clashOf(spec));
}

// A plan in which a device writes elements [10, 20) of array 7, as far as anybody knows.
muster::cap::Plan planOn(muster::cap::MemoryId memory) {
  muster::cap::Plan plan;
  plan.chunks.emplace_back().memory = memory;
  plan.chunks[0].reads = plan.chunks[0].writes = std::vector<IntervalSet>(2);
  plan.chunks[0].reads[1] = IntervalSet{{0, 1000}};
  plan.chunks[0].writes[1] = IntervalSet{{10, 20}};
  return plan;
}

TEST(BuffersInFlight, AreLostWhereADeviceHoldsWhatIsFilledOnTheHost) {
  BuffersInFlight buffers;
  const auto arrays = loop(AccessMode::write).arrays;
  const auto lost = [&](const muster::cap::Plan& plan) { return buffers.lostBy(plan, arrays).has_value(); };
  buffers.begin({7, IntervalSet{{0, 1000}}, "MPI_Irecv", true});  // a copy
  EXPECT_FALSE(lost(planOn(3)));
  buffers.begin({7, IntervalSet{{20, 30}}, "MPI_Irecv", true, true});
  EXPECT_FALSE(lost(planOn(3))) << "other elements";
  const auto number = buffers.begin({7, IntervalSet{{18, 30}}, "MPI_Irecv", true, true});
  EXPECT_TRUE(lost(planOn(3)));
  EXPECT_FALSE(lost(planOn(muster::cap::hostMemory))) << "native code writes only what it writes";
  buffers.end(number);
  EXPECT_FALSE(lost(planOn(3)));
  muster::cap::Plan merged = planOn(muster::cap::hostMemory);
  merged.merges.push_back({.array = 7, .parts = {{0, IntervalSet{{25, 26}}}, {1, IntervalSet{{25, 26}}}}});
  EXPECT_TRUE(lost(merged)) << "old and new values are added";
}

TEST(BuffersInFlight, NumbersOfOneMeanNothingToAnother) {
  BuffersInFlight first, second;
  const auto number = first.begin({7, IntervalSet{{0, 1000}}, "MPI_Irecv", true});
  second.begin({7, IntervalSet{{0, 1000}}, "MPI_Irecv", true});
  second.end(number);
  EXPECT_TRUE(second.clashOf(loop(AccessMode::read)));
}

}  // namespace
