// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that a region makes in front of its loop, and that refer to the thread's generator of random numbers: each
// iteration makes them again, of its own generator.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=all %s -o %t 2>&1 | FileCheck --check-prefix=REMARKS %s
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu MUSTER_INFO=1 mpirun --allow-run-as-root --oversubscribe -n 3 %t 2>&1 | FileCheck %s
// CHECK-NOT: this loop runs on rank 0
#include <cstdint>
#include <cstdio>
#include <random>
#include <type_traits>

template <typename T, typename Engine, typename U = typename std::make_unsigned<T>::type>
class Uniform {
 public:
  Uniform(T most, Engine &engine) : engine_(engine) {
    all_ = engine_.max() == static_cast<U>(most);
    modulus_ = most + 1;
    U rest = engine_.max() % modulus_;
    if (rest == modulus_ - 1)
      limit_ = 0;
    else
      limit_ = engine_.max() - rest;
  }
  T operator()() {
    U number = engine_();
    if (all_) return number;
    if (limit_ != 0)
      while (number >= limit_) number = engine_();
    return number % modulus_;
  }

 private:
  Engine &engine_;
  bool all_;
  U modulus_;
  U limit_;
};

struct Die {
  std::mt19937 &engine;
  int sides, first;
  Die(std::mt19937 &e, int n, int f) : engine(e), sides(n), first(f) {}
  int roll(int times) {
    int sum = 0;
    for (int i = 0; i < times; ++i) sum += first + engine() % sides;
    return sum;
  }
};

template <typename T, typename Engine = std::mt19937>
struct Generator {
  long count;
  T most;
  static const long block = 64;

  void fill(T *values) {
#pragma omp parallel
    {
      Engine engine;
      Uniform<T, Engine> uniform(most - 1, engine);
      long size = count;
// REMARKS: [[# @LINE + 1]]:1: remark: loop 'muster_fill_[[# @LINE + 1]]' {{.*}} runs on CPUs only: makes 'uniform' for each iteration, which is made in front of the loop
#pragma omp for
      for (long b = 0; b < size; b += block) {
        engine.seed(27491095 + b / block);
        for (long i = b; i < b + block && i < size; ++i) values[i] = uniform() + uniform() % 3;
      }
    }
  }
};

static void roll(int n, int *sums, int sides) {
#pragma omp parallel
  {
    std::mt19937 engine(7);
    Die low(engine, sides, 1);
    Die high(engine, 2 * sides, sides + 1);
// REMARKS: [[# @LINE + 1]]:1: remark: loop 'muster_roll_[[# @LINE + 1]]' runs on CPUs only: makes 'low' for each iteration, which is made in front of the loop
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; ++i) {
      engine.seed(i);
      sums[i] = low.roll(i % 5) + high.roll(2) * 1000;
    }
  }
}

// A loop variable with the name of what the object is made of.
static void hidden(int n, int *sums, int sides) {
#pragma omp parallel
  {
    std::mt19937 engine;
    Die die(engine, sides, 1);
#pragma omp for
    for (int sides = 0; sides < n; ++sides) {
      engine.seed(sides);
      sums[sides] = die.roll(3);
    }
  }
}

int main() {
  const int n = 1000;
#pragma ompx managed(values)
  int *values = new int[n];
  Generator<int> generator{n, 1000003};
  generator.fill(values);
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += values[i] * (i % 11 + 1L);
  std::printf("%ld\n", sum);
#pragma ompx managed(sums)
  int *sums = new int[n];
  roll(n, sums, 6);
  for (int i = 0; i < n; ++i) sum += sums[i] * (i % 7 + 1L);
  std::printf("%ld\n", sum);
  hidden(n, sums, 6);
  for (int i = 0; i < n; ++i) sum += sums[i] * (i % 7 + 1L);
  std::printf("%ld\n", sum);
  delete[] values;
  delete[] sums;
}
