// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over tables that another file allocates (rows_passed.cpp).
void relax(double **v, double **u, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}

double largest(double *const *const u, int n, int m) {
  double most = 0;
#pragma omp parallel for reduction(max : most)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      if (u[i][j] > most) most = u[i][j];
  return most;
}
