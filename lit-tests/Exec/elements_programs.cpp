// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What arrays of structs and complex numbers are for: a lattice Boltzmann method with a struct for each cell, and the
// passes of a fast Fourier transform. The plain program is the oracle; results are equal bit for bit.
//
// RUN: %plain -O1 -w -ffp-contract=off %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -ffp-contract=off %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster \
// RUN: | diff %t.expected -
#include <complex>
#include <cstdio>
#include <utility>
#include <vector>

struct Cell {
  double f[9];
  char solid;
  double density() const {
    double sum = 0;
    for (int d = 0; d < 9; ++d) sum += f[d];
    return sum;
  }
};
static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const double weight[9] = {4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};

void collide(Cell &cell) {
  const double rho = cell.density();
  double ux = 0, uy = 0;
  for (int d = 0; d < 9; ++d) ux += cx[d] * cell.f[d], uy += cy[d] * cell.f[d];
  ux /= rho, uy /= rho;
  for (int d = 0; d < 9; ++d) {
    const double cu = cx[d] * ux + cy[d] * uy;
    const double equilibrium = weight[d] * rho * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * (ux * ux + uy * uy));
    cell.f[d] += 0.6 * (equilibrium - cell.f[d]);
  }
}

void boltzmann() {
  const int nx = 37, ny = 29;
#pragma ompx managed(cells)
  Cell *cells = new Cell[nx * ny];
#pragma ompx managed(next)
  Cell *next = new Cell[nx * ny];
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      Cell &cell = cells[y * nx + x];
      cell.solid = y == 0 || y == ny - 1 || (x > 8 && x < 12 && y > 10 && y < 17);
      for (int d = 0; d < 9; ++d) cell.f[d] = weight[d] * (1 + 0.01 * (x % 5) + 0.1 * cx[d]);
      next[y * nx + x] = cell;
    }
  for (int t = 0; t < 12; ++t) {
#pragma omp parallel for
    for (int i = 0; i < nx * ny; ++i)
      if (!cells[i].solid) collide(cells[i]);
#pragma omp parallel for
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        for (int d = 0; d < 9; ++d) {
          const int sx = (x - cx[d] + nx) % nx, sy = (y - cy[d] + ny) % ny;
          const Cell &source = cells[sy * nx + sx];
          next[y * nx + x].f[d] = source.solid ? cells[y * nx + x].f[opposite[d]] : source.f[d];
        }
    std::swap(cells, next);
  }
  for (int i = 0; i < nx * ny; i += 7) printf("%a %a %d\n", cells[i].density(), cells[i].f[5], cells[i].solid);
}

void fourier() {
  using Complex = std::complex<double>;
  const int n = 1024;
#pragma ompx managed(a)
  std::vector<Complex> a(n);
#pragma ompx managed(b)
  std::vector<Complex> b(n);
#pragma ompx managed(roots)
  Complex *roots = new Complex[n];
  for (int i = 0; i < n; ++i) {
    a[i] = Complex(i % 17 - 8, (i * 7) % 5);
    roots[i] = std::polar(1.0, -6.283185307179586 * i / n);
  }
  // Stockham's: every pass reads one array and writes the other.
  for (int half = n / 2, stride = 1; half >= 1; half /= 2, stride *= 2) {
#pragma omp parallel for
    for (int k = 0; k < n / 2; ++k) {
      const int p = k / stride, q = k % stride;
      const Complex left = a[q + stride * p], right = a[q + stride * (p + half)];
      b[q + stride * 2 * p] = left + right;
      b[q + stride * (2 * p + 1)] = (left - right) * roots[p * stride];
    }
#pragma omp parallel for
    for (int k = 0; k < n; ++k) a[k] = b[k];
  }
  for (int i = 0; i < n; i += 5) printf("%a %a\n", a[i].real(), a[i].imag());
}

int main() {
  boltzmann();
  fourier();
}
