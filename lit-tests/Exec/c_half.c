// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// _Float16 and __fp16 in C, where an assignment is a value. The plain program is the oracle.
//
// RUN: %plain-c -std=c11 -w %s -lm -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -w -std=c11 -O1 -lm -fplugin-arg-muster-remarks=missed %s -o %t.muster 2>&1 \
// RUN:   | FileCheck --allow-empty --implicit-check-not=remark: %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Float16 gain = 1.3f16;
static const _Float16 steps[3] = {0.1f16, -0.f16, 1e-7};

typedef struct {
  _Float16 at[2];
  char tag;
} item;

static _Float16 twice(_Float16 x) { return x + x; }

static void show(const char *what, const _Float16 *a, int n) {
  unsigned long sum = 0;
  for (int i = 0; i < n; i++) {
    unsigned short bits;
    memcpy(&bits, &a[i], 2);
    sum = sum * 31 + ((bits & 0x7fff) > 0x7c00 ? 1 : bits);
  }
  printf("%s %lx %g %g\n", what, sum, (double)a[0], (double)a[n - 1]);
}

int main(void) {
  const int n = 5003;
#pragma ompx managed(a)
  _Float16 *a = malloc(n * sizeof *a);
#pragma ompx managed(b)
  _Float16 *b = malloc(n * sizeof *b);
#pragma ompx managed(s)
  __fp16 *s = malloc(n * sizeof *s);
#pragma ompx managed(items)
  item *items = malloc(n * sizeof *items);
  for (int i = 0; i < n; i++) a[i] = i * 0.37f - 500, b[i] = 1.0 / (i + 1), s[i] = i * 0.01f;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    _Float16 x, y;
    x = y = a[i] * b[i] + gain;
    x += y *= 2;
    y = (x -= 1) * b[i];
    const _Float16 z = --y;
    if (y = z - x) x++;
    for (x = y; x < 3 && x > 0; x *= 1.5f) y = -y;
    items[i] = (item){{x, y}, i};
    s[i] += x;
    s[i] = (s[i] -= 1) + (_Float16){0.5f16};
    a[i] = x ? twice(x) * steps[i % 3] : sqrt(fabs(y));
    b[i] = !y + (x > y) + sqrtf(fabsf(x)) + s[i];
  }
  show("a", a, n), show("b", b, n);
  for (int i = 0; i < n; i++) a[i] = items[i].at[0] + items[i].tag, b[i] = items[i].at[1] + s[i];
  show("x", a, n), show("y", b, n);
  gain = -0.7f16;
#pragma omp parallel for
  for (int i = 1; i < n; i++) b[i] = a[i - 1] + a[i] * gain;
  show("gain", b, n);
  free(a), free(b), free(s), free(items);
  return 0;
}
