// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops inside an iteration that add up in any order: work-groups share them. Numbers are whole ones, so that sums of
// floats are exact.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -ffast-math -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster | FileCheck --check-prefixes=CHECK,FAST %s
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.exact | FileCheck --check-prefixes=CHECK,EXACT %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster > %t.out 2> %t.err && diff %t.expected %t.out && not grep . %t.err
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.exact | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <algorithm>
#include <cstdio>
#include <initializer_list>

#pragma ompx managed(x, y, key, found)
static float *x, *y;
static int *key;
static long *found;

static void report(const char *name, long n, long m) {
  double sum = 0;
  for (long i = 0; i < n * m; ++i) sum = sum * 0.999 + y[i];
  for (long i = 0; i < n; ++i) sum = sum * 0.999 + found[i];
  printf("%s %.17g\n", name, sum);
}

// Sums of whole numbers in any build.
// CHECK-LABEL: schedule of muster_counts_
// CHECK:         work-groups share an iteration's loops over j where these are long
static void counts(long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    int most = key[i * m], least = 1000, zeros = 2;
    unsigned bits = 0, all = ~0u, odd = 1, product = 1;
    short wraps = 3;
    for (long j = 0; j < m; ++j) {
      const int k = key[i * m + j];
      if (k > most) most = k;
      least = std::min(least, k);
      if (k == 0) ++zeros;
      bits |= k, all &= k + 64, odd ^= k;
      product *= k % 5 + 1;
      for (int r = 0; r < 2; ++r) wraps = wraps + k - r;
    }
    found[i] = most * 3 + least + zeros * 7 + bits + all + odd + product + wraps;
  }
}

// Two loops, whose second one stores what the first one has found.
// CHECK-LABEL: schedule of muster_shares_
// FAST:          work-groups load rows together where these are long
// FAST:          work-groups share an iteration's loops over j where these are long
// EXACT-NOT:     work-groups share an iteration's loops
static void shares(long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    float sum = 0, most = x[i * m];
    for (long j = 0; j < m; ++j) most = x[i * m + j] > most ? x[i * m + j] : most;
    for (long j = 0; j < m; ++j) {
      y[i * m + j] = most - x[i * m + j];
      sum += y[i * m + j];
    }
    for (long j = 0; j < m; ++j) y[i * m + j] = y[i * m + j] * 2 + sum;
  }
}

// In place: what is added up is written in the next loop.
// CHECK-LABEL: schedule of muster_centred_
// CHECK:         work-groups share an iteration's loops over j where these are long
static void centred(long n, long m) {
#pragma omp parallel for collapse(2)
  for (long i = 0; i < n; ++i)
    for (long c = 0; c < 2; ++c) {
      long sum = 0;
      for (long j = 0; j < m / 2; ++j) sum += key[(i * 2 + c) * (m / 2) + j];
      sum %= 5;
      for (long j = 0; j < m / 2; ++j) key[(i * 2 + c) * (m / 2) + j] = (key[(i * 2 + c) * (m / 2) + j] + sum) % 90;
    }
}

// The place of the largest one hangs on the order, and so does a sum that is asked for on the way.
// CHECK-LABEL: schedule of muster_places_
// CHECK-NOT:     work-groups share an iteration's loops
// CHECK-LABEL: schedule of muster_so_far_
// CHECK-NOT:     work-groups share an iteration's loops
static void places(long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    int most = -1;
    long where = 0;
    for (long j = 0; j < m; ++j)
      if (key[i * m + j] > most) most = key[i * m + j], where = j;
    found[i] = where;
  }
}

static void so_far(long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    int sum = 0;
    for (long j = 0; j < m; ++j) {
      sum += key[i * m + j];
      y[i * m + j] = sum % 32;
    }
    found[i] = sum;
  }
}

int main() {
  const long most = 40 * 3000;
  x = new float[most], y = new float[most], key = new int[most], found = new long[40];
  for (long i = 0; i < most; ++i) x[i] = i * 7 % 13, y[i] = 0, key[i] = i * 11 % 89;
  for (long i = 0; i < 40; ++i) found[i] = 0;
  for (long m : {3000, 1024, 642, 64, 2})
    for (long n : {40, 3}) {
      counts(n, m), report("counts", n, m);
      shares(n, m), report("shares", n, m);
      centred(n, m), counts(n, m), report("centred", n, m);
      places(n, m), report("places", n, m);
      so_far(n, m), report("so far", n, m);
    }
  delete[] x;
  delete[] y;
  delete[] key;
  delete[] found;
}
