// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Precompiled headers and headers that an option includes, made with and without the plugin, with and without directives
// in them: the file that uses them is served, and what stays plain is said once.
// RUN: rm -rf %t && mkdir -p %t && cp %S/Inputs/ahead.h %t && cd %t && sed '/omp managed/d' ahead.h > plain.h
// RUN: %muster++ -x c++-header plain.h -o plain.pch 2>&1 | %filecheck --allow-empty --check-prefix=QUIET %s
// RUN: %muster++ -x c++-header ahead.h -o managed.pch 2>&1 | %filecheck --check-prefix=HEADER %s
// RUN: %plain -x c++-header plain.h -o foreign.pch
// RUN: %muster-link -fplugin-arg-muster-remarks -include-pch plain.pch %s -o plain 2>&1 | %filecheck --check-prefix=USED %s
// RUN: %muster-link -fplugin-arg-muster-remarks -include-pch managed.pch %s -o managed 2>&1 | %filecheck --check-prefix=USED %s
// RUN: %muster-link -fplugin-arg-muster-remarks -include-pch foreign.pch %s -o foreign 2>&1 | %filecheck --check-prefix=USED %s
// RUN: %muster-link -include ahead.h %s -o option 2>&1 | %filecheck --check-prefix=OPTION %s
// RUN: sed '/omp managed/d' %s > oracle.cpp && %plain -include plain.h oracle.cpp -o oracle
// RUN: %run ./oracle > expected && FileCheck --check-prefix=RUNS %s < expected
// RUN: %run ./plain | diff expected - && %run ./managed | diff expected - && %run ./foreign | diff expected -
// RUN: %run ./option | diff expected -
// RUN: not %muster++ -include-pch plain.pch -std=c++17 -fsyntax-only %s 2>&1 | %filecheck --check-prefix=MISMATCH %s
// QUIET-NOT: {{.}}
// HEADER: ahead.h:7:1: warning: muster: what is compiled ahead (precompiled headers, header units, -emit-ast) cannot be rewritten; directives are ignored
// USED-DAG: :{{[0-9]+}}:1: remark: loop stays plain OpenMP on rank 0: is in a module or in a header that is compiled ahead; in a header that an #include line names it is served
// USED-DAG: remark: loop is outlined as 'muster_sum_[[@LINE+11]]' for all devices
// USED-DAG: remark: loop is outlined as 'muster_sum_[[@LINE+12]]' for all devices
// USED-DAG: remark: array 'u' is partitioned
// OPTION: ahead.h:7:21: remark: 'w' stays a plain array: its directive is in a file that an option includes (-include)
// OPTION: ahead.h:9:1: remark: loop stays plain OpenMP on rank 0: is in a file that an option includes (-include)
// MISMATCH: error: C++20 was enabled in {{.*}} but is currently disabled
// RUNS: 9900 9
double sum(int n) {
#pragma omp managed(u)
  double *u = new double[n];
  double total = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) u[i] = 2.0 * i;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < n; ++i) total += u[i];
  delete[] u;
  return total;
}
int main() { std::printf("%g %g\n", sum(100), last(10)); }
