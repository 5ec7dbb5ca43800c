// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How iterations become work-items: which dimension lies along axis 0, and whether a work-item runs 4 iterations.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=schedule %s | FileCheck %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks %s 2>&1 | FileCheck --check-prefix=REMARK %s
#include <cstdlib>

#pragma ompx managed(a)
double *a = new double[1 << 20];
#pragma ompx managed(b)
float *b = new float[1 << 20];

// CHECK-LABEL: schedule of muster_plain_
// CHECK-NEXT:    axes i
// CHECK-NEXT:    4 iterations a work-item along i, a work-group apart
void plain(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) b[i] *= 2;
}

#pragma ompx managed(c)
unsigned char *c = new unsigned char[1 << 20];
// CHECK-LABEL: schedule of muster_bytes_
// CHECK:         16 iterations a work-item along i, a work-group apart
void bytes(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) c[i] += b[i];
}

// CHECK-LABEL: schedule of muster_wide_
// CHECK:         one iteration a work-item: elements are wide
void wide(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] += b[i];
}

// CHECK-LABEL: schedule of muster_rows_
// CHECK-NEXT:    axes j i
// CHECK-NEXT:    4 iterations a work-item along i
void rows(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) b[i * n + j] *= 2;
}

// CHECK-LABEL: schedule of muster_columns_
// CHECK-NEXT:    axes i j: 3 of 3 accesses are adjacent along i, 0 along j
// CHECK-NEXT:    4 iterations a work-item along j
// REMARK: remark: loop is outlined as 'muster_columns_[[#]]' for all devices; work-items lie along 'i', where elements are adjacent
void columns(int n) {
#pragma omp parallel for
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++) b[j * n + i] = a[j * n + i] + a[j * n + i - 1];
}

// Loops inside an iteration that run seldom become a part of each of several rows.
// CHECK-LABEL: schedule of muster_known_
// CHECK-NEXT:    axes j i
// CHECK-NEXT:    8 iterations a work-item along i
// CHECK-NOT:     where loops
void known(int n) {
#pragma omp parallel for
  for (int i = 2; i < n - 2; i++)
    for (int j = 2; j < n - 2; j++) {
      float sum = 0;
      for (int k = -2; k <= 2; k++)
        for (int l = -2; l <= 2; l++) sum += (float)a[(i + k) * n + j + l];
      b[i * n + j] = sum;
    }
}

// Arguments of templates are constants.
// CHECK-LABEL: schedule of muster_templated_
// CHECK-NEXT:    axes j i
template <int R>
void templated(int n) {
#pragma omp parallel for
  for (int i = R; i < n - R; i++)
    for (int j = R; j < n - R; j++) b[i * n + j] = b[i * n + j] + (float)R;
}

// CHECK-LABEL: schedule of muster_atLaunch_
// CHECK-NEXT:    axes j i
// CHECK-NEXT:    2 iterations a work-item along i
// CHECK-NEXT:      where loops inside it run at most 100 times, built for the value of r
void atLaunch(int n, int r) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 1; k <= r; k++) sum += b[i * n + j + k];
      a[i * n + j] = sum;
    }
}

// Rows share what the loops inside them read, or not.
// CHECK-LABEL: schedule of muster_shared_
// CHECK:         4 iterations a work-item along i
void shared(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < 9; k++) a[i * n + j] += b[(i + k) * n + j];
}
// CHECK-LABEL: schedule of muster_apart_
// CHECK:         2 iterations a work-item along i
void apart(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < 9; k++) a[i * n + j] += b[(i * 9 + k) * n + j];
}
// CHECK-LABEL: schedule of muster_lattice_
// CHECK:         one iteration a work-item: the body is long, and its loops share nothing
void lattice(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double q[9], rho = 0, ux = 0, uy = 0;
      for (int k = 0; k < 9; k++) {
        q[k] = b[(k * n + i) * n + j] + 1;
        rho += q[k], ux += q[k] * (k % 3 - 1), uy += q[k] * (k / 3 - 1);
      }
      ux /= rho, uy /= rho;
      for (int k = 0; k < 9; k++) {
        const double along = 3 * ((k % 3 - 1) * ux + (k / 3 - 1) * uy), share = k == 4 ? 16 : k % 2 == 1 ? 4 : 1;
        const double rest = share / 36 * rho * (1 + along + 0.5 * along * along - 1.5 * (ux * ux + uy * uy));
        a[(k * n + i) * n + j] = q[k] + 0.6 * (rest - q[k]) + 0.1 * (q[k] - q[8 - k]) * (q[k] + q[8 - k]) / rho;
      }
    }
}

// CHECK-LABEL: schedule of muster_often_
// CHECK:         one iteration a work-item: loops of the body run often
void often(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < 101; k++) b[i * n + j] += (float)a[k];
}

// CHECK-LABEL: schedule of muster_unknown_
// CHECK:         one iteration a work-item: the body has a loop whose bounds are no launch constants
void unknown(int n, const int *last) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < last[i]; k++) b[i * n + j] += (float)a[k];
}

// CHECK-LABEL: schedule of muster_endless_
// CHECK:         one iteration a work-item: the body has a loop without a count
void endless(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      while (b[i * n + j] > 1) b[i * n + j] /= 2;
}

// The planes are further apart than a row is long, which the launch checks.
// CHECK-LABEL: schedule of muster_planes_
// CHECK-NEXT:    axes j i
void planes(int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double sum = 0;
      for (int k = 0; k < 9; k++) sum += b[k * n * m + i * m + j];
      for (int k = 0; k < 9; k++) a[k * n * m + i * m + j] = sum;
    }
}

void instance(int n) { templated<3>(n); }

// As long as neither has more, the innermost one lies along axis 0.
// CHECK-LABEL: schedule of muster_transposed_
// CHECK-NEXT:    axes j i
// REMARK: remark: loop is outlined as 'muster_transposed_[[#]]' for all devices [-Rmuster
void transposed(int n) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) b[j * n + i] = a[i * n + j];
}

// The others follow by their strides.
// CHECK-LABEL: schedule of muster_deep_
// CHECK-NEXT:    axes i k j: 1 of 1 accesses are adjacent along i, 0 along k
// CHECK-NEXT:    4 iterations a work-item along k
void deep(int n) {
#pragma omp parallel for collapse(3)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 10; j++)
      for (int k = 0; k < 10; k++) b[(j * 10 + k) * 64 + i] = i;
}

// CHECK-LABEL: schedule of muster_sums_
// CHECK:         one iteration a work-item: work-groups reduce
double sums(int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}

// CHECK-LABEL: schedule of muster_looping_
// CHECK:         one iteration a work-item: the body has loops
void looping(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 4; j++) b[i] += a[i + j];
}

static double power(double x, int n) {
  double y = 1;
  while (n-- > 0) y *= x;
  return y;
}
// CHECK-LABEL: schedule of muster_calling_
// CHECK:         one iteration a work-item: the body calls functions with loops
void calling(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = power(a[i], 5);
}

// CHECK-LABEL: schedule of muster_labelled_
// CHECK:         one iteration a work-item: the body has labels
void labelled(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) goto next;
    a[i] += 1;
  next:;
  }
}

#define TWELVE(x) x x x x x x x x x x x x
// CHECK-LABEL: schedule of muster_lengthy_
// CHECK:         one iteration a work-item: the body is long
void lengthy(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double s = a[i];
    TWELVE(s = s * 0.5 + 1; s = s * s - 2; s = s * s - 3;)
    a[i] = s;
  }
}

// Blocks of iterations: accesses along axis 0 are wide, or there are none.
// CHECK-LABEL: schedule of muster_pairs_
// CHECK:         blocks of 4 x 2 x 1 iterations a work-item where m can be divided by 4
void pairs(int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n; i++)
    for (int j = 0; j < m; j++) b[i * m + j] = b[i * m + j] * a[i * m + j];
}

// CHECK-LABEL: schedule of muster_chosen_
// CHECK:         no blocks of iterations: reads have no aligned neighbours, or depend on a condition
void chosen(int n, int m, bool flag) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) b[i * m + j] = flag ? a[i * m + j] : 0;
}

// CHECK-LABEL: schedule of muster_skipped_
// CHECK:         no blocks of iterations: the code has jumps, or definitions of helpers
void skipped(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (i % 3 == 0) continue;
    b[i] = 1;
  }
}

#pragma ompx managed(d)
float *d = new float[1 << 20];
// CHECK-LABEL: schedule of muster_sums_of_products_
// CHECK:         blocks of 4 x 4 x 1 iterations a work-item where n can be divided by 4
// CHECK-NEXT:    blocks of 8 x 4 x 1 iterations a work-item, a work-group apart
void sums_of_products(int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += (float)a[k * n + i] * b[k * n + j];
      d[i * n + j] = sum;
    }
}
