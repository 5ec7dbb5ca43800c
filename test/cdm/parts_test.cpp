// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in parts, by several threads.
#include "muster/cdm/parts.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace muster::cdm::test {
namespace {

std::vector<unsigned char> pattern(std::size_t bytes) {
  std::vector<unsigned char> values(bytes);
  for (std::size_t at = 0; at < bytes; ++at) values[at] = static_cast<unsigned char>(at * 31 + at / 255);
  return values;
}

bool copiesRight(std::size_t bytes) {
  const std::vector<unsigned char> from = pattern(bytes);
  std::vector<unsigned char> to(bytes + 1, 7);
  copyInParts(to.data(), from.data(), bytes);
  return to[bytes] == 7 && std::equal(from.begin(), from.end(), to.begin());
}

}  // namespace

TEST(Parts, EachByteIsWorkedOnOnce) {
  for (const std::size_t bytes : {0, 1, 99, 100, 101, 12345}) {
    std::vector<std::atomic<int>> times(bytes);
    inParts(bytes, 100, [&](std::size_t lo, std::size_t hi) {
      EXPECT_LE(hi - lo, 100u);
      for (std::size_t at = lo; at < hi; ++at) ++times[at];
    });
    for (const auto& count : times) EXPECT_EQ(count, 1);
  }
}

// Short ones, so that the caller is often done while another thread takes a part.
TEST(Parts, ManyRoundsOneAfterTheOther) {
  for (std::size_t round = 0; round < 100'000; ++round) {
    std::atomic<std::size_t> sum{0};
    inParts(round % 50, 1, [&](std::size_t lo, std::size_t hi) { sum += hi - lo; });
    ASSERT_EQ(sum, round % 50);
  }
}

TEST(Parts, CopiesAreWhole) {
  for (const std::size_t bytes : {0u, 5u, (1u << 20) - 1, 1u << 20, (3u << 20) + 17, 16u << 20})
    EXPECT_TRUE(copiesRight(bytes)) << bytes;
}

TEST(Parts, SeveralThreadsCopyBesideEachOther) {
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n)
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) right += copiesRight((2u << 20) + static_cast<unsigned>(round)) ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 80);
}

// It has none of the threads that would help.
TEST(Parts, AChildOfForkCopiesAlone) {
  ASSERT_TRUE(copiesRight(4u << 20));
  const pid_t child = fork();
  if (child == 0) _exit(copiesRight(4u << 20) ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace muster::cdm::test
