// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A 27-point operator on an nx by ny by nz grid, made row by row.
#include <cassert>
#include <cstdlib>
#include <iostream>

#include "sparse_matrix.h"
using namespace std;

void generate_matrix(int nx, int ny, int nz, SparseMatrix **A, double **x, double **b, double **xexact)
{
  *A = new SparseMatrix; // Allocate matrix struct and fill it
  (*A)->title = "27-point";
  int local_nrow = nx * ny * nz;
  assert(local_nrow > 0);
  int local_nnz = 27 * local_nrow; // Approximately 27 nonzeros per row

  // Allocate arrays that are of length local_nrow
#pragma ompx managed((*A)->nnz_in_row)
  (*A)->nnz_in_row = new int[local_nrow + 1];
#pragma ompx managed(*x)
  *x = new double[local_nrow];
#pragma ompx managed(*b)
  *b = new double[local_nrow];
#pragma ompx managed(*xexact)
  *xexact = new double[local_nrow];
  // Allocate arrays that are of length local_nnz
#pragma ompx managed((*A)->list_of_vals)
  (*A)->list_of_vals = new double[local_nnz];
#pragma ompx managed((*A)->list_of_inds)
  (*A)->list_of_inds = new int[local_nnz];

  double *curvalptr = (*A)->list_of_vals;
  int *curindptr = (*A)->list_of_inds;
  int nnzglobal = 0;
  for (int iz = 0; iz < nz; iz++) {
    for (int iy = 0; iy < ny; iy++) {
      for (int ix = 0; ix < nx; ix++) {
        int curlocalrow = iz * nx * ny + iy * nx + ix;
        int nnzrow = 0;
        (*A)->nnz_in_row[curlocalrow] = nnzglobal;
        for (int sz = -1; sz <= 1; sz++) {
          for (int sy = -1; sy <= 1; sy++) {
            for (int sx = -1; sx <= 1; sx++) {
              int curcol = curlocalrow + sz * nx * ny + sy * nx + sx;
              if (iz + sz < 0 || iz + sz >= nz || iy + sy < 0 || iy + sy >= ny || ix + sx < 0 || ix + sx >= nx) continue;
              *curvalptr++ = curcol == curlocalrow ? 27.0 : -1.0;
              *curindptr++ = curcol;
              nnzrow++;
            }
          }
        }
        nnzglobal += nnzrow;
        (*x)[curlocalrow] = 0.0;
        (*b)[curlocalrow] = 27.0 - ((double)(nnzrow - 1));
        (*xexact)[curlocalrow] = 1.0;
      }
    }
  }
  (*A)->nnz_in_row[local_nrow] = nnzglobal;
  (*A)->local_nrow = local_nrow;
  (*A)->local_nnz = nnzglobal;
}

void destroyMatrix(SparseMatrix *&A)
{
  delete[] A->nnz_in_row;
  delete[] A->list_of_vals;
  delete[] A->list_of_inds;
  delete A;
  A = 0;
}
