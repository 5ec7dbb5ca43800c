// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that functions allocate, also in a unit that knows nothing of Muster; before main; in a region's single; again
// and again; several in one allocation. Each is distributed: MUSTER_INFO tells if one is not managed.
// RUN: %clang -std=c++20 -O1 -c %S/Inputs/storage_make.cpp -o %t.make.o
// RUN: %plain -w %s %t.make.o -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s %t.make.o -o %t && %run %t > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2>&1 | FileCheck --check-prefix=INFO %s
// INFO: early (
// INFO-NOT: does not point into a managed array
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

#define ALLOCATE(n) ((double *)malloc(sizeof(double) * (n)))
double *makeElsewhere(int n);
double *makeWithNew(int n);
void make2d(double **out, int n, int m);
template <class T> T *alloc(std::size_t n) { return (T *)malloc(n * sizeof(T)); }
static double *makeOrThrow(int n, bool fails) {
  double *made = (double *)malloc(n * sizeof(double));
  if (!fails) return made;
  free(made);
  throw std::runtime_error("no array");
}

#ifdef __MUSTER__
#pragma omp managed(early)
#endif
static double *early = (double *)malloc(97 * sizeof(double));
#ifdef __MUSTER__
#pragma omp managed(earlier)
#endif
static double *earlier = makeElsewhere(97);

static void fill(double *a, int n, double value) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = value + i;
}
static double sum(const double *a, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i) total += a[i];
  return total;
}

static void forms(int n) {
#ifdef __MUSTER__
#pragma omp managed(a, b, c, d, e)
#endif
  double *a = makeElsewhere(n), *b = alloc<double>(n), *c = makeWithNew(n), *d = ALLOCATE(n), *e = new double[3]{1, 2, 3};
#ifdef __MUSTER__
#pragma omp managed(f, g)
#endif
  double *f, *g = new (std::nothrow) double[n];
  make2d(&f, n, 3);
#ifdef __MUSTER__
#pragma omp managed(h)
#endif
  double *h;
  if (posix_memalign((void **)&h, 256, n * sizeof(double)) != 0) std::abort();
  std::printf("%g %d\n", sum(e, 3), static_cast<int>(reinterpret_cast<unsigned long>(h) % 256));
  fill(a, n, 1), fill(b, n, 2), fill(c, n, 3), fill(d, n, 4), fill(e, 3, 5), fill(f, 3 * n, 6), fill(g, n, 7), fill(h, n, 8);
  std::printf("%g %g %g %g %g %g %g %g\n", sum(a, n), sum(b, n), sum(c, n), sum(d, n), sum(e, 3), sum(f, 3 * n), sum(g, n), sum(h, n));
  a = static_cast<double *>(std::realloc(a, 2 * n * sizeof(double)));
  fill(a + n, n, 9);
  std::printf("%g\n", sum(a, 2 * n));
  free(a), free(b), free(d), free(f), free(h);
  delete[] c;
  delete[] e;
  delete[] g;
}

static void pool(int n) {
#ifdef __MUSTER__
#pragma omp managed(block)
#endif
  double *block = makeElsewhere(3 * n);
  double *x = block, *y = block + n, *z = y + n;
  fill(x, n, 1), fill(y, n, 2);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) z[i] = x[i] + 2 * y[n - 1 - i];
  std::printf("%g\n", sum(z, n));
  free(block);
}

static void inRegion(int n) {
  double *shared = nullptr;
#pragma omp parallel
  {
#pragma omp single
    {
#ifdef __MUSTER__
#pragma omp managed(shared)
#endif
      shared = makeElsewhere(n);
    }
#pragma omp for
    for (int i = 0; i < n; ++i) shared[i] = 2 * i;
  }
  std::printf("%g\n", sum(shared, n));
  free(shared);
}

int main() {
  fill(early, 97, 1);
  fill(earlier, 97, 2);
  std::printf("%g %g\n", sum(early, 97), sum(earlier, 97));
  forms(101);
  for (int t = 1; t < 20; ++t) pool(7 * t);
  inRegion(50);
  double *thrown = nullptr;
  for (int t = 0; t < 3; ++t) {
    try {
#ifdef __MUSTER__
#pragma omp managed(thrown)
#endif
      thrown = makeOrThrow(10, t < 2);
    } catch (const std::runtime_error &error) {
      std::printf("%s\n", error.what());
    }
  }
  fill(thrown, 10, 3);
  std::printf("%g\n", sum(thrown, 10));
  free(thrown);
}
