// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements whose type lies in a namespace without a name, which no text can write.
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -Werror -fplugin-arg-muster-strict %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
#include <cstdio>
#include <vector>

namespace {
struct Point {
  double x = 1;
  int kind;
};
namespace inner {
namespace {
enum Colour { red, green };
}
}  // namespace inner

double moved(const Point *points, int n) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += points[i].x * points[i].kind;
  return sum;
}
}  // namespace

int main() {
  const int n = 100;
  const Point shift = {0.5, 2};
#pragma ompx managed(points)
  Point *points = new Point[n];
#pragma ompx managed(more)
  std::vector<Point> more(n);
#pragma ompx managed(local)
  Point local[4];
#pragma ompx managed(colours)
  inner::Colour *colours = new inner::Colour[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    colours[i] = i % 3 == 0 ? inner::red : inner::green;
    points[i].x += i * shift.x;
    points[i].kind = i % 4 + shift.kind;
    more[i].x = points[i].x;
    more[i].kind = 1;
  }
#pragma omp parallel for
  for (int i = 0; i < 4; ++i) local[i].x += i;
  int greens = 0;
  for (int i = 0; i < n; ++i) greens += colours[i] == inner::green;
  std::printf("%g %g %g %d\n", moved(points, n), moved(more.data(), n), local[3].x, greens);
  delete[] points;
  delete[] colours;
}
