// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One loop of nine, again and again: sums along rows, a step of a lattice, a median, a transposition, gray levels, a
// filter, particles, iteration counts, a sparse matrix. Its rival is bench/rivals/kinds_opencl.cpp. Only the particles
// have another state after each step. Usage: kinds NAME [SIZE [STEPS]]; one step more, which is not timed, comes first.
#include "kinds.h"

#include <cmath>

static void sumRows(const float* a, const float* x, float* y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[i * n + k] * x[k];
    y[i] = sum;
  }
}

void rows(const Run& run) {
  const int n = run.size;
#pragma ompx managed(a, x, y)
  float *a = new float[(size_t)n * n], *x = new float[n], *y = new float[n];
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    x[i] = fraction(i);
    for (int k = 0; k < n; k++) a[i * n + k] = fraction((size_t)i * n + k + 1);
  }
  timed(run, [=] { sumRows(a, x, y, n); });
  printResult(run, y, n * sizeof *y);
  delete[] a, delete[] x, delete[] y;
}

static void relaxLattice(const double* f, double* g, int n) {
  static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
#pragma omp parallel for
  for (int y = 1; y < n - 1; y++)
    for (int x = 1; x < n - 1; x++) {
      double q[9], rho = 0, ux = 0, uy = 0;
      for (int k = 0; k < 9; k++) {
        q[k] = f[(k * n + y - cy[k]) * n + x - cx[k]];
        rho += q[k], ux += cx[k] * q[k], uy += cy[k] * q[k];
      }
      ux /= rho, uy /= rho;
      const double energy = 1.5 * (ux * ux + uy * uy);
      for (int k = 0; k < 9; k++) {
        const double along = 3 * (cx[k] * ux + cy[k] * uy);
        const double rest = latticeWeight(k) * rho * (1 + along + 0.5 * along * along - energy);
        g[(k * n + y) * n + x] = q[k] - 0.6 * (q[k] - rest);
      }
    }
}

void lattice(const Run& run) {
  const int n = run.size;
#pragma ompx managed(f, g)
  double *f = new double[(size_t)9 * n * n], *g = new double[(size_t)9 * n * n];
#pragma omp parallel for
  for (int i = 0; i < 9 * n * n; i++) f[i] = latticeWeight(i / (n * n)) * (1 + 0.125 * fraction(i)), g[i] = 0;
  timed(run, [=] { relaxLattice(f, g, n); });
  printResult(run, g, (size_t)9 * n * n * sizeof *g);
  delete[] f, delete[] g;
}

static inline void order(unsigned char& a, unsigned char& b) {
  const unsigned char least = a < b ? a : b, most = a < b ? b : a;
  a = least, b = most;
}

static void filterMedian(const unsigned char* in, unsigned char* out, int n) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      unsigned char v[9];
      for (int k = 0; k < 9; k++) v[k] = in[(i + k / 3 - 1) * n + j + k % 3 - 1];
      order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]), order(v[0], v[1]), order(v[3], v[4]);
      order(v[6], v[7]), order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]), order(v[0], v[3]);
      order(v[5], v[8]), order(v[4], v[7]), order(v[3], v[6]), order(v[1], v[4]), order(v[2], v[5]);
      order(v[4], v[7]), order(v[4], v[2]), order(v[6], v[4]), order(v[4], v[2]);
      out[i * n + j] = v[4];
    }
}

void median(const Run& run) {
  const int n = run.size;
  const size_t bytes = wholeWords((size_t)n * n);
#pragma ompx managed(in, out)
  unsigned char *in = new unsigned char[bytes], *out = new unsigned char[bytes];
#pragma omp parallel for
  for (size_t i = 0; i < bytes; i++) in[i] = (unsigned char)mixed(i), out[i] = 0;
  timed(run, [=] { filterMedian(in, out, n); });
  printResult(run, out, bytes);
  delete[] in, delete[] out;
}

static void turn(const float* a, float* b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) b[j * n + i] = a[i * n + j];
}

void transpose(const Run& run) {
  const int n = run.size;
#pragma ompx managed(a, b)
  float *a = new float[(size_t)n * n], *b = new float[(size_t)n * n];
#pragma omp parallel for
  for (int i = 0; i < n * n; i++) a[i] = fraction(i);
  timed(run, [=] { turn(a, b, n); });
  printResult(run, b, (size_t)n * n * sizeof *b);
  delete[] a, delete[] b;
}

static void toGray(const unsigned char* rgb, unsigned char* level, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    level[i] = (unsigned char)((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8);
}

void gray(const Run& run) {
  const int n = run.size;
  const size_t bytes = wholeWords(n);
#pragma ompx managed(rgb, level)
  unsigned char *rgb = new unsigned char[3 * bytes], *level = new unsigned char[bytes];
#pragma omp parallel for
  for (size_t i = 0; i < 3 * bytes; i++) rgb[i] = (unsigned char)mixed(i);
#pragma omp parallel for
  for (size_t i = 0; i < bytes; i++) level[i] = 0;
  timed(run, [=] { toGray(rgb, level, n); });
  printResult(run, level, bytes);
  delete[] rgb, delete[] level;
}

static void filter(const float* x, float* y, int n) {
  static const float tap[17] = {-0.01f, -0.02f, -0.03f, -0.02f, 0.01f,  0.06f,  0.12f,  0.17f, 0.19f,
                                0.17f,  0.12f,  0.06f,  0.01f,  -0.02f, -0.03f, -0.02f, -0.01f};
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = 0; k < 17; k++) sum += tap[k] * x[i + k];
    y[i] = sum;
  }
}

void fir(const Run& run) {
  const int n = run.size;
#pragma ompx managed(x, y)
  float *x = new float[(size_t)n + 16], *y = new float[n];
#pragma omp parallel for
  for (int i = 0; i < n + 16; i++) x[i] = fraction(i);
  timed(run, [=] { filter(x, y, n); });
  printResult(run, y, n * sizeof *y);
  delete[] x, delete[] y;
}

static void push(Particle* p, int n) {
  const float dt = 0.01f;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float x = p[i].x, y = p[i].y, z = p[i].z, charge = p[i].q / p[i].m;
    const float square = x * x + y * y + z * z + 0.25f, pull = 1.0f / (square * sqrtf(square));
    const float vx = p[i].vx + dt * (charge * p[i].vy - pull * x);
    const float vy = p[i].vy - dt * (charge * p[i].vx + pull * y);
    const float vz = p[i].vz - dt * (pull * z);
    p[i].vx = vx, p[i].vy = vy, p[i].vz = vz;
    p[i].x = x + dt * vx, p[i].y = y + dt * vy, p[i].z = z + dt * vz;
  }
}

void particles(const Run& run) {
  const int n = run.size;
#pragma ompx managed(p)
  Particle* p = new Particle[n];
#pragma omp parallel for
  for (int i = 0; i < n; i++) p[i] = particle(i);
  timed(run, [=] { push(p, n); });
  printResult(run, p, n * sizeof *p);
  delete[] p;
}

static void iterate(int* count, int n, double step) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double cx = -2.2 + j * step, cy = -1.5 + i * step;
      double zx = 0, zy = 0;
      int k = 0;
      while (k < 256 && zx * zx + zy * zy <= 4) {
        const double next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        k++;
      }
      count[i * n + j] = k;
    }
}

void mandelbrot(const Run& run) {
  const int n = run.size;
#pragma ompx managed(count)
  int* count = new int[(size_t)n * n];
  timed(run, [=] { iterate(count, n, 3.0 / n); });
  printResult(run, count, (size_t)n * n * sizeof *count);
  delete[] count;
}

static void multiply(const int* start, const int* column, const double* value, const double* x, double* y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

void sparse(const Run& run) {
  const int n = run.size, edge = edgeOf(n);
#pragma ompx managed(start, column, value, x, y)
  int *start = new int[(size_t)n + 1], *column = new int[(size_t)27 * n];
  double *value = new double[(size_t)27 * n], *x = new double[n], *y = new double[n];
#pragma omp parallel for
  for (int i = 0; i <= n; i++) start[i] = 27 * i;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    x[i] = fraction(i);
    for (int k = 0; k < 27; k++) {
      column[27 * i + k] = neighbour(i, k, edge, n);
      value[27 * i + k] = fraction((size_t)27 * i + k + 1) - 0.5;
    }
  }
  timed(run, [=] { multiply(start, column, value, x, y, n); });
  printResult(run, y, n * sizeof *y);
  delete[] start, delete[] column, delete[] value, delete[] x, delete[] y;
}

int main(int argc, char** argv) { return runLoop(argc, argv, kinds); }
