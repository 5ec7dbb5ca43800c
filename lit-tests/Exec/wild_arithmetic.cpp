// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer promotions, shifts, conversions, literals and rounding as in C++. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <climits>
#include <cstdint>
#include "Inputs/wild_report.h"
int main() {
  const int n = 256;
#pragma ompx managed(o)
  long* o = new long[n];
#pragma ompx managed(d)
  double* d = new double[n];
#pragma ompx managed(f)
  float* f = new float[n];
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    signed char c = (signed char)(i - 128);
    unsigned char u = i;
    short s = c * 255;
    o[i] = c / 3 + c % 5 + u / 3 + (u >> 1) + (c >> 1) + s + (u << 8) + ~u + -c + !c;
  }
  report("a", o, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    unsigned u = i;
    int k = -3;
    o[i] = (u > k) + (u + k) + ((long)u + k) + (uint16_t)(u - 300) + (int8_t)(u * 3);
  }
  report("b", o, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    bool b = i & 4;
    int k = b + b + !b;
    b += i;
    k += b << 3;
    o[i] = k + (b ? 1L << 40 : 7) + 'x' + (i > 3 && i < 9) + (i == 4 || b);
    bool c2 = 0.5 * i;
    o[i] += c2;
    b |= c2;
    o[i] += b ^ c2;
  }
  report("c", o, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    d[i] = (i - 128) / 7 + (i - 128) / 7.0 + (i - 128) % 7 + (float)(i * 0.1) + 1 / 3 + 1 / 3.f;
    f[i] = d[i];
    f[i] = f[i] * 1.1;
    f[i] += 0.1;
    o[i] = d[i] * 1000;
    o[i] += (unsigned char)(int)(f[i]);
  }
  report("d", d, n);
  report("f", f, n);
  report("o", o, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int x = i;
    o[i] = x++ + 2 * ++x;
    o[i] += x--;
    x <<= 2;
    x ^= 0x55;
    x |= 1;
    x &= ~2;
    x %= 37;
    o[i] = o[i] * 100 + x;
    unsigned long long z = 0xfedcba9876543210ULL;
    o[i] ^= z >> (i % 64);
    o[i] += i ? INT_MAX / i : INT_MIN;
    o[i] += (i, 3);
  }
  report("e", o, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    uint64_t s = i + 1;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    d[i] = (s >> 11) * (1.0 / 9007199254740992.0);
    uint32_t t = s;
    t = t * 1664525u + 1013904223u;
    f[i] = t / 4294967296.0f;
    o[i] = (int64_t)(t % 100) - 50;
    o[i] += 1e3;
    o[i] /= 3;
    o[i] *= 1.5;
  }
  report("d", d, n);
  report("f", f, n);
  report("o", o, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    char c = 'A' + i % 26;
    wchar_t w = L'\u00e9';
    char16_t h = u'x';
    o[i] = c + w + h + '\n' + '\'' + '\\' + 0b101 + 0777 + 1'000 + 0x1p3;
    d[i] = 1e-300 * i + .5 + 5. + 0x1.8p1f;
  }
  report("d", d, n);
  report("o", o, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double inf = 1.0 / 0.0, z = i * 0.0;
    d[i] = (inf > i) + (z == 0) + (inf - inf != inf - inf) + __builtin_fabs(-1.5 * i);
    f[i] = 1.0f / (i + 1) - i / 3.0f;
  }
  report("d", d, n);
  report("f", f, n);
}
