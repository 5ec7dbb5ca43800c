// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums whose order is not free: whole numbers that each step converts to others and back, extremes that compare as
// another type does, floats whose order is kept. And an array under two names beside sums.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster | FileCheck %s
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: %muster-link -O1 -w -ffast-math %s -o %t.fast
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.fast | diff %t.expected -
#include <cmath>
#include <cstdio>

#pragma ompx managed(key, wide, word, real, found, other)
static int *key;
static long *wide, *found, *other;
static unsigned *word;
static double *real;

constexpr long rows = 8, length = 700;

static void report(const char *name) {
  printf("%s", name);
  for (long i = 0; i < 2 * rows; ++i) printf(" %ld", found[i]);
  printf("\n");
}

// A nest, so that no other form takes these loops.
#define LOOP(NAME, DECLARED, STATEMENT)                                             \
  static void NAME() {                                                              \
    _Pragma("omp parallel for collapse(2)") for (long i = 0; i < rows; ++i)         \
    for (long c = 0; c < 2; ++c) {                                                  \
      DECLARED;                                                                     \
      for (long j = 0; j < length; ++j) {                                           \
        const long at = (i * 2 + c) * length + j;                                   \
        if (key[at] != 55) STATEMENT;                                               \
      }                                                                             \
      found[i * 2 + c] = (long)s;                                                   \
    }                                                                               \
    report(#NAME);                                                                  \
  }

// CHECK-LABEL: schedule of muster_truncates_
// CHECK-NOT:     work-groups share an iteration
LOOP(truncates, int s = -1000, s = s + real[at] * 0.75)
LOOP(truncates_too, int s = -1000, s += real[at] * 0.75)
LOOP(multiplies, int s = 3, if (key[at] == 3) s *= 1.5)
LOOP(subtracts, long s = 5000, s -= real[at] * 0.5)
LOOP(narrows, unsigned char s = 0, if (key[at] * 7 > s) s = key[at] * 7)
LOOP(narrows_too, unsigned char s = 200, s = key[at] - 5 < s ? key[at] - 5 : s)
LOOP(as_unsigned, int s = 0, if (word[at] > s) s = word[at])
LOOP(least_unsigned, int s = -5, if (word[at] < s) s = word[at])
LOOP(shortens, int s = 0, if (wide[at] > s) s = wide[at])
LOOP(cuts, int s = 0, s = (signed char)(s + key[at]))
LOOP(floats_of, int s = 0, s = fmax(s, real[at]))
// CHECK-LABEL: schedule of muster_sums_
// CHECK:         work-groups share an iteration's loops over j where these are long
LOOP(sums, unsigned s = 7, s = s + key[at] - 3)
// CHECK-LABEL: schedule of muster_shorts_
// CHECK:         work-groups share an iteration's loops over j where these are long
LOOP(shorts, short s = 7, s += wide[at])
// CHECK-LABEL: schedule of muster_largest_
// CHECK:         work-groups share an iteration's loops over j where these are long
LOOP(largest, long s = -7, if (key[at] > s) s = key[at])

// What one work-item stores, another one may read by another name.
static void named(long *p, long *q) {
#pragma omp parallel for collapse(2)
  for (long i = 0; i < rows; ++i)
    for (long c = 0; c < 2; ++c) {
      const long first = p[(i * 2 + c) * length];
      q[(i * 2 + c) * length] = 100000 + i;
      long s = 0;
      for (long j = 0; j < length; ++j)
        if (key[(i * 2 + c) * length + j] > 3) s += key[(i * 2 + c) * length + j] * first;
      found[i * 2 + c] = s;
    }
  report("named");
}

static void decides(long *p, long *q) {
#pragma omp parallel for collapse(2)
  for (long i = 0; i < rows; ++i)
    for (long c = 0; c < 2; ++c) {
      if (p[(i * 2 + c) * length] > 50) continue;
      q[(i * 2 + c) * length] = 60;
      long s = 0;
      for (long j = 0; j < length; ++j) s += key[(i * 2 + c) * length + j];
      found[i * 2 + c] = s;
    }
  report("decides");
}

// The order of these is the program's.
static void in_order() {
#pragma omp parallel for collapse(2)
  for (long i = 0; i < rows; ++i)
    for (long c = 0; c < 2; ++c) {
#pragma clang fp reassociate(off)
      float s = 16777216;
      for (long j = 0; j < length; ++j)
        if (key[(i * 2 + c) * length + j] > 3) s += 1;
      found[i * 2 + c] = s;
    }
  report("in order");
}

int main() {
  const long all = 2 * rows * length;
  key = new int[all], wide = new long[all], word = new unsigned[all], real = new double[all];
  found = new long[2 * rows](), other = new long[all];
  for (long i = 0; i < all; ++i) {
    key[i] = i * 11 % 89, wide[i] = (i * 7 % 13 - 3) * 3000000000, real[i] = i * 5 % 7;
    word[i] = i % 50 == 7 ? 0xFFFFFFF0u : i * 3 % 97, other[i] = i % 5;
  }
  truncates(), truncates_too(), multiplies(), subtracts(), narrows(), narrows_too(), as_unsigned(), least_unsigned();
  shortens(), cuts(), floats_of(), sums(), shorts(), largest();
  named(other, other), decides(other, other), in_order();
  delete[] key;
  delete[] wide;
  delete[] word;
  delete[] real;
  delete[] found;
  delete[] other;
}
