// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What C23 brought, in loops and around them. The plain program is the oracle.
//
// RUN: %plain-c -std=c23 -w %s -o %t.plain -lm && %run %t.plain > %t.expected
// RUN: %cc-link -std=c23 -O1 -w -fplugin-arg-muster-remarks=none %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster | diff %t.expected -
// RUN: %cc -std=c23 -w -fsyntax-only %s 2>&1 | %filecheck %s
// CHECK-DAG: remark: loop 'muster_main_{{[0-9]+}}' runs on CPUs only: converts 'int' to 'unsigned _BitInt(12)'
// CHECK-DAG: remark: loop stays plain OpenMP on rank 0: uses 'q[i % 3]' through a pointer that the analysis cannot follow
#include <stdio.h>
#include <stdlib.h>
#include <stddef.h>
#define REPORT(a, n) do { double s = 0; for (int q = 0; q < (n); ++q) s += (q % 7 + 1) * (double)(a)[q]; printf("%d %.10g\n", __LINE__, s); } while (0)
constexpr int N = 1'021;
constexpr double scale = 0.25;
constexpr unsigned mask = 0b1010'1010u;
enum E : unsigned char { RED, GREEN = 3 };
[[nodiscard]] static double twice([[maybe_unused]] double x) { return 2 * x; }
static double *table = nullptr;
[[maybe_unused]] static void fill(double *a, int n) {
#pragma omp parallel for
  for (auto i = 0; i < n; ++i) a[i] = i * scale;
}
struct S { int k; double d; };
int main() {
#pragma ompx managed(a)
  double *a = malloc(N * sizeof(typeof(*a)));
#pragma ompx managed(b)
  auto b = (double *)malloc(N * sizeof(double));
#pragma ompx managed(s)
  struct S *s = calloc(N, sizeof *s);
#pragma ompx managed(table)
  table = malloc(N * sizeof *table);
  if (a == nullptr || b == nullptr) return 1;
  fill(a, N); REPORT(a, N);
  constexpr int shift = 3;
  bool seen = false;
#pragma omp parallel for reduction(|| : seen)
  for (int i = 0; i < N; ++i) { auto x = a[i]; typeof(x) y = x + shift; typeof_unqual(a[0]) w = y; b[i] = twice(w) + (i & mask); seen = seen || x > 100; }
  REPORT(b, N); printf("%d\n", seen);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) { struct S t = {}; t.k = i % 2 ? RED : GREEN; [[maybe_unused]] int unused = 2; const enum E e = GREEN; s[i] = t; s[i].d = e + 0x1p3 + 1'000.5; }
#pragma omp parallel for
  for (int i = 0; i < N; ++i) { switch (s[i].k) { case 0: a[i] = 1; [[fallthrough]]; case 3: a[i] += s[i].d; break; default: unreachable(); } }
  REPORT(a, N);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) { unsigned _BitInt(12) w = (unsigned _BitInt(12))i; w *= 3; b[i] = (double)(int)w; }
  REPORT(b, N);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) { table[i] = a[i] + b[i]; if (table[i] < 0) { table[i] = 0; label: } }
  REPORT(table, N);
  static constexpr double weights[] = {1, 2, 3};
#pragma omp parallel for
  for (int i = 0; i < N; ++i) { const double *q = nullptr; if (i > 3) q = weights; a[i] = q ? q[i % 3] : -1.0; }
  REPORT(a, N);
  free(a); free(b); free(s); free(table);
}
