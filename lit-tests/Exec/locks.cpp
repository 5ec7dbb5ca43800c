// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates under locks in C++: members, vectors, templates, references. All loops are launched.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -Wall -Wextra -Werror -fplugin-arg-muster-strict %s -o %t && %run MUSTER_DEVICES=cpu %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
#include <omp.h>

#include <cstdio>
#include <vector>

struct Grid {
#pragma ompx managed(counts, masses)
  std::vector<int> counts;
  std::vector<double> masses;
  std::vector<omp_lock_t> locks;
  omp_lock_t all;

  explicit Grid(int n) : counts(n), masses(n), locks(n) {
    for (omp_lock_t &lock : locks) omp_init_lock(&lock);
    omp_init_lock(&all);
  }

  template <class T>
  void add(const T *values, int n) {
    const int bins = counts.size();
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      const int k = static_cast<int>(values[i]) % bins;
      omp_set_lock(&this->locks[k]);
      this->counts[k]++;
      masses[k] += i;
      omp_unset_lock(&this->locks[k]);
    }
  }

  void raise(const int *values, int n) {
    const int bins = counts.size();
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      int &count = counts[i % bins];
      omp_set_lock(&all);
      if (count < values[i]) count = values[i];
      omp_unset_lock(&all);
    }
  }
};

int main() {
  const int n = 5000;
#pragma ompx managed(values, whole)
  std::vector<float> values(n);
  std::vector<int> whole(n);
  for (int i = 0; i < n; ++i) values[i] = i * 37 % 811, whole[i] = i * 53 % 977;
  Grid grid(13);
  grid.add(values.data(), n);
  grid.add(whole.data(), n);
  for (int count : grid.counts) std::printf("%d ", count);
  grid.raise(whole.data(), n);
  for (int i = 0; i < 13; ++i) std::printf("%d %g\n", grid.counts[i], grid.masses[i]);
}
