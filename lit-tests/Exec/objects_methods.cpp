// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods, operators and functions that loops call for objects outside of them. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t.muster 2> %t.remarks && %run %t.muster > %t.actual
// RUN: not grep -E 'remark|warning' %t.remarks
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <memory>

#include "Inputs/wild_report.h"

template <class T>
class Matrix {
 public:
  Matrix(int rows, int cols, T* data) : rows_(rows), cols_(cols), data_(data) {}
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  T& operator()(int i, int j) { return data_[index(i, j)]; }
  const T& operator()(int i, int j) const { return data_[index(i, j)]; }
  T* operator[](int i) { return data_ + i * cols_; }
  T* data() { return data_; }
  void scale(T factor) {
#pragma omp parallel for
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < cols_; ++j) data_[index(i, j)] *= factor;
  }
  void fill(T value) {
#pragma omp parallel for collapse(2)
    for (int i = 0; i < rows(); ++i)
      for (int j = 0; j < cols(); ++j) (*this)(i, j) = value + this->index(i, j);
  }

 private:
  int index(int i, int j) const { return i * cols_ + j; }
  int rows_, cols_;
  T* data_;
};

struct Base {
  int n;
  double* values;
  double at(int i) const { return values[(i + n) % n]; }
};
class Derived : public Base {
 public:
  explicit Derived(double w) : weight(w) {}
  void smooth(double* out) const {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) out[i] = weight * (at(i - 1) + Base::at(i + 1)) + values[i];
  }

 private:
  double weight;
};

struct Lattice {
  int nx, ny;
  std::unique_ptr<double[]> f;
  int size() const { return nx * ny; }
  static int opposite(int k) { return 3 - k; }
  double& get(int x, int y) { return f[static_cast<std::size_t>(y) * nx + x]; }
};
struct Domain {
  Lattice lattice;
  Lattice& grid() { return lattice; }
};

double neighbours(const Matrix<double>& a, int i, int j) {
  return a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1);
}
void relax(Lattice* l, int x, int y) {
  double& value = l->get(x, y);
  value = 0.5 * value + Lattice::opposite(x % 4);
}

void jacobi(const Matrix<double>& a, Matrix<double>& b) {
#pragma omp parallel for
  for (int i = 1; i < a.rows() - 1; ++i)
    for (int j = 1; j < a.cols() - 1; ++j) b(i, j) = 0.25 * neighbours(a, i, j);
}
void rows(Matrix<float>& m, Matrix<float>* k) {
#pragma omp parallel for
  for (int i = 0; i < m.rows(); ++i) {
    for (int j = 0; j < m.cols(); ++j) m[i][j] += (*k)(i, j) * k->data()[j];
  }
}
void lattice(Domain& d) {
#pragma omp parallel for
  for (int y = 0; y < d.lattice.ny; ++y)
    for (int x = 0; x < d.lattice.nx; ++x) {
      relax(&d.lattice, x, y);
      double& value = d.grid().get(x, y);
      value += d.grid().size();
    }
}

int main() {
  const int n = 29, m = 23;
#pragma ompx managed(p, q, r)
  double *p = new double[n * m], *q = new double[n * m], *r = new double[n * m];
#pragma ompx managed(s, t)
  float *s = new float[n * m], *t = new float[n * m];
  fill(p, n * m), fill(q, n * m, 2), fill(r, n * m, 3), fill(s, n * m, 4), fill(t, n * m, 5);
  Matrix<double> a(n, m, p), b(n, m, q);
  Matrix<float> c(n, m, s), d(n, m, t);
  jacobi(a, b);
  report("q", q, n * m);
  rows(c, &d);
  report("s", s, n * m);
  a.scale(0.5), c.scale(2.f), d.fill(1.f);
  report("p", p, n * m), report("s", s, n * m), report("t", t, n * m);
  Derived e(0.125);
  e.n = n * m, e.values = p;
  e.smooth(r);
  report("r", r, n * m);
  Domain domain;
  domain.lattice.nx = 17, domain.lattice.ny = 13;
  domain.lattice.f.reset(new double[17 * 13]);
  fill(domain.lattice.f.get(), 17 * 13);
  lattice(domain);
  report("f", domain.lattice.f.get(), 17 * 13);
  delete[] p;
  delete[] q;
  delete[] r;
  delete[] s;
  delete[] t;
}
