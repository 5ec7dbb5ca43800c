// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statement expressions that are statements, as macros and translators from Fortran make them of whole bodies: their
// value is not used, so that they may hold any statements but jumps out of them. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-summary %s -o %t.muster 2>&1 | %filecheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// CHECK: remark: loop {{.*}} runs on CPUs only: uses a statement expression of more than numbers and a value
// CHECK: remark: loop stays plain OpenMP on rank 0: contains a block or a statement expression with jumps
// CHECK: remark: loops: 4 for all devices, 1 for CPUs only, 1 plain OpenMP
#include <cmath>
#include <cstdio>

struct Cell {
  double mass, energy;
};

#define swap_if(c, a, b) \
  ({                     \
    if (c) {             \
      double t_ = a;     \
      a = b;             \
      b = t_;            \
    }                    \
  })
#define clamp(x, low)   \
  (void)({              \
    if (x < low) x = low; \
    x;                  \
  })

int main() {
  const int n = 1000;
#pragma ompx managed(flux, density, out, low, high)
  static double flux[1002], density[1002], out[1000], low[1000], high[1000];
#pragma ompx managed(cells)
  static Cell cells[1000];
#pragma ompx managed(hits)
  static int hits[10];
  for (int i = 0; i < n + 2; ++i) {
    flux[i] = std::sin(0.1 * i);
    density[i] = 2 + std::cos(0.3 * i);
  }
  // A whole body, as Fortran's are translated; its last statement is an assignment.
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    ({
      int donor, upwind;
      double limiter;
      if (flux[i] > 0.0) {
        donor = i;
        upwind = i + 1;
      } else {
        donor = i + 1;
        upwind = i;
      }
      const double difference = density[donor] - density[upwind];
      if (difference > 0.5)
        limiter = 0.5;
      else
        limiter = std::fabs(difference);
      out[i] = flux[i] * (density[donor] + limiter);
    });
  // Macros among other statements, one in another, and names that they hide.
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double t_ = out[i], u = density[i];
    swap_if(t_ > u, u, t_);
    ({
      double t_ = u * 0.5;
      for (int k = 0; k < 3; ++k) {
        if (k == 2) clamp(t_, 0.75);
        t_ += 0.125;
      }
      u += t_;
      ;
    });
    low[i] = t_, high[i] = u;
  }
  // A struct is the last value; an empty block; one that is a value, too.
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    ({});
    ({
      Cell made = {out[i], low[i]};
      if (i % 3) made.mass = high[i];
      cells[i] = made;
    });
    cells[i].energy += ({ const double x = low[i]; x * x; });
  }
  // Updates of elements that iterations share.
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    ({
      const int k = i % 10;
#pragma omp atomic
      hits[k] += 2;
#pragma omp atomic
      hits[(k + 1) % 10] -= i;
    });
  }
  // What these hold is no number.
#pragma omp parallel for
  for (int i = 0; i < n; ++i) out[i] += ({ double x = low[i]; if (x < 0) x = -x; x; });
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    ({ if (low[i] > 0.9) continue; });
    high[i] += 1;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += out[i] + low[i] * 3 + high[i] * 7 + cells[i].mass * 11 + cells[i].energy * 13;
  for (int i = 0; i < 10; ++i) sum += hits[i] * (i + 1);
  std::printf("%.9g %g %g\n", sum, out[17], cells[999].energy);
}
