// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program has a function of its own in place of one of a library: what the library's file says of its own does not
// count, for calls from the program and from the library itself.
//
// RUN: %plain -O0 -w -c %S/Inputs/unit_functions_taken.cpp -o %t.taken.o
// RUN: %plain -O0 -w -fPIC -shared %S/Inputs/unit_functions_library.cpp -o %t.library.plain.so
// RUN: %plain -O1 -w %s %t.taken.o %t.library.plain.so -rdynamic -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O0 -w -fPIC -shared %S/Inputs/unit_functions_library.cpp -o %t.library.so
// RUN: %muster-link -O1 -w %s %t.taken.o %t.library.so -rdynamic -o %t.muster
// RUN: %run MUSTER_INFO=1 timeout 60 %t.muster 2>%t.report | diff %t.expected - && FileCheck %s < %t.report
#include <cstdio>

int taken();
int ofTaken();
int ofOwn();
const int n = 900;

// How many threads had each number.
template <class Number>
static void print(const int (&counts)[3], Number sum) {
  std::printf("%d %d %d %g\n", counts[0], counts[1], counts[2], sum);
}

int main() {
#pragma ompx managed(a)
  double *a = new double[n]();
  int counts[3] = {};
  // CHECK-DAG: unit_functions_library.cpp:[[@LINE+1]]: this loop runs with its whole team, {{.*}}: it calls 'taken()', which is in no file
#pragma omp parallel num_threads(3)
  {
    counts[taken()]++;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = i;
  }
  print(counts, a[n - 1]);
  // CHECK-DAG: unit_functions_library.cpp:[[@LINE+1]]: this loop runs with its whole team, {{.*}}: it calls 'taken()', which is in no file
#pragma omp parallel num_threads(3)
  {
    counts[ofTaken()]++;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = 2 * i;
  }
  print(counts, a[n - 1]);
  double sum = 0;
#pragma omp parallel num_threads(3)
  {
    const int factor = ofOwn();
    // CHECK-DAG: unit_functions_library.cpp:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += factor * a[i];
  }
  print(counts, sum);
  delete[] a;
}
