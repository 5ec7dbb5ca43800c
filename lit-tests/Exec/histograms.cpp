// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates of few elements by many iterations, with atomics and with clauses, through vectors and members. The plain
// program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t && %run MUSTER_DEVICES=cpu %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_KERNELS=first %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_KERNELS=plain %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_WEIGHTS=1,1 MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=schedule %s | grep -c 'collect updates' | FileCheck --check-prefix=COUNT %s
// COUNT: 13
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Image {
  unsigned char *pixels;
  unsigned *bins;
  int n;
  void count() {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp atomic
      bins[pixels[i] >> 2]++;
    }
  }
};

// Keys that begin anywhere, for wide reads begin where they are aligned; and keys by a table, with weights by the key.
template <class Key>
static void offsets(const char *name) {
  const int n = 3000;
#pragma ompx managed(key)
  Key *key = new Key[n];
#pragma ompx managed(bins)
  int *bins = new int[100]();
#pragma ompx managed(table)
  int *table = new int[128];
  for (int i = 0; i < n; i++) key[i] = (Key)(i * 37 % 100);
  for (int i = 0; i < 128; i++) table[i] = i * 7 % 100;
  unsigned long hash = 0;
  for (int first = 0; first < 19; first += 3)
    for (int count : {0, 1, 15, 16, 17, 40, 2000}) {
#pragma omp parallel for
      for (int i = first; i < first + count; i++) {
#pragma omp atomic
        bins[key[i + 5]] += 2;
      }
#pragma omp parallel for
      for (int i = 0; i < count; i++) {
        const int at = i + first;
        const Key k = key[at];
#pragma omp atomic
        bins[table[k]] += k + i;
      }
      for (int i = 0; i < 100; i++) hash = hash * 31 + (unsigned)bins[i];
    }
  printf("%s %lx\n", name, hash);
  delete[] key;
  delete[] bins;
  delete[] table;
}

int main() {
  offsets<unsigned char>("bytes");
  offsets<short>("shorts");
  offsets<int>("ints");
  offsets<long>("longs");
  const int n = 30011;
  Image image{nullptr, nullptr, n};
#pragma ompx managed(image.pixels)
  image.pixels = new unsigned char[n];
#pragma ompx managed(image.bins)
  image.bins = new unsigned[64]();
#pragma ompx managed(high)
  std::vector<long> high(40);
#pragma ompx managed(both)
  double *both = new double[16]();
#pragma ompx managed(flags)
  static unsigned flags[8];
#pragma omp parallel for
  for (int i = 0; i < n; i++) image.pixels[i] = (unsigned char)(i * 31 + i / 7);
  for (int t = 0; t < 3; t++) {
    image.count();
    const unsigned char *p = image.pixels;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      if (p[i] == 3) continue;
#pragma omp atomic
      high[p[i] % 40] -= i;
#pragma omp atomic
      flags[p[i] % 8] |= 1u << i % 29;
    }
#pragma omp parallel for reduction(+ : both[:16])
    for (int i = 0; i < n; i++)
      for (int j = 0; j < 3; j++) both[(p[i] + j) % 16] += 0.5 * j;
    // Rows of a table of counts, which only few iterations update.
    static int rows[4][4];
#pragma omp parallel for
    for (int i = 0; i < 16; i++) {
#pragma omp atomic
      rows[p[i] % 4][i % 4]++;
    }
    long sum = 0;
    for (int i = 0; i < 64; i++) sum = sum * 7 + image.bins[i];
    for (long x : high) sum = sum * 5 + x;
    for (int i = 0; i < 16; i++) sum = sum * 3 + (long)(both[i] * 2) + flags[i % 8] + rows[i / 4][i % 4];
    printf("%ld\n", sum);
  }
}
