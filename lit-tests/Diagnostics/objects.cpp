// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects and lambdas that keep a loop on the host.
//
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=missed %s 2>&1 | %filecheck %s
#include <utility>

struct Field {
  double* data;
  double scale;
};
double first(Field f, int i) { return f.scale * i; }
struct Large {
  double values[600];
  double sum() const;
};
double last(Large large) { return large.values[599]; }
struct Sim {
  double* u;
  int last;
  void step(int n);
};

template <class F>
void forAll(int n, F f) {
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} calls 'operator()', which uses 'calm', a variable of another function
#pragma omp parallel for
  for (int i = 0; i < n; ++i) f(i);
}

template <class F>
void forEach(int n, F f) {
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} uses 'f.later', whose type has no name in front of the loop
#pragma omp parallel for
  for (int i = 0; i < n; ++i) f(i);
}
struct Later {
  double x;
};

void test(int n, double* ext) {
#pragma ompx managed(a)
  double* a = new double[n];
  Field field{ext, 2};
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} uses 'field' of type 'Field' as a whole, which is more than numbers
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = first(field, i);
// What it has besides may be used.
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = field.scale;

// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} contains a mutable lambda expression with a copy of 'pair', which is no number
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto count = [pair = std::pair<int, int>(i, 1)]() mutable { return ++pair.first; };
    a[i] = count();
  }
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} captures a copy of 'x', which changes; capture it by reference
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double* x = a + i;
    auto twice = [=] { return 2 * *x; };
    x += i / 2;
    a[i] = twice();
  }
  int calls = 0;
  auto count = [&] { return ++calls; };
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} writes the shared variable 'count.calls' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = count();
#pragma ompx managed(pairs)
  std::pair<int, int>* pairs = new std::pair<int, int>[n];
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} uses 'pairs' both as an array and as a pointer to one object
#pragma omp parallel for
  for (int i = 1; i < n; ++i) pairs[i].first = pairs->second;
  Large large{};
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} uses 'large' of type 'Large' as a whole, which has more than 4096 bytes
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = last(large);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} captures something else than a variable
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    std::pair<int, int> pair{i, 1};
    auto [x, y] = pair;
    a[i] = [&] { return x + y; }();
  }
  const int three[] = {1, 2, 3};
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} captures the constant 'three', which needs no capture
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto add = [three](int k) { return three[k % 3] + k; };
    a[i] = add(i);
  }
  std::pair<int, int> pair{n, 1};
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} binds names to the members of a tuple outside of the loop
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto& [x, y] = pair;
    a[i] = x + y;
  }
  // What is read through these is an element that the loop writes.
  double& one = a[5];
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} reads 'one', a part of 'a', which it writes; name the element by its index
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = 3;
    if (i == 5) a[i] += one;
  }
  Later* fields = new Later[n];
  const Later *some = &fields[3], &other = fields[4];
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} reads 'some->x', a part of 'fields', which it writes
#pragma omp parallel for
  for (int i = 0; i < n; ++i) fields[i].x = i == 3 ? some->x : 0;
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} reads 'other', a part of 'fields', which it writes
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    fields[i].x = i;
    const Later own = other;
    if (i == 4) fields[i].x = own.x;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = some->x + other.x;
  // So it is by way of other pointers, assigned later, and where the array has another name.
  double *start, *behind;
  start = a + 2;
  behind = start;
  const double& late = *behind;
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} reads 'late', a part of 'a', which it writes
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = late;
  double* same = a;
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} reads 'one', a part of 'same', which it writes
#pragma omp parallel for
  for (int i = 0; i < n; ++i) same[i] = one;
  const Later* moving = nullptr;
  moving = some;
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} reads 'moving->x', a part of 'fields', which it writes
#pragma omp parallel for
  for (int i = 0; i < n; ++i) fields[i].x = moving->x;
  double sum = 0, *total = &sum;
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} reads 'sum', a part of 'total', which it writes
#pragma omp parallel for
  for (int i = 0; i < 1; ++i) total[i] = sum + 1;
  static int calm = n;
  forAll(n, [&](int i) { a[i] = calm; });
  Later later[2] = {{1}, {2}};
  forEach(n, [&](int i) { a[i] = later[i & 1].x; });
  delete[] a;
}

void Sim::step(int n) {
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} captures a copy of the object; capture 'this'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto twice = [*this, i] { return 2 * u[i]; };
    u[i] = twice();
  }
// CHECK: [[# @LINE + 2]]:1: remark: {{.*}} captures 'this' in a macro
#define OWN this
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto twice = [OWN, i] { return 2 * u[i]; };
    u[i] = twice();
  }
// The same where they are called at once.
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} captures a copy of the object; capture 'this'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) u[i] = [*this, i] { return 2 * u[i]; }();
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} writes the shared variable 'this->last' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) u[i] = [&] { return 2 * (last = i); }();
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} contains a mutable lambda expression with a copy of 'p', which is no number
#pragma omp parallel for
  for (int i = 0; i < n; ++i) u[i] = [this, p = u + i]() mutable { return *p++; }();
}
