// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that assign the entries of a table of rows: pointers into arrays, which are those of rank 0, so that they run
// on its CPUs. Other loops then use the rows, also through a pointer to the table.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=all %s -o %t 2>&1 | FileCheck --check-prefix=REMARKS %s
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu MUSTER_INFO=1 mpirun --allow-run-as-root --oversubscribe -n 3 %t 2>&1 | FileCheck %s
// The only loops that stay on rank 0 are those that store addresses.
// CHECK-NOT: this loop runs on rank 0's CPU, as a plain loop
// CHECK: tables_assigned.cpp:{{.*}} this loop runs on rank 0's CPU: {{.*}}addresses
#include <algorithm>
#include <cstdio>
#include <vector>

struct Weight {
  int to;
  float weight;
  Weight() {}
  Weight(int t, float w) : to(t), weight(w) {}
};

template <class T>
struct Csr {
  int n = 0;
  T *elements = nullptr;
  T **index = nullptr;

  void allocate(long count) {
#pragma ompx managed(elements)
    elements = new T[count];
  }

  static T **indexOf(const std::vector<long> &offsets, T *elements) {
    int length = offsets.size();
#pragma ompx managed(index)
    T **index = new T *[length];
// REMARKS: [[# @LINE + 1]]:1: remark: loop 'muster_indexOf_[[# @LINE + 1]]' in 'static {{.*}}' runs on CPUs only: stores addresses of elements, which are those of rank 0
#pragma omp parallel for
    for (int i = 0; i < length; ++i) index[i] = elements + offsets[i];
    return index;
  }

  // As the table that a parameter points to.
  void squeeze(const std::vector<long> &offsets, T ***table, T **neighbours) {
#pragma ompx managed(*neighbours)
    *neighbours = new T[offsets[n]];
    *table = indexOf(offsets, *neighbours);
    T *first;
// REMARKS: [[# @LINE + 1]]:1: remark: loop is outlined as 'muster_squeeze_[[# @LINE + 1]]' in 'void Csr<int>{{.*}}' for all devices
#pragma omp parallel for private(first)
    for (int i = 0; i < n; ++i) {
      first = index[i];
      std::copy(first, first + (offsets[i + 1] - offsets[i]), (*table)[i]);
    }
  }

  // In place, by a member.
  void reverse(const std::vector<long> &offsets) {
#pragma omp parallel for schedule(dynamic, 5)
    for (int i = 0; i <= n; ++i) this->index[n - i] = elements + offsets[n - i];
  }
};

static double valueOf(int v) { return v; }
static double valueOf(const Weight &w) { return w.to + w.weight; }

template <class T>
double sumOf(int n, T **index) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    for (T *p = index[i]; p < index[i + 1]; ++p) sum += valueOf(*p) * (i % 3 + 1);
  return sum;
}

static int make(int, int i) { return i * 7 % 101; }
static Weight make(Weight, int i) { return {i * 7 % 101, i % 4 * 0.5f}; }

template <class T>
void test(int n) {
#pragma ompx managed(offsets)
  std::vector<long> offsets(n + 1);
  for (int i = 0; i < n; ++i) offsets[i + 1] = offsets[i] + i * 5 % 7;
  Csr<T> csr;
  csr.n = n;
  csr.allocate(offsets[n]);
  for (int i = 0; i < offsets[n]; ++i) csr.elements[i] = make(T(), i);
  csr.index = Csr<T>::indexOf(offsets, csr.elements);
  std::printf("%g\n", sumOf(n, csr.index));
  T **table, *neighbours;
  csr.squeeze(offsets, &table, &neighbours);
  std::printf("%g %d\n", sumOf(n, table), table[0] == neighbours && table[n] == neighbours + offsets[n]);
  for (int i = 0; i <= n; ++i) csr.index[i] = nullptr;
  csr.reverse(offsets);
  std::printf("%g\n", sumOf(n, csr.index));
  delete[] csr.index;
  delete[] table;
}

// Tables that are not managed, under a condition, and from several arrays.
static void mixed(int n) {
#pragma ompx managed(even)
  double *even = new double[n];
#pragma ompx managed(odd)
  std::vector<double> odd(n);
  for (int i = 0; i < n; ++i) even[i] = i, odd[i] = -i;
  double **rows = new double *[n]();
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (i % 3 != 0) rows[i] = i % 2 == 0 ? even + i : &odd[n - i];
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += rows[i] ? *rows[i] : 0.5;
  std::printf("%g\n", sum);
// A region, whose other loop writes what the table leads to.
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) rows[i] = even + (n - 1 - i);
#pragma omp for
    for (int i = 0; i < n; ++i) even[i] += 2;
  }
  sum = 0;
  for (int i = 0; i < n; ++i) sum += *rows[i] * (i % 5);
  std::printf("%g\n", sum);
  delete[] rows;
  delete[] even;
}

int main() {
  test<int>(3000);
  test<Weight>(12000);
  mixed(1000);
}
