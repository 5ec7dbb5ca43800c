// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every arithmetic element type, and reductions over many of them. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include "Inputs/wild_report.h"
int main() {
  const int n = 203;
#pragma ompx managed(uc)
  unsigned char* uc = new unsigned char[n];
#pragma ompx managed(sc)
  signed char* sc = new signed char[n];
#pragma ompx managed(c)
  char* c = new char[n];
#pragma ompx managed(s)
  short* s = new short[n];
#pragma ompx managed(us)
  unsigned short* us = new unsigned short[n];
#pragma ompx managed(i4)
  int* i4 = new int[n];
#pragma ompx managed(u4)
  unsigned* u4 = new unsigned[n];
#pragma ompx managed(l)
  long* l = new long[n];
#pragma ompx managed(ul)
  unsigned long* ul = new unsigned long[n];
#pragma ompx managed(ll)
  long long* ll = new long long[n];
#pragma ompx managed(f)
  float* f = new float[n];
#pragma ompx managed(d)
  double* d = new double[n];
#pragma ompx managed(ld)
  long double* ld = new long double[n];
#pragma ompx managed(b)
  bool* b = new bool[n];
  fill(uc, n);
  fill(sc, n);
  fill(c, n);
  fill(s, n);
  fill(us, n);
  fill(i4, n);
  fill(u4, n);
  fill(l, n);
  fill(ul, n);
  fill(ll, n);
  fill(f, n);
  fill(d, n);
  fill(ld, n);
  for (int i = 0; i < n; i++) b[i] = i % 3 == 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    uc[i] = uc[i] * 3 + 1;
    sc[i] = (signed char)(sc[i] - 90);
    c[i] = c[i] / 2;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    s[i] *= -301;
    us[i] = ~us[i] >> 2;
    i4[i] = (i4[i] << 3) ^ i;
    u4[i] = u4[i] - 50u;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    l[i] = l[i] * 10000000019L;
    ul[i] = (ul[i] - 3) / 7;
    ll[i] = ll[i] % 13 - i;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    f[i] = f[i] / 3.0f + 0.1f * i;
    d[i] = d[i] / 3 + f[i];
    b[i] = !b[i] && d[i] > 10;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) ld[i] = ld[i] / 3 + d[i];
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    d[i] += uc[i] + sc[i] * c[i] + s[i] - us[i] + (double)ul[i] + b[i];
    i4[i] += b[i] ? 'a' : 'z';
  }
  report("uc", uc, n);
  report("sc", sc, n);
  report("c", c, n);
  report("s", s, n);
  report("us", us, n);
  report("i4", i4, n);
  report("u4", u4, n);
  report("l", l, n);
  report("ul", ul, n);
  report("ll", ll, n);
  report("f", f, n);
  report("d", d, n);
  report("ld", ld, n);
  report("b", b, n);
  long double sum = 0;
  double ds2 = 0;
  double ds = 0;
  int cnt = 0;
  bool any = false, all = true;
  unsigned char ucx = 0;
  short mn = 32000;
  long mx = -1000000;
  unsigned xo = 0, an = ~0u, orr = 0;
  float fm = 1e30f;
  unsigned long long prod = 1;
#pragma omp parallel for reduction(+ : ds2)
  for (int i = 0; i < n; i++) ds2 += ld[i] > 5 ? 1 : 0.5L;
#pragma omp parallel for reduction(+ : ds, cnt) reduction(|| : any) reduction(&& : all)
  for (int i = 0; i < n; i++) {
    ds += i4[i];
    cnt += b[i];
    any = any || i4[i] == 3;
    all = all && i4[i] > -1000;
  }
#pragma omp parallel for reduction(max : ucx, mx) reduction(min : mn, fm)
  for (int i = 0; i < n; i++) {
    if (uc[i] > ucx) ucx = uc[i];
    mx = mx < l[i] ? l[i] : mx;
    mn = s[i] < mn ? s[i] : mn;
    if (f[i] < fm) fm = f[i];
  }
#pragma omp parallel for reduction(^ : xo) reduction(& : an) reduction(| : orr) reduction(* : prod) reduction(- : cnt)
  for (int i = 0; i < n; i++) {
    xo ^= u4[i];
    an &= u4[i] | 0xf0;
    orr |= u4[i];
    prod *= (2 * ul[i] + 1);
    cnt -= 1;
  }
  printf("%Lg %g %d %d %d %d %ld %d %g %u %u %u %llu\n", sum, ds, cnt, any, all, ucx, mx, mn, fm, xo, an, orr, prod);
}
