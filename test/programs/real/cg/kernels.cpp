// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrix times vector, dot product, vector update, residual.
#include <cmath>

#include "sparse_matrix.h"

int sparsemv(SparseMatrix *A, const double *const x, double *const y)
{
  const int nrow = (const int)A->local_nrow;

#pragma omp parallel for
  for (int i = 0; i < nrow; i++) {
    double sum = 0.0;
    const double *const cur_vals = A->list_of_vals + A->nnz_in_row[i];
    const int *const cur_inds = A->list_of_inds + A->nnz_in_row[i];
    const int cur_nnz = A->nnz_in_row[i + 1] - A->nnz_in_row[i];
    for (int j = 0; j < cur_nnz; j++) sum += cur_vals[j] * x[cur_inds[j]];
    y[i] = sum;
  }
  return (0);
}

int ddot(const int n, const double *const x, const double *const y, double *const result)
{
  double local_result = 0.0;
  if (y == x)
#pragma omp parallel for reduction(+ : local_result)
    for (int i = 0; i < n; i++) local_result += x[i] * x[i];
  else
#pragma omp parallel for reduction(+ : local_result)
    for (int i = 0; i < n; i++) local_result += x[i] * y[i];
  *result = local_result;
  return (0);
}

int waxpby(const int n, const double alpha, const double *const x, const double beta, const double *const y, double *const w)
{
  if (alpha == 1.0) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) w[i] = x[i] + beta * y[i];
  } else if (beta == 1.0) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) w[i] = alpha * x[i] + y[i];
  } else {
#pragma omp parallel for
    for (int i = 0; i < n; i++) w[i] = alpha * x[i] + beta * y[i];
  }
  return (0);
}

int compute_residual(const int n, const double *const v1, const double *const v2, double *const residual)
{
  double local_residual = 0.0;
#pragma omp parallel default(none) shared(local_residual, v1, v2) firstprivate(n)
  {
    double threadlocal_residual = 0.0;
#pragma omp for
    for (int i = 0; i < n; i++) {
      double diff = std::fabs(v1[i] - v2[i]);
      if (diff > threadlocal_residual) threadlocal_residual = diff;
    }
#pragma omp critical
    {
      if (threadlocal_residual > local_residual) local_residual = threadlocal_residual;
    }
  }
  *residual = local_residual;
  return (0);
}
