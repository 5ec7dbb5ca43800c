// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets and maps get addresses of what each thread of a region has for itself: how many these are shows how many threads
// there were. Such regions keep their teams.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t 2>&1 | %filecheck %s
// RUN: %run %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu,opencl mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <unordered_set>
#include <string>
#include <utility>
#include <vector>

static const int n = 1000;
static double* p;
static std::set<const void*> all;

static void enter(const void* one) {
#pragma omp critical
  all.insert(one);
}
static void enter(const int& one) {
#pragma omp critical
  all.insert(&one);
}
static void pass(const int* one) { enter(one); }
struct Listed {
  int value = 0;
  Listed() {
#pragma omp critical
    all.insert(this);
  }
};
struct Enters {
  int value = 0;
  void enter() {
#pragma omp critical
    all.emplace(&value);
  }
};

// CHECK-COUNT-18: remark: region stays plain OpenMP on rank 0: adds the same once for each thread of the team
// CHECK-NOT: region stays plain
#define REGION(...)                                  \
  _Pragma("omp parallel num_threads(3)") {           \
    __VA_ARGS__                                      \
    _Pragma("omp for") for (int i = 0; i < n; ++i) p[i] += 1; \
  }
#define CRITICAL(...) _Pragma("omp critical") { __VA_ARGS__; }

static void print() {
  std::printf("%zu\n", all.size());
  all.clear();
}

static void functions() {
  REGION(int own = 0; enter(&own);)
  print();
  REGION(int own = 0; enter(own);)
  print();
  REGION(int own[4] = {}; pass(own + 1);)
  print();
  REGION(Listed own;)
  print();
  REGION(Enters own; own.enter();)
  print();
}

// Pointers that are parts of a thread's objects, and what lambdas around a set capture.
static void parts() {
  std::set<const int*> kept;
  REGION(std::vector<int> own(3); CRITICAL(kept.insert(own.data())))
  std::printf("%zu\n", kept.size());
  kept.clear();
  struct Box {
    const int* at;
  };
  REGION(int own = 0; Box box = {&own}; CRITICAL(kept.insert(box.at)))
  std::printf("%zu\n", kept.size());
  kept.clear();
  REGION(int own = 0; const int* list[1] = {&own}; CRITICAL(kept.insert(list[0])))
  std::printf("%zu\n", kept.size());
  kept.clear();
  REGION(int own = 0; std::vector<const int*> list = {&own}; CRITICAL(kept.insert(list.begin(), list.end())))
  std::printf("%zu\n", kept.size());
  kept.clear();
  REGION(int own = 0; const auto add = [&] { kept.insert(&own); }; CRITICAL(add()))
  std::printf("%zu\n", kept.size());
  kept.clear();
  REGION(int own[2] = {}; const auto add = [&] { kept.insert(own); }; CRITICAL(add()))
  std::printf("%zu\n", kept.size());
}

// The same for all threads, by what they hold.
static void held() {
  std::set<int> numbers;
  std::set<std::string> words;
  REGION(std::vector<int> own(3, 4); CRITICAL(numbers.insert(own.begin(), own.end()); numbers.insert(own[1])))
  REGION(std::string own = "a"; CRITICAL(words.insert(own.c_str()); words.insert(own)))
  std::printf("%zu %zu\n", numbers.size(), words.size());
}

int main() {
#pragma ompx managed(p)
  p = new double[n]();
  std::set<std::uintptr_t> numbers;
  REGION(int own = 0; CRITICAL(numbers.insert(reinterpret_cast<std::uintptr_t>(&own) >> 2)))
  std::map<const int*, int> map;
  REGION(int own = 0; CRITICAL(map[&own] = 1))
  std::set<double*> allocated;
  REGION(double* own = new double[4]; CRITICAL(allocated.insert(own)))
  std::set<std::pair<int, const int*>> pairs;
  REGION(int own = 0; CRITICAL(pairs.insert({1, &own})))
  std::unordered_set<const double*> arrays;
  REGION(double own[4]; CRITICAL(arrays.emplace(own)))
  struct Pair {
    int left, right;
  };
  std::set<const int*> members;
  REGION(Pair own; CRITICAL(members.insert(&own.right)))
  std::set<int*> moved;
  int shared = 0;
  REGION(int* own = new int[2]; CRITICAL(moved.insert(own + 1); moved.insert(&shared)))
  std::printf("%zu %zu %zu %zu %zu %zu %zu\n", numbers.size(), map.size(), allocated.size(), pairs.size(), arrays.size(),
              members.size(), moved.size());
  functions();
  parts();
  // The same for all threads.
  std::set<const void*> same;
  std::set<int> values;
  std::map<int, double> counted;
  REGION(int own = 5; CRITICAL(same.insert(&shared); same.insert(p); values.insert(own); counted[own] = 2))
  REGION(CRITICAL(all.insert(&shared)) enter(&shared);)
  held();
  std::printf("%zu %zu %zu %g\n", same.size(), values.size(), counted.size(), p[7]);
  delete[] p;
}
