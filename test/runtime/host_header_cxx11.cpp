// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proxies of muster.hpp, compiled as C++11.
#include <gtest/gtest.h>

#include <algorithm>

#include "muster/muster.hpp"

static_assert(__cplusplus < 201402L, "this file checks the header with the oldest standard that it promises");

namespace {

int sessionsBegun = 0;
int sessionsEnded = 0;
int* sessionArgc = nullptr;

const muster_array_site kSite = {{"prog.cpp", 12, 3}, "u", "double", sizeof(double), MUSTER_TYPE_F64,
                                 MUSTER_PARTITIONED,  0,   "a test"};

}  // namespace

// In place of the engine's.
extern "C" void muster_session_begin(int* argc, char***) {
  ++sessionsBegun;
  sessionArgc = argc;
}
extern "C" void muster_session_end(void) { ++sessionsEnded; }

TEST(Proxies, arraysAreZeroAndManaged) {
  auto array = muster::PartitionedArray<double>::create(kSite, 1000);
  ASSERT_EQ(array.size(), 1000u);
  EXPECT_TRUE(muster_is_managed(array.host()));
  EXPECT_EQ(std::count(array.host(), array.host() + array.size(), 0.0), 1000);
  double* host = array.host();
  array.destroy();
  EXPECT_EQ(array.host(), nullptr);
  EXPECT_EQ(array.size(), 0u);
  EXPECT_FALSE(muster_is_managed(host));
  auto replicated = muster::ReplicatedArray<double>::create(kSite, 7);
  EXPECT_TRUE(muster_is_managed(replicated.host()));
  EXPECT_EQ(replicated.size(), 7u);
  replicated.destroy();
}

TEST(Proxies, aSiteOfAnotherTypeIsRefused) {
  EXPECT_THROW(muster::PartitionedArray<float>::create(kSite, 10), std::invalid_argument);
  EXPECT_THROW(muster::ReplicatedArray<float>::create(kSite, 10), std::invalid_argument);
  EXPECT_THROW(muster::LocalArray<float[3]>{kSite}, std::invalid_argument);
}

TEST(Proxies, localArrayHasTheShapeOfItsType) {
  const double* inside = nullptr;
  {
    muster::LocalArray<double[6][5]> storage(kSite);
    double(&a)[6][5] = storage.ref();
    a[5][4] = 3;
    inside = &a[0][0];
    EXPECT_EQ(inside[29], 3);
    EXPECT_TRUE(muster_is_managed(inside));
    EXPECT_TRUE(muster_is_managed(&a[5][4]));
  }
  EXPECT_FALSE(muster_is_managed(inside));
}

TEST(Proxies, vectorViewIndexesLikeAVector) {
  std::vector<int> vector = {1, 2, 3};
  const muster::VectorView<int> view(vector.data(), vector.size());
  view[1] = 20;
  EXPECT_EQ(view.at(1), 20);
  EXPECT_EQ(vector[1], 20);
  EXPECT_EQ(view.front(), 1);
  EXPECT_EQ(view.back(), 3);
  EXPECT_EQ(view.size(), 3u);
  EXPECT_FALSE(view.empty());
  EXPECT_EQ(view.data(), vector.data());
  EXPECT_EQ(view.end() - view.begin(), 3);
  EXPECT_THROW(view.at(3), std::out_of_range);
  EXPECT_TRUE(muster::VectorView<const int>(vector.data(), 0).empty());
}

TEST(Proxies, sessionBeginsAndEndsWithItsScope) {
  int argc = 1;
  char name[] = "prog";
  char* arguments[] = {name, nullptr};
  char** argv = arguments;
  {
    const muster::Session session(argc, argv);
    EXPECT_EQ(sessionsBegun, 1);
    EXPECT_EQ(sessionsEnded, 0);
    EXPECT_EQ(sessionArgc, &argc);
  }
  EXPECT_EQ(sessionsEnded, 1);
  {
    const muster::Session session;
  }
  EXPECT_EQ(sessionsBegun, 2);
  EXPECT_EQ(sessionArgc, nullptr);
}
