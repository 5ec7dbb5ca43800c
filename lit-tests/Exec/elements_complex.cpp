// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of std::complex. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=plan -fplugin-arg-muster-remarks=missed %s -o %t.muster 2>&1 \
// RUN:   | FileCheck --allow-empty --implicit-check-not='native only' --implicit-check-not='step back' --implicit-check-not=remark: %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl %t.muster | diff %t.expected -
// All loops have device code, and none stays plain OpenMP.
// CHECK: kernel
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

// The sign of a NaN says nothing, and differs between devices.
void show(double x) {
  if (std::isnan(x))
    printf(" nan");
  else
    printf(" %a", x);
}

int main() {
  using C = std::complex<double>;
  using F = std::complex<float>;
  const int n = 1031;
#pragma ompx managed(a)
  C *a = new C[n];
#pragma ompx managed(b)
  std::vector<C> b(n);
#pragma ompx managed(f)
  F *f = new F[n];
#pragma ompx managed(r)
  double *r = new double[n];
  for (int i = 0; i < n; i++) {
    a[i] = C(i * 0.3 - 7, 5 - i * 0.01), b[i] = C(1.0 / (i + 1), i);
    f[i] = F(i * 0.3f - 7, 5 - i * 0.01f);
    if (i % 11 == 0) b[i] *= 1e-300;
    if (i % 13 == 0) b[i] *= 1e300;
    if (i % 17 == 0) a[i] *= 1e-305;
    if (i % 97 == 0) b[i] = 0;
    if (i % 31 == 0) a[i] = C(INFINITY, i % 2 ? 1 : NAN);
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    C z = a[i] * b[i] + 2.0 * a[i] - b[i] * 0.5;
    z += C(1, -1);
    z *= std::conj(b[i]);
    a[i] = z - 1.0;
    r[i] = std::norm(z) + z.real() - z.imag() + std::real(b[i]);
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) b[i] = a[i] / b[i];
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    f[i] = f[i] / F(i, 2) + 1.0f / f[i] - f[i] / 3.0f;
    f[i].real(f[i].imag());
    if (f[i] == F(0, 0) || f[i] != f[i]) f[i] = -f[i];
  }
  for (int i = 0; i < n; i++) {
    for (double x : {a[i].real(), a[i].imag(), b[i].real(), b[i].imag(), r[i]}) show(x);
    for (float x : {f[i].real(), f[i].imag()}) show(x);
    printf("\n");
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) r[i] = std::abs(b[i]) + std::arg(b[i]);
  for (int i = 0; i < n; i++) printf("%.8g\n", std::isnan(r[i]) ? 0 : r[i]);
}
