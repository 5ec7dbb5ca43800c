// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `firstprivate` of structs and arrays: copies by value, which the body may change.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster 2>&1 | FileCheck --check-prefix=BUILT --implicit-check-not='not build' %s
#include <array>
#include <cstdio>

// BUILT: read
constexpr int n = 1001;

struct Point {
  float x, y;
  int label;
  float distance(const Point& other) const { return (x - other.x) * (x - other.x) + (y - other.y) * (y - other.y); }
  void shift(float by) { x += by, y -= by; }
};
struct Base {
  double scale;
};
struct Frame : Base {
  explicit Frame(double s) : Base{s}, origin{1, 2, 3} {}
  Point origin;
  double weights[4] = {1, 2, 3, 4};
};

Point centre = {3, 4, 5};
double table[2][3] = {{1, 2, 3}, {4, 5, 6}};

double* a;

static void report(const char* name) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * (i % 7);
  std::printf("%s %.10g\n", name, sum);
}

template <class T, int K>
void templates(T start) {
  T values[K];
  for (int k = 0; k < K; k++) values[k] = start + k;
  Frame frame(start);
  struct Pair {
    T first, second;
  } pair = {start, T(start * 2)};
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_templates_[[#@LINE+1]]' in {{.*}} for all devices
#pragma omp parallel for firstprivate(values)
  for (int i = 0; i < n; i++) {
    values[i % K] = i;
    T sum = 0;
    for (T value : values) sum += value;
    a[i] = sum;
    values[i % K] = start + i % K;
  }
  report("template's array");
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_templates_[[#@LINE+1]]' in {{.*}}
#pragma omp parallel for firstprivate(frame)
  for (int i = 0; i < n; i++) {
    frame.weights[1] = i;
    a[i] += frame.weights[1] * frame.weights[3] + frame.scale + frame.origin.y;
  }
  report("template's struct");
}

int main() {
#pragma ompx managed(a)
  a = new double[n];
  for (int i = 0; i < n; i++) a[i] = i % 11;
  Point p = {1, 2, 3};
  float pixel[3] = {0.5f, 0.25f, 2};
  std::array<int, 4> corners = {4, 3, 2, 1};
  Frame frame(0.5);
  // Not changed.
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_main_[[#@LINE+1]]' for all devices
#pragma omp parallel for firstprivate(p, pixel, corners)
  for (int i = 0; i < n; i++) a[i] += p.x * i + p.y + pixel[i % 3] + corners[i & 3] + p.distance({1, 1, 1});
  report("read");
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_main_[[#@LINE+1]]' for all devices
#pragma omp parallel for firstprivate(p, pixel, corners, frame) schedule(static, 5)
  for (int i = 0; i < n; i++) {
    const Point before = p;
    p.x = i;
    p.shift(2);
    pixel[0] = p.x + 1;
    corners[i % 4] = 0;
    frame.origin.label = i % 3;
    frame.weights[2] = pixel[0];
    double sum = 0;
    for (double w : frame.weights) sum += w * frame.scale;
    for (int c : corners) sum += c;
    a[i] += p.distance(before) * 0.125 + pixel[0] + pixel[1] + pixel[2] + sum + frame.origin.label;
    p = before;
    corners[i % 4] = 4 - i % 4;
  }
  report("changed");
  const Point fixed[2] = {{1, 2, 3}, {4, 5, 6}};
  const int steps[3] = {1, 2, 3};
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_main_[[#@LINE+1]]' for all devices
#pragma omp parallel for firstprivate(fixed, steps)
  for (int i = 0; i < n; i++) a[i] += fixed[i % 2].x * steps[i % 3] + fixed[1].distance(fixed[i % 2]);
  report("constant");
  // Variables of the file, and arrays of arrays, in a nest.
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_main_[[#@LINE+1]]' for all devices
#pragma omp parallel for collapse(2) firstprivate(centre, table)
  for (int i = 0; i < n / 7; i++)
    for (int j = 0; j < 7; j++) {
      table[1][j % 3] = centre.x + j;
      centre.label = j;
      a[i * 7 + j] += table[0][2] + table[1][j % 3] + centre.label + centre.y;
      if (j == 3) continue;
      a[i * 7 + j] += table[0][j % 3];
    }
  report("globals");
  std::printf("%g %g %d %g %g %d %g %d\n", p.x, pixel[0], corners[1], frame.weights[2], centre.x, centre.label,
              table[1][1], frame.origin.label);
  templates<double, 5>(2.5);
  templates<int, 3>(2);
  // The region's own.
#pragma omp parallel firstprivate(p)
  {
    // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_main_[[#@LINE+1]]' for all devices
#pragma omp for firstprivate(pixel)
    for (int i = 0; i < n; i++) {
      pixel[2] = i;
      const auto scaled = [&](int k) { return pixel[k] * 2 + sizeof pixel; };
      float* last = &pixel[2];
      a[i] += pixel[2] + p.y + scaled(2) + *last;
    }
  }
  report("region");
  delete[] a;
}
