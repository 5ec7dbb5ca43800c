// Collapsed loops run in one block of iterations for each thread, as a static schedule gives them. A block may begin and
// end within a run of the innermost loop. (Threads add up their sums in the order in which they come.)
//
// RUN: %plain -O2 %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -fplugin-arg-muster-strict -fplugin-arg-muster-print=rewrite %s -o %t.muster 2>/dev/null \
// RUN:   | FileCheck --check-prefix=REWRITE %s
// RUN: env MUSTER_DEVICES=cpu %run %t.muster > %t.cpu && cmp %t.expected %t.cpu
// RUN: env OMP_NUM_THREADS=7 %t.plain > %t.expected7 && env OMP_NUM_THREADS=7 MUSTER_DEVICES=cpu %t.muster > %t.cpu7 && cmp %t.expected7 %t.cpu7
#include <cstdio>
#include <cstdlib>
#include <cstring>

#pragma ompx managed(a, b)
static double *a;
static int *b;

// REWRITE-LABEL: void twoLoops(
// REWRITE: #pragma omp parallel for firstprivate
// REWRITE-NOT: coll{{a}}pse(
// REWRITE: while (muster_at < muster_end)
// REWRITE: for (; j < muster_stop; ++j)
static void twoLoops(int n, int m) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) b[i * m + j] = 3 * i - j;
}

// REWRITE-LABEL: void threeLoops(
// REWRITE: while (muster_at < muster_end)
static void threeLoops(int n, long m, unsigned l) {
#pragma omp parallel for collapse(3)
  for (int i = n; i > 0; i -= 2)
    for (long j = -3; j < m - 3; ++j)
      for (unsigned k = 1; k < l + 1; ++k) b[((n - i) / 2 * m + j + 3) * l + k - 1] += i * 100 + static_cast<int>(j) * 10 + static_cast<int>(k);
}

// REWRITE-LABEL: double sum(
// REWRITE: reduction(+ : s)
// REWRITE: while (muster_at < muster_end)
static double sum(int n, int m) {
  double s = 0;
#pragma omp parallel for collapse(2) reduction(+ : s)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) s += a[i * m + j] * 1.0e-3;
  return s;
}

// REWRITE-LABEL: void vectorised(
// REWRITE: #pragma omp parallel for firstprivate
// REWRITE: #pragma omp simd
// REWRITE-NEXT: for (
static void vectorised(std::size_t n, std::size_t m) {
#pragma omp parallel for simd collapse(2)
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j)
      if (j > 0 && j + 1 < m) a[i * m + j] = 0.5 * static_cast<double>(i) + 0.25 * static_cast<double>(j);
}

// A schedule or a last value says which thread runs what.
// REWRITE-LABEL: void inChunks(
// REWRITE: collapse(2)
// REWRITE-NOT: int muster_bl{{o}}cks
static void inChunks(int n, int m) {
#pragma omp parallel for collapse(2) schedule(static, 4)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) b[i * m + j] += i ^ j;
}

// REWRITE-LABEL: int last(
// REWRITE: collapse(2)
static int last(int n, int m) {
  int v = -1;
#pragma omp parallel for collapse(2) lastprivate(v)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      v = i * 1000 + j;
      b[i * m + j] -= v;
    }
  return v;
}

static void show(const char *what, int n, int m) {
  long total = 0;
  for (int i = 0; i < n * m; ++i) total += static_cast<long>(i % 97 + 1) * b[i];
  std::printf("%s %d %d: %ld\n", what, n, m, total);
}

int main() {
  const int most = 200 * 300;
  a = static_cast<double *>(std::malloc(most * sizeof(double)));
  b = static_cast<int *>(std::malloc(most * sizeof(int)));
  for (int i = 0; i < most; ++i) a[i] = 1.0 / (i + 1), b[i] = i;
  const int sizes[][2] = {{200, 300}, {1, 1}, {1, 299}, {200, 1}, {5, 3}, {2, 2}, {0, 7}, {7, 0}, {3, 101}};
  for (const auto &size : sizes) {
    const int n = size[0], m = size[1];
    twoLoops(n, m);
    show("two", n, m);
    threeLoops(n, (m + 2) / 3, 3);
    show("three", n, m);
    inChunks(n, m);
    std::printf("last %d\n", n * m > 0 ? last(n, m) : 0);
    show("last", n, m);
    vectorised(n, m);
    std::printf("sum %.13g\n", sum(n, m));
  }
  std::free(a);
  std::free(b);
  return 0;
}
