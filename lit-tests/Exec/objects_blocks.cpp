// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of objects that hold pointers, of which the loop uses one: variables of the launch site choose it. All loops
// are launched (strict).
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster && %run %t.muster 2> %t.warnings | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster 2> %t.warnings | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster 2> %t.warnings | diff %t.expected -
#include <cstdio>
struct Block { int n; double *e; double h[2]; double at(int i) const { return e[i] * h[1]; } };
static Block all[3];
void work(int b) {
#pragma omp parallel for
  for (int i = 1; i < all[b].n - 1; ++i) all[b].e[i] += 0.5 * i;
#pragma omp parallel for
  for (int i = 0; i < all[b + 1].n; ++i) all[b + 1].e[i] = all[b].at(i % 10) + all[2].h[0];
}
int main() {
  for (int b = 0; b < 3; ++b) {
    all[b].n = 1000 * (b + 1); all[b].h[0] = b; all[b].h[1] = 0.5;
#pragma ompx managed(all[b].e)
    all[b].e = new double[all[b].n]();
  }
  work(0); work(1);
  double s = 0;
  for (int b = 0; b < 3; ++b) {
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < all[b].n; ++i) { const Block &B = all[b]; auto f = [&](int k) { return all[b].e[k]; }; s += B.e[i] + B.at(i) + f(i); }
  }
  printf("%g\n", s);
  Block blocks[5];
  const int count = 5;
  for (int b = 0; b < count; ++b) {
    blocks[b].n = 700 + b;
#pragma ompx managed(blocks[b].e)
    blocks[b].e = new double[blocks[b].n];
  }
  for (int b = 0; b < count; ++b) {
#pragma omp parallel
    {
#pragma omp for
      for (int i = 0; i < blocks[b].n; ++i) blocks[b].e[i] = i + b;
#pragma omp for
      for (int i = 0; i < 700; ++i) blocks[b].e[i] += 0.5 * i;
    }
  }
  s = 0;
  for (int b = 0; b < count; ++b)
    for (int i = 0; i < blocks[b].n; ++i) s += blocks[b].e[i] * (b + 1);
  printf("%g\n", s);
}
