// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C's compound literals and GNU's statement expressions in C++: values of structs, as macros make complex numbers of
// them, of scalars and of elements. The plain program is the oracle.
//
// RUN: %plain -w -Wno-c++11-narrowing %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -Wno-c++11-narrowing -fplugin-arg-muster-summary %s -o %t.muster 2>&1 | %filecheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// CHECK: remark: loops: 5 for all devices, 0 for CPUs only, 0 plain OpenMP
#include <cstdio>

typedef struct {
  double real, imag;
} dcomplex;
#define cplx(r, i) (dcomplex){r, i}
#define cplx_mul(a, b) (dcomplex){((a).real * (b).real) - ((a).imag * (b).imag), ((a).real * (b).imag) + ((a).imag * (b).real)}
#define conjugate(x) (dcomplex){(x).real, -1.0 * (x).imag}
#define largest(a, b)      \
  ({                       \
    const double x_ = (a); \
    const double y_ = (b); \
    x_ > y_ ? x_ : y_;     \
  })

// Made by a constructor, also where a literal of it stands.
struct Span {
  double from, to;
  Span(double from) : from(from), to(2) {}
  double length() const { return to - from; }
};

static dcomplex turned(dcomplex z, int k) { return k % 2 ? conjugate(z) : cplx_mul(z, cplx(0.5, k)); }

int main() {
  const int n = 500;
#pragma ompx managed(z)
  dcomplex *z = new dcomplex[n]();
#pragma ompx managed(a)
  double *a = new double[n]();
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    z[i] = cplx(i * 0.25, i % 7);
    z[i] = cplx_mul(z[i], cplx(z[i].imag, 1));
  }
  dcomplex sum = cplx(0, 0);
  for (int i = 0; i < n; ++i) sum.real += z[i].real, sum.imag += z[i].imag * (i % 3);
  std::printf("%g %g\n", sum.real, sum.imag);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const dcomplex w = turned(z[n - 1 - i], i);
    a[i] = w.real + (dcomplex){w.imag, 1}.real + (double){w.real};
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += largest(a[i], i) + largest(z[i].real, (int){i % 9});
#pragma omp parallel for
  for (int i = 1; i < n; ++i) {
    double next = largest(i, 3);
    largest(next, 2);
    a[i] -= next;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Span span = (Span){i * 0.25};
    a[i] += span.length() * ((Span){0.5}).length();
  }
  double total = 0;
  for (int i = 0; i < n; ++i) total += a[i] * (i % 5);
  std::printf("%g\n", total);
  delete[] z;
  delete[] a;
}
