// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over a vector of bits steps back and leaves the other loops of the file as they are. The plain program is the
// oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t.muster 2> %t.remarks && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: FileCheck %s < %t.remarks
// CHECK-NOT: internal error
// CHECK: uses 'bits', a vector of bits
// CHECK-NOT: internal error
#include <cstdio>
#include <vector>

int main() {
  const int n = 203;
#pragma ompx managed(a)
  std::vector<int> a(n);
  std::vector<bool> bits(n);
  for (int i = 0; i < n; i += 3) bits[i] = true;
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = 2 * i;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (bits[i]) a[i]++;
  long sum = 0;
  for (int i = 0; i < n; i++) sum += (i + 1L) * a[i];
  std::printf("%ld\n", sum);
}
