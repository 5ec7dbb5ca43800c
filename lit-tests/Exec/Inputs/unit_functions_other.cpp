// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that regions of another file call.
#include <omp.h>
#include <sys/time.h>

#include <atomic>

extern "C" int thirdFactor(void);
int plainNumber();
static double start[4], elapsed[4];

static double now() {
  static long first = -1;
  timeval time;
  gettimeofday(&time, nullptr);
  if (first < 0) first = time.tv_sec;
  return static_cast<double>(time.tv_sec - first) + 1e-6 * static_cast<double>(time.tv_usec);
}
void otherStart(int n) { start[n] = now(); }
void otherStop(int n) { elapsed[n] += now() - start[n]; }
double otherRead(int n) { return elapsed[n]; }

int otherOfThird() { return thirdFactor(); }
int otherNever(int n) { return n > 0 ? otherNever(n - 1) + otherOfThird() : 0; }

static std::atomic<int> arrived;
void otherWait(int threads) {
  const int round = arrived++ / threads;
  while (arrived / threads == round) {
  }
}

void otherFill(double *a, int n) {
#pragma omp for
  for (int i = 0; i < n; ++i) a[i] = 7 * i;
}
void otherFillInTurn(double *a, int n) {
#pragma omp for ordered
  for (int i = 0; i < n; ++i) {
#pragma omp ordered
    a[i] = i > 0 ? a[i - 1] + 1 : 0;
  }
}

int otherOfPlain() { return plainNumber(); }
int (*pointer)() = otherOfPlain;
int otherOfPointer() { return pointer(); }
__attribute__((weak)) int otherReplaced() { return 0; }

struct Other {
  int number() const;
  int twice(int x) const;
};
int Other::number() const { return omp_get_thread_num(); }
int Other::twice(int x) const { return 2 * x; }
