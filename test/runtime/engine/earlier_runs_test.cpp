// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/in_place/earlier_runs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace muster::rt {
namespace {

class EarlierRunsTest : public ::testing::Test {
 protected:
  EarlierRunsTest() {
    char name[] = "/tmp/muster-earlier-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~EarlierRunsTest() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::filesystem::path file() const { return *std::filesystem::directory_iterator(folder_ / "runs"); }

  const RunHistory history_{
      {{~std::uint64_t{0}, 0.5, -1, 3}, {7, 0.25, 0.125, 4, 0.75, 0.2, true, 4096}}, 2.5, 1.5, 6, 0, 12};
  std::filesystem::path folder_;
};

TEST_F(EarlierRunsTest, WhatIsWrittenIsFound) {
  ASSERT_TRUE(EarlierRuns(folder_, "a").write(9, history_).ok());
  const RunHistory found = EarlierRuns(folder_, "a").find(9);
  ASSERT_EQ(found.loops.size(), 2U);
  EXPECT_EQ(found.loops[0].loop, ~std::uint64_t{0});
  EXPECT_EQ(found.loops[0].everywhere, -1);
  EXPECT_EQ(found.loops[1].inPlace, 0.25);
  EXPECT_EQ(found.loops[1].everywhere, 0.125);
  EXPECT_EQ(found.loops[1].launches, 4);
  EXPECT_EQ(found.loops[1].first, 0.75);
  EXPECT_EQ(found.loops[1].least, 0.2);
  EXPECT_TRUE(found.loops[1].isBuilt);
  EXPECT_EQ(found.loops[1].iterations, 4096);
  EXPECT_EQ(found.other, 6);
  EXPECT_EQ(found.untried, 2.5);
  EXPECT_EQ(found.lostAt, 1.5);
  EXPECT_EQ(found.tooEarly, 12);
}

TEST_F(EarlierRunsTest, OtherProgramsAndOtherFirstLoopsAreNot) {
  ASSERT_TRUE(EarlierRuns(folder_, "a").write(9, history_).ok());
  ASSERT_TRUE(EarlierRuns(folder_, "a").write(10, RunHistory{}).ok());
  EXPECT_TRUE(EarlierRuns(folder_, "b").find(9).loops.empty());
  EXPECT_TRUE(EarlierRuns(folder_, "a").find(10).loops.empty());
  EXPECT_EQ(EarlierRuns(folder_, "a").find(9).loops.size(), 2U);
}

TEST_F(EarlierRunsTest, TheOldestEntriesGo) {
  for (std::uint64_t first = 0; first < 70; ++first) ASSERT_TRUE(EarlierRuns(folder_, "a").write(first, history_).ok());
  EXPECT_TRUE(EarlierRuns(folder_, "a").find(5).loops.empty());
  EXPECT_EQ(EarlierRuns(folder_, "a").find(6).loops.size(), 2U);
}

TEST_F(EarlierRunsTest, ADamagedFileIsReplaced) {
  ASSERT_TRUE(EarlierRuns(folder_, "a").write(9, history_).ok());
  for (const std::string text :
       {"", "{", "[1]", R"({"program": "a", "runs": [3, {"first": 9}]})",
        R"({"program": "a", "runs": [{"first": 9, "untried": 1, "lost_at": 0, "other": 0, "loops": [[1]]}]})"}) {
    std::ofstream(file()) << text;
    EXPECT_TRUE(EarlierRuns(folder_, "a").find(9).loops.empty()) << text;
    ASSERT_TRUE(EarlierRuns(folder_, "a").write(9, history_).ok()) << text;
    EXPECT_EQ(EarlierRuns(folder_, "a").find(9).loops.size(), 2U) << text;
  }
}

TEST_F(EarlierRunsTest, WithoutAFolderNothingIsKept) {
  EXPECT_TRUE(EarlierRuns("", "a").write(9, history_).ok());
  EXPECT_TRUE(EarlierRuns("", "a").find(9).loops.empty());
}

TEST_F(EarlierRunsTest, AFolderThatCannotBeWrittenIsSaid) {
  std::ofstream(folder_ / "runs") << "a file";
  const Status status = EarlierRuns(folder_, "a").write(9, history_);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("cannot be kept"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace muster::rt
