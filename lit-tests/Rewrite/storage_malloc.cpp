// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C library's allocations, through any cast and with any qualification, and what releases them.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=none -fplugin-arg-muster-print=rewrite %s 2>&1 | %filecheck %s
#include <cstdlib>
#define COUNT 16
#define RELEASE(p) do { free(p); (p) = nullptr; } while (0)
// CHECK: #define RELEASE(p) do { muster_free(p); (p) = nullptr; } while (0)
using std::free;

template <class T> void release(T *pointer) {
  free(pointer);
  // CHECK: muster_free(pointer);
}

void f(int n) {
#pragma omp managed(a, b)
  double *a = (double *)malloc(COUNT * sizeof(double)), *b = static_cast<double *>(std::malloc(sizeof(double) * n));
  // CHECK: double *a = (double *)muster_array_malloc(&muster_site_a_[[@LINE-1]], COUNT * sizeof(double)), *b = static_cast<double *>(muster_array_malloc(&muster_site_b_[[@LINE-1]], sizeof(double) * n));
#pragma omp managed(c)
  float *c = reinterpret_cast<float *>(::calloc(n, sizeof *c));
  // CHECK: float *c = reinterpret_cast<float *>(muster_array_calloc(&muster_site_c_[[@LINE-1]], n, sizeof *c));
#pragma omp managed(d)
  int *d;
  d = (int *)std::aligned_alloc(64, 64 * n);
  // CHECK: d = (int *)muster_array_aligned_alloc(&muster_site_d_[[@LINE-1]], 64, 64 * n);
  if (!(d = (int *)malloc(n))) return;
  // CHECK: if (!(d = (int *)muster_array_malloc(&muster_site_d_[[@LINE-1]], n))) return;
  b = (double *)std::realloc(b, 8 * n);
  // CHECK: b = (double *)muster_realloc(b, 8 * n);
  std::free(a);
  // CHECK: muster_free(a);
  free(b);
  // CHECK: muster_free(b);
  ::free(c);
  // CHECK: muster_free(c);
  RELEASE(d);
  // CHECK: RELEASE(d);
  void (*how)(void *) = &free;
  // CHECK: void (*how)(void *) = &muster_free;
  how(nullptr);
}
struct Pool { void free(void *); };
void g(Pool &pool, double *p, double **rows) {
  pool.free(p);
  // CHECK: pool.free(p);
  delete[] p;
  // CHECK: (muster_release((void *)p) ? (void)0 : delete[] p);
  delete p;
  // CHECK: delete p;
  delete[] *rows;
  // CHECK: delete[] *rows;
}
