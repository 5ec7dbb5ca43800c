// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop variables of every integer type, both directions, steps, all relations, lastprivate. The plain program is the
// oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <climits>
#include <cstddef>
#include "Inputs/wild_report.h"
#pragma ompx managed(a)
int a[1000];
#pragma ompx managed(m)
static double m[40][50];
int main() {
  unsigned un = 1000;
  size_t sn = 1000;
  unsigned char few = 200;
#pragma omp parallel for
  for (unsigned i = 0; i < un; i++) a[i] = i * 3;
#pragma omp parallel for
  for (size_t i = sn; i > 0; --i) a[i - 1] += i;
#pragma omp parallel for
  for (size_t i = 0; i != sn; ++i) a[i] ^= 5;
#pragma omp parallel for
  for (long i = 999; i >= 0; i -= 7) a[i] = -i;
#pragma omp parallel for
  for (int i = 3; i <= 999; i += 11) a[i] = i * i;
#pragma omp parallel for
  for (unsigned char i = 0; i < few; i++) a[i] += 100000;
#pragma omp parallel for
  for (short i = 500; i > 100; i = i - 3) a[i]++;
#pragma omp parallel for
  for (int i = 0; 1000 > i; i = 2 + i) a[i] *= 2;
  int st = 13;
#pragma omp parallel for
  for (int i = 10; i < 900; i += st) a[i + 7] = a[i] + 1;
  report("a", a, 1000);
  int i, j;
#pragma omp parallel for private(j)
  for (i = 0; i < 40; i++)
    for (j = 0; j < 50; j++) m[i][j] = i * 100 + j;
#pragma omp parallel for collapse(2)
  for (i = 39; i >= 1; i -= 2)
    for (j = 49; j > 0; j--) m[i][j] = m[i - 1][j] + 0.5;
#pragma omp parallel for
  for (size_t r = 0; r < 40; ++r) {
    for (size_t c = 50; c-- > 0;) m[r][c] *= 2;
  }
  report("m", &m[0][0], 2000);
  int x = 0, y = -1;
#pragma omp parallel for lastprivate(x, y)
  for (int k = 0; k < 777; k += 5) {
    x = a[k];
    y = k;
  }
  printf("%d %d\n", x, y);
#pragma omp parallel for lastprivate(y)
  for (int k = 10; k < 5; k++) {
    y = k;
    a[k] = 1;
  }
  printf("%d\n", y);
#pragma omp parallel for
  for (long long q = INT_MAX - 5LL; q < INT_MAX + 5LL; q++) a[q - (INT_MAX - 5LL)] = (int)(q % 1000);
#pragma omp parallel for
  for (int q = -500; q < 500; q++) a[q + 500] += q;
  report("a", a, 1000);
}
