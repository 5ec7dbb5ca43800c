// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients on a generated sparse matrix: a mini-application of finite elements.
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include "sparse_matrix.h"
using namespace std;

int solve(SparseMatrix *A, const double *const b, double *const x, const int max_iter, const double tolerance, int &niters,
          double &normr)
{
  int nrow = A->local_nrow;
#pragma ompx managed(r)
  double *r = new double[nrow];
#pragma ompx managed(p)
  double *p = new double[nrow];
#pragma ompx managed(Ap)
  double *Ap = new double[nrow];
  normr = 0.0;
  double rtrans = 0.0;
  double oldrtrans = 0.0;

  // p is of length ncols, copy x to p for sparse MV operation
  waxpby(nrow, 1.0, x, 0.0, x, p);
  sparsemv(A, p, Ap);
  waxpby(nrow, 1.0, b, -1.0, Ap, r);
  ddot(nrow, r, r, &rtrans);
  normr = sqrt(rtrans);
  cout << "Initial Residual = " << normr << endl;

  for (int k = 1; k < max_iter && normr > tolerance; k++) {
    if (k == 1) {
      waxpby(nrow, 1.0, r, 0.0, r, p);
    } else {
      oldrtrans = rtrans;
      ddot(nrow, r, r, &rtrans);
      double beta = rtrans / oldrtrans;
      waxpby(nrow, 1.0, r, beta, p, p);
    }
    normr = sqrt(rtrans);
    if (k % 5 == 0) cout << "Iteration = " << k << "   Residual = " << normr << endl;

    sparsemv(A, p, Ap);
    double alpha = 0.0;
    ddot(nrow, p, Ap, &alpha);
    alpha = rtrans / alpha;
    waxpby(nrow, 1.0, x, alpha, p, x);
    waxpby(nrow, 1.0, r, -alpha, Ap, r);
    niters = k;
  }
  delete[] p;
  delete[] Ap;
  delete[] r;
  return (0);
}

int main(int argc, char *argv[])
{
  SparseMatrix *A;
  double *x, *b, *xexact;
  double normr = 0.0, residual = 0.0;
  int niters = 0;
  int nx = argc > 1 ? atoi(argv[1]) : 9, ny = argc > 2 ? atoi(argv[2]) : 11, nz = argc > 3 ? atoi(argv[3]) : 13;

  generate_matrix(nx, ny, nz, &A, &x, &b, &xexact);
  cout << setprecision(4) << scientific;
  solve(A, b, x, 30, 1e-20, niters, normr);
  compute_residual(A->local_nrow, x, xexact, &residual);
  cout << "Iterations: " << niters << endl;
  cout << (residual < 1e-8 ? "Difference between computed and exact is small" : "WRONG RESULT") << endl;
  destroyMatrix(A);
  delete[] x;
  delete[] xexact;
  delete[] b;
  return residual < 1e-8 ? 0 : 1;
}
