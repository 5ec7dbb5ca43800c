// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over the same iterations, one behind the other, on one device: what launches that become one are worth
// (MUSTER_FUSE=auto beside off, decision 48). Lines as of the other programs, one for each sequence; "short" means
// arrays of 100,000 elements. Usage: neighbours [COUNT [STEPS]].
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "report.h"

template <class T>
struct Arrays {
  T *x, *p, *r, *q;
};

// The updates of conjugate gradients, without the product.
static void gradients(long n, Arrays<double>& all) {
  double *x = all.x, *p = all.p, *r = all.r, *q = all.q;
  const double alpha = 1e-3;
  double rho = 0;
#pragma omp parallel for
  for (long i = 0; i < n; ++i) x[i] += alpha * p[i];
#pragma omp parallel for
  for (long i = 0; i < n; ++i) r[i] -= alpha * q[i];
#pragma omp parallel for reduction(+ : rho)
  for (long i = 0; i < n; ++i) rho += r[i] * r[i];
  // Sums differ in their last digits from run to run, where groups are as many as suit the launch.
  const double beta = rho > 0 ? 0.5 : 0.25;
#pragma omp parallel for
  for (long i = 0; i < n; ++i) p[i] = r[i] + beta * p[i];
}

// As in equations of state: each loop goes on with what the one before it left.
template <class T>
static void chain(long n, Arrays<T>& all) {
  T *x = all.x, *p = all.p, *r = all.r, *q = all.q;
#pragma omp parallel for
  for (long i = 0; i < n; ++i) r[i] = T(2.0 / 3.0) * (x[i] + 1);
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    p[i] = r[i] * q[i];
    if (std::fabs(p[i]) < T(1e-7)) p[i] = 0;
    if (p[i] < T(0.01)) p[i] = T(0.01);
  }
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    q[i] = q[i] - T(1e-3) * (p[i] - T(0.5));
    if (q[i] < -10) q[i] = -10;
  }
#pragma omp parallel for
  for (long i = 0; i < n; ++i) x[i] = x[i] * T(0.999) + T(1e-3) * q[i];
}

// BabelStream's loops.
template <class T>
static void stream(long n, Arrays<T>& all) {
  T *a = all.x, *b = all.p, *c = all.r;
#pragma omp parallel for
  for (long i = 0; i < n; ++i) c[i] = a[i];
#pragma omp parallel for
  for (long i = 0; i < n; ++i) b[i] = T(0.4) * c[i];
#pragma omp parallel for
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
#pragma omp parallel for
  for (long i = 0; i < n; ++i) a[i] = b[i] + T(0.4) * c[i];
}

// The median of three batches, each of so many calls of `step(n, arrays)`, after one of 60.
template <class T, class Step>
static void timed(const char* name, long n, int steps, double arrays, Step step) {
#pragma ompx managed(x, p, r, q)
  T *x = new T[n], *p = new T[n], *r = new T[n], *q = new T[n];
#pragma omp parallel for
  for (long i = 0; i < n; ++i) x[i] = i % 101 * T(0.01), p[i] = i % 7, r[i] = i % 5, q[i] = i % 3;
  Arrays<T> all{x, p, r, q};
  volatile double seen = 0;
  double seconds[3];
  for (int i = 0; i < 60; ++i) step(n, all);
  seen = x[0];
  for (double& batch : seconds) {
    const double began = now();
    for (int i = 0; i < steps; ++i) step(n, all);
    seen = seen + x[n - 1];
    batch = now() - began;
  }
  std::sort(seconds, seconds + 3);
  report(name, seconds[1], steps, arrays * sizeof(T) * n, checksum(x, sizeof(T) * n));
  delete[] x, delete[] p, delete[] r, delete[] q;
}

int main(int argc, char** argv) {
  const long n = argc > 1 ? atol(argv[1]) : 20000000, few = 100000;
  const int steps = argc > 2 ? atoi(argv[2]) : 100;
  timed<double>("gradients", n, steps, 10, gradients);
  timed<double>("chain", n, steps, 12, chain<double>);
  timed<double>("stream", n, steps, 10, stream<double>);
  timed<float>("chain-floats", n, steps, 12, chain<float>);
  timed<float>("stream-floats", n, steps, 10, stream<float>);
  timed<double>("gradients-short", few, 10 * steps, 10, gradients);
  timed<double>("chain-short", few, 10 * steps, 12, chain<double>);
  timed<double>("stream-short", few, 10 * steps, 10, stream<double>);
}
