// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI by its other names: PMPI_, as tools call it, and Fortran's, by which libraries written in Fortran do. Messages
// are larger than what Open MPI and MPICH copy before a call returns, and loops run meanwhile.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

// Fortran 77's interface: everything by its address, handles as integers (MPI 3.1, section 17.2).
extern "C" {
void mpi_isend_(const void*, int*, int*, int*, int*, int*, int*, int*);
void mpi_irecv_(void*, int*, int*, int*, int*, int*, int*, int*);
void mpi_waitall_(int*, int*, int*, int*);
void mpi_bcast_(void*, int*, int*, int*, int*, int*);
void mpi_reduce_(const void*, void*, int*, int*, int*, int*, int*, int*);
}

namespace {

constexpr int n = 40000, rows = 6;
int rank = 0, size = 1;

void fill(double* x, int seed) {
#pragma omp parallel for
  for (int i = 0; i < rows * n; ++i) x[i] = (i * 13L + seed * 101L) % 997;
}

void step(double* x) {
#pragma omp parallel for
  for (int i = n; i < (rows - 1) * n; ++i) x[i] = 0.5 * x[i] + i % 17;
}

void print(const char* what, const double* x) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < rows * n; ++i) sum += x[i] * (i % 61 + 1);
  sum *= rank + 1;
  double all = 0;
  PMPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%s %.6e\n", what, all);
}

void haloOfTools(double* x, int next, int before) {
  MPI_Request requests[4];
  PMPI_Irecv(x, n, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &requests[0]);
  PMPI_Irecv(x + (rows - 1) * n, n, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &requests[1]);
  PMPI_Isend(x + n, n, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, &requests[2]);
  PMPI_Isend(x + (rows - 2) * n, n, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[3]);
  PMPI_Waitall(2, &requests[2], MPI_STATUSES_IGNORE);
  step(x);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);  // the names may be mixed
}

void haloOfFortran(double* x, int next, int before) {
  int count = n, type = MPI_Type_c2f(MPI_DOUBLE), world = MPI_Comm_c2f(MPI_COMM_WORLD), error = 0;
  int requests[4], statuses[4 * 16], up = 1, down = 2, two = 2;
  mpi_irecv_(x, &count, &type, &before, &up, &world, &requests[0], &error);
  mpi_irecv_(x + (rows - 1) * n, &count, &type, &next, &down, &world, &requests[1], &error);
  mpi_isend_(x + n, &count, &type, &before, &down, &world, &requests[2], &error);
  mpi_isend_(x + (rows - 2) * n, &count, &type, &next, &up, &world, &requests[3], &error);
  mpi_waitall_(&two, &requests[2], statuses, &error);
  step(x);
  mpi_waitall_(&two, requests, statuses, &error);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
#pragma ompx managed(a, b)
  double* a = static_cast<double*>(std::malloc(rows * n * sizeof(double)));
  double* b = static_cast<double*>(std::malloc(rows * n * sizeof(double)));
  fill(a, rank);
  for (int s = 0; s < 3; ++s) {
    haloOfTools(a, next, before);
    print("PMPI", a);
    haloOfFortran(a, next, before);
    print("Fortran", a);
  }
  int all = rows * n, type = MPI_Type_c2f(MPI_DOUBLE), world = MPI_Comm_c2f(MPI_COMM_WORLD), root = size - 1, error = 0;
  int sum = MPI_Op_c2f(MPI_SUM);
  fill(b, 5);
  mpi_reduce_(a, b, &all, &type, &sum, &root, &world, &error);
  mpi_bcast_(b, &all, &type, &root, &world, &error);
  print("Reduce and Bcast", b);
  std::free(a);
  std::free(b);
  MPI_Finalize();
}
