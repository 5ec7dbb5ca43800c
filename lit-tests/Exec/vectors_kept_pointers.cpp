// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements to which pointers lead do not move when a managed vector takes them over: from a variable, or from a function
// that kept pointers to them. What functions made for the vector is managed.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %plain -std=c++14 -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -std=c++14 -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// CHECK-NOT: {{this loop runs.*(fresh|same)}}
#include <cstdio>
#include <utility>
#include <vector>

typedef std::vector<double> Row;
typedef std::vector<Row> Grid;

static double *kept;
static std::vector<double *> places;
static int calls;
static void keep(Row &row) { kept = row.data(); }
static Row made(int m) {
  Row row(m, 1);
  keep(row);
  return row;
}
static Row passed(Row &&row) { return std::move(row); }
static Grid grid(int n, int m, std::vector<double *> &to) {
  Grid g(n, Row(m, 1));
  for (auto &row : g) to.push_back(row.data());
  return g;
}
static Grid stored(int n, int m) { return grid(n, m, places); }
struct Owner {
  Row row;
  Row take() { return std::move(row); }
  operator Row() && { return std::move(row); }
};
struct Registry {
  static double *last;
  static void add(double *p) { last = p; }
};
double *Registry::last;
static Row registered(int m) {
  Row row(m, 2);
  Registry::add(row.data());
  return row;
}
// Nobody can have kept anything.
static Grid zeros(int n, int m) {
  ++calls;
  return Grid(n, Row(m));
}
static Row counted(int m, int &count, const Row &like) {
  Row row(m, like[0]);
  for (int j = 0; j < m; ++j) row[j] += count++;
  return row;
}

struct Lists {
#pragma ompx managed(v)
  Row v{1, 2, 3};
#pragma ompx managed(g)
  Grid g{Row(3, 1), Row(3, 2)};
#pragma ompx managed(w)
  Row w = {4, 5};
};

static double sum(const Grid &g) {
  double s = 0;
  for (const Row &row : g)
    for (double x : row) s = s * 1.25 + x;
  return s;
}

int main() {
  const int n = 7, m = 600;
  Row source(m, 1);
  double *p = source.data();
#pragma ompx managed(a)
  Row a = std::move(source);
  p[3] = 7;
  Row second(m, 1);
  p = second.data();
#pragma ompx managed(b)
  Row b;
  b = std::move(second);
  p[3] = 7;
#pragma ompx managed(c)
  Row c = made(m);
  kept[3] = 7;
  c = made(m);
  kept[4] = 7;
  Row third(m, 1);
  p = third.data();
#pragma ompx managed(d)
  Row d = passed(std::move(third));
  p[3] = 7;
  Owner owner{Row(m, 1)}, other{Row(m, 1)};
  p = owner.row.data();
#pragma ompx managed(e)
  Row e = owner.take();
  p[3] = 7;
  p = other.row.data();
#pragma ompx managed(f)
  Row f = std::move(other);
  p[3] = 7;
#pragma ompx managed(g)
  Row g = registered(m);
  Registry::last[3] = 7;
  Row fourth(m, 1);
  p = fourth.data();
  auto give = [&] { return std::move(fourth); };
#pragma ompx managed(h)
  Row h = give();
  p[3] = 7;
  std::printf("%g %g %g %g %g %g %g %g %g\n", a[3], b[3], c[3], c[4], d[3], e[3], f[3], g[3], h[3]);

  std::vector<double *> rows;
#pragma ompx managed(s)
  Grid s = grid(n, m, rows);
  for (double *row : rows) row[2] = 9;
#pragma ompx managed(t)
  Grid t = stored(n, m);
  for (double *row : places) row[2] = 9;
#pragma ompx managed(u)
  Grid u;
  u.push_back(made(m));
  kept[5] = 8;
  u.push_back(n > 3 ? made(m) : Row(m));
  kept[5] = 8;
  u.resize(4);
  u[2] = made(m);
  kept[5] = 8;
  Row fifth(m, 3);
  p = fifth.data();
  u[3] = Row(std::move(fifth));
  p[5] = 8;
  // A list is copied to the rows that are there.
  Grid old(2, Row(2, 1));
#pragma ompx managed(listed)
  Grid listed = std::move(old);
  p = listed[1].data();
  listed = {{3, 4}, {5, 6}};
  p[1] = 10;
  std::printf("%.12g %.12g %.12g %.12g\n", sum(s), sum(t), sum(u), sum(listed));

  auto make = [&](int k) { return Row(m, n + k); };
#pragma ompx managed(fresh)
  Grid fresh = zeros(n, m);
#pragma ompx managed(same)
  Row same = make(3);
  int count = 0;
#pragma omp parallel for
  for (int j = 0; j < m; ++j) same[j] += j;
  same = counted(m, count, a);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) fresh[i][j] = i * j + same[j];
  fresh = zeros(n, m);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) fresh[i][j] += i * j + same[j];
  std::printf("%.12g %d %d\n", sum(fresh), calls, count);
  Lists lists;
#pragma omp parallel for
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) lists.g[i][j] += lists.v[j] * i;
  std::printf("%.12g %g\n", sum(lists.g), lists.w[1]);
}
