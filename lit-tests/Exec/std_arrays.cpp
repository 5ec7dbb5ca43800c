// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What std::array offers, in loops and around them, of variables and of members: all loops are distributed, those with
// `at` on CPUs. An index that `at` finds too large ends the process, as it does without the plugin.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t 2>&1 | FileCheck %s --check-prefix=NOTES --allow-empty && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// RUN: not --crash %t.plain too far
// RUN: not --crash %t too far
// CHECK-NOT: this loop runs on rank 0
// NOTES-NOT: stays plain OpenMP
// NOTES-NOT: internal error
#include <array>
#include <cstdio>
#include <tuple>
#include <type_traits>

constexpr int n = 50;
struct Box {
#pragma ompx managed(b)
  std::array<double, n> b;
#pragma ompx managed(c)
  std::array<std::array<float, 3>, n> c;
  void fill() {
#pragma omp parallel for
    for (int i = 0; i < (int)b.size() - 1; ++i) b[i] = i + b.size();
#pragma omp parallel for
    for (std::size_t i = 0; i < c.size(); ++i) c[i][2] = i, c.at(i).at(1) = 2, std::get<0>(c[i]) = c[i].back();
  }
  double sum() const {
    long s = 0;
#pragma omp parallel for reduction(+ : s)
    for (std::size_t i = 0; i <= c.size() - 1; ++i)
      s += (long)(b.data()[i] * c[i].front()) + (long)(b.size() - 1 - i) * (long)b.max_size();
    return s;
  }
};

static void host(std::array<double, n> &a) {
  decltype(n) m = n;
  for (double &x : a) x += m;
}

int main(int argc, char **) {
#pragma ompx managed(a)
  std::array<double, n> a;
#pragma ompx managed(c)
  double c[n];
#pragma omp parallel for
  for (std::size_t i = 0; i < a.size(); ++i) a.at(i) = i, c[i] = 1;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    decltype(a)::value_type x = a[i];
    std::tuple_element<1, decltype(a)>::type y = x;
    a.data()[i] = x + y + sizeof(a) + std::extent<decltype(c)>::value;
  }
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) a[i] += a.front() + a.back();
#pragma omp parallel for
  for (int i = 1; i < n; ++i) a[i] += std::get<0>(a);
#pragma omp parallel for
  for (int i = 0; i < (int)std::size(a) - 1; ++i) a[i] += a.size() - 1;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto from = a.begin();
    const auto &same = a;
    c[i] += same[i] + *(a.begin() + i) + from[0] + *(same.end() - 1);
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    std::array<double, 3> v = {1, 2, 3}, w;
    v.front() += c[i], w.fill(2), v.swap(w);
    for (double x : w) c[i] += x + std::get<2>(v) * v.size() - *v.data();
  }
  host(a);
  decltype(a)::value_type s = 0;
  for (double x : a) s += x;
  decltype(a) copy = a;
  copy[3] = 100;
  decltype(c) other;
  other[1] = 3;
  static_assert(std::tuple_size<decltype(a)>::value == n && std::extent<decltype(c)>::value == n);
  std::printf("%.12g %g %g %g %g\n", s, a[3], copy[3], other[1], c[7]);
  static Box box;
  box.fill();
  std::printf("%.12g\n", box.sum());
  if (argc < 3) return 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) c[i] = a.at(i + 1);
  return 0;
}
