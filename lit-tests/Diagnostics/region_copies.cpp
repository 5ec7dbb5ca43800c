// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of variables that a region's loops cannot use.
//
// RUN: %muster++ -w -fsyntax-only %s 2>&1 | %filecheck %s
static int g = 7;
static double table[3];
static int get() { return g; }

void statics(long *a, int n) {
// CHECK: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: uses 'g', a global or static variable of which each thread of the region has a copy
#pragma omp parallel private(g)
  {
    g = 2;
#pragma omp for
    // CHECK: :[[#@LINE+1]]:40: note: here
    for (int i = 0; i < n; ++i) a[i] = g;
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: uses 'table', a global or static variable of which
#pragma omp parallel firstprivate(table)
  {
    table[1] += 1;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = table[i % 3];
  }
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: uses 'g', a global or static variable of which
#pragma omp parallel private(g)
  {
    g = 2;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = get();
  }
// What each iteration sets first is a variable of its own there.
#pragma omp parallel private(g)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) {
      g = i;
      a[i] = g;
    }
#pragma omp for
    for (g = 0; g < n; ++g) a[g] += 1;
  }
}

struct Object {
  int k;
  void member(double *u, int n) {
// CHECK: :[[#@LINE+1]]:1: remark: region stays {{.*}}: uses 'k', a member of which each thread of the region has a copy
#pragma omp parallel private(k)
    {
      k = 9;
#pragma omp for
      for (int i = 0; i < n; ++i) u[i] += k;
    }
  }
};
