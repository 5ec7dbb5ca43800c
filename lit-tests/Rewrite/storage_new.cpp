// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// new T[n] becomes an array of its class; everything around it stays.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=none -fplugin-arg-muster-print=rewrite %s 2>&1 | %filecheck %s
// CHECK: #include "muster/core.hpp"
// CHECK-NEXT: static const muster_array_site muster_site_u_[[@LINE+7]] = {{[{][{]}}"{{.*}}storage_new.cpp", [[@LINE+7]], 15}, "u", "double", 8, MUSTER_TYPE_F64, MUSTER_{{PARTITIONED|REPLICATED}}, 0, "{{.+}}"};
// CHECK-DAG: static const muster_array_site muster_site_bytes_{{.*}}, "bytes", "unsigned char", 1, MUSTER_TYPE_U8,
// CHECK-DAG: static const muster_array_site muster_site_points_{{.*}}, "points", "Point", 8, MUSTER_TYPE_OTHER,
// CHECK: #line 1
struct Point { float x = 1, y; };
void f(int n, int m) {
#pragma omp managed(u)
  double *u = new double[n * m];
  // CHECK: double *u = ::muster::{{Partitioned|Replicated}}Array<double>::allocate(muster_site_u_[[@LINE-1]], n * m).host();
#pragma omp managed(zero)
  auto zero = new int[n]();
  // CHECK: auto zero = ::muster::{{Partitioned|Replicated}}Array<int>::create(muster_site_zero_[[@LINE-1]], n).host();
#pragma omp managed(rows)
  float (*rows)[64] = new float[n][64];
  // CHECK: float (*rows)[64] = reinterpret_cast<float (*)[64]>(::muster::{{Partitioned|Replicated}}Array<float>::allocate(muster_site_rows_[[@LINE-1]], static_cast<std::size_t>(n) * 64).host());
#pragma omp managed(maybe)
  long *maybe = n > m ? new long[n] : nullptr;
  // CHECK: long *maybe = n > m ? ::muster::{{Partitioned|Replicated}}Array<long>::allocate(muster_site_maybe_[[@LINE-1]], n).host() : nullptr;
#pragma omp managed(bytes)
  unsigned char *bytes = new unsigned char[n], *other = nullptr; bool *flags;
  // CHECK: unsigned char *bytes = ::muster::{{Partitioned|Replicated}}Array<unsigned char>::allocate(muster_site_bytes_[[@LINE-1]], n).host(), *other = nullptr; bool *flags;
#pragma omp managed(points)
  Point *points = new Point[n];
  // CHECK: Point *points = ::new (static_cast<void *>(::muster::{{Partitioned|Replicated}}Array<Point>::allocate(muster_site_points_[[@LINE-1]], n).host())) Point[n];
#pragma omp managed(flags)
  flags = new bool[n];
  // CHECK: flags = ::muster::{{Partitioned|Replicated}}Array<bool>::allocate(muster_site_flags_[[@LINE-1]], n).host();
  double *plain = new double[n];
  // CHECK: double *plain = new double[n];
}
