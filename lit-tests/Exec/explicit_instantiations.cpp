// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Templates that are instantiated explicitly, behind the loops that they hold.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>
template <class T> struct Range {
  T first, step;
};
template <class T> struct Stream {
  T *a;
  Range<T> range;
  Stream(long n, T x);
  ~Stream() { delete[] a; }
  void init(T x, long n);
  T sum(long n) const;
};
template <class T> Stream<T>::Stream(long n, T x) : range{1, 2} {
#pragma ompx managed(this->a)
  this->a = new T[n];
  init(x, n);
}
template <class T> void Stream<T>::init(T x, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = x + this->range.first + range.step;
}
template <class T> T Stream<T>::sum(long n) const {
  T s = 0;
#pragma omp parallel for reduction(+ : s)
  for (long i = 0; i < n; i++) s += a[i];
  return s;
}
template <class T> void scale(T *a, long n, Range<T> *range) {
#pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = a[i] * range->step + range->first;
}
template struct Stream<double>;
template struct Range<double>;
template class Stream<float>;
template void scale<double>(double *, long, Range<double> *);
extern template struct Stream<int>;
template struct Stream<int>;
int main() {
  Stream<double> d(100, 2.0);
  Stream<float> f(100, 2.5f);
  Stream<int> i(100, 7);
  scale(d.a, 100, &d.range);
  std::printf("%g %g %d %g\n", d.sum(100), f.sum(100), i.sum(100), d.a[5]);
}
