// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements, structs, functions and types inside of bodies. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <algorithm>
#include <cmath>
#include "Inputs/wild_report.h"
struct V3 {
  double x, y, z;
  V3 operator+(const V3& o) const { return {x + o.x, y + o.y, z + o.z}; }
  double dot(const V3& o) const { return x * o.x + y * o.y + z * o.z; }
};
static int collatz(long k) {
  int s = 0;
  while (k != 1) {
    k = k & 1 ? 3 * k + 1 : k / 2;
    s++;
  }
  return s;
}
static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
static void minmax(const float* p, int n, float& lo, float* hi) {
  lo = p[0];
  *hi = p[0];
  for (int i = 1; i < n; i++) {
    lo = std::min(lo, p[i]);
    *hi = std::max(*hi, p[i]);
  }
}
enum Color { R, G = 5, B };
int main() {
  const int n = 300;
#pragma ompx managed(a)
  float* a = new float[n];
#pragma ompx managed(o)
  float* o = new float[n];
#pragma ompx managed(it)
  int* it = new int[n];
  fill(a, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float win[9];
    int c = 0;
    for (int d = -4; d <= 4; d++) {
      int k = i + d;
      if (k < 0 || k >= n) continue;
      win[c++] = a[k];
    }
    for (int p = 0; p < c; p++)
      for (int q = p + 1; q < c; q++)
        if (win[q] < win[p]) {
          float t = win[p];
          win[p] = win[q];
          win[q] = t;
        }
    o[i] = win[c / 2];
  }
  report("median", o, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double cr = -2 + i * 0.01, ci = 0.3, zr = 0, zi = 0;
    int k = 0;
    while (zr * zr + zi * zi < 4 && k < 100) {
      double t = zr * zr - zi * zi + cr;
      zi = 2 * zr * zi + ci;
      zr = t;
      ++k;
    }
    it[i] = k;
  }
  report("mandel", it, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    switch (it[i] % 5) {
      case 0:
        o[i] = 1;
        break;
      case 1:
        o[i] = 2; /* fallthrough */
      case 2:
        o[i] += 3;
        break;
      case 3: {
        int z = i;
        o[i] = z;
      } break;
      default:
        o[i] = -o[i];
    }
    int j = 0;
    do {
      if (j == 3) {
        j += 2;
        continue;
      }
      if (j > 7) break;
      o[i] += j;
      j++;
    } while (j < 10);
  }
  report("sw", o, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    V3 p{(double)i, 1, 2}, q = p + V3{1, 1, 1};
    V3 arr[2] = {p, q};
    o[i] = (float)(arr[0].dot(arr[1]));
    it[i] = collatz(i + 1);
  }
  report("v3", o, n);
  report("col", it, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) it[i] = fact(i % 10);
  report("fact", it, n);
#pragma omp parallel for
  for (int i = 0; i < n - 4; i++) {
    float lo, hi;
    minmax(a + i, 4, lo, &hi);
    o[i] = hi - lo;
  }
  report("mm", o, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    Color c = i % 2 ? G : B;
    constexpr float kk = 1.5f;
    const auto& r = a[i];
    auto& w = o[i];
    w = r * kk + c;
    w += (float)sizeof(V3);
    if (i == 7)
      w = std::sqrt(w);
    else if (i > 200) {
      w = std::fabs(-w);
      w = std::floor(w) + std::ceil(0.5f);
      w = std::fmod(w, 7.f);
    }
  }
  report("ref", o, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    static const int perm[4] = {3, 1, 0, 2};
    unsigned h = i * 2654435761u;
    h ^= h >> 16;
    h *= 0x85ebca6b;
    it[i] = (int)(h % 1000) + perm[i & 3];
  }
  report("hash", it, n);
  static int counterv = 5;
#pragma omp parallel for
  for (int i = 0; i < n; i++) it[i] += counterv, o[i] = (float)it[i] / 2;
  report("it", it, n);
  report("o", o, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    union {
      float f;
      unsigned u;
    } c;
    c.f = a[i];
    it[i] = (int)(c.u >> 20);
  }
  report("un", it, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int x = i, y = 36;
    while (y) {
      int t = x % y;
      x = y;
      y = t;
    }
    it[i] = x;
    if (x == 1) continue;
    it[i] = -x;
  }
  report("gcd", it, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    long double q = a[i];
    q /= 3;
    o[i] = (float)q;
  }
  report("ld", o, n);
}
