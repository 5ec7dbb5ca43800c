// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's rounding, flushing of denormal numbers, and the same in merges and reductions: all CPUs of all ranks
// follow, devices that cannot take no part. The plain program is the oracle.
//
// RUN: %plain -O1 -w -frounding-math %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -frounding-math -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu,opencl MUSTER_INFO=1 %t.muster 2>&1 | FileCheck %s
// RUN: %plain -O1 -w -ffast-math %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -ffast-math %s -o %t.muster
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cfenv>

#include "Inputs/loop_report.h"

#ifdef __x86_64__
#include <pmmintrin.h>
#include <xmmintrin.h>
static void flush(bool on) {
  _MM_SET_FLUSH_ZERO_MODE(on ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
  _MM_SET_DENORMALS_ZERO_MODE(on ? _MM_DENORMALS_ZERO_ON : _MM_DENORMALS_ZERO_OFF);
}
#else
static void flush(bool) {}
#endif

#ifdef __FAST_MATH__
int main(int argc, char**) {
  const int n = 3000;
#pragma ompx managed(f)
  float* f = new float[n];
  int zeros = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) f[i] = 1e-38f * (float(argc) / (1 << i % 8));
  for (int i = 0; i < n; ++i) {
    int bits;
    std::memcpy(&bits, &f[i], sizeof bits);
    zeros += bits == 0;
  }
  report("flushed", zeros);
  delete[] f;
}
#else
int main(int argc, char**) {
  const int n = 3000;
#pragma ompx managed(a)
  double* a = new double[n];
#pragma ompx managed(f)
  float* f = new float[n];
#pragma ompx managed(k)
  int* k = new int[n];
  const float tiny = 1e-38f * argc;
  flush(true);
// CHECK: float_modes.cpp:[[#@LINE+1]]: this loop runs on CPU devices only: the program flushes denormal numbers to zero
#pragma omp parallel for
  for (int i = 0; i < n; ++i) f[i] = tiny * (1.0f / (i + 1));
  // No floating-point numbers:
#pragma omp parallel for
  for (int i = 0; i < n; ++i) k[i] = i / argc;
  flush(false);
  report("flushed", f, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) f[i] = tiny * (1.0f / (i + 1));
  report("kept", f, n);
  report("integers", k, n);
  const double one = argc;
  for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    double most = 0, last = 0;
    for (int i = 0; i < n; ++i) a[i] = 0;
    fesetround(mode);
#pragma omp parallel for reduction(max : most) lastprivate(last)
    for (int i = 0; i < n; ++i) {
      last = one / (i + 3);
      a[i] = last;
      most = last > most ? last : most;
    }
    // Each element is an update of one iteration, which the merge adds up.
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
#pragma omp atomic
      a[(i * 7) % n] += one / (i + 3);
    const bool kept = fegetround() == mode;
    fesetround(FE_TONEAREST);
    report("mode kept", kept);
    report("rounded", a, n);
    report("most", most);
    report("last", last);
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = one / (i + 3);
  report("nearest", a, n);
  delete[] a;
  delete[] f;
  delete[] k;
}
#endif
// CHECK: this loop runs on CPU devices only: the program rounds otherwise than to the nearest (fesetround)
