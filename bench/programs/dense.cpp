// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One loop of eight, again and again, whose iterations share what they read or walk along rows: a convolution with
// channels, the nearest of 64 centres, a product a * a', tridiagonal systems, softmax along rows (for -ffast-math),
// recurrences along rows, distances of all pairs, and the cheapest of all ways with one stop. Its rival is
// bench/rivals/dense_opencl.cpp. Usage: dense NAME [SIZE [STEPS]]; one step more, which is not timed, comes first.
#include "dense.h"

#include <cmath>

static void convolve(const float* in, const float* w, float* out, int n) {
  const int m = n + 2;
#pragma omp parallel for collapse(3)
  for (int o = 0; o < Channels; o++)
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++) {
        float sum = 0;
        for (int c = 0; c < Channels; c++)
          for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++)
              sum += in[(c * m + y + dy) * m + x + dx] * w[((o * Channels + c) * 3 + dy) * 3 + dx];
        out[(o * n + y) * n + x] = sum;
      }
}

void channels(const Run& run) {
  const int n = run.size, inputs = Channels * (n + 2) * (n + 2), weights = Channels * Channels * 9;
#pragma ompx managed(in, w, out)
  float *in = new float[inputs], *w = new float[weights], *out = new float[(size_t)Channels * n * n];
#pragma omp parallel for
  for (int i = 0; i < inputs; i++) in[i] = fraction(i);
#pragma omp parallel for
  for (int i = 0; i < weights; i++) w[i] = weight(i);
  timed(run, [=] { convolve(in, w, out, n); });
  printResult(run, out, (size_t)Channels * n * n * sizeof *out);
  delete[] in, delete[] w, delete[] out;
}

static void findNearest(const float* point, const float* centre, int* result, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float least = 1e30f;
    int best = 0;
    for (int c = 0; c < Centres; c++) {
      float square = 0;
      for (int d = 0; d < Dimensions; d++) {
        const float apart = point[i * Dimensions + d] - centre[c * Dimensions + d];
        square += apart * apart;
      }
      if (square < least) least = square, best = c;
    }
    result[i] = best;
  }
}

void nearest(const Run& run) {
  const int n = run.size;
#pragma ompx managed(point, centre)
  float *point = new float[(size_t)n * Dimensions], *centre = new float[Centres * Dimensions];
#pragma ompx managed(result)
  int* result = new int[n];
#pragma omp parallel for
  for (int i = 0; i < n * Dimensions; i++) point[i] = fraction(i);
#pragma omp parallel for
  for (int i = 0; i < Centres * Dimensions; i++) centre[i] = fraction(7 * i + 3);
  timed(run, [=] { findNearest(point, centre, result, n); });
  printResult(run, result, n * sizeof *result);
  delete[] point, delete[] centre, delete[] result;
}

static void multiplyTurned(const double* a, double* c, int n) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += a[i * n + k] * a[j * n + k];
      c[i * n + j] = sum;
    }
}

void gram(const Run& run) {
  const int n = run.size;
#pragma ompx managed(a, c)
  double *a = new double[(size_t)n * n], *c = new double[(size_t)n * n];
#pragma omp parallel for
  for (int i = 0; i < n * n; i++) a[i] = fraction(i);
  timed(run, [=] { multiplyTurned(a, c, n); });
  printResult(run, c, (size_t)n * n * sizeof *c);
  delete[] a, delete[] c;
}

static void solve(const double* lower, const double* middle, const double* upper, const double* right, double* ratio,
                  double* x, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const int at = i * m;
    ratio[at] = upper[at] / middle[at];
    x[at] = right[at] / middle[at];
    for (int k = 1; k < m; k++) {
      const double scale = 1 / (middle[at + k] - lower[at + k] * ratio[at + k - 1]);
      ratio[at + k] = upper[at + k] * scale;
      x[at + k] = (right[at + k] - lower[at + k] * x[at + k - 1]) * scale;
    }
    for (int k = m - 2; k >= 0; k--) x[at + k] -= ratio[at + k] * x[at + k + 1];
  }
}

void tridiagonal(const Run& run) {
  const int n = run.size, count = n * Equations;
#pragma ompx managed(lower, middle, upper)
  double *lower = new double[count], *middle = new double[count], *upper = new double[count];
#pragma ompx managed(right, ratio, x)
  double *right = new double[count], *ratio = new double[count], *x = new double[count];
#pragma omp parallel for
  for (int i = 0; i < count; i++)
    lower[i] = beside(i), middle[i] = diagonal(i), upper[i] = beside(i + 1), right[i] = fraction(i);
  timed(run, [=] { solve(lower, middle, upper, right, ratio, x, n, Equations); });
  printResult(run, x, (size_t)count * sizeof *x);
  delete[] lower, delete[] middle, delete[] upper, delete[] right, delete[] ratio, delete[] x;
}

static void normalise(const float* in, float* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float most = in[i * n];
    for (int j = 1; j < n; j++) most = in[i * n + j] > most ? in[i * n + j] : most;
    float sum = 0;
    for (int j = 0; j < n; j++) {
      out[i * n + j] = expf(in[i * n + j] - most);
      sum += out[i * n + j];
    }
    for (int j = 0; j < n; j++) out[i * n + j] /= sum;
  }
}

void softmax(const Run& run) {
  const int n = run.size;
#pragma ompx managed(in, out)
  float *in = new float[(size_t)n * n], *out = new float[(size_t)n * n];
#pragma omp parallel for
  for (int i = 0; i < n * n; i++) in[i] = 4 * fraction(i);
  timed(run, [=] { normalise(in, out, n); });
  printAbout(run, out, (size_t)n * n);
  delete[] in, delete[] out;
}

static void smooth(const float* in, float* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float state = 0;
    for (int k = 0; k < n; k++) {
      state = 0.75f * state + 0.25f * in[i * n + k];
      out[i * n + k] = state;
    }
  }
}

void recurrence(const Run& run) {
  const int n = run.size;
#pragma ompx managed(in, out)
  float *in = new float[(size_t)n * n], *out = new float[(size_t)n * n];
#pragma omp parallel for
  for (int i = 0; i < n * n; i++) in[i] = fraction(i);
  timed(run, [=] { smooth(in, out, n); });
  printResult(run, out, (size_t)n * n * sizeof *out);
  delete[] in, delete[] out;
}

static void measure(const float* point, float* distance, int n) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float square = 0;
      for (int d = 0; d < Dimensions; d++) {
        const float apart = point[i * Dimensions + d] - point[j * Dimensions + d];
        square += apart * apart;
      }
      distance[i * n + j] = sqrtf(square);
    }
}

void distances(const Run& run) {
  const int n = run.size;
#pragma ompx managed(point, distance)
  float *point = new float[(size_t)n * Dimensions], *distance = new float[(size_t)n * n];
#pragma omp parallel for
  for (int i = 0; i < n * Dimensions; i++) point[i] = fraction(i);
  timed(run, [=] { measure(point, distance, n); });
  printResult(run, distance, (size_t)n * n * sizeof *distance);
  delete[] point, delete[] distance;
}

static void findCheapest(const int* cost, int* least, int n) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int best = cost[i * n + j];
      for (int k = 0; k < n; k++) {
        const int way = cost[i * n + k] + cost[k * n + j];
        if (way < best) best = way;
      }
      least[i * n + j] = best;
    }
}

void cheapest(const Run& run) {
  const int n = run.size;
#pragma ompx managed(cost, least)
  int *cost = new int[(size_t)n * n], *least = new int[(size_t)n * n];
#pragma omp parallel for
  for (int i = 0; i < n * n; i++) cost[i] = (int)mixed(i);
  timed(run, [=] { findCheapest(cost, least, n); });
  printResult(run, least, (size_t)n * n * sizeof *least);
  delete[] cost, delete[] least;
}

int main(int argc, char** argv) { return runLoop(argc, argv, dense); }
