// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of two and more dimensions: static, local, pointers to rows, arrays of row pointers. The plain program is the
// oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <cmath>
#include <utility>
#include "Inputs/wild_report.h"
enum { R = 24, C = 18 };
#pragma ompx managed(A, B)
double A[R][C], B[R][C];
#pragma ompx managed(G)
static float G[4][R][C];
static void smooth(double (*dst)[C], const double (*src)[C], int r) {
#pragma omp parallel for
  for (int i = 1; i < r - 1; i++)
    for (int j = 1; j < C - 1; j++) dst[i][j] = 0.25 * (src[i - 1][j] + src[i + 1][j] + src[i][j - 1] + src[i][j + 1]);
}
static double total(const double m[][C], int r) {
  double s = 0;
#pragma omp parallel for reduction(+ : s) collapse(2)
  for (int i = 0; i < r; i++)
    for (int j = 0; j < C; j++) s += std::floor(m[i][j]);
  return s;
}
static void vlaish(int n, int m, double* raw) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double* row = raw + (size_t)i * m;
    for (int j = 0; j < m; j++) row[j] += i - j;
  }
}
static double* counterArray() {
#pragma ompx managed(st)
  static double st[64];
#pragma omp parallel for
  for (int i = 0; i < 64; i++) st[i] += i;
  return st;
}
static double local(int n) {
#pragma ompx managed(loc)
  double loc[30][10];
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 30; i++)
    for (int j = 0; j < 10; j++) loc[i][j] = i * n + j;
  double s = 0;
  for (auto& row : loc)
    for (double x : row) s += x;
  return s;
}
int main() {
#pragma omp parallel for
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++) A[i][j] = i * 3 + j % 4;
  memcpy(B, A, sizeof A);
  for (int t = 0; t < 3; t++) {
    smooth(B, A, R);
    smooth(A, B, R);
  }
  report("A", &A[0][0], R * C);
  printf("%g %g\n", total(A, R), total(B, R / 2));
  double(*p)[C] = A, (*q)[C] = B;
  for (int t = 0; t < 3; t++) {
#pragma omp parallel for collapse(2)
    for (int i = 0; i < R; i++)
      for (int j = 0; j < C; j++) q[i][j] = p[i][j] + p[R - 1 - i][j];
    std::swap(p, q);
  }
  report("A", &A[0][0], R * C);
  report("B", *B, R * C);
  vlaish(R, C, &A[0][0]);
  vlaish(R * C / 4, 4, (double*)B);
  report("A", A[0], R * C);
  report("B", B[0], R * C);
#pragma omp parallel for collapse(3)
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < R; i++)
      for (int j = 0; j < C; j++) G[k][i][j] = k + i * 0.5f + j;
#pragma omp parallel for
  for (int i = 0; i < R; i++)
    for (int k = 1; k < 4; k++)
      for (int j = 0; j < C; j++) G[k][i][j] += G[k - 1][i][j];
#pragma omp parallel for
  for (int j = 0; j < C; j++)
    for (int i = 1; i < R; i++) G[2][i][j] += G[2][i - 1][j];
  report("G", &G[0][0][0], 4 * R * C);
  counterArray();
  double* st = counterArray();
  report("st", st, 64);
  printf("%g %g\n", local(2), local(3));
#pragma ompx managed(rows)
  double(*rows)[8] = new double[20][8];
#pragma omp parallel for
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 8; j++) rows[i][j] = i * j;
  report("rows", *rows, 160);
  delete[] rows;
#pragma ompx managed(block)
  double* block = (double*)malloc(R * C * sizeof(double));
  double** pp = (double**)malloc(R * sizeof *pp);
  for (int i = 0; i < R; i++) pp[i] = block + i * C;
#pragma omp parallel for
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++) pp[i][j] = A[i][j] * 2;
  report("pp", block, R * C);
#pragma omp parallel for
  for (int i = 0; i < R * C; i++) block[i] += 1;
  printf("%g\n", pp[3][4]);
  free(pp);
  free(block);
}
