// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of vectors: what is served (no remark), and what steps back.
// RUN: %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
#include <algorithm>
#include <utility>
#include <vector>

typedef std::vector<std::vector<double>> Grid;
template <class T> struct Arena {
  typedef T value_type;
  int number;
  template <class U> struct rebind { typedef Arena<U> other; };
  T *allocate(std::size_t);
  void deallocate(T *, std::size_t);
  bool operator==(const Arena &) const;
};
typedef std::vector<double, Arena<double>> Row;
static double first(const std::vector<double> &row) { return row[0]; }
struct Field {
  Grid u;
};
static double corner(const Grid &g) { return g[0][0] + g.front()[1] + g[1].data()[2]; }
static void set(Grid &g, int i) { g[i][0] = 1; }
static void grow(Grid &g) { g.push_back({}); }
static double copied(Grid g) { return g[0][0]; }

void f(Grid &a, const Grid &b, Field *field, std::vector<std::vector<bool>> &bits,
       std::vector<std::vector<std::vector<int>>> &deep, std::vector<Row> &arena, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i][0] = b[i].size() + corner(b) + field->u[i][1] + b.size(), set(a, i);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto &row = a[i];
    const auto &same = row;
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = same[0] + b[i].data()[j];
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (double &x : a[i]) x *= 2;
  // CHECK: :[[@LINE+1]]:1: remark: loop 'muster_f_{{[0-9]+}}' runs on CPUs only: uses 'std::vector', which has a destructor
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i][0] = first(b[i]);
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 'arena', a vector of vectors with an allocator of its own
#pragma omp parallel for
  for (int i = 0; i < n; ++i) arena[i][0] = 1;
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'std::vector::push_back'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i].push_back(i);
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'std::vector::resize'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i].resize(i);
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'std::vector::push_back'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) grow(a);
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'std::vector::operator='
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = b[i];
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 'a[i]', a row, for something else than its elements and size
#pragma omp parallel for
  for (int i = 0; i < n / 2; ++i) std::swap(a[i], a[n - 1 - i]);
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'std::vector::swap'
#pragma omp parallel for
  for (int i = 0; i < n / 2; ++i) a[i].swap(a[n - 1 - i]);
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: declares 'row' of type 'std::vector<double>'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    std::vector<double> row = a[i];
    a[i][0] = row[1];
  }
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: refers to one of several variables
#pragma omp parallel for
  for (int i = 0; i < n; ++i) (i % 2 ? a[i] : a[i + 1])[0] = 1;
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: constructs an object of type 'Grid', which allocates or frees memory
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i][0] = copied(b);
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 'b', a table of rows, for something else than elements of its rows
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (const auto &row : b) a[i][0] += row[i];
  // CHECK: note: here
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i][0] = b[(int)b[i][0]][1];
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 'bits', whose elements of type 'class std::vector<{{bool|_Bool}}>' are vectors
#pragma omp parallel for
  for (int i = 0; i < n; ++i) bits[i][0] = true;
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 'deep', whose elements of type 'class std::vector<class std::vector<int> >' are vectors
#pragma omp parallel for
  for (int i = 0; i < n; ++i) deep[i][0][0] = i;
}

void g(int n, std::vector<double> row) {
#pragma omp managed(t)
  Grid t(n);
  int k = 0;
  // CHECK: :[[@LINE+1]]:3: remark: 't' may get rows that are not managed here: the call is no statement of its own, is written in a macro, or has side effects
  t[k++].resize(n);
  // CHECK: :[[@LINE+1]]:19: remark: 't' may get rows that are not managed here
  double *kept = (t.push_back(row), t[0].data());
  t[0].resize(*kept);
}
