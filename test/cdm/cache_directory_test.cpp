// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the cache lies, and when it is not used.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "muster/cdm/file.h"
#include "muster/cdm/host.h"
#include "test_directory.h"

namespace muster::cdm::test {

namespace {

namespace fs = std::filesystem;

struct Found {
  fs::path directory;
  std::string warning;
};

Found find() {
  Found found;
  found.directory = cacheDirectory([&](const std::string& text) { found.warning = text; });
  return found;
}

}  // namespace

class CacheDirectory : public testing::Test {
 protected:
  TestDirectory base_;
  ScopedVariable own_{"MUSTER_CACHE_DIR", nullptr};
  ScopedVariable xdg_{"XDG_CACHE_HOME", nullptr};
  ScopedVariable home_{"HOME", base_.path().c_str()};
};

TEST_F(CacheDirectory, IsMadePrivateBelowHome) {
  const Found found = find();
  EXPECT_EQ(found.directory, base_.path() / ".cache" / "muster");
  EXPECT_EQ(found.warning, "");
  EXPECT_EQ(fs::status(found.directory).permissions(), fs::perms::owner_all);
}

TEST_F(CacheDirectory, VariablesComeInOrder) {
  const ScopedVariable xdg("XDG_CACHE_HOME", (base_.path() / "xdg").c_str());
  EXPECT_EQ(find().directory, base_.path() / "xdg" / "muster");
  const ScopedVariable own("MUSTER_CACHE_DIR", (base_.path() / "a" / "b" / "").c_str());
  EXPECT_EQ(find().directory, base_.path() / "a" / "b");
  EXPECT_TRUE(fs::is_directory(base_.path() / "a" / "b"));
}

TEST_F(CacheDirectory, NoPlaceAtAll) {
  const ScopedVariable home("HOME", nullptr);
  EXPECT_EQ(find().directory, "");
  EXPECT_NE(find().warning.find("MUSTER_CACHE_DIR"), std::string::npos);
}

TEST_F(CacheDirectory, FileIsNoDirectory) {
  std::ofstream(base_.path() / "file") << "x";
  const ScopedVariable own("MUSTER_CACHE_DIR", (base_.path() / "file").c_str());
  EXPECT_EQ(find().directory, "");
  EXPECT_NE(find().warning.find("is no folder"), std::string::npos);
}

TEST_F(CacheDirectory, RelativePathIsRefused) {
  const ScopedVariable own("MUSTER_CACHE_DIR", "here");
  EXPECT_EQ(find().directory, "");
  EXPECT_NE(find().warning.find("absolute"), std::string::npos);
}

TEST_F(CacheDirectory, FolderThatOthersMayWriteIsRefused) {
  const fs::path open = base_.path() / "open";
  fs::create_directory(open);
  fs::permissions(open, fs::perms::all);
  const ScopedVariable own("MUSTER_CACHE_DIR", open.c_str());
  EXPECT_EQ(find().directory, "");
  EXPECT_NE(find().warning.find("chmod 700"), std::string::npos);
}

TEST_F(CacheDirectory, FolderOfSomebodyElseIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const fs::path theirs = base_.path() / "theirs";
  fs::create_directory(theirs);
  fs::permissions(theirs, fs::perms::owner_all);
  ASSERT_EQ(chown(theirs.c_str(), 12345, 12345), 0);
  const ScopedVariable own("MUSTER_CACHE_DIR", theirs.c_str());
  EXPECT_EQ(find().directory, "");
  EXPECT_NE(find().warning.find("belongs to user 12345"), std::string::npos);
}

TEST(File, IsReplacedAsAWhole) {
  const TestDirectory directory;
  const fs::path file = directory.path() / "entry";
  EXPECT_EQ(readFile(file), "");
  EXPECT_TRUE(replaceFile(file, "first").ok());
  EXPECT_TRUE(replaceFile(file, std::string("a\0b", 3)).ok());
  EXPECT_EQ(readFile(file), std::string("a\0b", 3));
  // No temporary file stays.
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()), 1);
}

// A read that fails, as of /proc/PID/stat of a process that ended since it was opened, must not end the program.
TEST(File, ThatFailsToBeReadHasNothingToSay) {
  const TestDirectory directory;  // opens, and cannot be read
  EXPECT_EQ(readFile(directory.path()), "");
}

TEST(File, IsItsOwnersAloneUnlessAskedFor) {
  const TestDirectory directory;
  const fs::path file = directory.path() / "entry";
  const auto mode = [&] { return static_cast<unsigned>(fs::status(file).permissions()); };
  const mode_t before = umask(022);
  EXPECT_TRUE(replaceFile(file, "x").ok());
  EXPECT_EQ(mode(), 0600u);
  EXPECT_TRUE(replaceFile(file, "x", 0666).ok());
  EXPECT_EQ(mode(), 0644u);
  umask(before);
}

TEST(File, FailureNamesTheFile) {
  const Status status = replaceFile("/no/such/folder/entry", "x");
  EXPECT_EQ(status.code(), Errc::io);
  EXPECT_NE(status.message().find("/no/such/folder/entry"), std::string::npos);
}

}  // namespace muster::cdm::test
