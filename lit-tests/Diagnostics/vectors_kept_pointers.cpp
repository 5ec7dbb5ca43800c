// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors that get elements to which pointers may lead.
// RUN: %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
#include <cstdio>
#include <random>
#include <utility>
#include <vector>
typedef std::vector<double> Row;
typedef std::vector<Row> Grid;
struct Options {
  int n, m;
  Grid zeros() const;
};
static Options options;
static double *kept;
Row read(const char *name, std::FILE *file, std::mt19937 &random, int &count);
Row view(std::vector<double *> &places);
static Row sized() { return Row(options.n); }
static Row keeps() {
  Row row(3);
  kept = row.data();
  return row;
}
static Row calls() { return keeps(); }
void f(std::FILE *file, int n, std::mt19937 &random) {
  int count = 0;
  std::vector<double *> places;
#pragma omp managed(a)
  Row a = read("a", file, random, count);
  a = sized();
#pragma omp managed(g)
  Grid g = options.zeros();
  g.push_back(sized());
  g[0] = read("b", nullptr, random, count);
#pragma omp managed(moved)
  Row moved = std::move(a);
  // CHECK: :[[@LINE+2]]:11: remark: 'b' may get memory that is not managed here: something may point to elements of what it is given
#pragma omp managed(b)
  Row b = view(places);
  // CHECK: :[[@LINE+1]]:7: remark: 'a' may get memory that is not managed here: something may point to elements of what it is given
  a = keeps();
  // CHECK: :[[@LINE+1]]:15: remark: 'g' may get memory that is not managed here: something may point to elements of what it is given
  g.push_back(calls());
  // CHECK: :[[@LINE+1]]:10: remark: 'g' may get memory that is not managed here: something may point to elements of what it is given
  g[1] = calls();
}
