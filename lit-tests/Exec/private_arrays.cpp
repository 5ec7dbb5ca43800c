// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a literal length, with short arrays of an iteration's own whose elements are chosen at run time: ptxas gives
// indexes of such rows the constants of others (decision 34). Runs on GPUs, too (scripts/gpu-check.sh), with more rows.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=plain %t.muster | diff %t.expected -
#include <cstdio>
#include <cstdlib>

constexpr int width = 34;

template <class T, int N>
static void sums(const T *a, int *b, int rows) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i)
    for (int j = 1; j < width - 8; ++j) {
      const T *row = &a[(i + 1) * width];
      T own[N] = {0, (T)i};
      own[j % N] = row[j + 1];
      int sum = 0;
      for (int k = 0; k < N; ++k) sum += (int)own[k] * (k + 1);
      b[(i + 1) * width + j] = sum + (int)row[j];
    }
}

template <class T, int N>
static void chosen(const T *a, int *b, int rows) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i)
    for (int j = 1; j < width - 8; ++j) {
      const T *row = &a[(i + 1) * width];
      T own[N];
      for (int k = 0; k < N; ++k) own[k] = (T)(row[j + k] + i);
      b[(i + 1) * width + j] = (int)own[j % N] + (int)row[j];
    }
}

template <class T, int N>
static void stores(const T *a, int *b, long rows) {
#pragma omp parallel for
  for (long i = 0; i < rows; ++i)
    for (int j = 1; j < width - 8; ++j) {
      T own[N] = {(T)j};
      own[(j + i) % N] = a[((int)i + 1) * width + j];
      b[((int)i + 1) * width + j] += (int)own[0] + (int)own[N - 1] * 2;
    }
}

template <class T, int N>
static void run(const char *name, int rows) {
  const int count = (rows + 2) * width;
#pragma ompx managed(a)
  T *a = new T[count];
#pragma ompx managed(b)
  int *b = new int[count];
  for (int i = 0; i < count; ++i) a[i] = (T)(i * 5LL % 23), b[i] = i % 3;
  unsigned sum = 0;
  for (int form = 0; form < 3; ++form) {
    form == 0 ? sums<T, N>(a, b, rows) : form == 1 ? chosen<T, N>(a, b, rows) : stores<T, N>(a, b, rows);
    for (int i = 0; i < count; ++i) sum = sum * 31 + (unsigned)b[i];
    std::printf("%s %d %u\n", name, N, sum);
  }
  delete[] a;
  delete[] b;
}

int main(int argc, char **argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 31;
  run<signed char, 2>("chars", rows);
  run<unsigned char, 8>("bytes", rows);
  run<short, 2>("short", rows);
  run<unsigned short, 6>("unsigned short", rows);
  run<int, 2>("int", rows);
  run<int, 3>("int", rows);
  run<int, 4>("int", rows);
  run<long, 2>("long", rows);
  run<float, 2>("float", rows);
}
