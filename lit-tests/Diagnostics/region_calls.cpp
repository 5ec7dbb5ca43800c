// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a parallel region calls: what cannot be seen keeps its team, what is known to be harmless does not.
//
// RUN: %muster++ -w -fsyntax-only %s 2>&1 | %filecheck %s
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>
#include <omp.h>

int hidden(int);
__attribute__((const)) int pureNumber(int);
static int number() { return omp_get_thread_num(); }
static int visible(int x) { return x + 1; }

struct Elsewhere {
  Elsewhere();
  double x;
};
struct Ends {
  ~Ends();
  double x;
};
struct Holds {
  Ends ends;
};
struct Asks {
  int t;
  Asks() : t(number()) {}
};
struct AsksByDefault {
  int t = number();
};
struct Base {
  virtual double value(double x) { return x; }
  virtual ~Base() {}
};
struct Last final : Base {
  double value(double x) override { return 2 * x; }
};
struct Less {
  bool operator()(double a, double b) const { return a < b + hidden(1); }
};
struct Ordered {
  double x;
  bool operator<(const Ordered &other) const { return x < other.x + number(); }
};
struct Walk {
  double *p;
  double &operator*() const { return *p; }
  void operator++() { p += number(); }
  bool operator!=(const Walk &other) const { return p != other.p; }
};
struct Span {
  double *first;
  int n;
  Walk begin() const { return {first}; }
  Walk end() const { return {first + n}; }
};
static int byDefault(int x = number()) { return x; }
static bool hiddenLess(double a, double b);
bool otherLess(double a, double b);

// Each stands in a region of its own.
#define LOOP _Pragma("omp for") for (int i = 0; i < n; ++i) a[i] += 1

void refused(double *a, int n, int (*f)(int), Base *base, std::function<double(double)> any, std::barrier<> &gate,
             std::vector<Ordered> &list, std::vector<double> &v, long *flag, pthread_barrier_t *barrier) {
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls a function through a pointer, which may depend on the threads of the team
#pragma omp parallel
  { LOOP; f(1); }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls the virtual method 'value', of which not all definitions can be seen here
#pragma omp parallel
  { LOOP; base->value(1); }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls the virtual method '~Base', of which not all definitions can be seen here
#pragma omp parallel
  { LOOP; delete base; }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls a function through a pointer, which may
#pragma omp parallel
  { LOOP; any(1); }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls 'arrive_and_wait', by which threads may wait for each other
#pragma omp parallel
  { LOOP; gate.arrive_and_wait(); }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls 'pthread_barrier_wait', by which threads may wait for each other
#pragma omp parallel
  { LOOP; pthread_barrier_wait(barrier); }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls '__atomic_load_n', by which threads may wait for each other
#pragma omp parallel
  { LOOP; while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) {} }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls 'sched_getcpu', so that its result depends on the threads of the team
#pragma omp parallel
  { LOOP; sched_getcpu(); }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: constructs an object of type 'Elsewhere', whose constructor is not defined in this translation unit and may depend on the threads of the team
#pragma omp parallel
  { LOOP; Elsewhere e; }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls '~Ends', which is not defined in this translation unit and may
#pragma omp parallel
  { LOOP; Holds h{}; }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls '~Ends', which is not defined in this translation unit and may
#pragma omp parallel
  { LOOP; auto h = std::make_unique<Holds>(); }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls 'omp_get_thread_num', so that its result depends on the threads of the team
#pragma omp parallel
  { LOOP; Asks asks; }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls 'omp_get_thread_num', so that
#pragma omp parallel
  { LOOP; AsksByDefault asks{}; }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls 'omp_get_thread_num', so that
#pragma omp parallel
  { LOOP; byDefault(); }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls 'omp_get_thread_num', so that
#pragma omp parallel
  { LOOP; for (double &x : Span{a, n}) x = 1; }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls 'omp_get_thread_num', so that
#pragma omp parallel
  { LOOP; std::sort(list.begin(), list.end()); }
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls a function through a pointer, which may
#pragma omp parallel
  { LOOP; std::transform(v.begin(), v.end(), v.begin(), f); }
}

static int compare(const void *a, const void *b) { return *(const double *)a < *(const double *)b; }
static bool hiddenLess(double a, double b) { return a < b; }

// None of these: 12 loops in regions of one thread.
void harmless(double *a, int n, std::vector<double> &v, Last &last, std::string &text) {
#pragma omp parallel
  { LOOP; if (visible(1)) std::printf("%d %g\n", visible(1), std::sqrt(2.0)); }
#pragma omp parallel
  { LOOP; free(malloc(8)); }
#pragma omp parallel
  { LOOP; if (!text.empty()) std::cout << text << std::hex << 1 << std::endl; }
#pragma omp parallel
  { LOOP; std::sort(v.begin(), v.end(), hiddenLess); }
#pragma omp parallel
  { LOOP; qsort(a, n, sizeof(double), compare); }
#pragma omp parallel
  { LOOP; std::sort(v.begin(), v.end(), [](double x, double y) { return x > y; }); }
#pragma omp parallel
  { LOOP; last.value(1); last.Base::value(1); }
#pragma omp parallel
  { LOOP; omp_get_wtime(); omp_get_max_threads(); }
#pragma omp parallel
  { LOOP; pureNumber(1); }
#pragma omp parallel
  { LOOP; std::vector<std::string> words(3, text); words.push_back(std::to_string(n)); }
#pragma omp parallel
  { LOOP; Last mine; mine.value(1); }
#pragma omp parallel
  { LOOP; std::vector<double> more(v); std::fill(more.begin(), more.end(), 1.0); }
}
// What other units define is known when the program runs: 4 loops in regions that one thread runs then, or their teams.
void asked(double *a, int n, std::vector<double> &v) {
#pragma omp parallel
  { LOOP; hidden(1); }
#pragma omp parallel
  { LOOP; std::sort(v.begin(), v.end(), Less()); }
#pragma omp parallel
  { LOOP; std::sort(v.begin(), v.end(), otherLess); }
#pragma omp parallel
  { LOOP; std::for_each(v.begin(), v.end(), [](double &x) { x = hidden(2); }); }
}

// Unless a loop stays plain that cannot be there twice.
void stays(double *a, int n) {
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}: calls 'hidden', which is not defined in this translation unit and may depend on the threads of the team, and has a loop that stays plain, with a label or a static variable in it
#pragma omp parallel
  {
    LOOP;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      static int times;
      std::printf("%d\n", hidden(i) + ++times);
    }
  }
}
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-remarks=none -fplugin-arg-muster-summary %s 2>&1 | FileCheck --check-prefix=SUMMARY %s
// SUMMARY: loops: 16 for all devices, 0 for CPUs only, 18 plain OpenMP
