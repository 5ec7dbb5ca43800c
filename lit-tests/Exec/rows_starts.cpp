// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compressed rows behind a table of pointers: a row ends where the next one starts. Loops compare and subtract the
// pointers, in text of their own, in members and in methods, and compare them with other pointers into the array.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-remarks=missed %s -o %t 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARKS --allow-empty %s < %t.remarks
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// REMARKS-NOT: remark
//
// Row numbers that the loop computes need the table's size; rows that are in two arrays are no numbers of one.
// CHECK-DAG: this loop runs on rank 0's CPU, as a plain loop: the rows of unknown are not in one managed array: the loop computes which rows it uses
// CHECK-DAG: this loop runs on rank 0's CPU, as a plain loop: the rows of mixed are not in one managed array: row {{[0-9]}} is not in the array of row {{[0-9]}}
// CHECK-DAG: this loop runs on rank 0's CPU, as a plain loop: the rows of wild are not in one managed array: row 0 is in no managed array
// CHECK-NOT: this loop runs
#include <cstdio>
#include <cstdlib>
#include "Inputs/wild_report.h"

struct Edge {
  int to;
  float weight;
};

template <class T>
struct Graph {
  int n;
  T **index;
  T *neighbours;
  long degree(int v) const { return index[v + 1] - index[v]; }
  T *begin(int v) const { return index[v]; }
  T *end(int v) const { return index[v + 1]; }
};

template <class T>
static void build(Graph<T> &g, int n) {
  g.n = n;
  int total = 0;
  for (int i = 0; i < n; ++i) total += i * 7 % 5;
#pragma ompx managed(index)
  T **index = new T *[n + 1];
#pragma ompx managed(neighbours)
  T *neighbours = new T[total];
  for (int i = 0, at = 0; i <= n; ++i) {
    index[i] = neighbours + at;
    if (i < n) at += i * 7 % 5;
  }
  g.index = index;
  g.neighbours = neighbours;
}

static void fillEdges(int **index, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int *p = index[i]; p < index[i + 1]; ++p) *p = (i * 31 + (int)(p - index[i]) * 17) % n;
}

static long text(int **index, int *degrees, int n) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    degrees[i] = index[i + 1] - index[i];
    for (int *p = index[i], *end = *(index + (i + 1)); p != end; ++p) sum += *p;
    if (degrees[i] > 1) sum += index[i][1] * 3;
  }
  return sum;
}

static long members(const Graph<int> &g, int *degrees) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < g.n; ++i) {
    degrees[i] = (int)g.degree(i);
    for (const int *p = g.begin(i); p < g.end(i); ++p) sum += *p - (p - g.neighbours);
  }
  return sum;
}

// Rows that an array chooses: any of the table's.
static void indirect(int **index, const int *order, long *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const int row = order[i];
    long sum = 0;
    for (const int *p = index[row]; p < index[row + 1]; ++p) sum += *p;
    out[i] = sum;
  }
}

static long computed(int **unknown, const int *order, int n) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += unknown[order[i] + 1] - unknown[order[i]];
  return sum;
}

static long structs(const Graph<Edge> &g) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < g.n; ++i)
    for (const Edge *e = g.index[i]; e != g.index[i + 1]; ++e) sum += e->to + (long)e->weight * (e - g.neighbours);
  return sum;
}

static void fillStructs(Graph<Edge> &g) {
#pragma omp parallel for
  for (int i = 0; i < g.n; ++i)
    for (Edge *e = g.index[i]; e != g.index[i + 1]; ++e) *e = {(int)(e - g.neighbours), (float)(i % 7)};
}

static long uneven(int **mixed, int n) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += mixed[i + 1] != mixed[i] ? mixed[i][0] : 0;
  return sum;
}

static long outside(int **wild, int n) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += wild[i + 1] - wild[i] + wild[i][0];
  return sum;
}

int main() {
  const int n = 3000;
  Graph<int> g;
  build(g, n);
  fillEdges(g.index, n);
#pragma ompx managed(degrees)
  int *degrees = new int[n];
#pragma ompx managed(order)
  int *order = new int[n];
#pragma ompx managed(out)
  long *out = new long[n];
  for (int i = 0; i < n; ++i) order[i] = (i * 1117 + 5) % n;
  std::printf("%ld\n", text(g.index, degrees, n));
  report("degrees", degrees, n);
  std::printf("%ld\n", members(g, degrees));
  indirect(g.index, order, out, n);
  report("out", out, n);

  // The table changes, and the elements of another.
  for (int i = 1; i < n; ++i)
    if (g.index[i] < g.index[i + 1]) ++g.index[i];
  std::printf("%ld\n", text(g.index, degrees, n));
  report("degrees", degrees, n);

  Graph<Edge> weighted;
  build(weighted, n / 2);
  fillStructs(weighted);
  std::printf("%ld\n", structs(weighted));

  // A table that Muster did not allocate.
  int **unknown = (int **)std::malloc((n + 1) * sizeof *unknown);
  for (int i = 0; i <= n; ++i) unknown[i] = g.index[i];
  std::printf("%ld\n", text(unknown, degrees, n));
  std::printf("%ld\n", computed(unknown, order, n));

  int *mixed[3] = {g.index[0], degrees, degrees + 2};
  std::printf("%ld\n", uneven(mixed, 2));
  static int plain[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  int *wild[3] = {plain, plain + 2, plain + 7};
  std::printf("%ld\n", outside(wild, 2));
  std::free(unknown);
  delete[] g.index, delete[] g.neighbours, delete[] degrees, delete[] order, delete[] out;
  delete[] weighted.index, delete[] weighted.neighbours;
}
