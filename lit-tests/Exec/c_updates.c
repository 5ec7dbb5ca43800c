// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose body, or the last part of it, is an 'atomic' or a 'critical' without braces, as C programs have them: the
// text of the loop ends behind the statement, not with the line of the directive. The plain program is the oracle.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -fplugin-arg-muster-remarks=missed %s -o %t.muster 2>&1 | %filecheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <stdio.h>

enum { N = 200, BINS = 7 };

#pragma ompx managed(a, bins, order)
static int a[N], bins[BINS], order[N];

int main(void) {
  int count = 0, most = 0, next = 0, i, j;
  for (i = 0; i < N; i++) a[i] = i * 37 % 101;

#pragma omp parallel for
  for (i = 0; i < N; i++)
#pragma omp atomic
    bins[a[i] % BINS]++;
  printf("%d %d\n", bins[0], bins[BINS - 1]);

#pragma omp parallel for private(j)
  for (i = 0; i < N; i++)
    for (j = 0; j < 3; j++)
      if (a[i] % (j + 2) == 0)
#pragma omp atomic update
        bins[j] += a[i];
      else
#pragma omp atomic
        bins[j + 3]--;
  printf("%d %d %d\n", bins[0], bins[2], bins[5]);

#pragma omp parallel for
  for (i = 0; i < N; i++) if (a[i] % 3 == 0)
#pragma omp atomic
    count++;

#pragma omp parallel for
  for (i = 0; i < N; i++)
    if (a[i] % 5 == 0)
#pragma omp critical
      count += 2;
  printf("%d\n", count);

#pragma omp parallel
  {
#pragma omp for
    for (i = 0; i < N; i++)
#pragma omp atomic
      bins[i % BINS] += i;
#pragma omp for
    for (i = 0; i < N; i++) a[i]++;
  }
  printf("%d %d\n", bins[1], a[N - 1]);

  // CHECK: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: contains another OpenMP directive
#pragma omp parallel for
  for (i = 0; i < 4; i++)
#pragma omp parallel for
    for (int k = i * 50; k < i * 50 + 50; k++) a[k] += i;

  // CHECK: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: contains 'omp critical' around something else than one update
#pragma omp parallel for
  for (i = 0; i < N; i++)
#pragma omp critical
    if (a[i] > most) most = a[i], next = 1;

  // CHECK: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: {{.*}}'next'
#pragma omp parallel for
  for (i = 0; i < N; i++)
#pragma omp atomic capture
    order[i] = next++;

  // CHECK: :[[#@LINE+3]]:1: remark: loop stays plain OpenMP on rank 0: declares 'x' of type 'volatile int'
  // CHECK-NEXT: omp
  // CHECK: note: here
#pragma omp parallel for
  for (i = 0; i < N; i++) {
    volatile int x = i;
    a[i] += x;
  }
  long sum = 0;
  for (i = 0; i < N; i++) sum += a[i] * (i % 3) + order[i];
  printf("%d %d %ld\n", most, next, sum);
  return 0;
}
