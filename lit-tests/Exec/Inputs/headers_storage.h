// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEADERS_STORAGE_H
#define HEADERS_STORAGE_H
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#pragma ompx managed(shared)
extern double *shared;

class Plain {
 public:
  explicit Plain(int n) : n_(n) {
#pragma ompx managed(u_)
    u_ = new double[n];
#pragma ompx managed(v_)
    v_ = static_cast<double *>(std::calloc(n, sizeof(double)));
  }
  Plain(const Plain &) = delete;
  Plain &operator=(const Plain &) = delete;
  ~Plain() {
    delete[] u_;
    std::free(v_);
  }
  void step() {
#pragma omp parallel for
    for (int i = 0; i < n_; ++i) u_[i] = v_[i] + i;
  }
  double sum() const {
    double total = 0;
#pragma omp parallel for reduction(+ : total)
    for (int i = 0; i < n_; ++i) total += u_[i];
    return total;
  }

 private:
  int n_;
  double *u_, *v_;
};

template <class T>
struct Field {
  int n;
#pragma ompx managed(data)
  T *data;
  T *next = nullptr;

  Field(int size, T value) : n(size), data(new T[size]) {
    for (int i = 0; i < n; ++i) data[i] = value;
#pragma ompx managed(next)
    next = new T[size]();
  }
  Field(const Field &) = delete;
  Field &operator=(const Field &) = delete;
  ~Field() {
    delete[] data;
    delete[] next;
  }
  void step(T factor) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) next[i] = factor * data[i];
    T *old = data;
    data = next;
    next = old;
  }
  T sum() const {
    T total = 0;
    for (int i = 0; i < n; ++i) total += data[i];
    return total;
  }
};

template <class T>
T *allocated(int n) {
  return new T[n];
}

// Rows that are allocated one by one, and an array that a function makes.
template <class T>
struct Made {
  int n;
#pragma ompx managed(data)
  T *data;
#pragma ompx managed(rows)
  double **rows;
  explicit Made(int size) : n(size), data(allocated<T>(size)), rows(new double *[5]) {
    for (int i = 0; i < 5; ++i) rows[i] = new double[size]();
  }
  Made(const Made &) = delete;
  Made &operator=(const Made &) = delete;
  ~Made() {
    for (int i = 0; i < 5; ++i) delete[] rows[i];
    delete[] rows;
    delete[] data;
  }
  double run() {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) data[i] = i;
#pragma omp parallel for
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < n; ++j) rows[i][j] += data[j] * i;
    return rows[4][n - 1];
  }
};

class Vectors {
 public:
  explicit Vectors(int n) : values_(n, 1.0), owned_(new double[n]) { values_.resize(n + 1); }
  void step() {
    const int n = static_cast<int>(values_.size()) - 1;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) owned_[i] = values_[i] + values_[i + 1];
  }
  double sum() const {
    double total = 0;
    for (std::size_t i = 0; i + 1 < values_.size(); ++i) total += owned_[i];
    return total;
  }

 private:
#pragma ompx managed(values_)
  std::vector<double> values_;
#pragma ompx managed(owned_)
  std::unique_ptr<double[]> owned_;
};

inline double sumOfMade(int n) {
#pragma ompx alloc_start
#pragma ompx managed(made)
  double *made = new double[n];
#pragma ompx managed(listed)
  std::vector<double> listed(n);
#pragma ompx alloc_end
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    made[i] = 0.5 * i;
    listed[i] = i;
  }
  double total = 0;
  for (int i = 0; i < n; ++i) total += made[i] - listed[i];
  delete[] made;
  return total;
}

static inline double fixedTable(int factor) {
#pragma ompx managed(local)
  double local[300];
#pragma ompx managed(kept)
  static double kept[300];
#pragma omp parallel for
  for (int i = 0; i < 300; ++i) {
    local[i] = factor * i;
    kept[i] += factor;
  }
  return local[299] + kept[17];
}

#pragma ompx managed(perUnit)
static double perUnit[128];

struct Tables {
#pragma ompx managed(table)
  static inline double *table = new double[77];
  static double sum() {
#pragma omp parallel for
    for (int i = 0; i < 77; ++i) table[i] = i;
    return table[76];
  }
};

static inline double countUp() {
#pragma omp parallel for
  for (int i = 0; i < 128; ++i) perUnit[i] += 1;
  return perUnit[3];
}
#endif
