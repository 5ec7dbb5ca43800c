// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C23 in and around loops, and _Generic of C11. The plain program is the oracle.
//
// RUN: %plain-c -std=c2x -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -std=c2x -pedantic -Wall -Wextra -Werror %s -o %t.c23 2>&1 \
// RUN:   | %filecheck --allow-empty --check-prefix=SILENT %s
// RUN: %run %t.c23 | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.c23 2> %t.warnings | diff %t.expected - && not grep 'not build' %t.warnings
// RUN: %run MUSTER_INFO=1 %t.c23 2>&1 | FileCheck --check-prefix=INFO %s
// INFO-DAG: u ({{.*}}c_modern.c:{{[0-9]+}}): 8.0 KiB of real
// INFO-DAG: b ({{.*}}c_modern.c:{{[0-9]+}}): {{.*}} of float
// INFO-NOT: does not point into a managed array
// SILENT-NOT: muster
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

constexpr int cells = 64;
constexpr double pi = 3.14159;
static constexpr double weights[3] = {0.25, 0.5, 0.25};
enum kind : unsigned char { EVEN, ODD = 7 };
typedef typeof(double) real;
typedef struct {
  size_t n;
  real *u;
  enum kind kind;
} field;
typedef struct {
  float x;
  enum kind kind;
} position;
#define ROOT(x) _Generic((x), float: sqrtf, default: sqrt)(x)

[[nodiscard]] static inline real square(real x) { return x * x; }
[[gnu::always_inline]] static inline bool is_odd(size_t i) { return (i & 1) == true; }

static void modern(size_t n, real *restrict a, const float b[static 1]) {
#pragma omp parallel for
  for (size_t i = 0; i < n; i++) {
    auto t = b[i] * pi;
    typeof(t) u = square(t);
    constexpr int three = 3;
    bool odd = is_odd(i);
    [[maybe_unused]] int unused = 0;
    enum kind k = odd ? ODD : EVEN;
    switch (k) {
      case EVEN:
        u += 1;
        [[fallthrough]];
      case ODD:
        u += three;
    }
    double *p = nullptr;
    p = a + i;
    *p += u + cells + 0b101 + 1'000 + weights[i % 3] + (odd == true);
    static_assert(three == 3);
    typeof_unqual(b[0]) v = ROOT(b[i]);
    int zeros[4] = {};
    position none = {};
    a[i] += (double)v + alignof(double) + zeros[i % 4] + ROOT(u) + none.x + none.kind;
  }
}
static void members(field *f) {
#pragma omp parallel for
  for (size_t i = 0; i < f->n; i++) f->u[i] = f->u[i] * 0.5 + f->kind;
}

int main() {
  constexpr size_t n = 1000;
  field f = {.n = n, .kind = ODD};
#pragma ompx alloc_start
#pragma ompx managed(f.u)
  f.u = aligned_alloc(64, (n + 24) * sizeof(*f.u));
#pragma ompx managed(b)
  auto b = (float *)aligned_alloc(alignof(max_align_t), n * sizeof(float));
#pragma ompx alloc_end
  if (f.u == nullptr || b == nullptr) return 1;
  memset(f.u, 0, n * sizeof *f.u);
  for (size_t i = 0; i < n; i++) b[i] = (float)(i % 19);
  modern(n, f.u, b);
  members(&f);
  double sum = 0, weighted = 0;
  for (size_t i = 0; i < n; i++) sum += f.u[i], weighted += f.u[i] * (double)(i % 7);
  printf("%.17g %.17g\n", sum, weighted);
  free(f.u);
  free(b);
}
