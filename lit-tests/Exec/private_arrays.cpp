// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short arrays of an iteration's own whose elements are chosen at run time, of all sizes of elements, several rows a
// work-item. (A fuzzer found NVIDIA's OpenCL compiler to differ for such an array of 16-bit numbers: README, limits.)
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=plain %t.muster | diff %t.expected -
#include <cstdio>

template <class T>
static void braces(const T *a, T *b, int rows) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i)
    for (int j = 1; j < 34 - 8; ++j) {
      const T *row = &a[(i + 1) * 34];
      T sums[2] = {0, (T)i};
      sums[j % 2] = row[j + 1];
      b[(i + 1) * 34 + j] = (T)(sums[0] + sums[1] + row[j]);
    }
}

template <class T>
static void stores(const T *a, T *b, int rows) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i)
    for (int j = 1; j < 34 - 8; ++j) {
      T sums[4];
      sums[0] = 0, sums[1] = (T)i, sums[2] = sums[3] = 1;
      sums[(j + i) % 4] = a[i * 34 + j];
      b[(i + 1) * 34 + j] += (T)(sums[0] + sums[1] * 2 + sums[2] + sums[3]);
    }
}

template <class T>
static void run(const char *name) {
#pragma ompx managed(a, b)
  T *a = new T[33 * 34], *b = new T[33 * 34];
  for (int i = 0; i < 33 * 34; ++i) a[i] = (T)(i * 5 % 23), b[i] = (T)(i % 3);
  double sum = 0;
  for (int form = 0; form < 2; ++form) {
    form == 0 ? braces(a, b, 31) : stores(a, b, 31);
    for (int i = 0; i < 33 * 34; ++i) sum = sum * 0.999 + (double)b[i];
    std::printf("%s %.17g\n", name, sum);
  }
  delete[] a;
  delete[] b;
}

int main() {
  run<short>("short");
  run<unsigned char>("bytes");
  run<int>("int");
  run<float>("float");
  run<double>("double");
}
