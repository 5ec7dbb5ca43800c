// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that are freed and kept: nothing is found at their addresses, and the next one has them again.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "host/arrays/managed_memory.h"
#include "host/memory/host_memory_impl.h"
#include "muster/abi.h"

namespace muster::rt {
namespace {

const muster_array_site kSite = {{"prog.cpp", 12, 3}, "u", "double", 8, MUSTER_TYPE_F64, MUSTER_PARTITIONED, 0, ""};

// Keeps one array.
class OneIsKept final : public ArrayListener {
 public:
  OneIsKept() { setArrayListener(this); }
  ~OneIsKept() override {
    for (HostArray* array : unparkAll()) hostMemory().release(*array);
    setArrayListener(nullptr);
  }
  bool wantsMirrored() override { return true; }
  void created(HostArray&, const muster_array_site*, std::size_t) override { ++made; }
  void aboutToRelease(HostArray&) override { ++released; }
  void hostAccess(HostArray&, std::size_t, std::size_t, int mode) override { accesses += mode == MUSTER_WRITE; }
  bool parks(HostArray&) override { return keeps; }
  void park(HostArray& array) override { before = std::exchange(kept, &array); }
  HostArray* unpark(const muster_array_site*, std::size_t bytes, std::size_t) override {
    return kept != nullptr && kept->bytes() == bytes ? std::exchange(kept, nullptr) : nullptr;
  }
  std::vector<HostArray*> surplus() override {
    if (full) return unparkAll();
    return before != nullptr ? std::vector<HostArray*>{std::exchange(before, nullptr)} : std::vector<HostArray*>{};
  }
  std::vector<HostArray*> unparkAll() override {
    return kept != nullptr ? std::vector<HostArray*>{std::exchange(kept, nullptr)} : std::vector<HostArray*>{};
  }

  HostArray *kept = nullptr, *before = nullptr;
  bool keeps = true, full = false;
  int made = 0, released = 0, accesses = 0;
};

double* make(std::size_t count) { return static_cast<double*>(muster_array_new(&kSite, count)); }

TEST(KeptArrays, TheNextOneHasTheMemoryAgain) {
  OneIsKept session;
  double* a = make(1000);
  a[7] = 3;
  muster_free(a);
  EXPECT_EQ(session.released, 0);
  EXPECT_EQ(make(1000), a);
  EXPECT_EQ(a[7], 3) << "undefined, so that nothing is done for it";
  EXPECT_EQ(session.made, 1);
  EXPECT_TRUE(muster_is_managed(a));
  muster_free(a);
}

TEST(KeptArrays, NothingIsFoundThereMeanwhile) {
  OneIsKept session;
  double* a = make(1000);
  EXPECT_NE(hostMemory().find(a), nullptr);
  muster_free(a);
  ASSERT_NE(session.kept, nullptr);
  EXPECT_FALSE(muster_is_managed(a));
  EXPECT_EQ(hostMemory().find(a + 10), nullptr);
  EXPECT_FALSE(hostMemory().extentOf(a));
  forEachArray([&](HostArray& array, const muster_array_site*) { EXPECT_NE(&array, session.kept); });
  muster_host_access(a, 8, MUSTER_READ);
  EXPECT_DEATH(muster_free(a), "free\\(\\) of 0x[0-9a-f]+, which is no managed array now: freed before\\?");
  EXPECT_DEATH(muster_realloc(a, 8), "realloc\\(\\) of 0x[0-9a-f]+, which is no managed array now");
}

TEST(KeptArrays, ZeroedMemoryIsZero) {
  OneIsKept session;
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{100000}}) {
    double* a = make(count);
    std::fill(a, a + count, 1.5);
    muster_free(a);
    const int accesses = session.accesses;
    auto* zeroed = static_cast<double*>(muster_array_calloc(&kSite, count, sizeof(double)));
    EXPECT_EQ(zeroed, a);
    EXPECT_EQ(session.accesses, accesses + 1) << "the host must have it for itself before";
    EXPECT_TRUE(std::all_of(zeroed, zeroed + count, [](double x) { return x == 0; })) << count;
    std::fill(zeroed, zeroed + count, 2.5);
    EXPECT_EQ(static_cast<const double*>(static_cast<const void*>(hostMemory().find(zeroed)->alias()))[count - 1], 2.5);
    muster_free(zeroed);
    for (HostArray* array : session.unparkAll()) hostMemory().release(*array);
  }
}

TEST(KeptArrays, WhatGoesForAnotherIsReleased) {
  OneIsKept session;
  double *a = make(1000), *b = make(1000);
  muster_free(a);
  EXPECT_EQ(session.released, 0);
  muster_free(b);
  EXPECT_EQ(session.released, 1);
  EXPECT_EQ(session.kept->user(), static_cast<void*>(b));
  session.keeps = false;
  double* c = make(1000);
  EXPECT_EQ(c, b);
  muster_free(c);
  EXPECT_EQ(session.released, 2);
  EXPECT_EQ(session.kept, nullptr);
}

TEST(KeptArrays, AllGoWhereThereIsNoRoom) {
  OneIsKept session;
  double* a = make(1000);
  muster_free(a);
  session.full = true;
  double* b = make(2000);
  EXPECT_NE(b, nullptr);
  EXPECT_EQ(session.released, 1);
  EXPECT_EQ(session.kept, nullptr);
  muster_free(b);
}

TEST(KeptArrays, ReallocCopiesIntoAKeptOne) {
  OneIsKept session;
  double *a = make(1000), *b = make(100);
  b[99] = 4;
  muster_free(a);
  b = static_cast<double*>(muster_realloc(b, 8000));
  EXPECT_EQ(b, a);
  EXPECT_EQ(b[99], 4);
  muster_free(b);
}

TEST(KeptArrays, AChildHasNone) {
  OneIsKept session;
  double* a = make(1000);
  a[0] = 1;
  muster_free(a);
  const std::size_t fragments = hostMemoryImpl().fragments();
  ForkOfArrays forking;
  const pid_t child = fork();
  if (child == 0) {
    forking.inChild();
    // The parent's pages are not there any more; the child's own arrays may be, private.
    double* b = make(1000);
    b[0] = 2;
    const bool good = hostMemoryImpl().fragments() == 0 && b[0] == 2;
    muster_free(b);
    _exit(good ? 0 : 1);
  }
  forking.inParent();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(hostMemoryImpl().fragments(), fragments);
  EXPECT_EQ(make(1000), a);
  EXPECT_EQ(a[0], 1);
  muster_free(a);
}

}  // namespace
}  // namespace muster::rt
