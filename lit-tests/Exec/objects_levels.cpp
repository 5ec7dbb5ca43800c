// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects in arrays of an object, of which the loop uses those that variables of the launch site choose: levels of a
// grid hierarchy, blocks. All loops are launched (strict).
//
// RUN: %plain -O1 %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -Werror -fplugin-arg-muster-strict %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>

struct Level {
  double *u, *f;
  int n;
  double h[2];
  double at(int i) const { return u[i] * h[1]; }
};
struct Hierarchy {
  int levels;
  Level lev[5];
  void relax(int l);
};

static void smooth(Hierarchy &h, int l) {
#pragma omp parallel for
  for (int i = 1; i < h.lev[l].n - 1; ++i)
    h.lev[l].f[i] = 0.5 * (h.lev[l].u[i - 1] + h.lev[l].u[i + 1]) + h.lev[l].h[0];
}

// Two levels at a time, by an index that is computed, and by references.
static void restrictTo(Hierarchy *h, unsigned l) {
#pragma omp parallel for
  for (int i = 0; i < h->lev[l + 1].n; ++i) h->lev[l + 1].u[i] = h->lev[l].f[2 * i] + l;
#pragma omp parallel for
  for (int i = 0; i < h->lev[l + 1].n; ++i) {
    Level &fine = h->lev[l], &coarse = h->lev[l + 1];
    coarse.f[i] = coarse.at(i) + fine.at(2 * i);
  }
}

void Hierarchy::relax(int l) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < lev[l].n; ++i) {
    lev[l].u[i] += lev[l].f[i];
    sum += lev[l].u[i];
  }
  std::printf("%d %.10g\n", l, sum);
}

int main() {
  static Hierarchy h;
  h.levels = 5;
  for (int l = 0; l < h.levels; ++l) {
    h.lev[l].n = 320 >> l;
    h.lev[l].h[0] = 1.0 / (l + 1);
    h.lev[l].h[1] = l + 0.5;
#pragma ompx managed(h.lev[l].u)
    h.lev[l].u = new double[h.lev[l].n];
#pragma ompx managed(h.lev[l].f)
    h.lev[l].f = new double[h.lev[l].n];
    for (int i = 0; i < h.lev[l].n; ++i) h.lev[l].u[i] = i % 17, h.lev[l].f[i] = i % 5;
  }
  for (int l = 0; l < h.levels; ++l) smooth(h, l);
  for (unsigned l = 0; l + 1 < 5; ++l) restrictTo(&h, l);
  for (int l = 0; l < h.levels; ++l) h.relax(l);
}
