// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a person at a terminal is told of what takes long, and that nobody else is.
#include "report/patience.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <memory>

namespace muster::test {
namespace {

using rt::Patience;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

std::string contentOf(std::FILE* file) {
  std::string text(1000, '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

TEST(Patience, EndsOnceAndAfterAllPartsTogether) {
  const File out(std::tmpfile());
  Patience patience(out.get(), 2);
  int asked = 0;
  const auto text = [&] { return "part " + std::to_string(++asked); };
  patience.strain(1.2, text);
  EXPECT_EQ(asked, 0);
  for (int i = 0; i < 3; ++i) patience.strain(0.9, text);
  EXPECT_EQ(contentOf(out.get()), "muster: part 1\n");
}

// What is said with this file as standard error.
std::string saidOn(int file, const rt::Config& config, int rank) {
  const int before = dup(STDERR_FILENO);
  dup2(file, STDERR_FILENO);
  Patience patience = Patience::atTerminal(config, rank);
  std::string said;
  patience.strain(1000, [&] {
    said = "something";
    return said;
  });
  dup2(before, STDERR_FILENO);
  close(before);
  return said;
}

TEST(Patience, IsOnlyOfTerminals) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) GTEST_SKIP() << "no pseudo-terminals";
  const int side = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  ASSERT_GE(side, 0);
  int ends[2] = {};
  ASSERT_EQ(pipe(ends), 0);
  rt::Config quiet;
  quiet.notices = false;
  EXPECT_EQ(saidOn(side, {}, 0), "something");
  EXPECT_EQ(saidOn(ends[1], {}, 0), "");
  EXPECT_EQ(saidOn(side, quiet, 0), "");
  EXPECT_EQ(saidOn(side, {}, 1), "");
  for (const int file : {ends[0], ends[1], side, terminal}) close(file);
}

}  // namespace
}  // namespace muster::test
