// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not served of the libraries is said in the user's words, with the user's line, and with what to write instead.
// RUN: %muster++ -w -fsyntax-only %s 2>&1 | %filecheck %s
#include <alloca.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <chrono>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>
#include <vector>
omp_lock_t lock_;
std::mutex mutex_;
double (*fp)(double) = std::sin;
std::function<double(double)> fn = fp;
std::mt19937 gen(42);
std::jmp_buf env;
std::atomic<int> counter;
struct Base { double v; Base(double x) : v(x) {} };
struct Derived : Base { using Base::Base; };
double helper(double x) { if (x < 0) throw std::runtime_error("neg"); return x; }
void t_lock(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'omp_set_lock', which lets iterations wait for each other; write 'omp atomic' or a reduction for the update that it protects [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    omp_set_lock(&lock_); h[i % 7] += 1; a[i % 7] = i; omp_unset_lock(&lock_);
  }
}
void t_inpar(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'omp_in_parallel', whose result depends on the threads that run the loop; use the iteration's number, variables of the body, or a reduction [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = omp_in_parallel();
  }
}
void t_wtime(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'omp_get_wtime', which reads the clock; take the times before and after the loop [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = omp_get_wtime();
  }
}
void t_cas(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop 'muster_t_cas_{{.*}}' runs on CPUs only: calls '__sync_bool_compare_and_swap', by which iterations may wait for each other [-Rmuster-missed]
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    __sync_bool_compare_and_swap(&h[i % 7], 0, i);
  }
}
void t_atomicb(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls '__atomic_exchange_n', which orders what the threads of one process do; write 'omp atomic' (update, read, write or capture) [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = __atomic_exchange_n(&h[i % 7], 1, __ATOMIC_SEQ_CST);
  }
}
void t_waiting(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: uses the result of an atomic update in a loop that may wait for another iteration [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    while (__sync_fetch_and_add(&h[0], 0) < i) a[i] = i;
    __sync_fetch_and_add(&h[0], 1);
  }
}
void t_alloca(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls '__builtin_alloca', which allocates or frees memory; allocate before the loop, or declare an array of known size in the body [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double *t = (double *)alloca(8 * sizeof(double)); t[0] = i; a[i] = t[0];
  }
}
void t_atomic(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'operator+=' of 'std::atomic<int>', which orders what the threads of one process do; write 'omp atomic' (update, read, write or capture) [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    counter += 1; a[i] = i;
  }
}
void t_atomicpp(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'operator++' of 'std::atomic<int>', which orders what the threads of one process do; write 'omp atomic' (update, read, write or capture) [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    counter++; a[i] = i;
  }
}
void t_sharedarr2(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: declares 'sp' of type 'std::shared_ptr<double[]>', which owns memory; take its pointer before the loop, with 'get', or declare an array of known size in the body [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::shared_ptr<double[]> sp(new double[4]); sp[0] = 1; a[i] = sp[0];
  }
}
void t_optional(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'operator=' of 'std::optional<double>', which is no plain struct; write a struct of a 'bool' and the value, or keep a value that means none [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::optional<double> o; if (i % 2) o = i; a[i] = o ? *o : 0;
  }
}
void t_variant(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'operator=' of 'std::variant<int, double>', which is no plain struct; write a struct of a number that says which, and the values [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::variant<int, double> v; v = 2.0; a[i] = std::get<double>(v);
  }
}
void t_tuple2(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: declares 't' of type 'std::tuple<int, double>', which is no plain struct; write a struct with named members [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    auto t = std::make_tuple(i, 2.0); a[i] = std::get<1>(t);
  }
}
void t_stablesort(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'std::stable_sort', which allocates memory; 'sort' and 'partition' do without [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double t[4] = {1.0*i, 2, 3, 4}; std::stable_sort(t, t + 4); a[i] = t[0];
  }
}
void t_sort(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop {{.*}} runs on CPUs only: calls 'std::sort', which calls itself, which OpenCL does not have (line [[#@LINE+3]]) [-Rmuster-missed]
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double t[4] = {1.0*i, 2, 3, 4}; std::sort(t, t + 4); a[i] = t[0];
  }
}
void t_mutex(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'lock' of 'std::mutex', which lets iterations wait for each other; write 'omp atomic' or a reduction for the update that it protects [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    mutex_.lock(); h[0]++; mutex_.unlock();
  }
}
void t_lockguard(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: declares 'g' of type 'std::lock_guard<std::mutex>', which lets iterations wait for each other; write 'omp atomic' or a reduction for the update that it protects [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::lock_guard<std::mutex> g(mutex_); h[0]++;
  }
}
void t_try(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: throws or catches exceptions; set a flag in the loop, and test it behind the loop [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    try { a[i] = helper(a[i]); } catch (...) { a[i] = 0; }
  }
}
void t_new(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: allocates or frees memory; allocate before the loop, or declare an array of known size in the body [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double *t = new double[4]; t[0] = i; a[i] = t[0]; delete[] t;
  }
}
void t_malloc(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'malloc', which allocates or frees memory; allocate before the loop, or declare an array of known size in the body [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double *t = (double *)malloc(32); t[0] = i; a[i] = t[0]; free(t);
  }
}
void t_fptr(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls a function through a pointer; call it by its name, or give a lambda expression to a function template [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = fp(a[i]);
  }
}
void t_function(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'operator()' of 'std::function<double (double)>', which calls through a pointer; call the function by its name, or give a lambda expression to a function template [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = fn(a[i]);
  }
}
void t_functionb(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: declares 'f' of type 'std::function<double (double)>', which calls through a pointer; call the function by its name, or give a lambda expression to a function template [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::function<double(double)> f = [](double x) { return x + 1; }; a[i] = f(a[i]);
  }
}
void t_randr(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'erand48', which is compiled elsewhere; make a generator in the body ('minstd_rand') from the iteration's number [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    unsigned short s[3] = {1, 2, 3}; a[i] = erand48(s);
  }
}
void t_mt(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'operator()' of 'std::mt19937', whose state all iterations share; fill an array with random numbers before the loop, or make a generator in the body ('minstd_rand') from the iteration's number [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = gen();
  }
}
void t_mtd(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'operator()' of 'std::uniform_real_distribution<double>', whose state all iterations share; fill an array with random numbers before the loop, or make a generator in the body ('minstd_rand') from the iteration's number [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::uniform_real_distribution<double> d(0, 1); a[i] = d(gen);
  }
}
void t_vec(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: declares 't' of type 'std::vector<double>', which allocates or frees memory; allocate before the loop, or declare an array of known size in the body [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::vector<double> t(4); t[0] = i; a[i] = t[0];
  }
}
void t_string(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: declares 's' of type 'std::string', whose elements are all over the memory of one process; put what the loop needs into a vector before it [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::string s = "abc"; a[i] = s.size();
  }
}
void t_strtod(double *a, const char *text, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'strtod', which converts between numbers and text; do that before or after the loop [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    char *end; a[i] = strtod(text + 8 * i, &end);
  }
}
void t_tostring(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'std::to_string', which converts between numbers and text; do that before or after the loop [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = std::to_string(i).size();
  }
}
void t_cout(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'operator<<', which prints; keep the values in an array and print them after the loop [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::cout << i << "\n"; a[i] = 1;
  }
}
void t_distribution(double *a, int n) {
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop 'muster_t_distribution_{{.*}}' runs on CPUs only: calls 'operator()' of 'std::normal_distribution<double>', whose code in the library cannot run on every device; compute it before the loop, or write that part out
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::mt19937 g(i);
    std::normal_distribution<double> d(0, 1);
    a[i] = d(g);
  }
}
struct Adder { int &r; Adder(int &x) : r(x) {} void go() { r++; } };
void t_reference_member(double *a, double *b, int n) {
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop 'muster_t_reference_member_{{.*}}' runs on CPUs only: uses 'Adder', which holds a pointer
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int z = i;
    Adder move(z);
    for (int j = 0; j < 5; j++, move.go()) a[i] += b[z];
  }
}
void t_setjmp(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'setjmp', which jumps out of functions; write 'break', 'goto' or a flag [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (setjmp(env) == 0) a[i] = 1;
  }
}
void t_errno(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: uses 'errno', which each thread has for itself; test arguments or results instead [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    errno = 0; a[i] = std::sqrt(a[i]); if (errno) a[i] = 0;
  }
}
void t_map(double *a, int *h, int n) { std::map<int,double> m;
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'operator[]' of 'std::map<int, double>', whose elements are all over the memory of one process; put what the loop needs into a vector before it [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = m[i];
  }
}
void t_chrono(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'now', which reads the clock; take the times before and after the loop [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    auto t = std::chrono::steady_clock::now(); a[i] = t.time_since_epoch().count();
  }
}
void t_getenv(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'getenv', which asks the operating system; do that before the loop [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = getenv("X") != nullptr;
  }
}
void t_sync2(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls '__sync_synchronize', which orders what the threads of one process do; write 'omp atomic' (update, read, write or capture) [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    __sync_synchronize(); a[i] = 1;
  }
}
void t_static(double *a, int *h, int n) {
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: declares the static variable 't'; declare it without 'static', or in front of the loop [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    static double t[4]; t[0] = i; a[i] = t[0];
  }
}
void t_vecout(double *a, int *h, int n) { std::vector<double> t;
  // CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'std::vector::push_back'; give the vector its size before the loop, and use elements by their index [-Rmuster-missed]
  // CHECK-DAG: library.cpp:[[#@LINE+3]]:{{[0-9]+}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    t.push_back(i); a[i] = t.size();
  }
}
void t_inherited(double *a, int n) {
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: contains an expression of kind CXXInheritedCtorInitExpr [-Rmuster-missed]
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = Derived(i).v;
  }
}
void t_span(double *a, int n) {
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop 'muster_t_span_{{[0-9]+}}' runs on CPUs only: constructs an object of type 'std::span<double>', which is made in the body
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::span<double> row(&a[i * 4], 4);
    row[0] = i;
  }
}
void t_bindings(double (*pos)[3], double *a, int n) {
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: copies an array to bind names to its elements; bind them by 'auto &', or read them one by one [-Rmuster-missed]
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    auto [x, y, z] = pos[i];
    a[i] = x + y + z;
  }
}
void t_minmax_element(double *a, int n) {
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop 'muster_t_minmax_element_{{[0-9]+}}' runs on CPUs only: calls 'std::minmax_element', which uses a pointer to a pointer
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double t[4] = {1.0 * i, 2, 3, 4};
    auto [lo, hi] = std::minmax_element(t, t + 4);
    a[i] = *hi - *lo;
  }
}
void t_five_levels(double *****t, std::vector<std::vector<std::vector<double>>> &v, int n) {
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 't', whose elements of type 'double ****' are pointers; one array for all elements, with a computed index, is served, and so are tables 'T **' of rows [-Rmuster-missed]
#pragma omp parallel for
  for (int i = 0; i < n; i++) t[i][1][2][3][4] = 1;
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 'v', whose elements of type 'class std::vector<class std::vector<double> >' are vectors; let a reference name the one that the loop uses, in front of it [-Rmuster-missed]
#pragma omp parallel for
  for (int i = 0; i < n; i++) v[i][1][2] = 1;
}
