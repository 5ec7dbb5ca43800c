// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As c_absent.c, with vectors behind smart pointers and methods: a launch must not follow pointers that are null.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-remarks=missed %s -o %t.muster 2> %t.remarks
// RUN: FileCheck --allow-empty --implicit-check-not=remark: %s < %t.remarks
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <memory>
#include <vector>
#include "Inputs/wild_report.h"
struct Gains {
  std::vector<double> values;
  double scale;
  Gains() : values(4, 1.5), scale(2) {}
  double at(int i) const { return values[i % values.size()] * scale; }
};
class Model {
 public:
  double* u;
  int n;
  bool has = false;
  std::unique_ptr<Gains> gains;
  void step() {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      u[i] += 1;
      if (has) u[i] += gains->at(i);
    }
  }
};
void grow(Model* m, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) m->u[i] *= m->gains->scale;
}
// The index needs an expression of members that are there only under a condition.
struct Shape {
  int rows, columns;
};
struct Sized {
  double* u;
  int n;
  bool has;
  const Shape* shape;
};
void spread(Sized* s) {
#pragma omp parallel for
  for (int i = 0; i < s->n; ++i)
    if (s->has) s->u[i + (s->shape->rows - s->shape->columns) / 3] += i;
}
int main() {
  const int n = 101;
#pragma ompx managed(u)
  double* u = new double[n];
  fill(u, n);
  Model m;
  m.u = u;
  m.n = n;
  grow(nullptr, 0), grow(&m, 0);
  m.step();
  report("u", u, n);
  m.gains = std::make_unique<Gains>(), m.has = true;
  m.step(), grow(&m, n);
  report("u", u, n);
  const Shape none{7, 7};
  Sized sized{u, n, false, nullptr};
  spread(&sized);
  sized.shape = &none, sized.has = true;
  spread(&sized);
  report("u", u, n);
}
