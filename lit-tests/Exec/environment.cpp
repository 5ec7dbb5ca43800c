// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program may change its environment at any time, and nothing reads it meanwhile: not the runtime's own threads when
// they begin, nor a driver that builds a kernel in one of them.
//
// RUN: %muster-link -O2 -fplugin-arg-muster-strict %s -o %t
// RUN: env MUSTER_DEVICES=opencl %run %t
// RUN: env MUSTER_DEVICES=opencl %run %t
// RUN: env MUSTER_DEVICES=cpu,opencl %run %t
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

static const int n = 4096;
static double *a;

static void work() {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double x = i;
    for (int k = 0; k < 20000; ++k) x = x * 0.999 + 1.0 / (1.0 + k);
    a[i] = x;
  }
}

static double seconds(void (*call)()) {
  timespec began, ended;
  clock_gettime(CLOCK_MONOTONIC, &began);
  call();
  clock_gettime(CLOCK_MONOTONIC, &ended);
  return static_cast<double>(ended.tv_sec - began.tv_sec) + 1e-9 * static_cast<double>(ended.tv_nsec - began.tv_nsec);
}

static void set() { setenv("ONE", "1", 1); }
static void take() { unsetenv("ONE"); }
static void put() {
  static char text[] = "ONE=2";
  putenv(text);
}

int main() {
  // Each one moves all names, which whoever walks them at this moment follows into memory that was freed.
  for (int k = 0; k < 3000; ++k) setenv(("NAME_" + std::to_string(k)).c_str(), "x", 1);
#pragma omp managed(a)
  a = new double[n]();
  work();  // builds the kernel
  if (a[1] == 0) return 1;
  for (const auto call : {set, take, put}) {
    work();
    const double changing = seconds(call), left = seconds([] { omp_get_wtime(); });
    if (changing > left) continue;
    printf("the change took %g s, and %g s of the launch were left afterwards\n", changing, left);
    return 1;
  }
  if (strcmp(getenv("ONE"), "2") != 0) return 1;
  const std::string path = getenv("PATH");
  work();
  clearenv();  // the launch before it is done
  if (getenv("ONE") != nullptr || a[n - 1] == 0) return 1;
  setenv("PATH", path.c_str(), 1);
  delete[] a;
}
