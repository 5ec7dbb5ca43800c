// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PARALLEL_MODE_H
#define PARALLEL_MODE_H
#include <algorithm>
#include <functional>
#include <utility>

template <class T> struct Values {
#pragma ompx managed(start_)
  T *start_;
  T *end_;
  explicit Values(size_t n) {
    start_ = new T[n];
    end_ = start_ + n;
  }
  ~Values() { delete[] start_; }
  T *begin() { return start_; }
  T *end() { return end_; }
  T &operator[](size_t i) { return start_[i]; }
  void fill(T x) {
#pragma omp parallel for
    for (T *p = start_; p < end_; p++) *p = x;
  }
};

template <class N> struct Sorter {
  static long go(int n) {
    typedef std::pair<long, N> Entry;
    Values<Entry> v(n);
#pragma omp parallel for
    for (N i = 0; i < n; i++) v[i] = std::make_pair(long(i), i);
    std::sort(v.begin(), v.end(), std::greater<Entry>());
    return v[3].second;
  }
};
#endif
