// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread of a region reads in its turn by one name, and writes by another that was made outside of the region:
// pointers and references. Such regions keep their teams.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t 2>&1 && %run %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu,opencl mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
// RUN: %muster++ -O1 -fsyntax-only %s 2>&1 | %filecheck %s
#include <cstdio>
#include <vector>

static const int n = 1000;
static double* p;

#define REGION(...)                                           \
  _Pragma("omp parallel num_threads(3)") {                    \
    __VA_ARGS__                                               \
    _Pragma("omp for") for (int i = 0; i < n; ++i) p[i] += 1; \
  }
#define IN_TURN(...) REGION(_Pragma("omp critical") { __VA_ARGS__; })

// CHECK-COUNT-19: remark: region stays plain OpenMP on rank 0: adds the same once for each thread of the team
// CHECK-NOT: region stays plain

struct Pair {
  int left, right;
};
static int global = 1;

static void references(int& given) {
  int x = 1, y = 0, z = 0;
  int& name = x;
  IN_TURN(y = name; x = 5)
  std::printf("%d %d\n", x, y);
  x = 1;
  IN_TURN(y = x; name = 5)
  std::printf("%d %d\n", x, y);
  x = 1;
  IN_TURN(if (name == 1) x = 2; else z = 9)
  std::printf("%d %d\n", x, z);
  IN_TURN(name = x + 1)
  std::printf("%d\n", x);
  global = 1;
  IN_TURN(y = given; global = 5)
  std::printf("%d %d\n", global, y);
  int list[3] = {1, 2, 3};
  int(&names)[3] = list;
  IN_TURN(y = names[1]; list[1] = 5)
  std::printf("%d %d\n", list[1], y);
  unsigned& number = reinterpret_cast<unsigned&>(x);
  x = 1;
  IN_TURN(y = x; number = 5)
  std::printf("%d %d\n", x, y);
}

static void pointers(int* given) {
  int x = 1, y = 0;
  int* at = &x;
  IN_TURN(y = x; *at = 5)
  std::printf("%d %d\n", x, y);
  IN_TURN(y = *at; x = 6)
  std::printf("%d %d\n", x, y);
  IN_TURN(x = *at + 1; y = x)
  std::printf("%d %d\n", x, y);
  global = 1;
  IN_TURN(y = global; *given = 5)
  std::printf("%d %d\n", global, y);
  Pair pair = {1, 2}, other = {0, 0};
  Pair* whole = &pair;
  IN_TURN(other = *whole; pair.left = 7)
  std::printf("%d %d\n", pair.left, other.left);
  IN_TURN(y = pair.left; *whole = other)
  std::printf("%d %d\n", pair.left, y);
  int* part = &pair.right;
  IN_TURN(other = pair; *part = 4)
  std::printf("%d %d\n", pair.right, other.right);
  std::vector<int> v(3, 1);
  int *data = v.data(), *second = &x;
  IN_TURN(y = v[0]; *data = 9)
  std::printf("%d %d\n", v[0], y);
  x = 1;
  IN_TURN(y = *second; *at = 8)
  std::printf("%d %d\n", x, y);
}

struct Holder {
  int& name;
  int own;
  void reference(int& x) {
    int y = 0;
    IN_TURN(y = name; x = 5)
    std::printf("%d %d\n", x, y);
  }
  void pointer(int* x) {
    int y = 0;
    IN_TURN(y = own; *x = 5)
    std::printf("%d %d\n", own, y);
  }
  void object(Holder* other) {
    int y = 0;
    IN_TURN(y = own; other->own = 6)
    std::printf("%d %d\n", own, y);
  }
};

// No two names of one place.
static void apart(double* given, int* at) {
  int x = 1, y = 0, alone = 1;
  double d = 0;
  IN_TURN(y = alone; *at = 5)
  IN_TURN(d = *given; *at = 6)
  IN_TURN(if (*at == 6) { *at = 7; y = 2; })
  REGION(double own = 4; _Pragma("omp critical") if (own > *given) { *given = own; x = 3; })
  std::printf("%d %d %d %g %g\n", x, y, alone, d, *given);
}

int main() {
#pragma ompx managed(p)
  p = new double[n]();
  references(global);
  pointers(&global);
  global = 1;
  Holder holder = {global, 1};
  holder.reference(global);
  holder.pointer(&holder.own);
  holder.own = 1;
  holder.object(&holder);
  double least = 1;
  global = 6;
  apart(&least, &global);
  std::printf("%g\n", p[7]);
  delete[] p;
}
