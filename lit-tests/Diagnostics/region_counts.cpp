// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each thread of a region adds up outside of loops depends on how many there are, unless a thread without
// iterations adds nothing: then the region is run by one thread.
//
// RUN: %muster++ -w -fsyntax-only -Rmuster %s 2>&1 | FileCheck %s
#include <omp.h>

#include <complex>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

struct Pair {
  double sum;
  int count;
};
struct Three {
  int start = 3;
  double sum = 0;
};
static int entered = 0;
static void enter() {
#pragma omp atomic
  entered++;
}
static void tick() { entered += 2; }
static void add(double *to, double value) {
#pragma omp atomic
  *to += value;
}
static void set(double &value, double to) { value = to; }
struct Guest {
  explicit Guest(int &count) {
#pragma omp atomic
    count++;
  }
};

// The note names the line that adds.
#define COUNTED(...)           \
  _Pragma("omp for") for (int i = 0; i < n; ++i) a[i] += 1; \
  __VA_ARGS__

void refused(double *a, double *all, int n, Pair *pairs, std::vector<int> &list, std::mutex &door, omp_lock_t *lock) {
  double total = 0, outer = 10;
  int count = 0;
  std::complex<double> sum = 0;
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once for each thread of the team
#pragma omp parallel
  {
    double mine = 1;
#pragma omp for
    for (int i = 0; i < n; ++i) mine += a[i];
    // CHECK: :[[#@LINE+2]]:5: note: here
#pragma omp critical
    total += mine;
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    Pair mine = {0, 3};
#pragma omp for
    for (int i = 0; i < n; ++i) mine.sum += a[i];
#pragma omp critical
    {
      pairs->sum += mine.sum;
      // CHECK: :[[#@LINE+1]]:7: note: here
      pairs->count += mine.count;
    }
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    Three mine;
#pragma omp for
    for (int i = 0; i < n; ++i) mine.sum += a[i];
    // CHECK: :[[#@LINE+2]]:5: note: here
#pragma omp atomic
    count += mine.start;
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel firstprivate(outer)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) outer += a[i];
#pragma omp critical
    total += outer;
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel reduction(+ : total)
  {
    total += 1;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 1;
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel reduction(* : total)
  {
    total = 2;
#pragma omp for
    for (int i = 0; i < n; ++i) total *= a[i];
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    double mine = 0, next = 4;
    for (int step = 0; step < 3; ++step) {
#pragma omp for
      for (int i = 0; i < n; ++i) mine += a[i];
#pragma omp critical
      total += mine + next;
      next += 1;
    }
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    double mine;
#pragma omp single copyprivate(mine)
    mine = total;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += mine;
#pragma omp critical
    total += mine;
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    double mine = 0;
    set(mine, 2);
#pragma omp for
    for (int i = 0; i < n; ++i) mine += a[i];
#pragma omp critical
    total += mine;
  }
// The last value that a thread had.
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    double last = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      last = a[i];
      a[i] = last + 1;
    }
#pragma omp critical
    total += last;
  }
// A square is no sum.
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) mine += a[i];
#pragma omp critical
    total += mine * mine;
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    COUNTED(enter();)
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
#pragma omp critical
    tick();
    COUNTED()
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    COUNTED(add(&total, 1);)
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    COUNTED(Guest guest(count);)
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    int &same = count;
#pragma omp atomic
    same++;
    COUNTED()
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
#pragma omp critical
    count = count ? count * 3 : 1;
    COUNTED()
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    int next;
#pragma omp critical
    {
      next = count;
      count = next + 1;
    }
    COUNTED()
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    COUNTED()
    {
      std::lock_guard<std::mutex> inside(door);
      count++;
    }
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    COUNTED(omp_set_lock(lock); count += 2; omp_unset_lock(lock);)
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
#pragma omp critical
    list.push_back(1);
    COUNTED()
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    std::complex<double> mine(0, 1);
#pragma omp critical
    sum += mine;
    COUNTED()
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    double *mine = (double *)malloc(8 * sizeof(double));
    for (int k = 0; k < 8; ++k) mine[k] = k;
#pragma omp critical
    for (int k = 0; k < 8; ++k) all[k] += mine[k];
    free(mine);
    COUNTED()
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once
#pragma omp parallel
  {
    double mine[8];
    memset(mine, 1, sizeof mine);
#pragma omp critical
    for (int k = 0; k < 8; ++k) all[k] += mine[k];
    COUNTED()
  }
}
// CHECK-NOT: region stays
