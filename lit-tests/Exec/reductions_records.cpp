// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A minimum or maximum with its place: chosen under `critical`, in each thread of a region, by an operator of the
// user's. All loops are launched (strict); the plain program, run by one thread, is the oracle, so that of equal values
// the one that the serial loop keeps has to come out, however the iterations are split.
//
// RUN: %plain -O1 %s -o %t.plain && env OMP_NUM_THREADS=1 %t.plain > %t.expected
// RUN: %muster-link -O1 -Werror -fplugin-arg-muster-strict %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdio>
#include <limits>

constexpr int n = 1001;
#pragma ompx managed(a, b)
static double a[n], b[n];

static void show(const char *what, double value, int place) { std::printf("%s %g at %d\n", what, value, place); }

static float globalBest;

static void underCritical() {
  double least = 1e30, most = -1e30, last = 1e30;
  int leastAt = -1, mostAt = -1, lastAt = -1;
  long rounds = -5;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double d = a[i] * 2;
#pragma omp critical
    {
      if (d < least) {
        least = d;
        leastAt = i;
        rounds = i + 7L;
      }
    }
  }
  show("least", least, leastAt);
  std::printf("%ld\n", rounds);
  // Tested in front of the critical section, too; two in one section; the last of equal ones.
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < n; ++i) {
    if (a[i] > most) {
#pragma omp critical(places)
      if (a[i] > most) {
        most = a[i];
        mostAt = i;
      }
    }
#pragma omp critical
    {
      if (last >= a[i]) {
        lastAt = i;
        last = a[i];
      }
    }
  }
  show("most", most, mostAt);
  show("last least", last, lastAt);
}

static void twoInOne() {
  float low = FLT_MAX;
  unsigned char high = 0;
  short lowAt = -1, highAt = -1;
#pragma omp parallel for
  for (int i = n - 1; i >= 0; --i) {
    const float f = static_cast<float>(a[i]);
    const unsigned char c = static_cast<unsigned char>(a[i]);
#pragma omp critical
    {
      if (f < low) {
        low = f;
        lowAt = static_cast<short>(i);
      }
      if (c > high) {
        high = c;
        highAt = static_cast<short>(i);
      }
    }
  }
  show("low", low, lowAt);
  show("high", high, highAt);
}

// Equal values are decided by the place, as the program says.
static void tie() {
  double least = 1e30;
  int at = INT_MAX;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp critical
    if (b[i] < least || (b[i] == least && i > at)) {
      least = b[i];
      at = i;
    }
  }
  show("tie", least, at);
}

// Nothing is found: the values of before stay. A value that starts as infinity, and NaN.
static void none() {
  const double inf = std::numeric_limits<double>::infinity();
  double least = -1e30, start = inf;
  int at = 17, from = -1;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp critical
    if (a[i] < least) {
      least = a[i];
      at = i;
    }
  }
  show("none", least, at);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double v = i % 3 == 0 ? std::nan("") : i == 700 ? DBL_MAX : inf;
#pragma omp critical
    if (v < start) {
      start = v;
      from = i;
    }
  }
  show("one", start, from);
}

// A global variable, a nest, a serial loop inside.
static void collapsed() {
  globalBest = -1;
  int row = -1, column = -1;
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 20; ++j) {
      const float v = static_cast<float>(a[(i * 7 + j * 3) % n]);
#pragma omp critical
      if (v > globalBest) {
        globalBest = v;
        row = i;
        column = j;
      }
    }
  show("collapsed", globalBest, row * 100 + column);
  double nearest = 1e9;
  int from = -1, to = -1;
#pragma omp parallel for
  for (int i = 0; i < 100; ++i)
    for (int j = 0; j < i; ++j) {
      const double d = std::fabs(a[i] - b[j]);
#pragma omp critical
      if (d < nearest) {
        nearest = d;
        from = i;
        to = j;
      }
    }
  show("pair", nearest, from * 1000 + to);
}

// Each thread's own, and `critical` after the loop.
static void perThread() {
  double best = -1;
  int at = -1;
#pragma omp parallel
  {
    double mine = -1;
    int place = -1;
#pragma omp for nowait
    for (int i = 0; i < n; ++i) {
      b[i] = b[i] + 1;
      if (a[i] > mine) {
        mine = a[i];
        place = i;
      }
    }
#pragma omp critical
    {
      if (mine > best) {
        best = mine;
        at = place;
      }
    }
  }
  show("per thread", best, at);
}

template <class T>
static T generic(const double *values, int count, int &at) {
  T best = T(-100);
  int place = -1;
#pragma omp parallel for
  for (int i = 0; i < count; ++i) {
    const T v = T(values[i]);
#pragma omp critical
    if (v > best) {
      best = v;
      place = i;
    }
  }
  at = place;
  return best;
}

int main() {
  for (int i = 0; i < n; ++i) {
    a[i] = (i * 37 + 11) % 101;
    b[i] = (i * 53 + 5) % 97;
  }
  underCritical();
  twoInOne();
  tie();
  none();
  collapsed();
  perThread();
  int at = 0;
  const float f = generic<float>(a, n, at);
  show("template", f, at);
  const long l = generic<long>(b, n, at);
  show("template", static_cast<double>(l), at);
}
