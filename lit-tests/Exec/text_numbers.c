/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Numbers that are read from text, on rank 0's CPUs: in its locale, to an end that only the text shows.
 *
 * RUN: %plain-c -O1 -w %s -o %t.plain -lm && %run %t.plain > %t.expected
 * RUN: %cc-link -O1 -Wall -Wextra -Werror -fplugin-arg-muster-remarks=all %s -o %t 2>&1 | FileCheck %s
 * RUN: %run MUSTER_DEVICES=cpu %t | diff %t.expected -
 * RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
 * RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
 * RUN: env OMP_NUM_THREADS=2 mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
 */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 400
#define LENGTH 24

static long whole(const char *text) { return strtol(text, NULL, 10) + atoi(text + 3); }

int main(void) {
#pragma ompx managed(text, z, k)
  char *text = malloc(N * LENGTH);
  double *z = malloc(N * sizeof(double));
  long *k = malloc(N * sizeof(long));
  char *record;
  int i;
  setlocale(LC_ALL, "");
  for (i = 0; i < N; i++) snprintf(text + i * LENGTH, LENGTH, "%4d.5 %6.2f", i, i * 0.25);
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop '{{.*}}' runs on CPUs only: calls 'atof', which reads text, in the locale of rank 0; it runs there
#pragma omp parallel for private(record)
  for (i = 0; i < N; i++) {
    record = text + (i * LENGTH);
    float first = atof(record);
    float second = atof(record + 7);
    z[i] = sqrt(first * first + second * second) + strtod(record, 0);
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop '{{.*}}' runs on CPUs only: calls {{.*}}, which reads text, in the locale of rank 0; it runs there
#pragma omp parallel for
  for (i = 0; i < N; i++) k[i] = whole(text + i * LENGTH);
  /* The text changes on all devices. */
#pragma omp parallel for
  for (i = 0; i < N; i++) text[i * LENGTH + 2] = '0' + i % 10;
#pragma omp parallel for
  for (i = 0; i < N; i++) z[i] += atof(&text[i * LENGTH]);
  for (i = 0; i < N; i += 7) printf("%g %ld\n", z[i], k[i]);
  return 0;
}
