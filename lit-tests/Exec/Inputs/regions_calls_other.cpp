// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions whose effects depend on the threads of the team that calls them.
#include <omp.h>

#include <atomic>

static std::atomic<int> arrived;
static int calls;
#pragma omp threadprivate(calls)

int otherNumber() { return omp_get_thread_num(); }
void otherWait(int threads) {
  const int round = arrived++ / threads;
  while (arrived / threads == round) {
  }
}
int otherCount() { return ++calls; }
int otherSum(int a, int b) { return a + b; }
int (*otherPointer)() = otherNumber;
