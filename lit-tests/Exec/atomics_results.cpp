// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic functions whose results are used are what `omp atomic capture` is: one device runs the loop.
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster 2> %t.remarks && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=opencl mpirun --allow-run-as-root --oversubscribe -n 2 %t.muster | diff %t.expected -
// RUN: FileCheck %s --implicit-check-not=remark: < %t.remarks
// RUN: %muster++ -w -fplugin-arg-muster-remarks=all -fsyntax-only %s 2>&1 | grep -c 'for all devices' | grep -x 7
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <vector>

// As graph programs have it.
template <class T, class U>
T fetch_and_add(T &x, U by) {
  return __sync_fetch_and_add(&x, by);
}
// With more than the call.
static int place(int *next, int bin) {
  const int found = __sync_add_and_fetch(next + bin, 2);
  return found / 2 - 1;
}

int main() {
  const int n = 5003, m = 61;
#pragma ompx managed(bin, sorted, count, list, starts)
  std::vector<int> bin(n), sorted(n, -1), count(m + 1, 0), list(n, -1);
  std::vector<long> starts(m + 1, 0);
#pragma omp parallel for
  for (int i = 0; i < n; i++) bin[i] = (i * 7 + i / 3) % m;
#pragma omp parallel for
  for (int i = 0; i < n; i++) fetch_and_add(starts[bin[i] + 1], 1);
  for (int b = 0; b < m; b++) starts[b + 1] += starts[b];
#pragma omp parallel for
  for (int i = 0; i < n; i++) sorted[fetch_and_add(starts[bin[i]], 1)] = i;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (bin[i] % 3 == 1) list[place(count.data(), m)] = i;
  // Each bin has its members, in whatever order.
  long first = 0, sum = 0;
  for (int b = 0; b < m; b++) {
    std::sort(sorted.begin() + first, sorted.begin() + starts[b]);
    first = starts[b];
  }
  std::sort(list.begin(), list.end());
  for (int i = 0; i < n; i++) sum += sorted[i] * (i % 101L + 1) + list[i] * (i % 7L);
  printf("%ld %d\n", sum, count[m]);

#pragma ompx managed(seen)
  std::vector<char> seen(n, 0);
#pragma ompx managed(low, tickets, total)
  std::vector<int> low(m, 1 << 20), tickets(m, 0);
  std::vector<double> total(1, 0.0);
#pragma omp parallel for
  for (int i = 0; i < n; i++) seen[__atomic_fetch_add(&tickets[0], 1, __ATOMIC_RELAXED)] = 1;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const int before = std::atomic_ref<int>(tickets[1])++;
    const int after = ++std::atomic_ref<int>(tickets[2]);
    seen[before] = after >= 1 && after <= n ? 2 : 0;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (__atomic_min_fetch(&low[bin[i]], i, __ATOMIC_RELAXED) > i) seen[i] = 77;
  sum = 0;
  for (int i = 0; i < n; i++) sum += seen[i];
  for (int b = 0; b < m; b++) sum += low[b] * 3 + tickets[b];
  printf("%ld\n", sum);

  // The last to come reads what the others wrote: on CPUs alone, where the function orders it.
#pragma ompx managed(parts, result)
  std::vector<int> parts(n), result(1, 0);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} runs on CPUs only: uses the result of an atomic update, which may order what iterations read of each other
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    parts[i] = i;
    if (__sync_add_and_fetch(&tickets[3], 1) == n) {
      int all = 0;
      for (int j = 0; j < n; j++) all += parts[j] % 11;
      result[0] = all;
    }
  }
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} runs on CPUs only: uses the result of an atomic update of a variable that only the iteration has
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int own[2] = {i, 3};
    parts[i] += __sync_fetch_and_add(&own[i % 2], 1) + own[0];
  }
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} runs on CPUs only: calls an atomic function whose operands depend on their order
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int k = i % 2;
    parts[i] = __sync_fetch_and_add(&tickets[4 + k], --k < 2) >= 0;
  }
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} runs on CPUs only: calls an atomic function whose operands depend on their order
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int k = i % 3;
    __sync_fetch_and_add(&tickets[6 + k], k++);
  }
  for (int b = 6; b < 10; b++) printf("%d ", tickets[b]);
  for (int i = 0; i < n; i++) result[0] += parts[i] * (i % 5);
  printf("%d %d\n", result[0], tickets[4] + tickets[5]);
}
