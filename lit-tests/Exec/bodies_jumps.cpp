// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `goto` in bodies and in the functions that they call, out of loops, as `continue`, and back. The plain program is the
// oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=facts %s -o %t.muster 2> %t.remarks \
// RUN:   | FileCheck --check-prefix=FACTS %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: FileCheck --implicit-check-not=remark: %s < %t.remarks
// RUN: %run MUSTER_DEVICES=opencl %t.muster 2> %t.err | diff %t.expected -
// RUN: not grep -i "does not build" %t.err
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include "Inputs/wild_report.h"

static int find(const double* a, int n, double x) {
  int i, j;
  for (i = 0; i < n; ++i)
    for (j = 0; j < n; ++j)
      if (a[i] + a[j] == x) goto found;
  return -1;
found:
  return i * n + j;
}

int main() {
  const int n = 61, m = 7;
#pragma ompx managed(a, b)
  double *a = new double[n * m], *b = new double[n * m];
  fill(a, n * m), fill(b, n * m, 3);
// The label is reached in any case, so that the write is certain.
// FACTS: loop [[# @LINE + 3]]
// FACTS-NOT: conditionally
// FACTS: writes b[i] at
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < m; ++k) {
        if (s > 200) goto done;
        s += i + j * k;
      }
  done:
    b[i] = s;
  }
  report("out of loops", b, n * m);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      for (int k = 0; k < m; ++k)
        if (a[i * m + j] * k > 300) goto next;
      b[i * m + j] += a[i * m + j];
    next:;
    }
    if (a[i] > 50) goto last;
    b[i * m] = -1;
  last:;
  }
  report("continue", b, n * m);
// FACTS: loop [[# @LINE + 2]]
// FACTS: writes b[6*i] conditionally
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int place = 6 * i;
    if (a[i] > 50) goto big;
    b[place] = 1;
    if (a[i] > 20) goto end;
    b[place + 1] = 3;
    goto end;
  big:
    b[6 * i] = 2;
  end:
    b[6 * i + 2] += a[i];
  }
  report("two labels", b, n * m);
// What changes between them is unknown at a label.
// FACTS: loop [[# @LINE + 2]]
// FACTS: writes b[?]
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int at = i;
    if (a[i] > 50) goto there;
    at = i + n;
  there:
    b[at] = a[i] + 1;
  }
  report("index", b, n * m);
// FACTS: loop [[# @LINE + 2]]
// FACTS: writes b[?]
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int k = 0;
  again:
    b[i + k * n] = a[i] * k;
    if (++k < 5) goto again;
  }
  report("back", b, n * m);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} contains a loop that makes 'p' point to another array
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double* p = a + i * m;
    for (int j = 0; j < m; ++j) {
      if (j % 3 == 1) goto skip;
      b[i * m + j] = *p++;
    skip:;
    }
  }
  report("counting along", b, n * m);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      if (j == 3) goto after;
      b[i * m + j] += a[i * m + j];
    after:;
    }
  report("collapsed", b, n * m);
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    auto first = [&](double x) {
      int j = 0;
      for (; j < m; ++j)
        if (a[i * m + j] > x) goto out;
      j = -1;
    out:
      return j;
    };
    b[i] = find(a + i * m, m, 60) + first(40);
    switch (i % 4) {
      case 0:
        if (a[i] > 30) goto leave;
        b[i] += 2;
      case 1:
        b[i] += 3;
    }
    sum += b[i];
  leave:
    sum += 1;
  }
  report("functions", b, n * m);
  std::printf("sum %.17g\n", sum);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} contains a 'goto' into a block
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int j = 3;
    if (a[i] > 50) goto inside;
    for (j = 0; j < m; ++j) {
    inside:
      b[i * m + j] = j;
    }
  }
  report("into a loop", b, n * m);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} uses 'p[i]' through a pointer that the analysis cannot follow
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double* p = a;
    if (a[i] > 50) goto write;
    p = b;
  write:
    p[i] = 5;
  }
  report("pointer", b, n * m);
  report("pointer", a, n * m);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} uses a label as a value
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    goto *(i % 2 ? &&odd : &&even);
  odd:
    b[i] = 1;
  even:
    b[i] += 1;
  }
  report("values", b, n * m);
  delete[] a;
  delete[] b;
}
