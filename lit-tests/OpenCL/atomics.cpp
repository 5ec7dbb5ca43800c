// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics: built-in functions for integers of a word, else loops of compare and exchange; on small elements within the
// word around them. What a work-item does to its own variables is plain code.
// RUN: %kernels -w %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl
#include <algorithm>
#include <cmath>

#pragma omp managed(anchor)
int *anchor = new int[1];

void words(int *h, unsigned *u, const int *key, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    h[key[i]] += i;
#pragma omp atomic
    u[key[i]] ^= 3;
#pragma omp atomic compare
    if (h[i] < key[i]) h[i] = key[i];
    int old, after;
#pragma omp atomic capture seq_cst
    old = h[i]--;
#pragma omp atomic capture
    {
      h[i] &= 7;
      after = h[i];
    }
    h[n + i] = old + after;
  }
}
// CHECK:      static int muster_add_int(volatile __global int *place, int value) {
// CHECK-NEXT:   const int old = atomic_add(place, (int)value);
// CHECK-NEXT:   return old;
// CHECK:      static int muster_and_int_new(volatile __global int *place, int value) {
// CHECK-NEXT:   const int old = atomic_and(place, (int)value);
// CHECK-NEXT:   return (int)(old & value);
// CHECK:      const int old = atomic_max(place, (int)value);
// CHECK:      static int muster_sub_int(
// CHECK:      static uint muster_xor_uint_int(volatile __global uint *place, int value) {
// CHECK-NEXT:   const uint old = atomic_xor(place, (uint)value);
// CHECK-LABEL: void muster_words_
// CHECK:        muster_add_int(&h[key[i]], i);
// CHECK-NEXT:   muster_xor_uint_int(&u[key[i]], 3);
// CHECK-NEXT:   muster_max_int(&h[i], key[i]);
// CHECK:        mem_fence(CLK_GLOBAL_MEM_FENCE);
// CHECK-NEXT:   old = muster_sub_int(&h[i], 1);
// CHECK-NEXT:   mem_fence(CLK_GLOBAL_MEM_FENCE);
// CHECK-NEXT:   after = muster_and_int_new(&h[i], 7);

void loops(float *f, double *d, long *l, const int *key, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    f[key[i]] = i - f[key[i]];
#pragma omp atomic
    d[key[i]] *= 0.5;
#pragma omp atomic
    l[key[i]]++;
#pragma omp atomic
    l[key[i]] |= 4l;
  }
}
// CHECK:      #ifdef cl_khr_int64_base_atomics
// CHECK-NEXT: #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
// CHECK-NEXT: #else
// CHECK-NEXT: #error
// CHECK-NEXT: #endif
// CHECK:      static long muster_add_long_int(volatile __global long *place, int value) {
// CHECK-NEXT:   const long old = atom_add(place, (long)value);
// CHECK:      static double muster_mul_double(volatile __global double *place, double value) {
// CHECK-NEXT:   volatile __global ulong *word = (volatile __global ulong *)place;
// CHECK-NEXT:   ulong seen = *word;
// CHECK-NEXT:   for (;;) {
// CHECK-NEXT:     const double old = as_double(seen);
// CHECK-NEXT:     const double next = (double)(old * value);
// CHECK-NEXT:     const ulong found = atom_cmpxchg(word, seen, as_ulong(next));
// CHECK-NEXT:     if (found == seen) return old;
// CHECK-NEXT:     seen = found;
// CHECK:      static long muster_or_long(volatile __global long *place, long value) {
// CHECK-NEXT:   volatile __global ulong *word
// CHECK:      static float muster_sub_from_float_int(volatile __global float *place, int value) {
// CHECK:          const float next = (float)(value - old);
// CHECK-NEXT:     const uint found = atomic_cmpxchg(word, seen, as_uint(next));
// CHECK-LABEL: void muster_loops_

void small(char *c, unsigned short *s, bool *b, const int *key, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    c[key[i]] += i;
#pragma omp atomic
    s[key[i]] /= 2;
#pragma omp atomic
    b[key[i]] &= c[n] > 3;
  }
}
// CHECK:      static char muster_add_char_int(volatile __global char *place, int value) {
// CHECK:        const uint offset = (uint)((size_t)place & 3);
// CHECK-NEXT:   volatile __global uint *word = (volatile __global uint *)((volatile __global uchar *)place - offset);
// CHECK-NEXT:   const uint shift = 8 * offset, mask = 0xffu << shift;
// CHECK:          const char old = (char)(seen >> shift);
// CHECK-NEXT:     const char next = (char)(old + value);
// CHECK-NEXT:     const uint found = atomic_cmpxchg(word, seen, (seen & ~mask) | ((uint)(uchar)next << shift));
// CHECK:      static uchar muster_and_bool(volatile __global uchar *place, uchar value) {
// CHECK:          const uchar next = (old & value) != 0;
// CHECK:      static ushort muster_div_ushort_int(
// CHECK:        const uint shift = 8 * offset, mask = 0xffffu << shift;
// CHECK-LABEL: void muster_small_

void single(int *h, double *d, float *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double v;
    int own = 0, old;
#pragma omp atomic read
    v = d[0];
#pragma omp atomic write
    h[1] = v;
#pragma omp atomic capture
    {
      old = h[2];
      h[2] = i;
    }
#pragma omp atomic
    own += old;
    out[i] = own;
  }
}
// CHECK:      static int muster_xchg_int(volatile __global int *place, int value) {
// CHECK-NEXT:   const int old = atomic_xchg(place, (int)value);
// CHECK-LABEL: void muster_single_
// CHECK:        v = *(volatile __global double *)&d[0];
// CHECK-NEXT:   *(volatile __global int *)&h[1] = v;
// CHECK-NEXT:   old = muster_xchg_int(&h[2], i);
// CHECK-NEXT:   own += old;

static void bump(float *sums, int k, float by) {
#pragma omp atomic
  sums[k] += by;
}
void functions(float *h, const int *key, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) bump(h, key[i], 0.5f);
}
// CHECK:      static void bump(__global float *sums, int k, float by) {
// CHECK-NEXT:   muster_add_float(&sums[k], by);
// CHECK-LABEL: void muster_functions_
// CHECK:        bump(h, key[i], 0.5f);

void reductions(const int *key, int *h, float *low, int n) {
  double table[4] = {};
#pragma omp parallel for reduction(+ : table, h[0 : n]) reduction(min : low[2 : 8])
  for (int i = 0; i < n; ++i) {
    table[i % 4] -= key[i];
    if (i > 3)
      low[0] = std::min(low[0], 2.f);
    else if (low[2] > i * 1.f)
      low[2] = i * 1.f;
    low[3] = std::fmin(low[3], (float)i);
    --h[key[i]];
    h[1] = h[1] + 2;
  }
}
// CHECK:        const float next = fmin(old, (float)value);
// CHECK:        const float next = value < old ? (float)value : old;
// CHECK-LABEL: void muster_reductions_
// CHECK-NEXT:   __global double *restrict table_buf, long table_origin,
// CHECK:        muster_sub_double_int(&table[i % 4], key[i]);
// CHECK-NEXT:   if (i > 3) {
// CHECK-NEXT:     muster_min_float(&low[0], 2.0f);
// CHECK-NEXT:   } else {
// CHECK-NEXT:     muster_min_float(&low[2], i * 1.0f);
// CHECK-NEXT:   }
// CHECK-NEXT:   muster_fmin_float(&low[3], (float)i);
// CHECK-NEXT:   muster_sub_int(&h[key[i]], 1);
// CHECK-NEXT:   muster_add_int(&h[1], 2);

void shared(const int *key, int n) {
  int count = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    count += key[i];
  }
}
// CHECK-LABEL: void muster_shared_
// CHECK:     __global int *count_out) {
// CHECK:   count += key[i];
