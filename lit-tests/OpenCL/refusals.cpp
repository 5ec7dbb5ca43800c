// What OpenCL C cannot say keeps a loop on CPUs, with the reason.
// RUN: %kernels -fplugin-arg-muster-remarks=missed %s 2>&1 | %filecheck %s
#include <cmath>

#pragma omp managed(anchor)
int *anchor = new int[1];

void wide(int n, double *a, long double x) {
// CHECK: refusals.cpp:[[#@LINE+1]]:1: remark: loop 'muster_wide_[[#@LINE+1]]' runs on CPUs only: {{.*}}'long double', which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = x;
}

void wideInside(int n, double *a) {
// CHECK: refusals.cpp:[[#@LINE+1]]:1: remark: {{.*}}runs on CPUs only: {{.*}}'long double'{{.*}} (line [[#@LINE+2]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = a[i] * 2.0L;
}

void mixed(int n, double *a) {
// CHECK: refusals.cpp:[[#@LINE+1]]:1: remark: {{.*}}runs on CPUs only: 'p' points to array elements and to private or constant data, which are different types in OpenCL (line [[#@LINE+4]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double local = 2;
    const double *p = i % 2 ? &local : &a[i];
    a[i] += *p;
  }
}

void order(int n, int *a) {
// CHECK: refusals.cpp:[[#@LINE+1]]:1: remark: {{.*}}runs on CPUs only: depends on the order in which C++17 evaluates an assignment (line [[#@LINE+5]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int k = 0;
    int t[3] = {};
    t[k++] = k;
    a[i] = t[0];
  }
}

struct Bits {
  unsigned low : 3, high : 5;
};

void bits(int n, unsigned *a) {
// CHECK: refusals.cpp:[[#@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses a bit field (line [[#@LINE+3]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Bits b = {1, 2};
    a[i] = b.high;
  }
}
