/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Structs of each thread of a region that are added up member by member in C: complex numbers by macros, several sums,
 * bounds. All loops are launched.
 *
 * RUN: %plain-c -w %s -o %t.plain -lm && %run %t.plain > %t.expected
 * RUN: %cc-link -O1 -Wall -Wextra -Werror -fplugin-arg-muster-strict %s -o %t && %run MUSTER_DEVICES=cpu %t | diff %t.expected -
 * RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
 * RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
 * RUN: env OMP_NUM_THREADS=2 mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
 */
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  double real, imag;
} dcomplex;
#define cadd(c, a, b) (c.real = a.real + b.real, c.imag = a.imag + b.imag)
#define dcomplex_create(r, i) (dcomplex){r, i}
#define dcomplex_add(a, b) (dcomplex){(a).real + (b).real, (a).imag + (b).imag}
#define N 1024

struct found {
  double least, most;
  long count;
  unsigned bits;
  int unused;
};

static dcomplex sums[3];

static dcomplex plus(dcomplex a, dcomplex b) { return (dcomplex){b.real + a.real, a.imag + b.imag}; }

static void byMacro(int n, dcomplex u[N]) {
#pragma omp parallel default(shared)
  {
    int j, q;
    dcomplex chk;
    chk.real = 0.0;
    chk.imag = 0.0;
#pragma omp for nowait
    for (j = 1; j <= 1000; j++) {
      q = j * 7 % N;
      if (q >= n) {
        cadd(chk, chk, u[q]);
      }
    }
#pragma omp critical
    {
      sums[0].real += chk.real;
      sums[0].imag += chk.imag;
    }
#pragma omp barrier
#pragma omp single
    printf("%.10g %.10g\n", sums[0].real, sums[0].imag);
  }
}

/* A loop outside of the region's text. */
static void byValue(const dcomplex *u) {
  int j;
  dcomplex worker = dcomplex_create(0.0, 0.0), other = worker;
#pragma omp for
  for (j = 0; j < N; j++) worker = dcomplex_add(worker, u[j]);
#pragma omp for
  for (j = 0; j < N; j++) other = plus(u[j], other);
#pragma omp critical
  {
    sums[1] = dcomplex_add(sums[1], worker);
    sums[2] = plus(sums[2], other);
  }
}

static void bounds(const double *x, int n, struct found *all) {
#pragma omp parallel
  {
    struct found mine = {all->least, all->most, 0, 0, 0};
#pragma omp for
    for (int i = 0; i < n; i++) {
      if (x[i] < mine.least) mine.least = x[i];
      mine.most = x[i] > mine.most ? x[i] : mine.most;
      if (x[i] > 5) mine.count++;
      mine.bits |= 1u << (i % 20);
    }
#pragma omp critical
    {
      if (mine.least < all->least) all->least = mine.least;
      if (mine.most > all->most) all->most = mine.most;
      all->count += mine.count;
      all->bits |= mine.bits;
    }
  }
}

int main(void) {
#pragma ompx managed(u, x)
  dcomplex *u = malloc(N * sizeof(dcomplex));
  double *x = malloc(N * sizeof(double));
  struct found all = {1.0 / 0.0, -1.0 / 0.0, 0, 0, 7};
  for (int i = 0; i < N; i++) u[i].real = i % 17, u[i].imag = i % 31 * 0.5, x[i] = i * 7919 % 1000 - 300;
  byMacro(50, u);
#pragma omp parallel
  byValue(u);
  printf("%.10g %.10g %.10g %.10g\n", sums[1].real, sums[1].imag, sums[2].real, sums[2].imag);
  bounds(x, 0, &all);
  printf("%g %g %ld\n", all.least, all.most, all.count);
  bounds(x, N, &all);
  printf("%g %g %ld %x %d\n", all.least, all.most, all.count, all.bits, all.unused);
  return 0;
}
