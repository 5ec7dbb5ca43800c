// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product and a sum are one operation where clang makes one instruction of them, and nowhere else.
// RUN: %kernels -w -mfma %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl
// RUN: %kernels -w %s | FileCheck --check-prefix=APART %s
// RUN: %kernels -w -mfma -ffp-contract=off %s | FileCheck --check-prefix=APART %s
// RUN: %kernels -w -mfma -fplugin-arg-muster-remarks=missed %s 2>&1 > /dev/null | FileCheck --check-prefix=REMARK %s
// APART-NOT: fma

#pragma ompx managed(anchor)
int *anchor = new int[1];

void forms(double *a, const double *x, const float *f, float *g, const int *n, int count) {
#pragma omp parallel for
  for (int i = 0; i < count; ++i) {
    // CHECK:      a[i] = fma(x[i], a[i], 2.0);
    a[i] = x[i] * a[i] + 2.0;
    // CHECK-NEXT: a[i] = fma(x[i], a[i], -(x[i + 1]));
    a[i] = (x[i] * a[i]) - x[i + 1];
    // CHECK-NEXT: a[i] = fma(-(x[i]), a[i], x[i + 1]);
    a[i] = x[i + 1] - x[i] * a[i];
    // CHECK-NEXT: a[i] = fma(-(x[i]), a[i], x[i + 1]);
    a[i] = -(x[i] * a[i]) + x[i + 1];
    // CHECK-NEXT: a[i] = fma(x[i], x[i], a[i] * a[i]);
    a[i] = x[i] * x[i] + a[i] * a[i];
    // CHECK-NEXT: a[i] = fma(a[i], 3.0, fma(x[i], 0.5, 1.0));
    a[i] = x[i] * 0.5 + 1.0 + a[i] * 3.0;
    // CHECK-NEXT: a[i] = fma(x[i], x[i], a[i]);
    a[i] += x[i] * x[i];
    // CHECK-NEXT: a[i] = fma(-(x[i]), x[i], a[i]);
    a[i] -= x[i] * x[i];
    // CHECK-NEXT: g[i] = fma(f[i], (float)n[i], g[i]);
    g[i] += f[i] * n[i];
    // CHECK-NEXT: g[i] = fma((double)f[i], x[i], (double)g[i]);
    g[i] += f[i] * x[i];
    // CHECK-NEXT: g[i] = f[i] * f[i] + x[i];
    g[i] = f[i] * f[i] + x[i];
    // CHECK-NEXT: const double y = x[i] * x[i];
    const double y = x[i] * x[i];
    // CHECK-NEXT: a[i] = y + 1.0;
    a[i] = y + 1.0;
    // CHECK-NEXT: a[i] = 0.1 * 3.0 + x[i];
    a[i] = 0.1 * 3.0 + x[i];
    // CHECK-NEXT: a[i] = n[i] * n[i] + x[i];
    a[i] = n[i] * n[i] + x[i];
    // CHECK-NEXT: a[i] = x[i] / 3.0 + x[i];
    a[i] = x[i] / 3.0 + x[i];
    {
#pragma clang fp contract(off)
      // CHECK: a[i] = x[i] * a[i] + 2.0;
      a[i] = x[i] * a[i] + 2.0;
    }
  }
}

void changes(double *a, const double *x, int count) {
// REMARK: runs on CPUs only: changes a variable inside the target of '+=', which is fused with a product
#pragma omp parallel for
  for (int i = 0; i < count; ++i) {
    int j = i;
    a[j++] += x[i] * x[i];
  }
}
