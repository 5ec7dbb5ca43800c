// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops one behind the other whose work-items run blocks of iterations by wide accesses. As one kernel they keep their
// blocks, if these are the same iterations in each of them.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster > %t.schedule
// RUN: FileCheck --check-prefix=SCHEDULE --input-file=%t.schedule %s
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=first MUSTER_INFO=1 %t.muster > %t.out 2> %t.err
// RUN: diff %t.expected %t.out && FileCheck --check-prefix=REPORT --input-file=%t.err %s
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env MUSTER_DEVICES=pocl MUSTER_TUNE=off \
// RUN:   MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

static const int n = 3001, rounds = 60;

template <class T>
static void report(const char* name, const T* a, const T* b) {
  double sum = 0;
  for (long i = 0; i < n; ++i) sum = sum * 0.999 + (double)a[i] + 3 * (double)b[i];
  printf("%s %.17g\n", name, sum);
}

// SCHEDULE-LABEL: schedule of muster_stream_
// SCHEDULE: blocks of 4 x 1 x 1 iterations a work-item
// REPORT: (muster_stream_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
// REPORT: (muster_stream_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
// REPORT: (muster_stream_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
static void stream(float* a, float* b, float* c, int first) {
#pragma omp parallel for
  for (int i = first; i < n; ++i) c[i] = a[i] + 1;
#pragma omp parallel for
  for (int i = first; i < n; ++i) b[i] = 0.25f * c[i] + b[i] * 0.5f;
#pragma omp parallel for
  for (int i = first; i < n; ++i) a[i] = b[i] - 0.125f * c[i];
}

// REPORT: (muster_bytes_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
// REPORT: (muster_bytes_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
static void bytes(unsigned char* a, unsigned char* b, int s) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = b[i] * 3 + s;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = a[i] ^ b[i];
}

// Blocks begin where all of an iteration's elements are aligned: here two elements earlier, in both loops.
// REPORT: (muster_shifted_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
// REPORT: (muster_shifted_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
static void shifted(float* a, float* b) {
#pragma omp parallel for
  for (int i = 3; i < n - 2; ++i) a[i + 2] = b[i + 2] * 0.5f + 1;
#pragma omp parallel for
  for (int i = 3; i < n - 2; ++i) b[i + 2] -= a[i + 2] * 0.25f;
}

// Here not: iterations 2 to 5 are a block of the first loop, 0 to 3 one of the second.
// REPORT: (muster_apart_{{.*}}): 60 launches
// REPORT-NOT: fused with others
// REPORT: (muster_rows_
static void apart(float* a, float* b, float* c) {
#pragma omp parallel for
  for (int i = 0; i < n - 2; ++i) a[i + 2] = b[i + 2] * 0.5f + 1;
#pragma omp parallel for
  for (int i = 0; i < n - 2; ++i) c[i] = c[i] * 0.5f + b[i];
}

// REPORT: launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
// REPORT: (muster_rows_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
static void rows(float* a, float* b, int m, float w) {
#pragma omp parallel for collapse(2)
  for (int i = 1; i < n / m; ++i)
    for (int j = 0; j < m; ++j) a[i * m + j] += b[i * m + j] * w;
#pragma omp parallel for collapse(2)
  for (int i = 1; i < n / m; ++i)
    for (int j = 0; j < m; ++j) b[i * m + j] = a[i * m + j] - b[i * m + j] * 0.5f;
}

int main() {
#pragma ompx managed(x, y, z, s, t)
  float *x = (float*)malloc(n * 4), *y = (float*)malloc(n * 4), *z = (float*)malloc(n * 4);
  unsigned char *s = (unsigned char*)malloc(n), *t = (unsigned char*)malloc(n);
  const auto fill = [&] {
    for (int i = 0; i < n; ++i) x[i] = i % 5, y[i] = i % 7, z[i] = i % 3, s[i] = i % 251, t[i] = i % 13;
  };
  for (int first : {0, 1, 2, 3}) {
    fill();
    for (int round = 0; round < rounds / 4; ++round) stream(x, y, z, first);
    report("stream", x, y);
  }
  fill();
  for (int round = 0; round < rounds; ++round) bytes(s, t, round);
  report("bytes", s, t);
  fill();
  for (int round = 0; round < rounds; ++round) shifted(x, y);
  report("shifted", x, y);
  fill();
  for (int round = 0; round < rounds; ++round) apart(x, y, z);
  report("apart", x, z);
  for (int m : {48, 47, 16}) {
    fill();
    for (int round = 0; round < rounds / 3; ++round) rows(x, y, m, 0.125f);
    report("rows", x, y);
  }
  free(x), free(y), free(z), free(s), free(t);
}
