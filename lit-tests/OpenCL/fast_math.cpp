// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the options leave open of floating-point arithmetic, each by its own.
//
// RUN: %muster++ -w -O1 -fsyntax-only -fplugin-arg-muster-print=rewrite,kernels %s \
// RUN:   | grep -v "^//" | FileCheck --check-prefix=EXACT %s
// RUN: %muster++ -w -O1 -ffast-math -fsyntax-only -fplugin-arg-muster-print=rewrite,kernels %s \
// RUN:   | grep -v "^//" | FileCheck --check-prefix=FAST %s
// RUN: %muster++ -w -O1 -ffp-contract=fast -fsyntax-only -fplugin-arg-muster-print=rewrite %s \
// RUN:   | grep -v "^//" | FileCheck --check-prefix=FUSING %s
// RUN: %muster++ -w -O1 -ffinite-math-only -fsyntax-only -fplugin-arg-muster-print=rewrite %s \
// RUN:   | grep -v "^//" | FileCheck --check-prefix=NAN %s
// RUN: %muster++ -w -O1 -fassociative-math -fno-signed-zeros -fno-trapping-math -fsyntax-only \
// RUN:   -fplugin-arg-muster-print=rewrite %s | grep -v "^//" | FileCheck --check-prefix=ORDER %s
// RUN: %muster++ -w -O1 -freciprocal-math -fapprox-func -fsyntax-only -fplugin-arg-muster-print=rewrite %s \
// RUN:   | grep -v "^//" | FileCheck --check-prefix=DIGITS %s
// RUN: %muster++ -w -O1 -fdenormal-fp-math=preserve-sign -fsyntax-only -fplugin-arg-muster-print=rewrite %s \
// RUN:   | grep -v "^//" | FileCheck --check-prefix=DENORMALS %s
void quotients(float* out, const float* a, const float* b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) out[i] = a[i] / b[i] + a[i] * b[i];
}
// EXACT: MUSTER_ABI_VERSION, MUSTER_KERNEL_FLOATS,
// EXACT: #pragma OPENCL FP_CONTRACT OFF
// FAST: MUSTER_ABI_VERSION, MUSTER_KERNEL_FLOATS | MUSTER_KERNEL_ANY_DENORMALS | MUSTER_KERNEL_ANY_FUSING
// FAST: MUSTER_KERNEL_ANY_NAN | MUSTER_KERNEL_ANY_ORDER | MUSTER_KERNEL_ANY_DIGITS,
// FAST: #pragma OPENCL FP_CONTRACT ON
// FUSING: MUSTER_ABI_VERSION, MUSTER_KERNEL_FLOATS | MUSTER_KERNEL_ANY_FUSING,
// NAN: MUSTER_ABI_VERSION, MUSTER_KERNEL_FLOATS | MUSTER_KERNEL_ANY_NAN,
// ORDER: MUSTER_ABI_VERSION, MUSTER_KERNEL_FLOATS | MUSTER_KERNEL_ANY_ORDER,
// DIGITS: MUSTER_ABI_VERSION, MUSTER_KERNEL_FLOATS | MUSTER_KERNEL_ANY_DIGITS,
// DENORMALS: MUSTER_ABI_VERSION, MUSTER_KERNEL_FLOATS | MUSTER_KERNEL_ANY_DENORMALS,
