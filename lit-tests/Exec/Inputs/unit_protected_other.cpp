// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <mutex>
int counted = 0, times = 0;
double largest = 0;
static std::mutex lock;
void count() { counted++; }
void add(double *total, double x) { *total += x; }
void keep(double x) {
  if (x > largest) largest = x;
}
void log() { ++times; }
void countSafely() {
  const std::lock_guard guard(lock);
  counted += 2;
}
void countThere();
void countElsewhere() {
#pragma omp critical
  countThere();
}
