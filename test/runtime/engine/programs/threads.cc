// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several threads of the program launch loops and touch arrays at the same time, each its own; every result is compared
// with the plain loop's. One thread only reads and writes on the host, so that its faults meet others' launches.
#include <atomic>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

#include "kernels.h"

namespace {

std::atomic<int> failures{0};

void expectSame(const char* what, const int* got, const std::vector<int>& want) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (got[i] == want[i]) continue;
    if (++failures <= 10) std::printf("%s[%zu]: got %d, want %d\n", what, i, got[i], want[i]);
  }
}

void computeAndTouch(unsigned seed) {
  std::mt19937 random(seed);
  constexpr std::size_t count = 60000;
  for (int round = 0; round < 4; ++round) {
    auto* x = static_cast<int*>(muster_array_create(&programs::siteX, count));
    std::vector<int> plain(count);
    for (int step = 0; step < 25; ++step) {
      if (random() % 3 != 0) {
        programs::axpy(x, count, step);
        for (std::size_t i = 0; i < count; ++i) plain[i] += static_cast<int>(i) * step;
      } else {
        for (std::size_t i = random() % count; i < count; i += 1 + random() % 5000) x[i] = plain[i] = step;
      }
    }
    expectSame("x", x, plain);
    muster_free(x);
  }
}

// Two arrays move to the devices and back by faults alone.
void touchOnly() {
  constexpr std::size_t count = 200000;
  auto* y = static_cast<int*>(muster_array_create(&programs::siteY, count));
  std::vector<int> plain(count);
  for (int round = 0; round < 6; ++round) {
    programs::axpy(y, count, round);
    for (std::size_t i = 0; i < count; ++i) plain[i] += static_cast<int>(i) * round;
    for (std::size_t i = 0; i < count; i += 777) y[i] = plain[i] = round;
    expectSame("y", y, plain);
  }
  muster_free(y);
}

}  // namespace

int main(int argc, char** argv) {
  muster_session_begin(&argc, &argv);
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 3; ++seed) threads.emplace_back(computeAndTouch, seed);
  threads.emplace_back(touchOnly);
  for (std::thread& thread : threads) thread.join();
  muster_session_end();
  std::printf(failures == 0 ? "ok\n" : "failed\n");
  return failures == 0 ? 0 : 1;
}
