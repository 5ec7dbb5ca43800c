// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SPARSE_MATRIX_H
#define SPARSE_MATRIX_H
#include <string>

struct SparseMatrix {
  std::string title;
  int local_nrow;
  int local_nnz;
  int *nnz_in_row;  // start of each row, local_nrow + 1 of them
  double *list_of_vals;
  int *list_of_inds;
};

void generate_matrix(int nx, int ny, int nz, SparseMatrix **A, double **x, double **b, double **xexact);
void destroyMatrix(SparseMatrix *&A);
int sparsemv(SparseMatrix *A, const double *const x, double *const y);
int ddot(const int n, const double *const x, const double *const y, double *const result);
int waxpby(const int n, const double alpha, const double *const x, const double beta, const double *const y, double *const w);
int solve(SparseMatrix *A, const double *const b, double *const x, const int max_iter, const double tolerance, int &niters,
          double &normr);
int compute_residual(const int n, const double *const v1, const double *const v2, double *const residual);
#endif
