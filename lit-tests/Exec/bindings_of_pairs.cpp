// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for the members of pairs and tuples that are elements, or copies of elements: the variables behind the names
// point to elements or to private data. Found by the fuzzer. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster 2> %t.err | diff %t.expected -
// RUN: not grep -i "not build\|natively" %t.err
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>
#include <utility>
#include <vector>

int main() {
  const int n = 53;
#pragma ompx managed(a)
  std::vector<std::pair<int, float>> a(n);
  std::pair<int, float> *b = &a[0];
  for (int i = 0; i < n; ++i) a[i] = {i % 9, i * 0.5f};
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto &[k, w] = a[i];
    w = w * 0.5f + k;
    k = i % 7;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto &pair = b[n - 1 - i];
    auto &[k, w] = pair;
    w += k;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto copy = a[i];
    auto &[k, w] = copy;
    w -= k++;
    a[i] = copy;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const auto &[k, w] = b[i];
    a[i].first += k + static_cast<int>(w);
  }
  for (const auto &[k, w] : a) std::printf("%d %g\n", k, w);
}
