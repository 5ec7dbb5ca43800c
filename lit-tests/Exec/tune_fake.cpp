// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuner on parks that do not exist, against an exhaustive search of them: a fixed set for each run.
//
// RUN: %muster-link -O1 %s -o %t
// RUN: python3 %S/tune_fake.py %t 27 | FileCheck %s
// RUN: not env "MUSTER_FAKE_DEVICES=2*(fpga)" %t 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not env "MUSTER_FAKE_DEVICES=2*(cpu)" MUSTER_DRY_RUN=2 %t 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: env "MUSTER_FAKE_DEVICES=2*(gpu:10,cpu)" MUSTER_TUNE=shrink MUSTER_INFO=1 %t 2>&1 | FileCheck %s --check-prefix=REPORT
//
// CHECK: all within a twentieth of the best
// BAD: 'fpga' is not [N*]KIND[:SPEED[:MEMORY]] with a KIND of gpu, cpu or opencl
// BOTH: MUSTER_FAKE_DEVICES and MUSTER_DRY_RUN are both given
// REPORT: modelled time
// REPORT: muster: device set 2:gpu for {{.*}}tune_fake.cpp:{{[0-9]+}}, the fastest of {{[0-9]+}} that were timed
#include <utility>

int main() {
  const long n = 2000, m = 2000;
#pragma omp managed(u)
  double* u = new double[n * m];
#pragma omp managed(v)
  double* v = new double[n * m];
  u[0] = v[0] = 1;
  for (int t = 0; t < 2000; ++t) {

#pragma omp parallel for
    for (long i = 1; i < n - 1; ++i)
      for (long j = 1; j < m - 1; ++j)
        v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
    std::swap(u, v);
  }
  delete[] u;
  delete[] v;
}
