// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that scatter, count and accumulate as people write them; the plain program is the oracle. Floating-point
// values are multiples of small powers of two, so that the order of sums does not show.
//
// RUN: %plain -O2 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_CACHE_DIR=%t.cache MUSTER_DEVICES=opencl %t.muster 2>&1 | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl MUSTER_CHECK=races mpirun --allow-run-as-root --oversubscribe -n 2 %t.muster | diff %t.expected -
// CHECK-COUNT-15: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include <algorithm>
#include <vector>

#include "Inputs/loop_report.h"

#pragma ompx managed(levels)
static int levels[256];
static long hits = 3;

static unsigned mix(unsigned x) {
  x = (x ^ x >> 15) * 2246822519u;
  return x ^ x >> 13;
}

// A global histogram, its cumulative sums on the host, and the image mapped through them.
static void equalise(unsigned char *image, int width, int height) {
#pragma omp parallel for collapse(2)
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
#pragma omp atomic update
      ++levels[image[y * width + x]];
    }
  report("levels", levels, 256);
  for (int k = 1; k < 256; ++k) levels[k] += levels[k - 1];
#pragma omp parallel for
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image[y * width + x] = (unsigned char)(255l * levels[image[y * width + x]] / (width * height));
  report("equalised", image, width * height);
}

static inline void give(float &cell, float part) {
#pragma omp atomic
  cell += part;
}

// Bilinear deposit of particles on a grid, then a step of them.
static void particles(float *x, float *y, const float *charge, float *grid, int count, int n) {
  for (int step = 0; step < 3; ++step) {
#pragma omp parallel for
    for (int k = 0; k < n * n; ++k) grid[k] = 0;
#pragma omp parallel for default(none) shared(x, y, charge, grid, count, n) schedule(static)
    for (int p = 0; p < count; ++p) {
      const int i = (int)y[p], j = (int)x[p];
      const float fy = y[p] - i, fx = x[p] - j;
      give(grid[i * n + j], charge[p] * (1 - fy) * (1 - fx));
      give(grid[i * n + j + 1], charge[p] * (1 - fy) * fx);
      give(grid[(i + 1) * n + j], charge[p] * fy * (1 - fx));
      give(grid[(i + 1) * n + j + 1], charge[p] * fy * fx);
    }
    report("grid", grid, n * n);
    float lost = 0;
#pragma omp parallel for
    for (int p = 0; p < count; ++p) {
      x[p] += 0.5f;
      if (x[p] < n - 1) continue;
#pragma omp atomic
      lost += charge[p];
      x[p] -= n - 1;
    }
    report("lost", lost), report("x", x, count);
  }
}

static void graph(const int *from, const int *to, const double *weight, int edges, int nodes) {
  std::vector<int> degree(nodes);
  double *rank = new double[nodes], *next = new double[nodes]();
  std::fill(rank, rank + nodes, 4.0);
#pragma omp parallel for
  for (int e = 0; e < edges; e++) {
#pragma omp atomic
    degree[from[e]]++;
#pragma omp atomic
    degree[to[e]] += 1;
  }
  report("degree of an array that is not managed", degree);
#pragma omp parallel for reduction(+ : next[ : nodes])
  for (int e = 0; e < edges; e++) next[to[e]] += 0.5 * weight[e] * rank[from[e]];
  report("an array of the heap", next, nodes);
  delete[] rank;
  delete[] next;
}

static void transposedProduct(const int *rows, const int *columns, const double *values, const double *x, double *y,
                              int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = rows[i]; k < rows[i + 1]; k++) {
#pragma omp atomic
      y[columns[k]] += values[k] * x[i];
    }
  report("transposed product", y, n);
}

static void clusters(const double *points, int *owner, int n) {
  const int k = 5, dims = 3;
  double centre[k * dims], sum[k * dims];
  int size[k];
  for (int c = 0; c < k * dims; ++c) centre[c] = c * 2 % 16;
  for (int round = 0; round < 3; ++round) {
    int moved = 0;
    std::fill(sum, sum + k * dims, 0.0), std::fill(size, size + k, 0);
    const double *middle = centre;
#pragma omp parallel for reduction(+ : sum, size[0 : k], moved)
    for (int i = 0; i < n; ++i) {
      int best = 0;
      double least = 1e30;
      for (int c = 0; c < k; ++c) {
        double distance = 0;
        for (int d = 0; d < dims; ++d) {
          const double way = points[i * dims + d] - middle[c * dims + d];
          distance += way * way;
        }
        if (distance < least) least = distance, best = c;
      }
      moved += owner[i] != best;
      owner[i] = best;
      size[best]++;
      for (int d = 0; d < dims; ++d) sum[best * dims + d] += points[i * dims + d];
    }
    for (int c = 0; c < k * dims; ++c) centre[c] = size[c / dims] ? sum[c] / size[c / dims] : 0;
    report("moved", moved), report("size", size, k), report("centre", centre, k * dims);
  }
}

// Sorting by counting: the place within a bucket is a captured value.
static void buckets(const int *key, int *start, int *fill, int *sorted, int n, int count) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    start[key[i] + 1]++;
  }
  for (int k = 0; k < count; ++k) start[k + 1] += start[k];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int place;
#pragma omp atomic capture
    {
      place = fill[key[i]];
      fill[key[i]] += 1;
    }
    sorted[start[key[i]] + place] = key[i];
  }
  report("sorted", sorted, n);
}

static void columns(const float *a, int n, int m, float *low, float *high) {
  double sums[40];
  for (int j = 0; j < m; ++j) sums[j] = j, low[j] = 1e9f, high[j] = -1e9f;
#pragma omp parallel for reduction(+ : sums[ : m])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) sums[j] += a[i * m + j];
  report("column sums", sums, m);
#pragma omp parallel for simd reduction(min : low[0 : m]) reduction(max : high[0 : m])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      low[j] = std::min(low[j], a[i * m + j]);
      if (a[i * m + j] > high[j]) high[j] = a[i * m + j];
    }
  report("low", low, m), report("high", high, m);
#pragma omp parallel for
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) {
#pragma omp atomic
      low[j] += a[i * m + j];
    }
  report("own column", low, m);
}

static void darts(const unsigned *seed, int n, int &inside, unsigned char *state) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const unsigned x = mix(seed[i]) % 1024, y = mix(seed[i] + 1) % 1024;
    if (x * x + y * y < 1024 * 1024) {
#pragma omp atomic
      inside++;
#pragma omp critical
      hits += x;
    }
#pragma omp atomic
    state[x % 61] |= 1 << y % 8;
  }
  report("inside", inside), report("hits", hits), report("state", state, 61);
}

int main() {
  const int n = 3000, m = 40;
#pragma ompx managed(image, state)
  unsigned char *image = new unsigned char[70 * 50], *state = new unsigned char[61]();
#pragma ompx managed(x, y, charge, grid, low, high, table)
  float *x = new float[n], *y = new float[n], *charge = new float[n], *grid = new float[33 * 33], *low = new float[m],
        *high = new float[m], *table = new float[75 * m];
#pragma ompx managed(from, to, rows, cols, key, start, place, sorted, owner)
  int *from = new int[n], *to = new int[n], *rows = new int[501], *cols = new int[n], *key = new int[n],
      *start = new int[102](), *place = new int[101](), *sorted = new int[n], *owner = new int[n]();
#pragma ompx managed(weight, vector, product, points)
  double *weight = new double[n], *vector = new double[500], *product = new double[500](), *points = new double[3 * n];
#pragma ompx managed(seed)
  unsigned *seed = new unsigned[n];
  for (int i = 0; i < n; ++i) {
    x[i] = mix(i) % 128 * 0.25f, y[i] = mix(i + 9000) % 124 * 0.25f, charge[i] = 1 + i % 3;
    from[i] = mix(i) % 500, to[i] = mix(i * 3) % 500, weight[i] = i % 7 * 0.5, cols[i] = mix(i + 77) % 500;
    key[i] = mix(i) % 101, seed[i] = 2 * i;
    for (int d = 0; d < 3; ++d) points[3 * i + d] = mix(3 * i + d) % 64 * 0.25;
  }
  for (int i = 0; i < n; ++i) table[i] = (int)(mix(i) % 200) - 100;
  for (int i = 0; i < 500; ++i) rows[i] = 6 * i, vector[i] = i % 11;
  rows[500] = n;
  for (int i = 0; i < 70 * 50; ++i) image[i] = mix(i) % 97 + 20;
  int inside = 0;
  equalise(image, 70, 50);
  particles(x, y, charge, grid, n, 33);
  graph(from, to, weight, n, 500);
  transposedProduct(rows, cols, weight, vector, product, 500);
  clusters(points, owner, n);
  buckets(key, start, place, sorted, n, 101);
  columns(table, 75, m, low, high);
  darts(seed, n, inside, state);
}
