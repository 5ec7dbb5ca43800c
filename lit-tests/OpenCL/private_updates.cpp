// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work-groups collect updates of few elements in local memory (MUSTER_PRIVATE), or update global memory.
// RUN: %kernels -w %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl
// RUN: %host -w %s -lOpenCL -lm -o %t
// RUN: %t %t.cl
// RUN: %kernels -w -fplugin-arg-muster-print=schedule %s | FileCheck --check-prefix=SCHEDULE %s
#ifdef __MUSTER__
#pragma ompx managed(anchor)
int *anchor = new int[1];

// CHECK:      #ifdef MUSTER_PRIVATE
// CHECK-NEXT: #if MUSTER_PRIVATE == 2
// CHECK-NEXT: #define MUSTER_UPDATE(update, own, buffer, place, value) \
// CHECK-NEXT:   update##_part(own, own##_first, own##_size, buffer, place, value)
// CHECK-NEXT: #else
// CHECK-NEXT: #define MUSTER_UPDATE(update, own, buffer, place, value) \
// CHECK-NEXT:   update##_local(own + ((uint)((place) - buffer) << MUSTER_COPIES | muster_own_copy), value)
// CHECK-NEXT: #endif
// CHECK-NEXT: #define MUSTER_NEXT continue
// CHECK-NEXT: #else
// CHECK-NEXT: #define MUSTER_UPDATE(update, own, buffer, place, value) update(place, value)
// CHECK-NEXT: #define MUSTER_NEXT continue
// CHECK-NEXT: #endif
// CHECK-NEXT: __kernel
// CHECK-NEXT: void muster_counts_[[#]](
// CHECK:          __global int *h_buf, long h_origin,
// CHECK:          long muster_first_0, long muster_step_0, long muster_lo_0, long muster_hi_0
// CHECK-NEXT: #ifdef MUSTER_PRIVATE
// CHECK-NEXT:     , local int *h_own, uint h_count, uint h_room{{$}}
// CHECK-NEXT: #endif
// CHECK-NEXT:     ) {
// CHECK-NEXT: #ifdef MUSTER_PRIVATE
// CHECK-NEXT: #ifdef MUSTER_CUDA
// CHECK-NEXT:   h_own = muster_dynamic(h_own);
// CHECK-NEXT: #endif
// CHECK-NEXT:   const uint muster_lane =
// CHECK:        uint muster_passes = 1;
// CHECK-NEXT: #if MUSTER_PRIVATE == 2
// CHECK-NEXT:   muster_passes = max(muster_passes, (h_count + h_room - 1) / h_room);
// CHECK-NEXT: #endif
// CHECK-NEXT:   const uint muster_own_copy = muster_lane & ((1u << MUSTER_COPIES) - 1);
// CHECK-NEXT:   for (uint muster_pass = 0; muster_pass < muster_passes; ++muster_pass) {
// CHECK:        for (uint muster_e = muster_lane; muster_e < h_own_size << MUSTER_COPIES; muster_e += MUSTER_WG0 * MUSTER_WG1 * MUSTER_WG2) h_own[muster_e] = 0;
// CHECK:        barrier(CLK_LOCAL_MEM_FENCE);
// CHECK:        MUSTER_UPDATE(muster_add_int, h_own, h_buf, &h[key[i]], 1);
// CHECK:        barrier(CLK_LOCAL_MEM_FENCE);
// CHECK-NEXT:   for (uint muster_e = {{.*}}; muster_e < h_own_size; {{.*}}) {
// CHECK-NEXT:     int muster_all = h_own[(muster_e << MUSTER_COPIES) + ((muster_e + 0) & ((1u << MUSTER_COPIES) - 1))];
// CHECK-NEXT:     for (uint muster_copy = 1; {{.*}}) muster_all += h_own[(muster_e << MUSTER_COPIES) + ((muster_e + muster_copy) & ((1u << MUSTER_COPIES) - 1))];
// CHECK-NEXT:     if (muster_all != 0) muster_add_int(h_buf + h_own_first + muster_e, muster_all);
// CHECK-NEXT:   }
// CHECK-NEXT:   barrier(CLK_LOCAL_MEM_FENCE);
// CHECK-NEXT:   }
// CHECK-NEXT: #else
// SCHEDULE-LABEL: schedule of muster_counts_
// SCHEDULE:         work-groups collect updates of h in local memory
void counts(int *h, const unsigned char *key, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (key[i] == 7) continue;
#pragma omp atomic
    h[key[i]]++;
  }
}

// Also of sums that a clause names, of two arrays, of loops with loops in them, and of floating-point numbers.
// SCHEDULE-LABEL: schedule of muster_sums_
// SCHEDULE:         work-groups collect updates of sums in local memory
// SCHEDULE-NEXT:    work-groups collect updates of bits in local memory
void sums(double *sums, unsigned *bits, const int *key, int n, int m) {
#pragma omp parallel for reduction(+ : sums[:8])
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) sums[(key[i] + j) % 8] -= key[i] * 0.5;
#pragma omp atomic
    bits[key[i] % 4] ^= 1u << i % 32;
  }
}

// What else the loop does with the array shows how far it is, a minimum has no 0 to begin with, and so on.
// SCHEDULE-LABEL: schedule of muster_read_
// SCHEDULE-NOT:     collect
void read(int *h, const int *key, int *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    h[key[i]]++;
    out[i] = h[i];
  }
}
void smallest(int *h, const int *key, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic compare
    if (h[key[i]] > i) h[key[i]] = i;
  }
}
void small(unsigned char *h, const int *key, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    h[key[i]] += 3;
  }
}
void rounded(int *h, const int *key, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    h[key[i]] += 0.75;
  }
}
double result(int *h, const int *key, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    h[key[i]]++;
    s += key[i];
  }
  return s;
}
#else
#include "KernelRunner.h"
int main(int, char **arguments) {
  Kernels kernels(arguments[1]);
  const int n = 1000;
  std::vector<unsigned char> key(n);
  std::vector<int> wide(n);
  for (int i = 0; i < n; ++i) wide[i] = key[i] = i * 7 % 13;
  for (bool isPrivate : {true, false}) {
    std::vector<int> h(13, 5), expected = h;
    for (int i = 0; i < n; ++i) expected[key[i]] += key[i] != 7;
    Launch counts(kernels, "counts");
    if (!isPrivate) counts.withoutPrivate();
    else counts.groups(3);
    counts.dim(0, 1, n).array("h", h).array("key", key).run();
    require(h == expected, "counts");

    std::vector<double> sums(8, 1), sumsExpected = sums;
    std::vector<unsigned> bits(4, 9), bitsExpected = bits;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < 3; ++j) sumsExpected[(wide[i] + j) % 8] -= wide[i] * 0.5;
      bitsExpected[wide[i] % 4] ^= 1u << i % 32;
    }
    Launch both(kernels, "sums");
    if (!isPrivate) both.withoutPrivate();
    both.dim(0, 1, n).array("sums", sums).array("bits", bits).array("key", wide).scalar("m", 3).run();
    require(sums == sumsExpected && bits == bitsExpected, "sums");
  }
}
#endif
