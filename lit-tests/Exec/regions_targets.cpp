// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offload constructs, which mean `parallel for` on the host, and flags.
//
// RUN: %plain -O1 %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <cmath>
#include <cstdio>

int main() {
  const int n = 307;
#pragma ompx managed(a)
  double *a = new double[n];
#pragma ompx managed(b)
  double *b = new double[n];
  double sum = 0;
#pragma omp target data map(tofrom : a[0 : n], b[0 : n])
  {
#pragma omp target teams distribute parallel for map(from : a[0 : n]) num_teams(4) thread_limit(8)
    for (int i = 0; i < n; ++i) a[i] = i % 10;
#pragma omp target parallel for map(tofrom : a[0 : n], b[0 : n]) if (n > 10)
    for (int i = 0; i < n; ++i) b[i] = 2 * a[i];
#pragma omp target teams distribute parallel for simd reduction(+ : sum) map(tofrom : sum)
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
#pragma omp target teams loop
    for (int i = 0; i < n; ++i) a[i] += b[i];
#pragma omp parallel loop
    for (int i = 0; i < n; ++i) b[i] += 1;
  }
#pragma omp teams distribute parallel for collapse(2) dist_schedule(static)
  for (int i = 0; i < 17; ++i)
    for (int j = 0; j < 18; ++j) a[i * 18 + j] -= j;
  // A scalar that is not mapped is a copy in the construct.
  int lost = 3;
#pragma omp target parallel for
  for (int i = 0; i < n; ++i)
    if (a[i] > 5) lost = 9;
  std::printf("%g %g %g %d\n", sum, a[n - 1], b[17], lost);

  bool stop = false, all = true, never = false;
  int changed = 4, state = 7;
  unsigned char small = 0;
  long zeroed = 12;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (a[i] > 8) stop = true;
    if (b[i] < 0 || i == n - 1) all = false;
    if (a[i] > 1e9) never = true;
    if (i % 100 == 99) changed = 1;
    if (i > n) state = 2;
    if (i == 77) small = 255;
    if (a[i] < 0) zeroed = 0;
  }
  std::printf("%d %d %d %d %d %d %ld\n", stop, all, never, changed, state, small, zeroed);
  int rounds = 0;
#pragma omp parallel
  {
    bool mine = false;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      b[i] -= 1;
      if (b[i] > 15) mine = true;
    }
#pragma omp critical
    rounds |= mine;
  }
  std::printf("%d %g\n", rounds, b[3]);
  // Nothing is above an infinity.
  float most = -INFINITY, value = most;
  double top = -INFINITY;
#pragma omp parallel
  {
    double mine = -INFINITY;
#pragma omp for nowait
    for (int i = 0; i < n; ++i) {
      if (b[i] > 1e9)
        if (mine < b[i]) mine = b[i];
#pragma omp critical
      if (most < value) most = value;
    }
#pragma omp critical(top)
    if (mine > top) top = mine;
  }
  std::printf("%g %g\n", most, top);
  delete[] a;
  delete[] b;
}
