// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a parallel region, or a loop in it, stays plain OpenMP.
//
// RUN: %muster++ -w -fsyntax-only %s 2>&1 | FileCheck --implicit-check-not=remark: --implicit-check-not=warning: --implicit-check-not=error: %s
#include <omp.h>

#include <cstdio>
#include <cstdlib>

int perThread;
#pragma omp threadprivate(perThread)
volatile int ready;

static int whoAmI() { return omp_get_thread_num(); }

void regions(double *a, double *part, int n) {
// CHECK: :[[#@LINE+2]]:1: remark: region stays plain OpenMP on rank 0: calls 'omp_get_thread_num', so that its result depends on the threads of the team
// CHECK: :[[#@LINE+5]]:14: note: here
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = 0;
    part[8 * omp_get_thread_num()] += a[0];
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: calls 'omp_get_thread_num', so that
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = whoAmI();
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: uses 'perThread', of which each thread has its own beyond the region
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = 0;
    perThread = a[1];
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: holds an 'omp task', which a team of one thread does not do alike
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = 0;
#pragma omp task
    a[1] = 2;
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: holds an 'omp sections', which
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = 0;
#pragma omp sections
    {
#pragma omp section
      a[1] = 2;
    }
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: uses 'ready', through which threads may wait for each other
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = 0;
    while (!ready) {
    }
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: holds an 'omp masked' for another thread than the first
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = 0;
#pragma omp masked filter(1)
    a[1] = 2;
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: is an 'omp parallel' without a worksharing loop over arrays
#pragma omp parallel
  {
#pragma omp critical
    a[0] = 1;
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: gives 'previous', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    double previous = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      a[i] += previous;
      previous = a[i];
    }
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: gives 'buffer', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    double *buffer = (double *)malloc(n * sizeof(double));
#pragma omp for
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < 3; ++k) buffer[k] = i;
      a[i] = buffer[2];
    }
    free(buffer);
  }
  int threads = 0;
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: adds the same once for each thread of the team
#pragma omp parallel
  {
#pragma omp atomic
    threads++;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = 0;
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: gives 'seen', of which each thread has its own
#pragma omp parallel
  {
    double seen = 0;
    auto show = [&] { std::printf("%g", seen); };
#pragma omp for
    for (int i = 0; i < n; ++i) {
      seen = a[i];
      a[i] = seen + 1;
    }
    show();
  }
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = 0;
// CHECK: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: clause 'ordered'
#pragma omp for ordered
    for (int i = 0; i < n; ++i) {
#pragma omp ordered
      std::printf("%g", a[i]);
    }
  }
}

// CHECK: :[[#@LINE+4]]:1: remark: loop stays plain OpenMP on rank 0: may write the same elements of 'start' in several iterations
void orphaned(double *a, double *scratch, int n) {
  double *start = scratch + 1;
  // The scratch array is a thread's own.
#pragma omp for
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) start[k] = i;
    a[i] = start[2];
  }
}

void caller(double *a, int n) {
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: calls 'orphaned', whose 'omp for' stays plain: it may write
#pragma omp parallel
  {
    double scratch[8];
    orphaned(a, scratch, n);
  }
}
