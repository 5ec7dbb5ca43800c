// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations whose loops work-groups share: triangles, loops beside other statements and beside each other, one inside
// a loop that stays serial, and a loop that writes in one iteration what its others read.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule,kernels %s -o %t.muster > %t.printed
// RUN: FileCheck %s < %t.printed
// RUN: FileCheck --check-prefix=TEXT %s < %t.printed
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <initializer_list>

#pragma ompx managed(a, b, c, d, x)
static double *a, *b, *c, *x;
static int *d;

// Column k is written in one iteration of j and read in all.
// TEXT-LABEL: void muster_paths_
// TEXT:         int i = muster_int(muster_first_0 + muster_k_0);
// TEXT-NEXT:    {
// TEXT-NEXT:      const int muster_begin = 0;
// TEXT-NEXT:      const uint muster_count = muster_begin < n ? (uint)(n) - (uint)muster_begin : 0;
// TEXT-NEXT:      const long muster_pivot = (long)(1) * (long)k;
// TEXT:           for (int muster_part = 0; muster_part < 3; ++muster_part) {
// TEXT:             int j = muster_begin + (int)muster_e;
// TEXT:             barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
// CHECK-LABEL: schedule of muster_paths_
// CHECK:         work-groups share an iteration's loops over j where these are long
static void paths(int n, int k) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (d[i * n + k] + d[k * n + j] < d[i * n + j]) d[i * n + j] = d[i * n + k] + d[k * n + j];
}

// The element of the diagonal, whose place is another one in each row.
// CHECK-LABEL: schedule of muster_scaled_
// CHECK:         work-groups share an iteration's loops over j where these are long
static void scaled(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i * n + j] = a[i * n + j] * 0.5 + a[i * n + i];
}

// TEXT-LABEL: void muster_eliminate_
// TEXT:         if (muster_lane == 0) {
// TEXT-NEXT:      a[i * n + k] /= a[k * n + k];
// TEXT-NEXT:    }
// TEXT-NEXT:    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
// TEXT-NEXT:    {
// TEXT-NEXT:      const int muster_begin = k + 1;
// TEXT-NOT:       muster_part
// TEXT:         #else
// CHECK-LABEL: schedule of muster_eliminate_
// CHECK:         work-groups share an iteration's loops over j where these are long
static void eliminate(int n, int k) {
#pragma omp parallel for
  for (int i = k + 1; i < n; ++i) {
    a[i * n + k] /= a[k * n + k];
    for (int j = k + 1; j < n; j += 1) a[i * n + j] -= a[i * n + k] * a[k * n + j];
  }
}

// Variables that are private, as C programs have them; the loop's own is used behind it.
// CHECK-LABEL: schedule of muster_rank_
// CHECK:         work-groups share an iteration's loops over j where these are long
static void rank(int n, double alpha, double beta) {
  int i, j, k;
  double t;
#pragma omp parallel for private(j, k, t)
  for (i = 0; i < n; i++) {
    for (j = 0; j <= i; j++) c[i * n + j] *= beta;
    x[i] = j;
    for (k = 0; k < n; k++)
      for (j = 0; j <= i; j++) {
        t = alpha * a[i * n + k];
        c[i * n + j] += t * b[j * n + k];
      }
    x[i] += k + j;
  }
}

// Conditions, an end in front of the loops, and a loop that is short.
// CHECK-LABEL: schedule of muster_chosen_
// CHECK:         work-groups share an iteration's loops over j, l where these are long
static void chosen(size_t n, size_t from) {
#pragma omp parallel for
  for (size_t i = 0; i < n; ++i) {
    if (i % 5 == 2) continue;
    double scale = 1;
    for (int s = 0; s < 4; ++s) scale += b[i * n + s % n];
    const double *row = b + i * n;
    if (i % 3 == 0) {
      x[i] += scale;
      for (size_t j = from; j < n; ++j) c[i * n + j] = row[j] * scale + x[i];
      x[i] *= 2;
    } else if (i % 3 == 1) {
      for (size_t l = i; l < n; ++l) {
        if (l % 7 == 3) continue;
        c[i * n + l] += std::sqrt(row[l]) + x[i];
      }
    } else {
      x[i] = scale;
    }
  }
}

// What a work-item has read before another one stores, and stores under conditions.
// CHECK-LABEL: schedule of muster_reread_
// CHECK:         work-groups share an iteration's loops over j where these are long
// CHECK-LABEL: schedule of muster_reread_
// CHECK:         work-groups share an iteration's loops over j where these are long
static void reread(int n, int k) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double t = x[i];
    x[i] = t + 1;
    for (int j = 0; j <= i; ++j) c[i * n + j] += x[i];
    double &r = x[i];
    r += t;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double *row = c + i * n;
    x[i] += 3;
    if ((i + k) % 4 == 0) continue;
    if (d[i] < 300) x[i] = x[i] * 0.5 + 1;
    if (i % 3 == 0) {
      x[i] += 1;
    } else {
      x[i] *= 0.5;
      for (int j = k; j < n; ++j) row[j] += x[i];
    }
    row[i] += 2;
  }
}

// Launches know numbers as they are converted.
// CHECK-LABEL: schedule of muster_narrowed_
static void narrowed(int n, long k) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) c[i * n + j] += 0.5 * c[i * n + (int)k];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const short at = k;
    x[i] += c[i * n + at];
  }
}

// Sums are in their order, so that nothing but them can be shared; here it is the elements of a row that have one.
// CHECK-LABEL: schedule of muster_upper_
// CHECK:         work-groups share an iteration's loops over j where these are long
static void upper(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += b[k * n + i] * b[k * n + j];
      a[i * n + j] = sum;
    }
}

// What cannot be shared: a sum that goes on, elements that follow each other, what is written decides the course, a row
// of the iteration's own, and a long loop beside that every work-item would run.
// CHECK-LABEL: schedule of muster_kept_
// CHECK:         work-groups share no iteration: another loop in it runs often
// CHECK-LABEL: schedule of muster_kept_
// CHECK-NOT:     share
// CHECK-LABEL: schedule of muster_kept_
// CHECK:         work-groups share no iteration: what the loop writes decides its course
// CHECK-LABEL: schedule of muster_kept_
// CHECK:         work-groups share no iteration: it has arrays of its own
static void kept(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < i; j++) sum += b[i * n + j];
    for (int j = 0; j < n; j++) c[i * n + j] -= sum / n;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    x[i] = 1;
    for (int j = 1; j < n; j++) c[i * n + j] += 0.5 * c[i * n + j - 1];
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    x[i] += 1;
    if (x[i] > 3)
      for (int j = 0; j < n; j++) c[i * n + j] += 1;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double own[64];
    for (int j = 0; j < 64; j++) own[j] = b[i * n + j % n];
    for (int j = 0; j < n; j++) c[i * n + j] += own[j % 64];
  }
}

static void print(const char *name, int n) {
  double hash = 0, sum = 0;
  for (int i = 0; i < n * n; ++i) hash = hash * 0.75 + a[i] + c[i] * 0.5 + d[i], sum += a[i] + c[i] + d[i];
  for (int i = 0; i < n; ++i) hash = hash * 0.75 + x[i];
  std::printf("%s %d %.17g %.17g\n", name, n, hash, sum);
}

int main() {
  for (int n : {1, 2, 63, 256, 300}) {
    a = new double[n * n], b = new double[n * n], c = new double[n * n], x = new double[n]();
    d = new int[n * n];
    for (int i = 0; i < n * n; ++i) {
      a[i] = i / n == i % n ? 90 + i % 7 : i * 37 % 11, b[i] = i % 17 * 0.25, c[i] = i % 5;
      d[i] = i / n == i % n ? 0 : 1 + i * 7919 % 1009;
    }
    for (int k = 0; k < n; k += n / 7 + 1) paths(n, k);
    paths(n, n - 1), print("paths", n);
    scaled(n), print("scaled", n);
    for (int k = 0; k < n; k += n / 9 + 1) eliminate(n, k);
    print("eliminate", n);
    rank(n, 0.5, 1.25), print("rank", n);
    chosen(n, n / 3), print("chosen", n);
    reread(n, n / 2), print("reread", n);
    narrowed(n, (1L << 32) + n / 2), print("narrowed", n);
    upper(n), print("upper", n);
    kept(n), print("kept", n);
    delete[] a;
    delete[] b;
    delete[] c;
    delete[] d;
    delete[] x;
  }
}
