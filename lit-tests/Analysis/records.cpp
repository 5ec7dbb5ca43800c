// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which choices are minima or maxima with their places.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts,plan %s | FileCheck %s

// CHECK-LABEL: loop {{[0-9]+}} in choices
// CHECK:   firstprivate best
// CHECK-NEXT:   firstprivate at
// CHECK-NEXT:   firstprivate last
// CHECK-NEXT:   firstprivate lastAt
// CHECK-NEXT:   record best at: the first minimum, then the largest at
// CHECK-NEXT:   record last lastAt: the last maximum
void choices(const double *a, int n) {
  double best = 1e30;
  float last = 0;
  int at = -1, lastAt = -1;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float f = static_cast<float>(a[i]);
#pragma omp critical
    {
      if (a[i] < best || (best == a[i] && i > at)) {
        best = a[i];
        at = i;
      }
      if (last <= f) {
        lastAt = i;
        last = f;
      }
    }
  }
}

// Several choices of one key; what one assigns belongs to it in all.
// CHECK-LABEL: loop {{[0-9]+}} in joined
// CHECK:   record best at from: the first minimum{{$}}
void joined(const int *a, int n) {
  int best = 100, at = -1, from = -1;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical
    if (a[i] < best) {
      best = a[i];
      at = i;
    }
#pragma omp critical
    if (best > a[i + 1]) {
      from = 1;
      best = a[i + 1];
    }
  }
}

struct Best {
  double v;
  int i;
};
#pragma omp declare reduction(best : Best : omp_out = omp_in.v < omp_out.v ? omp_in : omp_out) \
    initializer(omp_priv = omp_orig)
// CHECK-LABEL: loop {{[0-9]+}} in declared
// CHECK:   scalar muster_original_b by value
// CHECK:   result b: user's
void declared(const double *a, int n, Best b) {
#pragma omp parallel for reduction(best : b)
  for (int i = 0; i < n; i++)
    if (a[i] < b.v) b.v = a[i];
}

// CHECK-LABEL: kernel muster_choices
// CHECK:   record best at
// CHECK-NEXT:   record last lastAt
// CHECK-NEXT:   native and OpenCL
// CHECK-LABEL: kernel muster_declared
// CHECK:   results b
// CHECK-NEXT:   native and OpenCL
