// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays: local ones live in managed memory, those of static storage get whole pages and stay where they are.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=none -fplugin-arg-muster-print=rewrite %s 2>&1 | %filecheck %s
#define N 8
double seed();

#pragma omp managed(shared)
double shared[N][4], plain = 3;
// CHECK: static struct alignas(4096) { double shared[8][4]; } muster_storage_shared __asm__("muster_storage_shared_[[@LINE-1]]") __attribute__((used)); extern double shared[8][4] __attribute__((alias("muster_storage_shared_[[@LINE-1]]"))); static const bool muster_adopted_shared = (muster_array_adopt(&muster_site_shared_[[@LINE-1]], &muster_storage_shared, sizeof muster_storage_shared.shared), true); double plain = 3;
namespace inner {
#pragma omp managed(hidden)
  static int hidden[] = {1, 2, N};
  // CHECK: static struct alignas(4096) { int hidden[3]; } muster_storage_hidden __asm__("muster_storage_hidden_[[@LINE-1]]") __attribute__((used)) = {{[{][{]}}1, 2, N}}; static int hidden[3] __attribute__((alias("muster_storage_hidden_[[@LINE-1]]")));
}

void f() {
#pragma omp managed(a, b)
  float a[N][N], x = 2, *p = &x, b[3] = {1, x, 3};
  // CHECK: ::muster::LocalArray<float[8][8]> muster_storage_a(muster_site_a_[[@LINE-1]], ::muster::Undefined()); float (&a)[8][8] = muster_storage_a.ref(); float x = 2; float *p = &x; float muster_initial_b[3] = {1, x, 3}; ::muster::LocalArray<float[3]> muster_storage_b(muster_site_b_[[@LINE-1]], ::muster::Undefined()); float (&b)[3] = muster_storage_b.ref(); __builtin_memcpy(&b, &muster_initial_b, sizeof b);
#pragma omp managed(zero)
  int zero[4] = {0};
  // CHECK: ::muster::LocalArray<int[4]> muster_storage_zero(muster_site_zero_[[@LINE-1]]); int (&zero)[4] = muster_storage_zero.ref();{{$}}
#pragma omp managed(kept)
  static double kept[2] = {seed()};
  // CHECK: static struct alignas(4096) { double kept[2]; } muster_storage_kept = {{[{][{]}}seed()}}; static const bool muster_adopted_kept = (muster_array_adopt(&muster_site_kept_[[@LINE-1]], &muster_storage_kept, sizeof muster_storage_kept.kept), true); double (&kept)[2] = muster_storage_kept.kept;
}
