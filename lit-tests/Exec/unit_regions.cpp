// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that call functions of other files, and hold loops that stay plain beside those that are launched. The text of
// the plain ones is there twice: for a team, and as a region of its own.
//
// RUN: %plain-c -w -O1 -c %S/Inputs/unit_functions_third.c -o %t.third.plain.o
// RUN: %plain -O1 -w %s %S/Inputs/unit_functions_other.cpp %t.third.plain.o %S/Inputs/unit_functions_plain.cpp \
// RUN:   -o %t.plain && %run %t.plain > %t.expected
// RUN: %plain -O1 -w -c %S/Inputs/unit_functions_plain.cpp -o %t.plain.o
// RUN: %cc -O1 -w -c %S/Inputs/unit_functions_third.c -o %t.third.o
// RUN: %muster-link -O1 -w %s %S/Inputs/unit_functions_other.cpp %t.third.o %t.plain.o -o %t.muster
// RUN: %run timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl timeout 60 %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 timeout 60 %t.muster 2>&1 | FileCheck %s
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s | FileCheck --check-prefix=REWRITE %s
// REWRITE: {{^}}{ if (muster_region_alone()) {{{$}}
// REWRITE: {{^}}#pragma omp parallel for num_threads(muster_team_threads()) reduction(max : most) default(shared){{$}}
// REWRITE: most = i * 37 % 101;} else {{{$}}
// REWRITE: {{^}}#pragma omp for reduction(max : most) nowait{{$}}
// REWRITE: most = i * 37 % 101;}}{{$}}
#include <omp.h>

#include <cstdio>

void otherStart(int n);
void otherStop(int n);
extern "C" int thirdNumber(void);

// Keeps a loop plain.
static double cube(double x) {
  double *const factor = new double(x);
  const double result = *factor * *factor * *factor;
  delete factor;
  return result;
}

const int n = 1200;

static void print(const double *a) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i] * (i % 7);
  std::printf("%.17g\n", s);
}

static void part(double *a, int thread, int threads) {
  for (int i = thread * n / threads; i < (thread + 1) * n / threads; ++i) a[i] = i;
}

int main() {
  omp_set_dynamic(0);
#pragma ompx managed(a, b)
  double *a = new double[n](), *b = new double[n]();
#pragma ompx managed(rows)
  double **rows = new double *[30];
  for (int i = 0; i < 30; ++i) rows[i] = new double[40]();

  long most = 0;
  int last = 0;
  bool any = false;
#pragma omp parallel num_threads(3)
  {
#pragma omp master
    otherStart(1);
    // CHECK-DAG: unit_regions.cpp:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = 2 * i;
    // No arrays.
#pragma omp for reduction(max : most) nowait
    for (long i = 0; i < n; ++i)
      if (i * 37 % 101 > most) most = i * 37 % 101;
#pragma omp barrier
#pragma omp for schedule(static, 7) lastprivate(last)
    for (int i = 0; i < n; ++i) {
      b[i] = cube(a[i]);
      last = i;
    }
#pragma omp single
    otherStop(1);
    // CHECK-DAG: unit_regions.cpp:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp for
    for (int i = 1; i < n; ++i) a[i] += b[i - 1];
    if (n > 3)
#pragma omp for
      for (int i = 0; i < n; ++i) b[i] -= cube(i);
    else
      otherStart(2);
    // CHECK-DAG: unit_regions.cpp:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp for collapse(2)
    for (int i = 0; i < 30; ++i)
      for (int k = 0; k < 40; ++k) rows[i][k] = a[i * 40 + k] - i;
  }
  print(a);
  print(b);
  std::printf("%ld %d %g %g\n", most, last, rows[3][5], rows[29][39]);

  // CHECK-DAG: unit_regions.cpp:[[@LINE+1]]: this loop runs with its whole team, {{.*}}: it calls 'thirdNumber', which
#pragma omp parallel num_threads(3)
  {
    part(a, thirdNumber(), 3);
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] = a[n - 1 - i] + i;
#pragma omp for reduction(|| : any)
    for (int i = 0; i < n; ++i) {
      if (cube(i) > 1e9) any = true;
      a[i] += cube(b[i]);
    }
#pragma omp for nowait
    for (int i = 0; i < 30; ++i)
      for (int k = 0; k < 40; ++k) rows[i][k] += a[i * 40 + k] + cube(k);
  }
  print(a);
  print(b);
  std::printf("%d %g %g\n", any, rows[3][5], rows[29][39]);
  for (int i = 0; i < 30; ++i) delete[] rows[i];
  delete[] rows;
  delete[] a;
  delete[] b;
}
