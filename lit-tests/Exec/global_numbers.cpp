// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of the file's: native code has those that nobody else reads as variables of its own, so that the program may
// change them while launches wait or run. Others keep their names.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=first MUSTER_INFO=1 %t.muster > %t.out 2> %t.err
// RUN: diff %t.expected %t.out && FileCheck --check-prefix=REPORT --input-file=%t.err %s
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_INJECT=build-failure %t.muster 2>/dev/null | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu \
// RUN:   %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s | FileCheck %s
#include <cstdio>
#include <cstdlib>
#include <utility>

static int rows = 51, columns = 77;
float weight = 0.25f;
namespace space {
int shift = 3;
}
struct Part {
  static int scale;
  static int twice(int x) { return x * scale; }
  void fill(int *out);
};
int Part::scale = 2;

// CHECK:      {{^ +int columns = \*static_cast<const int \*>\(muster_c->scalars}}
// CHECK-NEXT: {{^ +float weight = \*static_cast<const float \*>\(muster_c->scalars}}
// CHECK:      {{^ +}}{"weight", sizeof(::weight), MUSTER_TYPE_F32, {0, 0, 0}, nullptr},
static void step(const float *a, float *b) {
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i)
    for (int j = 1; j < columns - 1; ++j)
      b[i * columns + j] = weight * (a[(i - 1) * columns + j] + a[(i + 1) * columns + j] + a[i * columns + j - 1] + a[i * columns + j + 1]);
}

// Read by a function that it calls, with a qualifier, or in a lambda.
// CHECK:      {{^ +}}{"scale", sizeof(::Part::scale), MUSTER_TYPE_I32, {0, 0, 0}, (void *)&::Part::scale},
// CHECK-NEXT: {{^ +}}{"shift", sizeof(::space::shift), MUSTER_TYPE_I32, {0, 0, 0}, (void *)&::space::shift},
// CHECK:      {{^ +}}{"columns", sizeof(::columns), MUSTER_TYPE_I32, {0, 0, 0}, (void *)&::columns},
// CHECK:      {{^ +}}{"scale", sizeof(::Part::scale), MUSTER_TYPE_I32, {0, 0, 0}, nullptr},
static void others(int *out) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) out[i] = Part::twice(i) + space::shift;
}
static void lambdas(int *out) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    const auto add = [](int x) { return x + columns; };
    out[i] += add(i);
  }
}
void Part::fill(int *out) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) out[i] += scale * i;
}
// A variable of the body has its name.
static void hidden(int *out) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    int sum = rows;
    {
      int rows = i;
      sum += rows;
    }
    out[i] += sum;
  }
}

int main() {
#pragma ompx managed(a, b, c)
  float *a = (float *)malloc(sizeof(float) * rows * columns), *b = (float *)malloc(sizeof(float) * rows * columns);
  int *c = (int *)malloc(sizeof(int) * rows);
  for (int i = 0; i < rows * columns; ++i) a[i] = i * 37 % 101, b[i] = i % 7;
  for (int s = 0; s < 60; ++s) {
    if (s == 33) weight = 0.2f;
    step(a, b);
    std::swap(a, b);
  }
  weight = 5;  // some of the steps may still wait
  double sum = 0;
  for (int i = 0; i < rows * columns; ++i) sum = sum * 0.999 + a[i] + 3 * b[i];
  Part part;
  for (int s = 0; s < 4; ++s) {
    others(c), lambdas(c), part.fill(c), hidden(c);
    space::shift += 2, Part::scale += 1;
  }
  long all = 0;
  for (int i = 0; i < rows; ++i) all = all * 3 + c[i];
  printf("%.17g %ld\n", sum, all);
}
// REPORT: (muster_step_{{[0-9]+}}): 60 launches
// REPORT: {{[0-9]+}} of them ran as steps of
