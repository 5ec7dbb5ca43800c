// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors in templates, of elements that depend on their parameters: declared, initialized, grown and assigned there.
// Vectors of what cannot be copied byte by byte, and of bits, stay plain.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-print=rewrite %s -o %t 2>&1 | FileCheck --check-prefix=REWRITE %s
// RUN: %run %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// CHECK-DAG: a ({{.*}}templates_vectors.cpp
// CHECK-DAG: made ({{.*}}templates_vectors.cpp
// CHECK-DAG: u_ ({{.*}}templates_vectors.cpp
// CHECK-DAG: v_ ({{.*}}templates_vectors.cpp
// CHECK-NOT: does not point into a managed array
#include <cstdio>
#include <string>
#include <vector>

template <class T> static std::vector<T> make(int n, T first) {
  std::vector<T> result(n, first);
  return result;
}

template <class T> static T sum(int n, T first) {
#pragma ompx managed(a)
  std::vector<T> a(n, first);
  // REWRITE: muster_vector_scope_begin(&::muster::TypedSite<T, &muster_site_a_[[@LINE-1]]>::site(), {{.*}}); std::vector<T> a(n, first); muster_vector_scope_end();
#pragma ompx managed(made)
  std::vector<T> made;
  made = make(n / 2, first);
  // REWRITE: (made = make(n / 2, first), ::muster::manageVectorOf<&muster_site_made_[[@LINE-2]]>(made));
#pragma omp parallel for
  for (int i = 0; i < n / 2; ++i) made[i] = made[i] + a[i] * T(i);
  made.resize(n, first);
  // REWRITE: (::muster::TypedVectorScope<T, &muster_site_made_[[@LINE-6]]>(), made.resize(n, first));
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += made[i];
  T total = 0;
  for (const T &value : a) total += value;
  return total;
}

template <class T, int N> class Field {
 public:
  Field() : u_(N, T(1)) { v_.assign(2 * N, T(2)); }
  T step() {
#pragma omp parallel for
    for (int i = 0; i < N; ++i) u_[i] = u_[i] * T(3) + v_[2 * i];
    return u_[N / 2] + u_[N - 1];
  }

 private:
#pragma ompx managed(u_)
  std::vector<T> u_;
#pragma ompx managed(v_)
  std::vector<T> v_;
};

template <class T> static T joined(int n, const T &part) {
#pragma ompx managed(parts)
  std::vector<T> parts(n, part);
  parts.push_back(part);
  T all = parts[0];
  for (int i = 1; i <= n; ++i) all = all + parts[i];
  return all;
}

int main() {
  std::printf("%g %d %g\n", sum<double>(211, 0.5), sum<int>(77, 2), (double)sum<float>(20, 1));
  Field<double, 301> field;
  Field<short, 5> small;
  std::printf("%g %d\n", field.step() + field.step(), small.step());
  std::printf("%s %g %d\n", joined<std::string>(3, "a part that is longer than sixteen bytes ").c_str(), joined(4, 2.5),
              (int)joined(70, true));
}
