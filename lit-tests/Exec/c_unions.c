// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of unions, in objects outside of loops, in the body and as elements. The plain program is the oracle.
//
// RUN: %plain-c -std=gnu11 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -std=gnu11 -O1 -Wall -Werror %s -o %t.muster 2>&1 | %filecheck --allow-empty --check-prefix=SILENT %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster 2> %t.warnings | diff %t.expected - && not grep 'not build' %t.warnings
// SILENT-NOT: muster
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report(const char* name, const double* a, long n) {
  double sum = 0, weighted = 0;
  for (long i = 0; i < n; ++i) sum += a[i], weighted += a[i] * (double)(i % 7);
  printf("%s %.17g %.17g\n", name, sum, weighted);
}

typedef union {
  double d;
  long long i;
} num;
struct par {
  int kind;
  union {
    double rate;
    int count;
  } val;
  num z;
  union {
    struct {
      double x, y;
    };
    double xy[2];
  };
  double* a;
};
typedef union {
  float f;
  unsigned u;
} bits;
typedef union {
  struct {
    float x, y, z, w;
  };
  float v[4];
} vec4;
static void run(struct par* p, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) p->a[i] = i * p->val.rate;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) p->a[i] += p->z.d + p->x * p->y;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) p->a[i] += p->xy[1];
}
static void local(float* f, unsigned* o, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    bits b;
    b.f = f[i];
    o[i] = (b.u >> 23) & 0xff;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    union {
      float f;
      int i;
    } b = {f[i]};
    b.i = 0x5f3759df - (b.i >> 1);
    f[i] = b.f;
  }
}
static void elems(vec4* v, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    v[i].x = i;
    v[i].y = 2 * i;
    v[i].z = 1;
    v[i].w = 0;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 4; ++k) v[i].v[k] *= 2;
}
static num glob;
static void globals(double* a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] *= glob.d;
}
int main(void) {
  struct par p = {1, {.rate = 0.5}, {.d = 3}, {{1, 2}}, 0};
  glob.d = 1.5;
  int n = 300;
#pragma ompx managed(a)
  double* a = malloc(n * sizeof(double));
  p.a = a;
  run(&p, n);
  globals(a, n);
  report("a", a, n);
#pragma ompx managed(f)
  float* f = malloc(n * sizeof *f);
#pragma ompx managed(o)
  unsigned* o = malloc(n * sizeof *o);
  for (int i = 0; i < n; ++i) f[i] = i + 0.5f;
  local(f, o, n);
  double s = 0, t = 0;
  for (int i = 0; i < n; ++i) {
    s += f[i];
    t += o[i];
  }
  printf("%.17g %.17g\n", s, t);
#pragma ompx managed(v)
  vec4* v = malloc(n * sizeof *v);
  elems(v, n);
  s = 0;
  for (int i = 0; i < n; ++i) s += v[i].x + v[i].v[1] * 3 + v[i].z;
  printf("%.17g\n", s);
  free(a);
  free(f);
  free(o);
  free(v);
}
