// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remarks about loops in templates name the instantiation; what is the same for several is said once.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=all %s 2>&1 | %filecheck %s
// Each instantiation chooses its launch while it is compiled; others run the user's loop.
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-remarks=none -fplugin-arg-muster-print=rewrite %s | grep -v '// *[CR]' | FileCheck --check-prefix=REWRITE %s
#include <cstdio>

// Never instantiated: untouched, and nothing to say.
// REWRITE-LABEL: void unused(
// REWRITE-NEXT: {{^}}#pragma omp parallel for
// REWRITE-NEXT: for (int i = 0; i < n; ++i) a[i].member();
template <class T>
void unused(T *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i].member();
}

// REWRITE-LABEL: void mixed(
// REWRITE: if constexpr (__builtin_strcmp(__PRETTY_FUNCTION__, "void mixed(T *, int) [T = int]") == 0) {
// REWRITE-NEXT: struct muster_loop_[[#LINE:]]_[[TAG:[0-9a-f]+]] {
// REWRITE: typename std::remove_cv<typename std::remove_reference<decltype(a)>::type>::type a = static_cast<
// REWRITE: static const muster_array_param muster_array_params_[[TAG]][] = {
// REWRITE: static const muster_kernel muster_this_kernel_[[TAG]] = {
// REWRITE: {{^ +}}else {
// REWRITE-NEXT: {{^}}#pragma clang diagnostic pop
// REWRITE-NEXT: {{^}}#line [[#LINE]]
// REWRITE-NEXT: {{^}}#pragma omp parallel for
// REWRITE-NEXT: for (int i = 0; i < n; ++i)
template <class T>
void mixed(T *a, int n) {
// CHECK-DAG: :[[#@LINE+3]]:1: remark: loop is outlined as 'muster_mixed_[[#@LINE+3]]' in 'void mixed(T *, int) [T = int]' for all devices
// CHECK-DAG: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: calls 'printf', which prints; keep the values in an array and print them after the loop (in 'void mixed(T *, int) [T = double]' and 1 other instantiation)
// CHECK-DAG: :[[#@LINE+4]]:{{.*}}: note: here
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = i;
    if constexpr (T(0.5) != T(0)) std::printf("%g\n", double(a[i]));
  }
}

// A lambda does not know the template that it is in.
// REWRITE-LABEL: void sameName(
// REWRITE-NOT: __PRETTY_FUNCTION__
template <class T>
void sameName(int n) {
  double *a = new double[n];
  auto run = [=] {
// CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: is in several instantiations of a template that have one name, '{{.*}}'; a lambda that holds it can be made a function
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] = sizeof(T);
  };
  run();
  delete[] a;
}

void all(int *i, float *f, double *d) {
  mixed(i, 10);
  mixed(d, 10);
  mixed(f, 10);
  sameName<int>(10);
  sameName<char>(10);
}
