// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solvers that step through time, on one device: what several steps at once are worth (MUSTER_FUSE=auto beside off,
// decisions 45 and 47). Lines as of the other programs, one for each solver. Usage: steps [SIZE [STEPS]].
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "report.h"

template <class T>
static void five(int n, const T* a, T* b) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      b[i * n + j] = (T)0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
}

static void nine(int n, const float* a, float* b) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j) {
      float s = 0;
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) s += a[(i + y) * n + j + x];
      b[i * n + j] = s * 0.111f;
    }
}

static void sourced(int n, const float* a, float* b, const float* source) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      b[i * n + j] = a[i * n + j] + 0.2f * (source[i * n + j] + a[(i - 1) * n + j] + a[(i + 1) * n + j] +
                                            a[i * n + j - 1] + a[i * n + j + 1] - 4 * a[i * n + j]);
}

struct Grid {
  int columns;
  float* data;
  float& operator()(int i, int j) { return data[i * columns + j]; }
};

static void ofClass(int n, Grid& a, Grid& b) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j) b(i, j) = 0.25f * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1));
}

template <class T>
static void copyBack(int n, T* a, const T* b) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j) a[i * n + j] = b[i * n + j];
}

// The median of three batches, each of so many calls of `step(a, b)`, after one of 30.
template <class T, class Step>
static void timed(const char* name, int n, int steps, double arrays, Step step) {
  const long count = (long)n * n;
#pragma ompx managed(a, b, source)
  T *a = (T*)malloc(sizeof(T) * count), *b = (T*)malloc(sizeof(T) * count), *source = (T*)malloc(sizeof(T) * count);
#pragma omp parallel for
  for (long i = 0; i < count; ++i) a[i] = i % 101, b[i] = i % 101, source[i] = i % 7;
  double seconds[3];
  for (int i = 0; i < 30; ++i) step(a, b, source);
  for (double& batch : seconds) {
    const double began = now();
    for (int i = 0; i < steps; ++i) step(a, b, source);
    batch = now() - began;
  }
  std::sort(seconds, seconds + 3);
  report(name, seconds[1], steps, arrays * sizeof(T) * count, checksum(a, sizeof(T) * std::min(count, 1L << 20)));
  free(a), free(b), free(source);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 16384;
  const int steps = argc > 2 ? atoi(argv[2]) : 420;
  timed<float>("five", n, steps, 2, [n](float*& a, float*& b, float*) { five(n, a, b), std::swap(a, b); });
  timed<double>("five-double", n, steps, 2, [n](double*& a, double*& b, double*) { five(n, a, b), std::swap(a, b); });
  timed<float>("nine", n, steps, 2, [n](float*& a, float*& b, float*) { nine(n, a, b), std::swap(a, b); });
  timed<float>("source", n, steps, 3,
               [n](float*& a, float*& b, float* source) { sourced(n, a, b, source), std::swap(a, b); });
  timed<float>("class", n, steps, 2, [n](float*& a, float*& b, float*) {
    Grid from{n, a}, to{n, b};
    ofClass(n, from, to), std::swap(a, b);
  });
  timed<float>("copy", n, steps, 4, [n](float*& a, float*& b, float*) { five(n, a, b), copyBack(n, a, b); });
  timed<double>("copy-double", n, steps, 4, [n](double*& a, double*& b, double*) { five(n, a, b), copyBack(n, a, b); });
  timed<float>("stencils", n, steps, 5,
               [n](float*& a, float*& b, float* source) { five(n, a, b), sourced(n, b, a, source); });
}
