// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gather, scatter, histogram, sparse and dense products, option pricing, bodies, prefix sums. The plain program is the
// oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <algorithm>
#include <cmath>
#include <numeric>
#include "Inputs/wild_report.h"
static double cnd(double x) {
  double l = std::fabs(x), k = 1 / (1 + 0.2316419 * l);
  double w = 1 - 1 / sqrt(2 * M_PI) * (0.31938153 * k - 0.356563782 * k * k + 1.781477937 * std::pow(k, 3));
  return x < 0 ? 1 - w : w;
}
int main() {
  int n = 500;
#pragma ompx managed(v)
  std::vector<double> v(n);
#pragma ompx managed(idx)
  std::vector<int> idx(n);
#pragma ompx managed(out)
  std::vector<double> out(n);
  for (int i = 0; i < n; i++) {
    v[i] = (i * 37) % 101;
    idx[i] = (i * 91 + 7) % n;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) out[i] = v[idx[i]] * 2;
  report("gather", out.data(), n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) out[idx[i]] = v[i];
  report("scatter", out.data(), n);
#pragma ompx managed(hist)
  int* hist = new int[128]();
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    hist[(int)v[i]]++;
  }
  report("hist", hist, 128);
#pragma omp parallel for reduction(+ : hist[ : 128])
  for (int i = 0; i < n; i++) hist[(int)v[i]]++;
  report("hist2", hist, 128);
  // csr
  int rows = 64;
#pragma ompx managed(ptr)
  int* ptr = new int[rows + 1];
  ptr[0] = 0;
  for (int i = 0; i < rows; i++) ptr[i + 1] = ptr[i] + i % 5;
  int nnz = ptr[rows];
#pragma ompx managed(col)
  int* col = new int[nnz];
#pragma ompx managed(val)
  double* val = new double[nnz];
#pragma ompx managed(y)
  double* y = new double[rows];
  for (int i = 0; i < nnz; i++) {
    col[i] = (i * 13) % rows;
    val[i] = i * 0.5;
  }
#pragma omp parallel for
  for (int r = 0; r < rows; r++) {
    double sum = 0;
    for (int k = ptr[r]; k < ptr[r + 1]; k++) sum += val[k] * v[col[k]];
    y[r] = sum;
  }
  report("spmv", y, rows);
  // matmul
  const int m = 33;
#pragma ompx managed(A)
  double* A = new double[m * m];
#pragma ompx managed(B)
  double* B = new double[m * m];
#pragma ompx managed(C)
  double* C = new double[m * m];
  fill(A, m * m);
  fill(B, m * m, 2);
#pragma omp parallel for
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      C[i * m + j] = 0;
      for (int k = 0; k < m; k++) C[i * m + j] += A[i * m + k] * B[k * m + j];
    }
  report("mm1", C, m * m);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int k = 0; k < m; k++) s += A[i * m + k] * B[k * m + j];
      C[i * m + j] = s;
    }
  report("mm2", C, m * m);
#pragma omp parallel for
  for (int i = 0; i < m; i++)
    for (int k = 0; k < m; k++)
      for (int j = 0; j < m; j++) C[i * m + j] += A[i * m + k] * B[k * m + j];
  report("mm3", C, m * m);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double S = 10 + v[i], d1 = (log(S / 50) + 0.5) / 0.3;
    out[i] = floor(1e6 * (S * cnd(d1) - 50 * std::exp(-0.02) * cnd(d1 - 0.3)));
  }
  report("bs", out.data(), n);
  // nbody
#pragma ompx managed(px)
  float* px = new float[128];
#pragma ompx managed(vx)
  float* vx = new float[128];
  fill(px, 128);
  fill(vx, 128, 4);
  for (int t = 0; t < 3; t++) {
#pragma omp parallel for
    for (int i = 0; i < 128; i++) {
      float f = 0;
      for (int j = 0; j < 128; j++) {
        if (i == j) continue;
        float d = px[j] - px[i];
        f += d / (d * d + 1.0f);
      }
      vx[i] += 0.01f * f;
    }
#pragma omp parallel for
    for (int i = 0; i < 128; i++) px[i] += 0.01f * vx[i];
  }
  report("nbody", px, 128);
  std::partial_sum(out.begin(), out.end(), out.begin());
#pragma omp parallel for
  for (int i = n - 1; i > 0; i--) v[i] = out[i] - out[i - 1];
  std::sort(v.begin(), v.end());
  report("prefix", out.data(), n);
  report("diff", v.data(), n);
}
