// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations that end the program: on all devices and ranks the program ends as the plain one does, with its status, what
// it has printed before, and its exit handlers. No rank stays behind.
//
// RUN: %muster-link -O1 -fplugin-arg-muster-remarks=missed %s -o %t 2>&1 | FileCheck --allow-empty --check-prefix=ALL %s
// ALL-NOT: remark
// RUN: %plain -O1 %s -o %t.plain
// RUN: sh %S/Inputs/same_end.sh %t 0 1 2 3 4 5 6
//
// Kernels run, or the job would end in a failure of its own.
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 0 2>&1 | FileCheck --implicit-check-not="this loop runs" %s
// CHECK: sum 4.49{{.*}}e+06
#include <cstdio>
#include <cstdlib>

struct Pair {
  double x, y;
};

[[noreturn]] static void fail(int code) { exit(code); }

static double checked(double value, int code) {
  if (value == -2) fail(code);
  return value;
}

static Pair both(double value) {
  const double one = checked(value, 20);
  return {one, 2 * one};
}

int main(int argc, char **argv) {
  const int n = 3000, what = argc > 1 ? atoi(argv[1]) : 0;
#pragma ompx managed(a, b)
  double *a = new double[n], *b = new double[n];
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 0;
  if (what > 0) a[what % 2 ? n - 1 : n / 2] = -what;
  if (what != 2) atexit([] { puts("the exit handler"); });
  puts("begin");
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (a[i] == -1) exit(i % 7 + 1);
    b[i] = a[i] + 1;
  }
  puts("first");
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const Pair pair = both(a[i]);
    b[i] = checked(a[i], 21);
    b[i] += pair.x + pair.y;
  }
  puts("second");
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 2; ++k)
      if (a[i] == -3 - k) exit(30 + k);
    sum += a[i];
  }
  printf("sum %g\n", sum);
  fflush(stdout);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n / 100; ++i)
    for (int k = 0; k < 100; ++k) {
      if (a[i * 100 + k] == -5) abort();
      if (a[i * 100 + k] == -6) exit(0);
    }
  puts("end");
}
