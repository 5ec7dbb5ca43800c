// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collapsed loops whose elements lie beside each other along an outer one: native code has that one inside. Others stay
// as they are: a last value is the program's last iteration's, a loop does not count by one, runs along memory would be
// short, or elements are near each other as it is.
//
// RUN: %muster++ -fsyntax-only -w -fplugin-arg-muster-print=rewrite %s | FileCheck %s
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_WEIGHTS=2,1 MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu MUSTER_MIN_SHARE=0 mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>

constexpr int n = 37, m = 41, k = 11;

#pragma ompx managed(a, b, cube)
static double a[m][n], b[m][n];
static int cube[k][n][m];

static void report(const char *name) {
  double sum = 0;
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i) sum = sum * 0.99 + a[j][i] - b[j][i];
  long hash = 0;
  for (int e = 0; e < k * n * m; ++e) hash = hash * 31 + (&cube[0][0][0])[e] % 1000003;
  printf("%s %.17g %ld\n", name, sum, hash);
}

// CHECK-LABEL: static void two() {
// CHECK: int64_t muster_length = static_cast<int64_t>(muster_n0);
// CHECK: int muster_k1 = static_cast<int>(muster_outer);
// CHECK: int j = static_cast<int>(muster_first1 + muster_k1);
// CHECK: for (; i < muster_stop; ++i) {
static void two() {
#pragma omp parallel for collapse(2)
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) a[j][i] = 0.5 * (b[j][i - 1] + b[j][i + 1]) + j - i;
  report("two");
}

// The loop along memory counts by one alone; those around it count as they like.
// CHECK-LABEL: static void steps() {
// CHECK: int j = static_cast<int>(muster_first1 - muster_k1 * (3));
// CHECK: for (; i < muster_stop; ++i) {
static void steps() {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = m - 1; j > 2; j -= 3) b[j][i] = a[j][i] + i;
  report("steps");
}

// CHECK-LABEL: static void counts() {
// CHECK: for (; j < muster_stop; ++j) {
static void counts() {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i += 2)
    for (int j = 0; j < m; ++j) b[j][i] += a[j][i] * i;
  report("counts");
}

// CHECK-LABEL: static void three() {
// CHECK: int64_t muster_length = static_cast<int64_t>(muster_n0);
// CHECK: int muster_k{{[12]}} = static_cast<int>(muster_outer % static_cast<int64_t>(
// CHECK: int muster_k{{[12]}} = static_cast<int>(muster_outer);
// CHECK: for (; l < muster_stop; ++l) {
static void three() {
#pragma omp parallel for collapse(3)
  for (int l = 0; l < m; ++l)
    for (int e = 0; e < k; ++e)
      for (int i = 0; i < n; ++i) cube[e][i][l] = cube[e][i][l] * 3 + l + 100 * i + 7 * e;
  report("three");
}

// CHECK-LABEL: static void sums() {
// CHECK: for (; j < muster_stop; ++j) {
static void sums() {
  int last = 0;
#pragma omp parallel for collapse(2) lastprivate(last)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      last = i * 100 + j;
      a[j][i] += last;
    }
  printf("%d\n", last);
  report("sums");
}

// CHECK-LABEL: static void shortRuns() {
// CHECK: for (; j < muster_stop; ++j) {
static void shortRuns() {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < m; ++j) a[j][i] += i + j;
  report("short");
}

// CHECK-LABEL: static void near() {
// CHECK: for (; j < muster_stop; ++j) {
static void near() {
  int *all = &cube[0][0][0];
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < m; ++j) all[j * 4 + i] += i + j;
  report("near");
}

int main() {
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i) a[j][i] = i % 7 + j % 3, b[j][i] = i * j % 11;
  for (int round = 0; round < 2; ++round) two(), steps(), counts(), three(), sums(), shortRuns(), near();
}
