// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host loses when an array's state changes, and that pages follow.
#include "hostview/host_view.h"

#include <gtest/gtest.h>

namespace muster::rt {
namespace {

using cap::ArrayState;
using cap::IntervalSet;

ArrayState withOwner(ArrayState state, cap::Interval elements, cap::MemoryId memory) {
  state.setOwner(IntervalSet(elements), memory);
  return state;
}

TEST(HostView, StatusFollowsTheHolders) {
  EXPECT_EQ(hostStatus({0}), PageAccess::readWrite);
  EXPECT_EQ(hostStatus({0, 3}), PageAccess::read);
  EXPECT_EQ(hostStatus({2, 3}), PageAccess::none);
}

TEST(HostView, EqualStatesLoseNothing) {
  const ArrayState state = withOwner(ArrayState(100, 0), {20, 40}, 1);
  EXPECT_TRUE(hostLosses(state, state).empty());
}

TEST(HostView, LossesAreMergedAndNameWhatIsLeft) {
  const ArrayState before(100, 0);
  ArrayState after = withOwner(before, {20, 30}, 1);
  after = withOwner(after, {30, 40}, 2);
  after.addHolder(IntervalSet({{60, 70}}), 1);
  EXPECT_EQ(hostLosses(before, after), (std::vector<Loss>{{{20, 40}, PageAccess::none}, {{60, 70}, PageAccess::read}}));
}

// Rows of a matrix, of which a device writes a few elements and reads others.
TEST(HostView, ManyLossesBecomeOneOfAKind) {
  const ArrayState before(100000, 0);
  std::vector<cap::Interval> written, read;
  for (std::int64_t row = 0; row < 100; ++row) {
    written.push_back({1000 * row + 10, 1000 * row + 20});
    read.push_back({1000 * row + 30, 1000 * row + 40});
  }
  ArrayState after = before;
  after.setOwner(IntervalSet::of(written), 1);
  EXPECT_EQ(hostLosses(before, after), (std::vector<Loss>{{{10, 99020}, PageAccess::none}}));
  after.addHolder(IntervalSet::of(read), 1);
  EXPECT_EQ(hostLosses(before, after),
            (std::vector<Loss>{{{10, 99020}, PageAccess::none}, {{30, 99040}, PageAccess::read}}));
  EXPECT_TRUE(hostLosses(after, before).empty());
}

TEST(HostView, GainsAreNotReported) {
  const ArrayState before = withOwner(ArrayState(100, 0), {0, 50}, 1);
  ArrayState after = before;
  after.addHolder(IntervalSet({{10, 20}}), 0);
  EXPECT_TRUE(hostLosses(before, after).empty());
  EXPECT_EQ(hostLosses(after, before), (std::vector<Loss>{{{10, 20}, PageAccess::none}}));
}

TEST(HostView, PagesLoseAccessAtOnce) {
  HostMemory& memory = hostMemory();
  const std::size_t page = memory.pageSize();
  const auto bytes = 10 * page;
  const auto array = memory.allocate(bytes, 1, true);
  ASSERT_TRUE(array.ok());
  HostView view(memory);
  const auto count = static_cast<std::int64_t>(bytes / 8);
  view.add(1, **array, 8, count);
  const ArrayState before(count, 0);
  const auto perPage = static_cast<std::int64_t>(page / 8);
  // Half of page 2 and page 3 go to a device; pages 5 and 6 are shared.
  ArrayState after = withOwner(before, {2 * perPage + 3, 4 * perPage}, 1);
  after.addHolder(IntervalSet({{5 * perPage, 7 * perPage}}), 1);
  ASSERT_TRUE(view.stateChanges(1, before, after).ok());
  const PageAccess expected[] = {PageAccess::readWrite, PageAccess::readWrite, PageAccess::none, PageAccess::none,
                                 PageAccess::readWrite, PageAccess::read,      PageAccess::read, PageAccess::readWrite,
                                 PageAccess::readWrite, PageAccess::readWrite};
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(memory.access(**array, i * page), expected[i]) << "page " << i;
  // Sharing a page that is protected as a whole gives nothing back.
  ArrayState shared = after;
  shared.addHolder(IntervalSet({{0, 3 * perPage}}), 2);
  ASSERT_TRUE(view.stateChanges(1, after, shared).ok());
  EXPECT_EQ(memory.access(**array, 0), PageAccess::read);
  EXPECT_EQ(memory.access(**array, 2 * page), PageAccess::none);
  view.remove(1);
  memory.release(**array);
}

}  // namespace
}  // namespace muster::rt
