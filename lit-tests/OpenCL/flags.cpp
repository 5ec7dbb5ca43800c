// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags and pragmas that change what arithmetic means.
//
// RUN: %kernels -w -fwrapv -fplugin-arg-muster-remarks=missed %s 2>&1 >%t.cl | %filecheck %s
// RUN: FileCheck --check-prefix=TEXT --input-file=%t.cl %s
// RUN: %check-cl %t.cl
// RUN: %kernels -w %s | FileCheck --check-prefix=OPEN %s
static double upwards(double x) {
#pragma STDC FENV_ROUND FE_UPWARD
  return x / 3;
}

void loops(int *a, long *b, short *s, double *d, int n) {
// TEXT: a[i] = (int)((uint)(int)((uint)a[i] + (uint)i) * (uint)3);
// TEXT: b[i] = (long)((ulong)b[i] - (ulong)(long)a[i]);
// TEXT: s[i] = (int)((uint)s[i] + (uint)1);
// TEXT: for (int k = 0; k < 4; k = (int)((uint)k + (uint)1))
// TEXT-NEXT: a[k] = (int)((uint)0 - (uint)a[k]);
// TEXT: d[i] += i;
// OPEN: a[i] = (a[i] + i) * 3;
// OPEN: b[i] -= a[i];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = (a[i] + i) * 3;
    b[i] -= a[i];
    s[i] += 1;
    for (int k = 0; k < 4; ++k) a[k] = -a[k];
    d[i] += i;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}runs on CPUs only: changes a variable inside the target of '+=', compiled with -fwrapv
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int k = i;
    a[k++] += 2;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}runs on CPUs only: rounds otherwise than to the nearest, which OpenCL does not
#pragma omp parallel for
  for (int i = 0; i < n; ++i) d[i] = upwards(d[i]);
}
