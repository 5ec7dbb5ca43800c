// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums that the threads of a region combine by hand: a thread without iterations adds nothing to them, so that one thread
// may run the region. All loops are launched.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t | diff %t.expected -
#include <omp.h>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

struct Pair {
  double sum;
  int count;
};
struct Made {
  double sum, least;
  Made() : sum(0), least(1e30) {}
};
struct Cleared {
  double sum = 0, kept = 3;
  void clear() { sum = 0; }
};
static void add(double *to, double value) {
#pragma omp atomic
  *to += value;
}
static void addTwice(double &to, double first, double second) {
  add(&to, first);
  add(&to, second);
}
static void clear(Pair &pair) {
  pair.sum = 0;
  pair.count = 0;
}
static void merge(Pair *to, const Pair *from) {
#pragma omp critical(merging)
  {
    to->sum += from->sum;
    to->count += from->count;
  }
}
static Pair plus(const Pair &a, const Pair &b) { return {a.sum + b.sum, b.count + a.count}; }

static double scalars(const double *a, int n) {
  double total = 0, product = 1, most = -1, outer = 0, scale = 0.5;
  unsigned bits = 0;
  int seen = 0;
  Pair last = {1, 1};
#pragma omp parallel
  {
    double mine = 0, factor = 1.0, best = -5;
    unsigned own(0);
    int number = {};
    for (int step = 0; step < 3; ++step) {
      mine = 0;
#pragma omp for
      for (int i = 0; i < n; ++i) {
        mine += a[i];
        own ^= unsigned(i) * 3u;
        if (a[i] > 50) number++;
      }
#pragma omp for
      for (int i = 0; i < 8; ++i) factor *= 1 + i % 2;
#pragma omp for
      for (int i = 0; i < n; ++i)
        if (a[i] > best) best = a[i];
      mine *= 2;
#pragma omp critical
      {
        total += scale * mine - mine / 4;
        if (best > most) most = best;
      }
#pragma omp barrier
    }
#pragma omp atomic
    product *= factor;
#pragma omp atomic
    bits ^= own;
#pragma omp critical(other)
    seen = seen + number;
  }
#pragma omp parallel firstprivate(outer)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) outer += a[i];
    const Pair found = {outer, 0};
    merge(&last, &found);
    add(&total, outer);
    addTwice(total, outer, -outer / 2);
    __sync_fetch_and_add(&seen, int(outer));
  }
  double back = 0;
#pragma omp parallel reduction(+ : back) reduction(max : most)
  {
    double mine = 0;
    most = 7;
#pragma omp for
    for (int i = 0; i < n; ++i) mine += a[i];
    back += mine;
    back -= mine / 2;
  }
  return total + product + most + bits % 1000 + seen + back + last.sum + last.count;
}

static double objects(const double *a, int n) {
  Pair all = {1, 2}, both = {0, 0};
  std::complex<double> sum(1, 1);
  double total = 0;
#pragma omp parallel
  {
    Pair mine = {0, 0}, cleared, listed = {};
    Made made;
    Cleared other;
    other.clear();
    clear(cleared);
#pragma omp for
    for (int i = 0; i < n; ++i) {
      mine.sum += a[i];
      if (a[i] > 3) mine.count++;
    }
#pragma omp for
    for (int i = 0; i < n; ++i) cleared.sum += 2 * a[i];
#pragma omp for
    for (int i = 0; i < n; ++i) listed.count += int(a[i]) % 3;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      made.sum += a[i];
      if (a[i] < made.least) made.least = a[i];
    }
#pragma omp for
    for (int i = 0; i < n; ++i) other.sum += a[i];
#pragma omp critical
    {
      all.sum += mine.sum;
      all.count += mine.count;
      both = plus(both, cleared);
      both = Pair{both.sum + other.sum, both.count + listed.count};
      total += made.sum;
      sum += std::complex<double>(mine.sum, cleared.sum);
    }
  }
  return all.sum + all.count + both.sum + both.count + total + sum.real() - sum.imag();
}

static double arrays(const double *a, const int *bin, int n) {
  double all[8] = {}, more[8] = {}, weights[4] = {};
  std::vector<double> shared(8, 0.0);
#pragma omp parallel
  {
    double mine[8], zeroed[8], filled[8] = {0}, looped[8];
    memset(mine, 0, sizeof(mine));
    std::fill(zeroed, zeroed + 8, 0.0);
    for (int k = 0; k < 8; ++k) looped[k] = 0.0;
#pragma omp for
    for (int i = 0; i < n; ++i) mine[bin[i]] += a[i];
#pragma omp for
    for (int i = 0; i < n; ++i) zeroed[bin[i]] += 1;
#pragma omp for
    for (int i = 0; i < n; ++i) filled[bin[i]] += a[i];
#pragma omp for
    for (int i = 0; i < n; ++i) looped[bin[i]] += i % 5;
#pragma omp critical
    for (int k = 0; k < 8; ++k) {
      all[k] += mine[k] + zeroed[k];
      more[k] -= filled[k];
      shared[k] += looped[k];
    }
    for (double &x : looped) x = 0;
#pragma omp atomic
    weights[1] += looped[3];
  }
  double sum = weights[1];
  for (int k = 0; k < 8; ++k) sum += all[k] * k + more[k] + shared[k] / 2;
  return sum;
}

int main() {
  const int n = 1000;
#pragma ompx managed(a)
  double *a = new double[n];
#pragma ompx managed(bin)
  int *bin = new int[n];
  for (int i = 0; i < n; ++i) a[i] = i % 64, bin[i] = i * 7 % 8;
  printf("%.10g\n", scalars(a, n));
  printf("%.10g\n", objects(a, n));
  printf("%.10g\n", arrays(a, bin, n));
  delete[] a;
  delete[] bin;
}
