// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared variables that are not taken as each iteration's own: it may need what another one left, or somebody else may
// look at them.
//
// RUN: %muster++ -fsyntax-only -w -fplugin-arg-muster-remarks %s 2>&1 | %filecheck %s
int state;
int unseen(int);
int seen() { return state; }
void set(int &x);
void look(const int *);

#pragma omp managed(a)
double *a = new double[100];

void functions(int n) {
  int k = 0, last = 0;
  double sum = 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'sum' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) sum += a[i];
// Not every iteration sets it, and its value is asked for.
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'last' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (a[i] > 0) last = i;
    a[i] = 0;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'last' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (a[i] > 9) continue;
    last = i;
    a[i] = last;
  }
  a[0] = last;
// Where the inner loop has no iteration, it is what it was.
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'k' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < a[i]; j++) k = j;
    a[i] = k;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'n' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    n = i;
    a[i] = n;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: calls 'seen', which uses 'state', private in the loop
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    state = i;
    a[i] = seen();
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'state' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    state = i;
    a[i] = unseen(state);
  }
}

void names(int n) {
  int named = 0, given = 0, captured = 0, referred = 0, ordered = 0;
  volatile int waited = 0;
  int *pointer = &named;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'named' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    named = i;
    a[i] = named;
  }
  look(pointer);
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'given' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    given = i;
    a[i] = given;
  }
  set(given);
  auto lambda = [&captured] { return captured; };
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'captured' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    captured = i;
    a[i] = captured;
  }
  int &reference = referred;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'referred' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    referred = i;
    a[i] = referred;
  }
  reference = lambda();
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: uses the volatile variable 'waited'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    waited = i;
    a[i] = waited;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'ordered' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic write
    ordered = i;
    a[i] = 2;
  }
// The variable of the function around a lambda expression.
  auto inside = [&] {
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'ordered' without a reduction
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      ordered = i;
      a[i] = ordered;
    }
  };
  inside();
}
// CHECK: remark: array 'a' is partitioned
