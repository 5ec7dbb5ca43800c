// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of failures name their rank once.
//
// RUN: %muster-link -O1 -w %s -o %t
// RUN: not env MUSTER_DEVICES="1=opencl:9;*=cpu" mpirun --allow-run-as-root --oversubscribe -n 3 %t 2>&1 | FileCheck --check-prefixes=ALL,DEVICE %s
// RUN: not env MUSTER_DEVICES=cpu MUSTER_INJECT=send:1@1 mpirun --allow-run-as-root --oversubscribe -n 3 %t 2>&1 | FileCheck --check-prefixes=ALL,SEND %s
// RUN: not env MUSTER_DEVICES="1=opencl;*=cpu" MUSTER_INJECT=device-lost mpirun --allow-run-as-root --oversubscribe -n 3 %t 2>&1 | FileCheck --check-prefixes=ALL,LOST %s
// ALL-NOT: rank 1{{.*}}rank 1
// DEVICE: muster: error: rank 1 on {{[^ ]*}}: MUSTER_DEVICES: this host has no device
// SEND: muster: error: rank 1 on {{[^ ]*}}: send failed
// LOST: muster: error: rank 1 on {{[^ ]*}}, device {{.*}}: the device is lost
#include <cstdio>

int main() {
  const int n = 100000;
#pragma ompx managed(a)
  double *a = new double[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = i;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];
  std::printf("%g\n", sum);
}
