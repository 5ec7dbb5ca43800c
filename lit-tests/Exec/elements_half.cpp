// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements, members, variables and functions of _Float16 and __fp16. The plain program is the oracle, bit for bit.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=plan -fplugin-arg-muster-remarks=missed %s -o %t.muster 2>&1 \
// RUN:   | FileCheck --allow-empty --implicit-check-not='native only' --implicit-check-not='step back' --implicit-check-not=remark: %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 mpirun --allow-run-as-root --oversubscribe \
// RUN:   -n 3 %t.muster | diff %t.expected -
// All loops have device code, and none stays plain OpenMP.
// CHECK: kernel
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

typedef _Float16 H;

// The bits of a NaN say nothing, and differ between devices.
static unsigned long bitsOf(H x) {
  unsigned short bits;
  memcpy(&bits, &x, 2);
  return (bits & 0x7fff) > 0x7c00 ? 0x7e00 : bits;
}
static unsigned long bitsOf(float x) {
  unsigned bits;
  memcpy(&bits, &x, 4);
  return x != x ? 1 : bits;
}
static unsigned long bitsOf(double x) {
  unsigned long bits;
  memcpy(&bits, &x, 8);
  return x != x ? 1 : bits;
}
static unsigned long bitsOf(long x) { return x; }
static unsigned long bitsOf(int x) { return x; }

// A sum that tells where the elements are, and some of them.
template <class T>
static void show(const char *what, const T *a, int n) {
  unsigned long sum = 0;
  for (int i = 0; i < n; i++) sum = sum * 1099511628211ul + bitsOf(a[i]);
  printf("%-12s %016lx", what, sum);
  for (int i = 0; i < n; i += n / 6) printf(" %lx", bitsOf(a[i]));
  printf("\n");
}

struct Cell {
  H weight;
  short id;
  H at[3];
  double heavy;
};

static H halved(H x) { return x / 2; }
static H scale(H x, H factor = (H)1.5) { return x * factor + x; }
static void grow(H &x) { x += (H)0.25; }
constexpr H third(H x) { return x / (H)3 + (H)0.1 * x - (H)7; }
static const H table[4] = {(H)0.1, (H)-65504, (H)6e-8, (H)1e9f};
constexpr H limit = (H)1000.3;

int main() {
  const int n = 65536;
#pragma ompx managed(a)
  H *a = new H[n];
#pragma ompx managed(b)
  std::vector<H> b(n);
#pragma ompx managed(c)
  static H c[65536];
#pragma ompx managed(f)
  float *f = new float[n];
#pragma ompx managed(d)
  double *d = new double[n];
#pragma ompx managed(l)
  long *l = new long[n];
#pragma ompx managed(s)
  __fp16 *s = new __fp16[n];

  // Every half, as a number.
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const uint16_t bits = i;
    H h;
    memcpy(&h, &bits, 2);
    a[i] = h;
    f[i] = h;
    d[i] = h;
  }
  show("a", a, n), show("f", f, n), show("d", d, n);

  // Ties, their neighbours, and what is too large or too small.
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float x = a[i], y = i + 1 < n ? (float)a[i + 1] : x;
    const float middle = (x + y) / 2;
    b[i] = middle;
    c[i] = nextafterf(middle, i % 2 ? INFINITY : -INFINITY);
    s[i] = nextafterf(middle, i % 2 ? -INFINITY : INFINITY);
  }
  show("ties", b.data(), n), show("near", c, n);
  for (int i = 0; i < n; i++) f[i] = s[i];
  show("fp16", f, n);

  // Doubles that become a tie if they are rounded to float first.
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double x = a[i], y = i + 1 < n ? (double)a[i + 1] : x, middle = (x + y) / 2;
    c[i] = middle * (1 + (i % 3 - 1) * 1e-12);
    b[i] = (H)(middle + (i % 3 - 1) * 1e-40);
    s[i] = middle * (1 + (i % 3 - 1) * 1e-14);
  }
  show("double", c, n), show("tiny", b.data(), n);
  for (int i = 0; i < n; i++) f[i] = s[i];
  show("fp16", f, n);

  // Integers.
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = i * 3 - 70000;
    b[i] = (long)i << (i % 47);
    c[i] = (uint8_t)i;
    c[i] += i;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) l[i] = (long)a[i % 20000 + 10000] + (short)c[i % 2000] + (b[i] != 0) + !c[i];
  show("int", a, n), show("long", b.data(), n), show("byte", c, n), show("back", l, n);

  for (int i = 0; i < n; i++) {
    a[i] = (H)((i * 37 % 2001 - 1000) * 0.013f), b[i] = (H)((i * 91 % 4001 - 2000) * 0.7f), c[i] = (H)(i % 1000 * 1e-5f);
    f[i] = i * 0.37f - 5000;
  }

  // What is rounded where, in expressions of several operations.
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const H x = a[i], y = b[i], z = c[i];
    H h = x * y + z;
    h += x * z - y;
    h *= 1.1f;
    h -= 0.3;
    h /= (H)3;
    h++;
    --h;
    const H before = h++;
    H t;
    const H chained = (t = x + y) * z;
    l[i] = (x + y < z) + 2 * (x * y == y * x) + 4 * (-(x + y) * z > z) + 8 * bool(x * z);
    int k = i;
    k += y;
    k -= x * z;
    int m = i;
    m = m + y;
    l[i] += k * 16 + m * 1000l;
    f[i] = x + y * z;
    d[i] = x * y - z + before + chained + t;
    s[i] += x;
    s[i]++;
    b[i] = i % 2 ? h + x : -(h - y) / z;
  }
  show("mixed", b.data(), n), show("values", l, n), show("float", f, n), show("double", d, n);
  for (int i = 0; i < n; i++) f[i] = s[i];
  show("fp16", f, n);

  // Functions, references, pointers, local arrays, constants, the library.
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    H x = a[i], local[4] = {x, (H)0.5, table[i % 4]};
    grow(x);
    grow(local[1]);
    H *p = &local[i % 4], &q = local[(i + 1) % 4];
    *p += scale(x) + scale(q, halved(x));
    std::swap(*p, q);
    auto g = [&](H v) { return v * x + limit; };
    const H most = std::max(local[0], local[1]), least = std::min({local[2], x, q});
    c[i] = third(x) + third((H)4) + sqrtf(fabsf(x)) + g(most) + std::clamp(least, (H)-1, (H)1);
    c[i] += (float)sin(x) + fmax(x, q) + std::pow((float)x, 2.f) + __builtin_isnan(x) + copysign(1.0, x);
    a[i] = local[0] + local[1] * local[2] - local[3] + H(1) + H{x} - H();
  }
  show("functions", c, n), show("locals", a, n);

  // Structs, a constant of the loop's surroundings, firstprivate, lastprivate.
#pragma ompx managed(cells)
  Cell *cells = new Cell[1000]();
  const H bias = (H)0.1;
  H first = (H)2.5, last = 0, outer = b[77];
  Cell pattern = {(H)1.25, 7, {1, 2, 3}, 0.5};
#pragma omp parallel for firstprivate(first) lastprivate(last)
  for (int i = 0; i < 1000; i++) {
    Cell &cell = cells[i];
    const Cell old = {a[i], (short)i, {b[i], (H)i, first}, (double)outer};
    cell = old;
    cell.at[i % 3] += cell.weight * bias + outer + pattern.at[i % 3];
    cell.weight -= pattern.weight;
    last = cell.at[1] * cell.at[2];
  }
  for (int i = 0; i < 1000; i++) a[i] = cells[i].weight, b[i] = cells[i].at[0], c[i] = cells[i].at[1], d[i] = cells[i].heavy;
  show("weight", a, 1000), show("at0", b.data(), 1000), show("at1", c, 1000), show("heavy", d, 1000);
  printf("last %lx\n", bitsOf(last));

  // Arrays without a directive, a stencil over the halo of an odd number of elements, two dimensions.
  std::vector<H> plain(1001);
  H coefficients[5] = {(H)0.1, (H)0.2, (H)0.4, (H)0.2, (H)0.1};
  for (int i = 0; i < 1001; i++) plain[i] = (H)(i * 0.01f);
#pragma omp parallel for
  for (int i = 2; i < 999; i++) {
    H sum = 0;
    for (int k = 0; k < 5; k++) sum += coefficients[k] * plain[i + k - 2];
    a[i] = sum;
  }
  for (int t = 0; t < 3; t++) {
#pragma omp parallel for
    for (int i = 1; i < 1000; i++) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
#pragma omp parallel for
    for (int i = 1; i < 1000; i++) a[i] = b[i];
  }
  show("stencil", a, 1001);

  // Scattered writes, which are merged by element; sums of halves in double.
  double sum = 0;
  float largest = 0;
#pragma omp parallel for
  for (int i = 0; i < 1000; i++) c[(i * 7) % 1000] = (H)i;
#pragma omp parallel for reduction(+ : sum) reduction(max : largest)
  for (int i = 0; i < 1000; i++) {
    sum += (int)c[i];
    largest = std::max<float>(largest, b[i]);
  }
  show("scatter", c, 1000);
  printf("%a %a\n", sum, largest);
}
