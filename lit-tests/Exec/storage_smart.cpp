// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Smart pointers to arrays that are variables, not members: indexed, asked for their pointer, passed on as references
// and pointers; elements may be structs. All loops are distributed but those that the diagnostics test names.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t 2>&1 | FileCheck %s --check-prefix=NOTES --allow-empty && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// CHECK-NOT: this loop runs
// NOTES-NOT: stays plain OpenMP
// NOTES-NOT: internal error
#include <cstdio>
#include <memory>
#include <utility>

struct Cell {
  double x;
  int n;
};
struct Mesh {
#pragma ompx managed(cells)
  std::unique_ptr<Cell[]> cells;
  int n;
  double weight(int i) const { return cells[i].x * cells.get()[i].n; }
  void step() {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) cells[i].x += cells[i].n, cells.get()[i].n = i;
  }
};

#pragma ompx managed(early)
static std::unique_ptr<float[]> early(new float[40]);

static void byReference(std::unique_ptr<double[]> &q, const std::unique_ptr<double[]> &from, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) q[i] += from[n - 1 - i] + i;
}
static void byPointer(std::unique_ptr<double[]> *q, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) (*q)[i] += i;
}
static double sumOf(const std::unique_ptr<double[]> &q, int i) { return q[i] + q.get()[0]; }
static double around(const double *q, int i) { return q[i - 1] + q[i + 1]; }

template <class T> static T total(std::unique_ptr<T[]> &p, int n) {
  T sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += p[i];
  return sum;
}

int main() {
  const int n = 53;
#pragma ompx managed(p)
  std::unique_ptr<double[]> p(new double[n]);
#pragma ompx managed(q)
  auto q = std::make_unique<double[]>(n);
#pragma ompx managed(cells)
  std::unique_ptr<Cell[]> cells(new Cell[n]);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) p[i] = i, p.get()[i] += 1, *(p.get() + i) *= 2;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double *row = p.get(), *element = &q[i];
    auto &same = p;
    *element = row[i] + sumOf(p, i) + same[i];
  }
  auto &other = p;
  auto *pointer = &q;
  for (int t = 0; t < 3; ++t) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i) other[i] = 0.5 * around(q.get(), i) + (*pointer)[i];
    std::swap(p, q);
  }
  byReference(p, q, n), byPointer(&q, n);
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) cells[i] = {p[i], i};
#pragma omp for
    for (int i = 0; i < n; ++i) cells[i].x += cells.get()[n - 1 - i].n, early[i % 40] = 1;
  }
  const auto at = [&](int i) -> double & { return p[i]; };
#pragma omp parallel for
  for (int i = 0; i < n; ++i) at(i) += cells[i].x;
  std::printf("%.12g %.12g %g\n", total(p, n), total(q, n), early[39]);
  Mesh mesh;
  mesh.n = n, mesh.cells.reset(new Cell[n]());
  for (int i = 0; i < n; ++i) mesh.cells[i].n = i % 7;
  mesh.step(), mesh.step();
  double sum = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) q[i] = mesh.weight(i);
  for (int i = 0; i < n; ++i) sum += q[i] * (i + 1);
  std::printf("%.12g\n", sum);
  q.reset(new double[2 * n]());
  byPointer(&q, 2 * n);
  std::printf("%.12g\n", total(q, 2 * n));
}
