// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates by the compiler's atomic functions and by std::atomic_ref.
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster 2> %t.remarks && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=opencl mpirun --allow-run-as-root --oversubscribe -n 2 %t.muster | diff %t.expected -
// RUN: FileCheck %s --implicit-check-not=remark: < %t.remarks
// RUN: %muster++ -w -fplugin-arg-muster-remarks=all -fsyntax-only %s 2>&1 | grep -c 'for all devices' | grep -x 8
#include <atomic>
#include <cstdio>
#include <vector>

static void count(int *h, const int *bin, int i) { __sync_fetch_and_add(&h[bin[i]], 1); }

template <class T, class U>
static T fetchAndAdd(T &x, U by) {
  return __sync_fetch_and_add(&x, by);
}

int main() {
  const int n = 5003, m = 61;
#pragma ompx managed(bin, h, low, high)
  std::vector<int> bin(n), h(m, 0), low(m, 1000000), high(m, -1000000);
#pragma ompx managed(bits, all, odd)
  std::vector<unsigned> bits(m, 0), all(m, ~0u), odd(m, 0);
#pragma ompx managed(sums)
  std::vector<double> sums(m, 0.0);
#pragma ompx managed(small)
  unsigned char small[61] = {};
#pragma ompx managed(wide)
  long *wide = new long[m]();
#pragma omp parallel for
  for (int i = 0; i < n; i++) bin[i] = (i * 7 + i / 3) % m;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    __sync_fetch_and_add(&h[bin[i]], 3);
    __sync_sub_and_fetch(&wide[(i * 3) % m], i);
    (void)__sync_fetch_and_or(&bits[bin[i]], 1u << i % 32);
    __sync_and_and_fetch(&all[i % m], ~(1u << i % 31));
    if (i % 3 == 0) __sync_fetch_and_xor(&odd[bin[i]], (unsigned)i);
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (i % 2) fetchAndAdd(h[bin[i]], 1 + i % 3);
    fetchAndAdd(wide[bin[i]], i);
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    __atomic_fetch_min(&low[bin[i]], i, __ATOMIC_RELAXED);
    __atomic_max_fetch(&high[bin[i]], i, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&small[bin[i]], i, __ATOMIC_RELAXED);
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::atomic_ref<double>(sums[bin[i]]).fetch_add(i);
    std::atomic_ref(wide[i % m]) += 2;
    std::atomic_ref<int>{h[i % m]}++;
    const int k = (i * 5) % m;
    std::atomic_ref<int> r(h[k]);
    r += 2;
    r.fetch_sub(1, std::memory_order_relaxed);
    --r;
    r |= 0;
  }
  int total = 0, most = 0, own = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    __sync_fetch_and_add(&total, bin[i]);
    std::atomic_ref(own)++;
    bin[i] = bin[i];
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int local = i, t[3] = {i, 2, 3}, k = 0;
    __sync_fetch_and_add(&local, 2);
    __sync_fetch_and_sub(&t[k++], 1);
    __atomic_fetch_max(&t[k], i, __ATOMIC_RELAXED);
    local += t[0] + t[1] + k;
    std::atomic_ref(local) -= 1;
    for (int j = 0; j < 3; j++) {
      std::atomic_ref<int> r(high[(i + j) % m]);
      r += local % 3;
    }
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) count(h.data(), bin.data(), i);
  for (int k = 0; k < m; k++)
    printf("%d %d %d %u %u %u %g %d %ld\n", h[k], low[k], high[k], bits[k], all[k], odd[k], sums[k], small[k], wide[k]);
  printf("%d %d\n", total, own);

  // Not taken: results of variables that are used (of elements: atomics_results.cpp), exchanges of them (of elements:
  // atomics_exchange.cpp), references to what may be another element, other arithmetic.
#pragma ompx managed(first)
  std::vector<int> first(n, 0);
  int next = 0;
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} plain OpenMP on rank 0: calls '__sync_fetch_and_add', which orders what the threads of one process do
#pragma omp parallel for
  for (int i = 0; i < n; i++) first[i] = __sync_fetch_and_add(&next, 1) >= 0;
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} plain OpenMP on rank 0: writes the shared variable 'next' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; i++) first[i] = __sync_bool_compare_and_swap(&next, i, i + 1);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} plain OpenMP on rank 0: calls '__sync_lock_test_and_set', which orders
#pragma omp parallel for
  for (int i = 0; i < n; i++) __sync_lock_test_and_set(&first[i], 1);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} plain OpenMP on rank 0: calls '__sync_fetch_and_nand', which orders
#pragma omp parallel for
  for (int i = 0; i < n; i++) __sync_fetch_and_nand(&first[i], 3);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} plain OpenMP on rank 0: declares 'r' of type 'std::atomic_ref<int>' for a place that is no element with a fixed index
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int k = i;
    std::atomic_ref<int> r(first[k]);
    k = 0;
    r += 4;
  }
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} plain OpenMP on rank 0: declares 'r' of type 'std::atomic_ref<int>' for a place that is no element with a fixed index
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::atomic_ref<int> r(first[(bin[i] + i) % n]);
    bin[i] = 0;
    r += 4;
  }
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} plain OpenMP on rank 0: calls 'load' of 'std::atomic_ref<int>', which orders
#pragma omp parallel for
  for (int i = 0; i < n; i++) first[i] += std::atomic_ref<int>(h[i % m]).load() > 0;
#pragma ompx managed(narrow)
  std::vector<float> narrow(m, 1.0f);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} plain OpenMP on rank 0: calls 'fetch_add' of 'std::atomic_ref<float>', which orders
#pragma omp parallel for
  for (int i = 0; i < n; i++) std::atomic_ref<float>(narrow[i % m]).fetch_add(16777216.5);
  int threads = 0;
// CHECK: [[# @LINE + 1]]:1: remark: region stays {{.*}}: adds the same once for each thread of the team
#pragma omp parallel
  {
    __sync_fetch_and_add(&threads, 1);
#pragma omp for
    for (int i = 0; i < n; i++) first[i] += 1;
  }
  long sum = threads > 0;
  for (int i = 0; i < n; i++) sum += first[i] * (i % 101L + 1);
  printf("%ld %d %g\n", sum, next, narrow[3]);
  delete[] wide;
}
