// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexes through temporaries, neighbours modulo, tiles, wavefronts, sorting networks, LU, shortest paths. The plain
// program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <algorithm>
#include "Inputs/wild_report.h"
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define TILE 8
int main() {
  int n = 45, m = 30, i, j, k, w;
  double tmp, s;
#pragma ompx managed(in)
  double* in = (double*)malloc(sizeof(double) * n * m);
#pragma ompx managed(out)
  double* out = (double*)malloc(sizeof(double) * n * m);
  fill(in, n * m);
  fill(out, n * m, 3);
#pragma omp parallel for private(j, k, w, tmp)
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++) {
      k = i * m + j;
      w = (j == 0) ? k : k - 1;
      tmp = in[k] + in[w];
      out[k] = tmp;
    }
  report("t", out, n * m);
#pragma omp parallel for
  for (i = 0; i < n * m; i++) out[i] = in[(i + 1) % (n * m)] + in[(i + n * m - 1) % (n * m)];
  report("mod", out, n * m);
#pragma omp parallel for private(i, j)
  for (int ii = 0; ii < n; ii += TILE)
    for (int jj = 0; jj < m; jj += TILE)
      for (i = ii; i < MIN(ii + TILE, n); i++)
        for (j = jj; j < std::min(jj + TILE, m); j++) out[i * m + j] = in[i * m + j] * MAX(i, j);
  report("tile", out, n * m);
  for (int d = 1; d < n + m - 1; d++) {
    int lo = MAX(1, d - m + 1), hi = MIN(n - 1, d - 1);
#pragma omp parallel for
    for (i = lo; i <= hi; i++) {
      int jj = d - i;
      out[i * m + jj] = MAX(out[(i - 1) * m + jj], out[i * m + jj - 1]) + in[i * m + jj] * 0.01;
    }
  }
  report("wave", out, n * m);
  s = 0;
#pragma omp parallel for reduction(+ : s) private(tmp)
  for (i = 0; i < n * m; i++) {
    tmp = (int)out[i];
    s += tmp;
  }
  printf("%g\n", s);
  for (int step = 1; step < n * m; step *= 2) {
#pragma omp parallel for
    for (i = 0; i < n * m; i++) out[i] = i >= step ? in[i] + in[i - step] : in[i];
    std::swap(in, out);
  }
  report("scan", in, n * m);
  // bitonic
  int N = 256;
#pragma ompx managed(b)
  int* b = new int[N];
  for (i = 0; i < N; i++) b[i] = (i * 7919) % 1009;
  for (k = 2; k <= N; k *= 2)
    for (j = k / 2; j > 0; j /= 2) {
#pragma omp parallel for
      for (i = 0; i < N; i++) {
        int l = i ^ j;
        if (l > i) {
          if (((i & k) == 0 && b[i] > b[l]) || ((i & k) != 0 && b[i] < b[l])) {
            int t = b[i];
            b[i] = b[l];
            b[l] = t;
          }
        }
      }
    }
  report("bit", b, N);
  // odd-even
  fill(b, N);
  for (int p = 0; p < N; p++) {
#pragma omp parallel for
    for (i = p % 2; i < N - 1; i += 2)
      if (b[i] > b[i + 1]) std::swap(b[i], b[i + 1]);
  }
  report("oe", b, N);
  // game of life wrap
  int W = 20, H = 16;
#pragma ompx managed(g, g2)
  unsigned char *g = new unsigned char[W * H], *g2 = new unsigned char[W * H];
  for (i = 0; i < W * H; i++) g[i] = (i * 7 % 11) < 4;
  for (int t = 0; t < 6; t++) {
#pragma omp parallel for collapse(2)
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++) {
        int c = 0;
        for (int dy = -1; dy <= 1; dy++)
          for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) c += g[((y + dy + H) % H) * W + (x + dx + W) % W];
        g2[y * W + x] = c == 3 || (c == 2 && g[y * W + x]);
      }
    unsigned char* t2 = g;
    g = g2;
    g2 = t2;
  }
  report("life", g, W * H);
  // lu
  int q = 20;
#pragma ompx managed(lu)
  double* lu = new double[q * q];
  for (i = 0; i < q * q; i++) lu[i] = (i % 7) + (i % (q + 1) == 0 ? 50 : 0);
  for (k = 0; k < q; k++) {
#pragma omp parallel for private(j)
    for (i = k + 1; i < q; i++) {
      lu[i * q + k] /= lu[k * q + k];
      for (j = k + 1; j < q; j++) lu[i * q + j] -= lu[i * q + k] * lu[k * q + j];
    }
  }
  report("lu", lu, q * q);
  // floyd
  for (i = 0; i < q * q; i++) lu[i] = (i * 31) % 53 + 1;
  for (k = 0; k < q; k++) {
#pragma omp parallel for
    for (int i = 0; i < q; i++)
      for (int j = 0; j < q; j++)
        if (lu[i * q + k] + lu[k * q + j] < lu[i * q + j]) lu[i * q + j] = lu[i * q + k] + lu[k * q + j];
  }
  report("floyd", lu, q * q);
  free(in);
  free(out);
  delete[] b;
  delete[] g;
  delete[] g2;
  delete[] lu;
}
