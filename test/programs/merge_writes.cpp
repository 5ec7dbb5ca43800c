// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes that several devices may make to one array: through a permutation, beside the own element, and atomic updates.
#include <cstdio>
int main() {
  const int n = 50021;
#pragma omp managed(a)
  double* a = new double[n + 1];
#pragma omp managed(b)
  char* b = new char[n + 1];
#pragma omp managed(perm)
  int* perm = new int[n];
#pragma omp managed(h)
  int* h = new int[97];
  for (int i = 0; i <= n; ++i) {
    a[i] = i * 0.5;
    b[i] = i % 100;
  }
  for (int i = 0; i < n; ++i) {
    perm[i] = (int)((long)i * 7919 % n);
  }
  for (int i = 0; i < 97; ++i) h[i] = i;
  for (int step = 0; step < 4; ++step) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[perm[i]] = i * 1.25 + step;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) b[i + 1] = (char)(i * 3 + step);
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
#pragma omp atomic
      h[(i * 31 + step) % 97] += i % 11;
    }
  }
  double s = 0;
  unsigned long t = 0;
  unsigned long v = 0;
  for (int i = 0; i <= n; ++i) {
    s = s * 0.9 + a[i];
    t = t * 3 + b[i];
  }
  for (int i = 0; i < 97; ++i) v = v * 5 + h[i];
  std::printf("%.17g %lu %lu\n", s, t, v);
}
