// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of an iteration between the program's and the kernel's: as it is lowered, and behind the passes, where what
// bounds a short loop is a macro that the runtime may define.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=ir %s | FileCheck %s
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=kernels %s | FileCheck --check-prefix=TEXT %s
#pragma ompx managed(anchor)
int *anchor = new int[1];

struct Weights {
  int radius;
  const float *of;
  float at(int k) const { return of[k < 0 ? -k : k]; }
};

// CHECK-LABEL: ir of muster_smooth_
// CHECK-NEXT:    if (== (% i 2) 1)
// CHECK-NEXT:      next
// CHECK-NEXT:    define float sum 0
// CHECK-NEXT:    for (<= k [[RADIUS:[a-z_]+]]) then (++ k)
// CHECK-NEXT:      from define int k (- [[RADIUS]])
// CHECK-NEXT:      do (+= sum (* (element w_of (choose (< k 0) (- k) k)) (element in (+ (+ (* i m) j) k))))
// CHECK-NEXT:    do (= (element out (+ (* i m) j)) sum)
// CHECK-NEXT:  ir of muster_smooth_[[#]] behind passes
// CHECK-NEXT:    if (== (% i 2) 1)
// CHECK-NEXT:      jump continue
// CHECK:         for (<= k MUSTER_VALUE_[[N:[0-9]]]) then (++ k)
// CHECK-NEXT:      from define int k (- MUSTER_VALUE_[[N]])
// TEXT:      #ifndef MUSTER_VALUE_[[N:[0-9]]]
// TEXT-NEXT: #define MUSTER_VALUE_[[N]] [[RADIUS:[a-z_]+]]
// TEXT-NEXT: #endif
// TEXT-NEXT: __kernel
// TEXT:          int [[RADIUS]],
// TEXT:          for (int k = -MUSTER_VALUE_[[N]]; k <= MUSTER_VALUE_[[N]]; ++k) {
void smooth(const Weights *w, const float *in, float *out, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = w->radius; j < m - w->radius; ++j) {
      if (i % 2 == 1) continue;
      float sum = 0;
      for (int k = -w->radius; k <= w->radius; ++k) sum += w->at(k) * in[i * m + j + k];
      out[i * m + j] = sum;
    }
}
