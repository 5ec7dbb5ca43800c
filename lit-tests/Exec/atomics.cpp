// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `omp atomic` on elements of managed arrays, of every operator, type and form; the plain program is the oracle.
// Floating-point sums add multiples of 1/4, so that their order does not show.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_CACHE_DIR=%t.cache MUSTER_DEVICES=opencl %t.muster 2>&1 | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=opencl mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// All but the ordered ones run on all devices:
// RUN: env OMP_NUM_THREADS=1 MUSTER_INFO=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster 2>&1 | FileCheck --check-prefix=SPREAD %s
// SPREAD-COUNT-5: this loop runs on one device: {{.*}}: an update whose order counts runs on one device
// SPREAD-NOT: this loop runs
// CHECK-COUNT-19: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include <vector>

#include "Inputs/loop_report.h"

static const int n = 6000, bins = 37;
static long total = 5;

template <class T>
static T *filled(T *a, int count, T value) {
  for (int k = 0; k < count; ++k) a[k] = value;
  return a;
}

static void histogram(const int *key, int *count, long *wide, const unsigned *image, int rows, int columns) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    count[key[i]]++;
#pragma omp atomic update seq_cst
    ++wide[key[i]];
  }
  report("histogram", count, bins);
  report("histogram of longs", wide, bins);
#pragma omp parallel for
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
#pragma omp atomic relaxed
      count[image[i * columns + j] % bins] += 2;
    }
  report("histogram of an image", count, bins);
#pragma omp parallel for
  for (int i = 1; i < n; ++i) {
#pragma omp atomic
    count[i % bins] -= key[i - 1];
#pragma omp atomic
    count[key[i]]--;
  }
  report("difference", count, bins);
}

// Cloud in cell: each particle gives parts of its charge to two cells.
static void deposit(const float *position, float *charge, double *energy, int cells) {
#pragma omp parallel for
  for (int p = 0; p < n; ++p) {
    const int cell = (int)position[p];
    const float right = position[p] - cell;
#pragma omp atomic
    charge[cell] += 1 - right;
#pragma omp atomic
    charge[cell + 1] += right;
#pragma omp atomic
    energy[cell] = energy[cell] + right * right;
  }
  report("charge", charge, cells + 1);
  report("energy", energy, cells);
}

static void operators(const int *key, int *a, unsigned *u, long *l, float *f, double *d) {
  filled(a, bins, 0x7fff), filled(u, bins, 1u), filled(l, bins, 3l), filled(f, bins, 1.f), filled(d, bins, 2.0);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    a[key[i]] &= ~(1 << i % 9);
#pragma omp atomic
    u[key[i]] *= 2 * i + 1;
#pragma omp atomic
    l[key[i]] |= 1l << i % 60;
#pragma omp atomic
    d[key[i]] -= i * 0.25;
  }
  report("and", a, bins), report("mul", u, bins), report("or", l, bins), report("sub", d, bins);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    a[key[i]] = a[key[i]] ^ i;
#pragma omp atomic
    u[key[i]] = i + u[key[i]];
#pragma omp atomic
    l[key[i]] = (key[i] % 2 * 2 - 1) * l[key[i]];
#pragma omp atomic
    f[key[i]] *= i % 2 ? 2 : 0.5f;
  }
  report("xor", a, bins), report("sum on the right", u, bins), report("long product", l, bins);
  report("float product", f, bins);
}

static void extrema(const int *key, int *a, unsigned *u, long *l, float *f, double *d) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic compare
    if (a[key[i]] < i) a[key[i]] = i;
#pragma omp atomic compare
    if (u[key[i]] > (unsigned)i) { u[key[i]] = (unsigned)i; }
#pragma omp atomic compare
    l[key[i]] = l[key[i]] > i ? i : l[key[i]];
#pragma omp critical
    f[key[i]] = std::max(f[key[i]], i * 0.5f);
#pragma omp critical(lowest)
    if (i * -0.25 < d[key[i]]) d[key[i]] = i * -0.25;
  }
  report("maximum", a, bins), report("minimum", u, bins), report("long minimum", l, bins);
  report("float maximum", f, bins), report("double minimum", d, bins);
}

static void small(const int *key, char *c, unsigned char *u, short *s, bool *b) {
  filled(c, bins, 'a'), filled<unsigned char>(u, bins, 200), filled<short>(s, bins, -5), filled(b, bins, false);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    c[key[i]] += i;
#pragma omp atomic
    u[i % bins] ^= key[i];
#pragma omp atomic
    s[key[i]] *= 3;
#pragma omp atomic
    b[key[i]] |= i > 5990;
  }
  report("char", c, bins), report("unsigned char", u, bins), report("short", s, bins), report("bool", b, bins);
}

// Ordered: values of before or after, and operators that do not commute.
static void captured(const int *key, int *next, int *slot, float *f, int *seen) {
  filled(next, bins, 0), filled(f, bins, 1.f);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int place;
#pragma omp atomic capture
    place = next[key[i]]++;
    slot[key[i] * n + place] = 1;
  }
  report("tickets", next, bins), report("slots", slot, bins * n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int after, before;
#pragma omp atomic capture
    {
      next[key[i]] -= 1;
      after = next[key[i]];
    }
#pragma omp atomic capture
    {
      before = next[key[i]];
      next[key[i]] = next[key[i]] + 1;
    }
    seen[i] = after < before + 6000 && before >= 0;
  }
  report("given back", next, bins), report("seen", seen, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int old;
#pragma omp atomic capture
    {
      old = seen[i % 50];
      seen[i % 50] = 7;
    }
    slot[i] = old == 7 || old == 1 || old == 0;
  }
  report("exchanged", seen, 50), report("exchanges", slot, n);
#pragma omp parallel for
  for (int i = 0; i < 20; ++i) {
#pragma omp atomic
    f[i % 5] /= 2;
#pragma omp atomic
    next[i % 5] = 1 - next[i % 5];
#pragma omp atomic
    slot[i % 5] <<= 1;
  }
  report("quotient", f, bins), report("difference on the right", next, bins), report("shift", slot, 5);
#pragma omp parallel for
  for (int i = 0; i < 40; ++i) {
#pragma omp atomic
    next[i % 5] += 2.5;
  }
  report("sum of another type", next, bins);
}

static void readsAndWrites(const int *key, int *flag, int *copy, double *d) {
  filled(flag, bins, 0);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic write
    flag[key[i]] = key[i] + 1;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int value;
#pragma omp atomic read seq_cst
    value = flag[key[i]];
    copy[i] = value;
    double more;
#pragma omp atomic read
    more = d[i % bins];
    copy[i] += more > 100;
  }
  report("written", flag, bins), report("read", copy, n);
}

static void add(long *sums, int k, long value) {
#pragma omp atomic
  sums[k] += value;
}

static void places(const int *key, long *sums, std::vector<int> &v, int (*square)[8]) {
  filled(sums, bins, 0l);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) add(sums, key[i], i);
  report("in a function", sums, bins);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    v[key[i]] += i;
#pragma omp atomic
    square[i % 4][key[i] % 8]++;
    long *mine = &sums[i % bins];
#pragma omp atomic
    *mine += 2;
    int local = 0;
#pragma omp atomic
    local += i;
    if (local < 0) {
#pragma omp atomic
      v[0]++;
    }
  }
  report("vector", v.data(), bins), report("two dimensions", &square[0][0], 32), report("pointer", sums, bins);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    sums[i / 200] += i;
  }
  report("neighbours", sums, bins);
}

// Variables that all iterations only update are reductions.
static void variables(const int *key, const double *w) {
  int count = 0, least = 100, greatest = -1;
  double sum = 0.5;
  unsigned bits = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (key[i] > 3) {
#pragma omp atomic
      count++;
    }
#pragma omp atomic
    total += key[i];
#pragma omp critical
    sum += w[i];
#pragma omp atomic
    bits |= 1u << key[i] % 32;
#pragma omp critical(other)
    {
      if (key[i] < least) least = key[i];
    }
#pragma omp atomic compare
    greatest = greatest < key[i] ? key[i] : greatest;
  }
  report("count", count), report("total", total), report("sum", sum), report("bits", bits);
  report("least", least), report("greatest", greatest);
}

int main() {
#pragma ompx managed(key, count, slot, copy)
  int *key = new int[n], *count = new int[bins](), *slot = new int[bins * n](), *copy = new int[n]();
#pragma ompx managed(wide)
  long *wide = new long[bins]();
#pragma ompx managed(image)
  unsigned *image = new unsigned[50 * 80];
#pragma ompx managed(position, charge)
  float *position = new float[n], *charge = new float[101]();
#pragma ompx managed(energy, d, w)
  double *energy = new double[100](), *d = new double[bins](), *w = new double[n];
#pragma ompx managed(u)
  unsigned *u = new unsigned[bins]();
#pragma ompx managed(f)
  float *f = new float[bins]();
#pragma ompx managed(c)
  char *c = new char[bins];
#pragma ompx managed(uc)
  unsigned char *uc = new unsigned char[bins];
#pragma ompx managed(s)
  short *s = new short[bins];
#pragma ompx managed(b)
  bool *b = new bool[bins];
#pragma ompx managed(v)
  std::vector<int> v(bins);
#pragma ompx managed(square)
  int(*square)[8] = new int[4][8]();
  for (int i = 0; i < n; ++i) key[i] = i * 7919l % bins, w[i] = i % 13 * 0.25, position[i] = i * 31 % 400 * 0.25f;
  for (int i = 0; i < 50 * 80; ++i) image[i] = i * 2654435761u >> 7;
  histogram(key, count, wide, image, 50, 80);
  deposit(position, charge, energy, 100);
  operators(key, count, u, wide, f, d);
  extrema(key, count, u, wide, f, d);
  small(key, c, uc, s, b);
  captured(key, count, slot, f, copy);
  readsAndWrites(key, count, copy, d);
  places(key, wide, v, square);
  variables(key, w);
}
