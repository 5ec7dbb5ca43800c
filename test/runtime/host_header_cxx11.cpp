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
  EXPECT_THROW(muster::PartitionedArray<float>::create(kSite, 10), muster::SiteMismatch);
  EXPECT_THROW(muster::ReplicatedArray<float>::create(kSite, 10), muster::SiteMismatch);
  EXPECT_THROW(muster::LocalArray<float[3]>{kSite}, muster::SiteMismatch);
}

// The array's old values take part once; elements outside of the section are not touched.
TEST(Proxies, aReductionSectionStandsInForAnArrayThatIsNotManaged) {
  double array[6] = {100, 1, 2, 3, 4, 500};
  const double* own = nullptr;
  {
    muster::ReductionSection<double, MUSTER_REDUCE_ADD> section(kSite, array, 1, 4);
    double* inside = section.data();
    own = inside;
    EXPECT_TRUE(muster_is_managed(inside + 1));
    for (int i = 1; i < 5; ++i) {
      EXPECT_EQ(inside[i], 0);
      inside[i] += 10 * i;
    }
    EXPECT_EQ(array[1], 1);
    section.combine();
  }
  EXPECT_FALSE(muster_is_managed(own + 1));
  const double expected[6] = {100, 11, 22, 33, 44, 500};
  EXPECT_TRUE(std::equal(expected, expected + 6, array));
}

TEST(Proxies, aReductionSectionLeavesAManagedArrayInPlace) {
  auto array = muster::ReplicatedArray<double>::create(kSite, 8);
  muster::ReductionSection<double, MUSTER_REDUCE_MAX> section(kSite, array.host(), 2, 3);
  EXPECT_EQ(section.data(), array.host());
  section.data()[3] = 5;
  section.combine();
  EXPECT_EQ(array.host()[3], 5);
  array.destroy();
  double empty = 1;
  muster::ReductionSection<double, MUSTER_REDUCE_MUL> none(kSite, &empty, 0, 0);
  EXPECT_EQ(none.data(), &empty);
}

template <muster_result_kind Kind>
int reduced(int array, int value) {
  static const muster_array_site site = {{"prog.cpp", 1, 1}, "h", "int",   sizeof(int), MUSTER_TYPE_I32,
                                         MUSTER_REPLICATED,  0,   "a test"};
  muster::ReductionSection<int, Kind> untouched(site, &array, 0, 1);
  untouched.combine();  // the identity changes nothing
  muster::ReductionSection<int, Kind> section(site, &array, 0, 1);
  *section.data() = value;
  section.combine();
  return array;
}

TEST(Proxies, aReductionSectionCombinesByItsOperator) {
  EXPECT_EQ(reduced<MUSTER_REDUCE_ADD>(6, 3), 9);
  EXPECT_EQ(reduced<MUSTER_REDUCE_MUL>(6, 3), 18);
  EXPECT_EQ(reduced<MUSTER_REDUCE_AND>(6, 3), 2);
  EXPECT_EQ(reduced<MUSTER_REDUCE_OR>(6, 3), 7);
  EXPECT_EQ(reduced<MUSTER_REDUCE_XOR>(6, 3), 5);
  EXPECT_EQ(reduced<MUSTER_REDUCE_LAND>(1, 0), 0);
  EXPECT_EQ(reduced<MUSTER_REDUCE_LOR>(0, 1), 1);
  EXPECT_EQ(reduced<MUSTER_REDUCE_MIN>(6, -3), -3);
  EXPECT_EQ(reduced<MUSTER_REDUCE_MAX>(-6, -9), -6);
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
