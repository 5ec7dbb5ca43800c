// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that templates allocate: functions, classes, types and sizes that depend on parameters. What cannot be copied
// byte by byte is not managed.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-print=rewrite %s -o %t 2>&1 | FileCheck --check-prefix=REWRITE %s
// RUN: %run %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// CHECK: a ({{.*}}): {{.*}} of T
// CHECK-NOT: does not point into a managed array
#include <cstdio>
#include <cstdlib>
#include <string>

template <class T> static T sum(int n, T first) {
#pragma ompx managed(a)
  T *a = new T[n];
  // REWRITE: T *a = (::muster::TypedAllocationScope<T, &muster_site_a_[[@LINE-1]]>(), new T[n]);
#pragma ompx managed(b)
  T *b = static_cast<T *>(std::malloc(n * sizeof(T)));
  for (int i = 0; i < n; ++i) b[i] = T(i);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = first + b[i];
  T total = 0;
  for (int i = 0; i < n; ++i) total += a[i];
  delete[] a;
  std::free(b);
  return total;
}

template <class T, int N> class Grid {
 public:
  Grid() : u_(new T[N * N]) { v_ = new T[N * N](); }
  ~Grid() { delete[] u_, delete[] v_; }
  T run() {
#pragma omp parallel for
    for (int i = 0; i < N * N; ++i) u_[i] = v_[i] + T(i);
    return u_[N + 1] + u_[N * N - 1];
  }

 private:
#pragma ompx managed(u_, v_)
  T *u_, *v_;
};

template <int N> static double fixedType() {
#pragma ompx managed(c)
  double *c = new double[N];
#pragma omp parallel for
  for (int i = 0; i < N; ++i) c[i] = 0.5 * i;
  const double last = c[N - 1];
  delete[] c;
  return last;
}

template <class T> static T joined(int n, const T &part) {
#pragma ompx managed(parts)
  T *parts = new T[n];
  for (int i = 0; i < n; ++i) parts[i] = part;
  T all = parts[0];
  for (int i = 1; i < n; ++i) all += parts[i];
  delete[] parts;
  return all;
}

int main() {
  std::printf("%g %d %g\n", sum<double>(103, 0.5), sum<int>(77, 2), (double)sum<float>(9, 1));
  Grid<double, 11> grid;
  Grid<short, 5> small;
  std::printf("%g %d\n", grid.run(), small.run());
  std::printf("%g\n", fixedType<33>());
  std::printf("%s %g\n", joined<std::string>(3, "a part that is longer than sixteen bytes ").c_str(), joined(4, 2.5));
}
