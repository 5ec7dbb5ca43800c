// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects of a region that a loop may not make again: they change, what they are made of may change, their constructor
// does more than to make them, or an iteration takes what the one before has left in what they refer to.
// RUN: %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
#include <random>

static int made = 0;

struct Die {
  std::mt19937 &engine;
  int sides;
  int rolls = 0;
  Die(std::mt19937 &e, int n) : engine(e), sides(n) {}
  Die(std::mt19937 &e, int n, long) : engine(e), sides(n) { ++made; }
  Die(std::mt19937 &e, int n, char) : engine(e), sides(n + e() % 2) {}
  int roll() { return engine() % sides; }
  int count() { return ++rolls + engine() % sides; }
};
static int skip() { return ++made; }

void f(int n, int *sums, int sides) {
#pragma omp parallel
  {
    std::mt19937 engine;
    Die die(engine, sides);
    // CHECK: remark: loop 'muster_f_{{.*}}' runs on CPUs only: makes 'die' for each iteration, which is made in front of the loop
#pragma omp for
    for (int i = 0; i < n; ++i) engine.seed(i), sums[i] = die.roll();
  }
// CHECK: :[[# @LINE + 1]]:1: remark: region stays plain OpenMP on rank 0: gives 'engine', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    std::mt19937 engine;
    Die die(engine, sides);
#pragma omp for
    for (int i = 0; i < n; ++i) {
      sums[i] = die.roll();
      engine.seed(i);
      sums[i] += die.roll();
    }
  }
// CHECK: :[[# @LINE + 1]]:1: remark: region stays plain OpenMP on rank 0: gives 'engine', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    std::mt19937 engine;
    Die die(engine, sides);
#pragma omp for
    for (int i = 0; i < n; ++i) engine.seed(i), sums[i] = die.count();
  }
// CHECK: :[[# @LINE + 1]]:1: remark: region stays plain OpenMP on rank 0: gives 'engine', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    std::mt19937 engine;
    Die die(engine, sides, 1L);
#pragma omp for
    for (int i = 0; i < n; ++i) engine.seed(i), sums[i] = die.roll();
  }
// CHECK: :[[# @LINE + 1]]:1: remark: region stays plain OpenMP on rank 0: gives 'engine', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    std::mt19937 engine;
    Die die(engine, sides, 'c');
#pragma omp for
    for (int i = 0; i < n; ++i) engine.seed(i), sums[i] = die.roll();
  }
// CHECK: :[[# @LINE + 1]]:1: remark: region stays plain OpenMP on rank 0: gives 'engine', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    std::mt19937 engine;
    Die die(engine, sides);
    int skipped = skip();
#pragma omp for
    for (int i = 0; i < n; ++i) engine.seed(i), sums[i] = die.roll() + skipped;
  }
// CHECK: :[[# @LINE + 1]]:1: remark: region stays plain OpenMP on rank 0: gives 'engine', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    std::mt19937 engine;
    int own = sides;
    Die die(engine, own);
#pragma omp for
    for (int i = 0; i < n; ++i) engine.seed(i), sums[i] = die.roll();
  }
// CHECK: :[[# @LINE + 1]]:1: remark: region stays plain OpenMP on rank 0: gives 'engine', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    std::mt19937 engine;
    Die die(engine, sides);
#pragma omp for
    for (int i = 0; i < n; ++i) engine.seed(i), die.sides = i + 1, sums[i] = die.roll();
  }
// CHECK: :[[# @LINE + 1]]:1: remark: region stays plain OpenMP on rank 0: gives 'engine', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    std::mt19937 engine;
    Die die(engine, sides);
#pragma omp for
    for (int i = 0; i < n; ++i) engine.seed(i), sums[i] = die.roll();
#pragma omp for
    for (int i = 0; i < n; ++i) engine.seed(i), sums[i] += die.roll();
  }
// The text of the declaration would mean something else in the loop.
// CHECK: :[[# @LINE + 1]]:1: remark: region stays plain OpenMP on rank 0: gives 'engine', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    std::mt19937 engine;
    Die die(engine, sides);
#pragma omp for
    for (int sides = 0; sides < n; ++sides) engine.seed(sides), sums[sides] = die.roll();
  }
// CHECK: :[[# @LINE + 1]]:1: remark: region stays plain OpenMP on rank 0: gives 'engine', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    std::mt19937 engine;
    Die die(engine, sides);
    int sides = 100;
#pragma omp for
    for (int i = 0; i < n; ++i) engine.seed(i + sides), sums[i] = die.roll();
  }
// CHECK: :[[# @LINE + 1]]:1: remark: region stays plain OpenMP on rank 0: gives 'engine', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    std::mt19937 engine;
    Die die(engine, sides);
    struct Die {
      int seed;
    };
#pragma omp for
    for (int i = 0; i < n; ++i) {
      Die other{i};
      engine.seed(other.seed), sums[i] = die.roll();
    }
  }
}
