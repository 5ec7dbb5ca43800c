// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stencils in three dimensions: a work-item has two rows of four layers, whose elements are named from one place.
// Arrays are smaller than a block or not, rows are aligned or not, and arrays may be one.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster > %t.out 2> %t.err && diff %t.expected %t.out && not grep . %t.err
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=kernels %s | FileCheck --check-prefix=KERNEL %s
#include <cstddef>
#include <cstdio>

template <class T>
static void report(const char *name, int edge, const T *data, long count) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum = sum * 0.999 + (double)data[i];
  printf("%s %d %.17g\n", name, edge, sum);
}

// CHECK-LABEL: schedule of muster_heat_
// CHECK:         blocks of 1 x 2 x 4 iterations a work-item
// KERNEL-LABEL: void muster_heat_
// KERNEL: muster_block_2 = muster_lo_2 - ((muster_first_2 + muster_lo_2 + 0) & 15) + (long)get_global_id(0);
// KERNEL: __global const double *muster_p0 = &in[(z__0 * m + y__0) * n + x];
// KERNEL: muster_s0 = muster_p0[0] + w * (muster_p0[-((long)m * n)] + muster_p0[(long)m * n] + muster_p0[-(long)n] + muster_p0[(long)n]
// KERNEL: __global double *muster_p1 = &out[(z__0 * m + y__0) * n + x];
// KERNEL: muster_p1[(long)m * n * 3] = muster_s6;
static void heat(const double *in, double *out, int l, int m, int n, double w) {
#pragma omp parallel for
  for (int z = 1; z < l - 1; ++z)
    for (int y = 1; y < m - 1; ++y)
      for (int x = 1; x < n - 1; ++x)
        out[(z * m + y) * n + x] =
            in[(z * m + y) * n + x] + w * (in[((z - 1) * m + y) * n + x] + in[((z + 1) * m + y) * n + x] +
                                           in[(z * m + y - 1) * n + x] + in[(z * m + y + 1) * n + x] +
                                           in[(z * m + y) * n + x - 1] + in[(z * m + y) * n + x + 1]);
}

// Rows by pointers, and a bound without a sign, of 64 bits.
// CHECK-LABEL: schedule of muster_rows_
// CHECK:         blocks of 1 x 2 x 4 iterations a work-item
static void rows(const float *in, float *out, int l, size_t m, size_t n) {
#pragma omp parallel for collapse(2)
  for (int z = 1; z < l - 1; ++z)
    for (size_t y = 1; y < m - 1; ++y)
      for (size_t x = 1; x < n - 1; ++x) {
        const float here = in[(z * m + y) * n + x];
        out[(z * m + y) * n + x] = here * 0.5f + in[((z + 1) * m + y) * n + x] - in[((z - 1) * m + y) * n + x];
      }
}

// Bounds of 32 bits without a sign do not have the same sums in 64 bits.
// KERNEL-LABEL: void muster_narrow_
// KERNEL-NOT:   muster_p0 =
// KERNEL:       #else
static void narrow(const float *in, float *out, unsigned l, unsigned m, unsigned n) {
#pragma omp parallel for
  for (unsigned z = 1; z < l - 1; ++z)
    for (unsigned y = 1; y < m - 1; ++y)
      for (unsigned x = 1; x < n - 1; ++x)
        out[(z * m + y) * n + x] = in[((z + 1) * m + y) * n + x] - in[((z - 1) * m + y) * n + x];
}

// A window, and arrays of arrays.
// CHECK-LABEL: schedule of muster_box_
// CHECK:         blocks of 1 x 2 x 4 iterations a work-item, loops written out
// KERNEL-LABEL: void muster_box_
// KERNEL: __global const double *muster_p0 = &grid[z__0 + -1][y__0 + -1][x + -1];
// KERNEL: muster_p0[800]
#pragma ompx managed(grid, next)
static double grid[11][19][40], next[11][19][40];
static void box() {
#pragma omp parallel for
  for (int z = 1; z < 10; ++z)
    for (int y = 1; y < 18; ++y)
      for (int x = 1; x < 39; ++x) {
        double sum = 0;
        for (int p = -1; p <= 1; ++p)
          for (int q = -1; q <= 1; ++q)
            for (int r = -1; r <= 1; ++r) sum += grid[z + p][y + q][x + r] * (double)(p + 2 * q + 3 * r);
        next[z][y][x] = sum;
      }
}

// CHECK-LABEL: schedule of muster_star_
// CHECK:         blocks of 1 x 2 x 4 iterations a work-item, loops written out for reach = 1
// CHECK-NEXT:    blocks of 1 x 2 x 4 iterations a work-item, loops written out for reach = 2
static void star(const float *in, float *out, int l, int m, int n, int reach) {
#pragma omp parallel for
  for (int z = reach; z < l - reach; ++z)
    for (int y = reach; y < m - reach; ++y)
      for (int x = reach; x < n - reach; ++x) {
        float sum = in[(z * m + y) * n + x];
        for (int r = 1; r <= reach; ++r)
          sum += in[((z - r) * m + y) * n + x] + in[((z + r) * m + y) * n + x] + in[(z * m + y - r) * n + x] +
                 in[(z * m + y + r) * n + x] + in[(z * m + y) * n + x - r] + in[(z * m + y) * n + x + r];
        out[(z * m + y) * n + x] = sum;
      }
}

// Layers share nothing: wide accesses along rows.
// CHECK-LABEL: schedule of muster_apart_
// CHECK:         blocks of 4 x 2 x 1 iterations a work-item
static void apart(const float *in, float *out, int l, int m, int n) {
#pragma omp parallel for
  for (int z = 0; z < l; ++z)
    for (int y = 1; y < m - 1; ++y)
      for (int x = 0; x < n; ++x)
        out[(z * m + y) * n + x] = in[(z * m + y + 1) * n + x] - in[(z * m + y - 1) * n + x];
}

// What a condition keeps from being read may lie anywhere, and variables of blocks name places, too.
// CHECK-LABEL: schedule of muster_guarded_
// CHECK:         blocks of 1 x 2 x 4 iterations a work-item
static void guarded(const double *in, double *out, int l, int m, int n, int off, bool has) {
#pragma omp parallel for
  for (int z = 1; z < l - 1; ++z)
    for (int y = 1; y < m - 1; ++y)
      for (int x = 1; x < n - 1; ++x) {
        double s = has ? in[(z * m + y) * n + x + off] + in[((z - 1) * m + y) * n + x + off] : 0;
        if (has) s += in[(z * m + y) * n + x + off];
        if (x % 2 == 0) {
          const int east = x + 1;
          s += in[(z * m + y) * n + east];
        }
        out[(z * m + y) * n + x] = s + in[((z - 1) * m + y) * n + x] + in[((z + 1) * m + y) * n + x] - in[(z * m + y) * n + x];
      }
}

// In place, every second layer; a condition reads further on.
// CHECK-LABEL: schedule of muster_inPlace_
// CHECK:         blocks of 1 x 2 x 4 iterations a work-item
static void inPlace(double *a, int l, int m, int n) {
#pragma omp parallel for collapse(3)
  for (int z = 1; z < (l - 1) / 2; ++z)
    for (int y = 0; y < m; ++y)
      for (int x = 0; x < n; ++x)
        a[((2 * z) * m + y) * n + x] = a[((2 * z - 1) * m + y) * n + x] + a[((2 * z + 1) * m + y) * n + x] +
                                       (x + y > z ? a[((2 * z + 1) * m + y) * n] : 0.25);
}

int main() {
  const int l = 19, m = 23, edges[] = {37, 48, 8, 3, 64};
  for (int n : edges) {
    const int count = l * m * n;
#pragma ompx managed(da)
    double *da = new double[count];
#pragma ompx managed(db)
    double *db = new double[count];
#pragma ompx managed(fa)
    float *fa = new float[count];
#pragma ompx managed(fb)
    float *fb = new float[count];
    for (int i = 0; i < count; ++i) da[i] = (i * 7919L % 1000) / 8.0, fa[i] = (i * 104729L % 500) / 4.0f, db[i] = fb[i] = 1;
    heat(da, db, l, m, n, 0.125), report("heat", n, db, count);
    heat(da, db, 4, m, n, 0.25), report("heat of two layers", n, db, count);
    rows(fa, fb, l, m, n), report("rows", n, fb, count);
    narrow(fa, fb, l, m, n), report("narrow", n, fb, count);
    for (int reach = 1; reach <= 5; ++reach) star(fa, fb, l, m, n, reach), report("star", n, fb, count);
    apart(fa, fb, l, m, n), report("apart", n, fb, count);
    guarded(da, db, l, m, n, 1, true), report("guarded", n, db, count);
    guarded(da, db, l, m, n, 0x7fffffff, false), report("guarded far", n, db, count);
    inPlace(da, l, m, n), report("in place", n, da, count);
    delete[] da;
    delete[] db;
    delete[] fa;
    delete[] fb;
  }
  for (int i = 0; i < 11 * 19 * 40; ++i) (&grid[0][0][0])[i] = i * 31 % 17;
  box(), report("box", 0, &next[0][0][0], 11 * 19 * 40);
}
