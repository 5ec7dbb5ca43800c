// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks around something else than updates, and updates that do not stay together on devices.
//
// RUN: %cc -fsyntax-only %s 2>&1 | %filecheck %s
#include <omp.h>

#pragma ompx managed(a, b, h, g)
double a[100], b[100];
int h[100], g[100];
omp_lock_t lock_, other_, locks_[100];

static void inside(int k) {
  omp_set_lock(&lock_);
  h[k]++;
  omp_unset_lock(&lock_);
}

// What is read under the lock.
void read(int n) {
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'omp_set_lock', which lets iterations wait for each other;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    omp_set_lock(&lock_);
    h[i % 7]++;
    g[i] = h[i % 7];
    omp_unset_lock(&lock_);
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: reads 'h', which it updates, while it holds a lock
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    omp_set_lock(&lock_);
    h[i % 7] += h[i % 5];
    omp_unset_lock(&lock_);
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: reads 'h', which it updates, while it holds a lock
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    omp_set_lock(&lock_);
    h[i % 7] += 1;
    omp_unset_lock(&lock_);
    omp_set_lock(&lock_);
    g[i % 3] += h[i % 5];
    omp_unset_lock(&lock_);
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: reads 'h', which it updates, in 'omp critical'
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical
    h[i % 7] += h[i % 5];
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: reads 'h', which it updates, in 'omp critical'
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical(one)
    h[i % 7] += 1;
#pragma omp critical(one)
    g[i % 3] += h[i % 5];
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: updates 'h' by several operators while it holds a lock
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    omp_set_lock(&lock_);
    h[i % 7] += 1;
    h[i % 7] *= 3;
    omp_unset_lock(&lock_);
  }
}

// Locks that are not the same, or not set and unset in one block.
void pairs(int n) {
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'omp_set_lock', which lets
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    omp_set_lock(&lock_);
    h[i % 7]++;
    omp_unset_lock(&other_);
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'omp_set_lock', which lets
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int k = i % 7;
    omp_set_lock(&locks_[k]);
    h[k]++;
    k++;
    omp_unset_lock(&locks_[k]);
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'omp_set_lock', which lets
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (i % 2) omp_set_lock(&lock_);
    h[i % 7]++;
    if (i % 2) omp_unset_lock(&lock_);
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'omp_set_lock', which lets
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    omp_set_lock(&lock_);
    if (h[i % 7] > 3) continue;
    h[i % 7]++;
    omp_unset_lock(&lock_);
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'omp_test_lock', which lets
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    while (!omp_test_lock(&lock_)) continue;
    h[i % 7]++;
    omp_unset_lock(&lock_);
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'omp_set_lock', which lets
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = i, inside(i % 7);
  // The lock protects more than the update.
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'omp_set_lock', which lets
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    omp_set_lock(&lock_);
    h[i % 7]++;
    omp_unset_lock(&lock_);
    omp_set_lock(&lock_);
    a[i % 7] = b[i];
    omp_unset_lock(&lock_);
  }
}
