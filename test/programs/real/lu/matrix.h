// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATRIX_H
#define MATRIX_H
void fill_matrix(int n, double a[n][n]);
void copy_matrix(int n, double from[n][n], double to[n][n]);
double residual(int n, double a[n][n], const double *x, const double *b);
#endif
