// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `firstprivate` of structs and arrays in C.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-remarks %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster 2>&1 | FileCheck --check-prefix=BUILT --implicit-check-not='not build' %s
#include <stdio.h>

// BUILT: 1 2 1 4 3
enum { N = 501 };
typedef struct {
  double x, y;
  short tags[3];
} Point;
#pragma ompx managed(a)
static double a[N];

static Point moved(Point p, double by) {
  p.x += by;
  return p;
}

static void run(Point given, const float weights[3]) {
  struct {
    int k;
    float f;
  } unnamed = {3, 0.5f};
  float pixel[3] = {weights[0], weights[1], weights[2]};
  int matrix[2][2] = {{1, 2}, {3, 4}};
  Point points[2] = {{1, 2, {3}}, {4, 5, {6}}};
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_run_[[#@LINE+1]]' for all devices
#pragma omp parallel for firstprivate(given, pixel)
  for (int i = 0; i < N; i++) {
    pixel[1] = i * 0.5f;
    given.tags[2] = i % 5;
    given = moved(given, i);
    a[i] = given.x + given.y + given.tags[0] + given.tags[2] + pixel[0] + pixel[1] * pixel[2];
    given.x -= i;
  }
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_run_[[#@LINE+1]]' for all devices
#pragma omp parallel for firstprivate(matrix, points)
  for (int i = 0; i < N; i++) {
    matrix[i % 2][0] = i;
    points[1].x = matrix[i % 2][0] + matrix[0][1];
    Point *p = points;
    a[i] += p[1].x + p->y + p[1].tags[0];
  }
  const short fixed[3] = {1, 2, 3};
  const double table[2][2] = {{1, 2}, {3, 4}};
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_run_[[#@LINE+1]]' for all devices
#pragma omp parallel for firstprivate(fixed, table)
  for (int i = 0; i < N; i++) a[i] += fixed[i % 3] * table[i % 2][1];
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: {{.*}}unnamed
#pragma omp parallel for firstprivate(unnamed)
  for (int i = 0; i < N; i++) {
    unnamed.k = i;
    a[i] += unnamed.k * unnamed.f;
  }
  printf("%g %g %d %g %d\n", given.x, pixel[1], matrix[0][0], points[1].x, unnamed.k);
}

int main(void) {
  const float weights[3] = {1, 2, 3};
  run((Point){1, 2, {3, 4, 5}}, weights);
  double sum = 0;
  for (int i = 0; i < N; i++) sum += a[i] * (i % 4);
  printf("%.10g\n", sum);
}
