// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs have the host's layout in the kernel's text: padding where C has none, alignment, and a check of the size.
// RUN: %kernels %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl
#include <complex>

#pragma omp managed(anchor)
int *anchor = new int[1];

struct Empty {};
struct Derived : Empty {
  float x;
};
struct alignas(32) Wide {
  float a;
  alignas(16) float b;
  short c[3];
  Derived d;
};
struct Cell {
  double f[9];
  char kind;
};

void layout(Wide *w, Cell *c, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Wide one = {1, 2, {3, 4, 5}, {{}, 6}};
    w[i] = one;
    w[i].c[i % 3] += c[i].kind;
    Cell &cell = c[i];
    cell.f[2] *= 2;
  }
}
// CHECK: typedef struct {
// CHECK-NEXT: float x;
// CHECK-NEXT: } Derived;
// CHECK: typedef struct __attribute__((aligned(32))) {
// CHECK-NEXT: float a;
// CHECK-NEXT: uchar padding4[12];
// CHECK-NEXT: float b;
// CHECK-NEXT: short c[3];
// CHECK-NEXT: Derived d;
// CHECK-NEXT: } Wide;
// CHECK: typedef char Wide_has_32_bytes[sizeof(Wide) == 32 ? 1 : -1];
// CHECK: typedef struct {
// CHECK-NEXT: double f[9];
// CHECK-NEXT: char kind;
// CHECK-NEXT: } Cell;
// CHECK: typedef char Cell_has_80_bytes[sizeof(Cell) == 80 ? 1 : -1];
// CHECK: Wide one = {.a = 1, .b = 2, .c = {3, 4, 5}, .d = {6}};
// CHECK-NEXT: w[i] = one;
// CHECK-NEXT: w[i].c[i % 3] += c[i].kind;
// CHECK-NEXT: __global Cell *cell = &c[i];
// CHECK-NEXT: cell->f[2] *= 2;

void complexNumbers(std::complex<float> *z, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) z[i] = z[i] * std::conj(z[i]);
}
// CHECK: typedef struct {
// CHECK-NEXT: float re, im;
// CHECK-NEXT: } complex_float;
// CHECK: static complex_float muster_complex_mul_cc_float(complex_float x, complex_float y) {
