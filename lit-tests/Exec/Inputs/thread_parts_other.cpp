// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks for the number of threads, and tells it to thread_parts_units.cpp: in results, in memory, by marks.
#include <omp.h>

int widthOf(int n) { return n / omp_get_max_threads(); }
void nameOwners(int* owner, int n) {
  const int width = n / omp_get_max_threads();
  for (int i = 0; i < n; ++i) owner[i] = i / width;
}
void markFirst(int* mark, int n) {
  const int width = n / omp_get_max_threads();
  for (int i = 0; i < n; ++i)
    if (i % width == 0) mark[i] = 1;
}
