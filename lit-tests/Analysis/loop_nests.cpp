// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of the directive, and those found independent.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts %s | FileCheck --match-full-lines %s

// CHECK-LABEL: loop {{[0-9]+}} in one
// CHECK-NEXT:   dim i: int from 2 while < n step 1
void one(double *a, int n) {
#pragma omp parallel for
  for (int i = 2; i < n; i++) a[i] = 0;
}
// CHECK-LABEL: loop {{[0-9]+}} in down
// CHECK-NEXT:   dim i: long from n - 1 while >= 0 step -st, declared outside
void down(double *a, long n, int st) {
  long i;
#pragma omp parallel for
  for (i = n - 1; i >= 0; i -= st) a[i] = 0;
}
// CHECK-LABEL: loop {{[0-9]+}} in collapsed
// CHECK-NEXT:   dim i: int from 0 while < n step 1
// CHECK-NEXT:   dim j: int from 1 while <= n step 2
void collapsed(double *a, int n) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++) {
    for (int j = 1; j <= n; j += 2) a[i * n + j] = 0;
  }
}
// A nest that is not rectangular keeps its inner loop in the body.
// CHECK-LABEL: loop {{[0-9]+}} in triangle
// CHECK-NEXT:   dim i: int from 0 while < n step 1
// CHECK:        inner j in [0, i]
// CHECK-NEXT:   writes a[n*i + j] at [[#@LINE+4]]
void triangle(double *a, int n) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) a[i * n + j] = 0;
}
// CHECK-LABEL: loop {{[0-9]+}} in found
// CHECK-NEXT:   dim i: int from 0 while < n step 1
// CHECK-NEXT:   dim j: int from 1 while < m - 1 step 1, found independent
// CHECK:        needs distinct arrays
void found(double *v, const double *u, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double x = u[i];
    for (int j = 1; j < m - 1; j++) v[i * m + j] = x + u[i * m + j];
  }
}
// CHECK-LABEL: loop {{[0-9]+}} in three
// CHECK-NEXT:   dim i: int from 0 while < n step 1
// CHECK-NEXT:   dim j: int from 0 while < m step 1, found independent
// CHECK-NEXT:   dim k: int from 0 while < p step 1, found independent
void three(double *v, int n, int m, int p) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < p; k++) v[(i * m + j) * p + k] = 1;
}
// Two loops in the body: no further dimension.
// CHECK-LABEL: loop {{[0-9]+}} in two
// CHECK-NEXT:   dim i: int from 0 while < n step 1
// CHECK-NEXT:   array v: pointer of double written
void two(double *v, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) v[i * n + j] = 1;
    v[i * n] = 2;
  }
}
// Each element depends on the one before.
// CHECK-LABEL: loop {{[0-9]+}} in recurrence
// CHECK-NEXT:   dim i: int from 0 while < n step 1
// CHECK-NEXT:   array v: pointer of double read written
void recurrence(double *v, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++) v[i * n + j] = v[i * n + j - 1];
}
// Every second element, from the others.
// CHECK-LABEL: loop {{[0-9]+}} in redBlack
// CHECK-NEXT:   dim i: int from 0 while < n step 1
// CHECK-NEXT:   dim j: int from 1 while < n step 2, found independent
void redBlack(double *v, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j += 2) v[i * n + j] = v[i * n + j - 1];
}
// A variable carries a value from one iteration to the next.
// CHECK-LABEL: loop {{[0-9]+}} in carried
// CHECK-NEXT:   dim i: int from 0 while < n step 1
// CHECK-NEXT:   array v: pointer of double written
void carried(double *v, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double x = 0;
    for (int j = 0; j < n; j++) v[i * n + j] = x++;
  }
}
// A private variable that is assigned first does not.
// CHECK-LABEL: loop {{[0-9]+}} in assignedFirst
// CHECK-NEXT:   dim i: int from 0 while < n step 1
// CHECK-NEXT:   dim j: int from 0 while < n step 1, declared outside, found independent
void assignedFirst(double *v, int n) {
  int j, k;
#pragma omp parallel for private(j, k)
  for (int i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      k = i * n + j;
      v[k] = k;
    }
}
// All iterations of j write one element.
// CHECK-LABEL: loop {{[0-9]+}} in same
// CHECK-NEXT:   dim i: int from 0 while < n step 1
// CHECK-NEXT:   array v: pointer of double written
void same(double *v, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) v[i] = j;
}
// The bound changes while the loop runs.
// CHECK-LABEL: loop {{[0-9]+}} in growing
// CHECK-NEXT:   dim i: int from 0 while < n step 1
// CHECK:        writes v[?] conditionally at [[#@LINE+5]]: {{.*}}
void growing(double *v, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int end = 3;
    for (int j = 0; j < end; j++) v[i * n + j] = end++ > 20 ? end = 0 : 1;
  }
}
// Columns are apart if there is a row between them, rows if they are not longer than their pitch: the launch asks.
// CHECK-LABEL: loop {{[0-9]+}} in columns
// CHECK-NEXT:   dim i: int from 0 while < n step 1
// CHECK-NEXT:   dim j: int from 0 while < n step 1, found independent
// CHECK:        assumes n in {{.}}1, {{.*}}
void columns(double *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[j * n + i] = 0;
}
// CHECK-LABEL: loop {{[0-9]+}} in padded
// CHECK-NEXT:   dim e: int from 0 while < n step 1
// CHECK-NEXT:   dim j: int from 0 while < n step 1, found independent
// CHECK-NEXT:   dim k: int from 0 while < m step 1, found independent
// CHECK:        assumes {{.*}}pitch{{.*}} in {{.}}1, {{.*}}
void padded(double *a, int n, int m, int pitch) {
#pragma omp parallel for
  for (int e = 0; e < n; e++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < m; k++) a[(e * n + j) * pitch + k] = 0;
}
// Numbers that the compiler knows are such in bounds, too.
// CHECK-LABEL: loop {{[0-9]+}} in constants
// CHECK-NEXT:   dim e: int from 0 while < n step 1
// CHECK-NEXT:   dim i: int from 0 while < m step 1, found independent
// CHECK-NEXT:   dim j: int from 0 while < m step 1, found independent
void constants(double *a, int n) {
  const int m = 32;
#pragma omp parallel for
  for (int e = 0; e < n; e++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) a[(e * m + i) * m + j] = 0;
}
// Backwards.
// CHECK-LABEL: loop {{[0-9]+}} in reversed
// CHECK-NEXT:   dim e: int from 0 while < n step 1
// CHECK-NEXT:   dim j: int from 0 while < n step 1, found independent
// CHECK-NEXT:   dim k: int from 0 while < 8 step 1, found independent
void reversed(double *a, int n) {
#pragma omp parallel for
  for (int e = 0; e < n; e++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < 8; k++) a[(e * n + (n - 1 - j)) * 8 + k] = 0;
}
// No launch would have a single element here.
// CHECK-LABEL: loop {{[0-9]+}} in overlapping
// CHECK-NEXT:   dim e: int from 0 while < n step 1
// CHECK-NOT:    found independent
// CHECK:        writes a{{.*}}
void overlapping(double *a, int n, int m) {
#pragma omp parallel for
  for (int e = 0; e < n; e++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < m; k++) a[e * n + j + k] = 0;
}
