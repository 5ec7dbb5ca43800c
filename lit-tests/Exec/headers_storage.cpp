// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that a header allocates: in inline functions, constructors and methods of classes and class templates, static
// members; two units include it. The plain program is the oracle.
//
// RUN: %plain -w %s %S/Inputs/headers_storage_other.cpp -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -g -Wall -Wextra -Wpedantic -Wshadow -Wold-style-cast -Wuseless-cast -Werror -Wno-unknown-warning-option -fplugin-arg-muster-remarks=none %s %S/Inputs/headers_storage_other.cpp -o %t.muster 2>&1 | count 0
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_INFO=1 MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster > %t.pocl 2> %t.report
// RUN: diff %t.expected %t.pocl
// RUN: FileCheck %s < %t.report
// CHECK-NOT: this loop runs on rank 0
// RUN: %muster-link -O1 -w -flto -fplugin-arg-muster-remarks=none %S/Inputs/headers_storage_other.cpp %s -o %t.lto && %run %t.lto > %t.lto.actual
// RUN: diff %t.expected %t.lto.actual
// RUN: %muster-link -O1 -w -fsanitize=address -fplugin-arg-muster-remarks=none %s %S/Inputs/headers_storage_other.cpp -o %t.asan && env ASAN_OPTIONS=detect_leaks=0 %run %t.asan > %t.asan.actual
// RUN: diff %t.expected %t.asan.actual
#include "Inputs/headers_storage.h"

double *shared = nullptr;
double otherUnit(int n);

int main() {
  const int n = 203;
  Plain plain(n);
  plain.step();
  Field<double> field(n, 1.5);
  Field<float> narrow(n, 0.25f);
  field.step(2);
  narrow.step(3);
  Vectors vectors(n);
  vectors.step();
  shared = static_cast<double *>(std::malloc(n * sizeof(double)));
#pragma omp parallel for
  for (int i = 0; i < n; ++i) shared[i] = i;
  std::printf("%g %g %g %g\n", plain.sum(), field.sum(), static_cast<double>(narrow.sum()), vectors.sum());
  std::printf("%g %g %g\n", sumOfMade(n), fixedTable(3), Tables::sum());
  std::printf("%g\n", otherUnit(n) + countUp());
  Made<double> made(n);
  std::printf("%g\n", made.run());
  std::free(shared);
}
