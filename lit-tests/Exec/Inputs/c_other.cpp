// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ unit of c_storage.c: allocates what C uses, and uses what C allocates.
extern "C" double* make(int n) {
#pragma ompx managed(fresh)
  double* fresh = new double[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) fresh[i] = 0.25 * i;
  return fresh;
}

extern "C" double fold(const double* a, int n) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += a[i] * (i % 5);
  return sum;
}

extern "C" void release(double* a) { delete[] a; }
