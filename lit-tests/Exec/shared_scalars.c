// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared variables that each iteration sets before it reads them, as where a program forgot `private`. The threads of
// the plain program race for them; one thread is the oracle.
//
// RUN: %plain-c -O1 -w %s -o %t.plain && env OMP_NUM_THREADS=1 %t.plain > %t.expected
// RUN: %cc-link -O1 -fplugin-arg-muster-remarks %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %cc -w -fsyntax-only -fplugin-arg-muster-print=facts %s 2>&1 | FileCheck --check-prefix=FACTS %s
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 61, M = 7 };
#pragma ompx managed(a, out, start, column)
static double a[N * M], out[N];
static int start[N + 1], column[N * M];
static int counter, place;

static double sum(const double *values) {
  double total = 0;
  for (int i = 0; i < N; i++) total += values[i] * (i % 5 + 1);
  return total;
}

// NPB's CG: `k` is a variable of all threads, `j` and `d` are not.
static double rows(void) {
  int j, k;
  double d, total = 0;
#pragma omp parallel default(shared) private(j, d) shared(total)
  {
    // CHECK-DAG: [[#@LINE+5]]:12: remark: each iteration sets 'k' before it reads it, so it is taken as private; OpenMP calls this a data race, write 'private(k)'
    // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_rows_[[#@LINE+1]]' for all devices
#pragma omp for
    for (j = 0; j < N; j++) {
      d = 0.0;
      for (k = start[j]; k <= start[j + 1] - 1; k++) d = d + a[k] * a[column[k]];
      out[j] = d;
    }
    // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined
#pragma omp for reduction(+ : total)
    for (j = 0; j < N; j++) {
      d = out[j] - 1;
      total = total + d * d;
    }
  }
  return total;
}

// Only some iterations set it, and those read it.
static double colours(void) {
  int i, c, shade;
  // CHECK-DAG: [[#@LINE+7]]:7: remark: each iteration sets 'shade'
  // CHECK-DAG: [[#@LINE+10]]:9: remark: each iteration sets 'c'
  // CHECK-DAG: [[#@LINE+3]]:1: remark: loop is outlined
#pragma omp parallel private(i) shared(a, out, c)
  {
#pragma omp for
    for (i = 0; i < N; i++) {
      shade = (int)a[i] % 3;
      if (shade == 1)
        out[i] = 255;
      else {
        c = (int)(255 * sqrt(sqrt(a[i] / 9)));
        out[i] = 3 * c / 5;
        if (c < 40) continue;
        out[i] += c;
      }
    }
  }
  for (c = 0; c < 3; c++) out[c] += 1;
  return sum(out);
}

// The counter of an inner loop, of which the loop's own is known; the array becomes two-dimensional on devices.
static double total(void) {
  size_t i, j;
  double result = 0;
  // CHECK-DAG: [[#@LINE+4]]:10: remark: each iteration sets 'i'
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined
#pragma omp parallel for default(none) shared(a, i) reduction(+ : result)
  for (j = 0; j < N; j++)
    for (i = 0; i < M; i++) result += fabs(a[j * M + i] - (i * N + j));
  return result;
}

// FACTS-LABEL: loop {{[0-9]+}} in last
// FACTS:       result v: lastprivate
// FACTS:       result k: lastprivate
// FACTS-LABEL: loop {{[0-9]+}} in last
// FACTS:       result v: lastprivate
static double last(int n) {
  double v = 4;
  int k = 3;
  // CHECK-DAG: [[#@LINE+4]]:5: remark: each iteration sets 'v' before it reads it, so it is taken as lastprivate; OpenMP calls this a data race, write 'lastprivate(v)'
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    v = a[i] * 2;
    for (k = 0; k < M; k++)
      if (a[i * M + k] > 7) break;
    out[i] = v + k;
  }
  for (int round = 0; round < 3; round++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      if (a[i] > 4)
        v = 1;
      else if (a[i] > 2) {
        v = a[i];
        continue;
      } else
        v = 2;
      out[i] += v;
    }
    v += round;
    out[0] += v;
  }
  return sum(out) + v * 10 + k;
}

// Variables of the file and static ones keep their last value for whoever asks.
// FACTS-LABEL: loop {{[0-9]+}} in globals
// FACTS:       result counter: lastprivate
// FACTS:       result kept: lastprivate
static double globals(void) {
  static int kept;
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    out[i] = 0;
    kept = i % 4;
    for (counter = 0; counter < M; counter++) out[i] += a[i * M + counter] * kept;
  }
  return sum(out) + counter + kept;
}

// A pointer, a `do`, a comma, a `switch`, and a variable that an inner loop sets in all of its iterations.
static double forms(void) {
  double *row, x = 0, y;
  int j, k;
  char digit;
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    row = a + i * M, x = 0;
    j = 0;
    do {
      y = row[j] + 1;
      x += y;
    } while (++j < M);
    digit = (char)(i % 3);
    switch (k = i % 5) {
      case 0:
        k = 4;
        break;
      case 1:
        continue;
    }
    x -= k;
    out[i] = x * digit;
  }
  return sum(out);
}

// GNU's conditional without a middle reads its first operand.
static double elvis(void) {
  int kept = 5, old = 9;
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < N; i++) kept = i % 7, out[i] = kept;
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: writes the shared variable 'old' without a reduction
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < N; i++) {
    out[i] += old ?: 3;
    old = i % 4;
  }
  return sum(out) + (kept ?: 8);
}

int main(void) {
  for (int i = 0; i < N * M; i++) a[i] = i * 7 % 10, column[i] = i * 13 % (N * M);
  for (int i = 0; i <= N; i++) start[i] = i * 5 + i % 3;
  printf("rows %.10g\n", rows());
  printf("colours %.10g\n", colours());
  printf("total %.10g\n", total());
  printf("last %.10g %.10g %.10g\n", last(N), last(1), last(0));
  printf("globals %.10g %d\n", globals(), counter);
  printf("elvis %.10g\n", elvis());
  printf("forms %.10g\n", forms());
}
