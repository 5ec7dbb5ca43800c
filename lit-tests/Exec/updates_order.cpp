// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates of elements whose place or value changes something: C++ evaluates the value first, and the place once. The
// plain program is the oracle.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
#include <complex>
#include <cstdio>
#include <vector>

static int count(int* c, int i) { return ++c[i]; }

static void reductions() {
  const int n = 301;
#pragma ompx managed(tick)
  std::vector<int> tick(n);
#pragma ompx managed(w)
  std::vector<int> w(n * 16);
  int c[16] = {};
  auto out = [&](const char* s) {
    long t = 0;
    for (int i = 0; i < n; i++) t = t * 3 + tick[i];
    for (int i = 0; i < n * 16; i++) t = t * 3 + w[i];
    for (int i = 0; i < 16; i++) t = t * 3 + c[i];
    std::printf("%s %ld\n", s, t);
    for (int& x : c) x = 0;
    for (int& x : tick) x = 0;
    for (int& x : w) x = 0;
  };
#pragma omp parallel for
  for (int i = 0; i < n; i++) w[16 * i + (count(tick.data(), i) & 15)] += count(tick.data(), i);
  out("1");
#pragma omp parallel for reduction(+ : c)
  for (int i = 0; i < n; i++) c[count(tick.data(), i) & 15] += count(tick.data(), i);
  out("2");
#pragma omp parallel for reduction(+ : c)
  for (int i = 0; i < n; i++) {
    int k = i;
    auto f = [&] { return ++k & 15; };
    c[f()] += f();
  }
  out("3");
#pragma omp parallel for reduction(+ : c)
  for (int i = 0; i < n; i++) {
    c[count(tick.data(), i) & 15] += tick[i];
  }
  out("4");
#pragma omp parallel for reduction(+ : c)
  for (int i = 0; i < n; i++) {
    c[tick[i] & 15] += count(tick.data(), i);
  }
  out("5");
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    w[count(tick.data(), i) & 15] += count(tick.data(), i);
  }
  out("6");
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    w[tick[i] & 15] += count(tick.data(), i);
  }
  out("7");
#pragma omp parallel for reduction(+ : c)
  for (int i = 0; i < n; i++) {
    c[tick[i] & 15] -= (tick[i] += 3);
  }
  out("8");
#pragma omp parallel for reduction(+ : c)
  for (int i = 0; i < n; i++) {
    int k = i;
    c[k & 15] += k++;
    c[k & 15] += (k = 3 * i);
  }
  out("9");
}

static void targets() {
  const int n = 301;
#pragma ompx managed(tick)
  std::vector<int> tick(n);
#pragma ompx managed(h)
  std::vector<_Float16> h(n * 16, 1);
#pragma ompx managed(c)
  std::vector<std::complex<float>> c(n * 16, {1, 2});
#pragma ompx managed(bb)
  bool* bb = new bool[n * 16]();
  auto out = [&](const char* s) {
    long t = 0;
    for (int i = 0; i < n; i++) t = t * 3 + tick[i];
    for (int i = 0; i < n * 16; i++) t = t * 3 + (int)(float)h[i] + (int)c[i].real() + 3 * (int)c[i].imag() + bb[i];
    std::printf("%s %ld\n", s, t);
  };
#pragma omp parallel for
  for (int i = 0; i < n; i++) h[16 * i + (count(tick.data(), i) & 15)] += 2;
  out("1");
#pragma omp parallel for
  for (int i = 0; i < n; i++) bb[16 * i + (count(tick.data(), i) & 15)] |= i;
  out("2");
#pragma omp parallel for
  for (int i = 0; i < n; i++) c[16 * i + (count(tick.data(), i) & 15)] += std::complex<float>(1, i);
  out("3");
#pragma omp parallel for
  for (int i = 0; i < n; i++) h[16 * i + (tick[i]++ & 15)] *= 3;
  out("4");
#pragma omp parallel for
  for (int i = 0; i < n; i++) bb[16 * i + (tick[i]++ & 15)] += 3;
  out("5");
#pragma omp parallel for
  for (int i = 0; i < n; i++) c[16 * i + (tick[i]++ & 15)] *= 3.0f;
  out("6");
#pragma omp parallel for
  for (int i = 0; i < n; i++) h[16 * i + (tick[i]++ & 15)]++;
  out("7");
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int loc[3] = {0, 1, 2};
    h[16 * i + (loc[i % 3]++ & 15)] += 1;
    bb[16 * i + (++loc[1])] += 1;
    tick[i] += loc[i % 3] + loc[1] * 5;
  }
  out("8");
}

int main() {
  reductions();
  targets();
}
