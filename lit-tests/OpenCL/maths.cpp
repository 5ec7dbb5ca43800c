// Mathematical functions get the device's name and arguments of exactly the host function's type.
// RUN: %kernels %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl
#include <algorithm>
#include <cmath>
#include <cstdlib>

#pragma omp managed(anchor)
int *anchor = new int[1];

void maths(int n, double *d, float *f, int *w, long *l) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    // CHECK: d[i] = sqrt(d[i]) + sqrt(f[i]) + sqrt((double)w[i]) + sqrt((double)f[i]) + sqrt(f[i]);
    d[i] = std::sqrt(d[i]) + std::sqrt(f[i]) + std::sqrt(w[i]) + sqrt((double)f[i]) + sqrtf(f[i]);
    // CHECK-NEXT: d[i] = pow(d[i], (double)2) + pow((double)f[i], (double)w[i]) + pow(f[i], 0.5f) + atan2(d[i], (double)f[i]);
    d[i] = std::pow(d[i], 2) + std::pow(f[i], w[i]) + std::pow(f[i], 0.5f) + std::atan2(d[i], f[i]);
    // CHECK-NEXT: f[i] = fabs(f[i]) + fabs(d[i]) + (int)abs(w[i]) + (long)abs(l[i]) + fabs(f[i]);
    f[i] = std::abs(f[i]) + std::fabs(d[i]) + std::abs(w[i]) + labs(l[i]) + fabsf(f[i]);
    // CHECK-NEXT: l[i] = (long)round(d[i]) + (long)rint(f[i]) + isnan(f[i]) + isfinite((double)w[i]);
    l[i] = std::lround(d[i]) + lrintf(f[i]) + std::isnan(f[i]) + std::isfinite(w[i]);
    // CHECK-NEXT: d[i] = isnan(d[i]) + !isnan(f[i]);
    d[i] = (d[i] != d[i]) + (f[i] == f[i]);
    // CHECK-NEXT: w[i] = muster_min_int(w[i], 3) + muster_max_int(w[i], 2) + muster_clamp_int(w[i], 1, 9);
    w[i] = std::min(w[i], 3) + std::max(w[i], 2) + std::clamp(w[i], 1, 9);
    // CHECK-NEXT: f[i] = fmax(f[i], 1.0f) + fma(f[i], f[i], 2.0f) + copysign(1.0f, f[i]) + ldexp(f[i], (int)w[i]);
    f[i] = std::fmax(f[i], 1.0f) + std::fma(f[i], f[i], 2.0f) + std::copysign(1.0f, f[i]) + std::ldexp(f[i], w[i]);
  }
}
