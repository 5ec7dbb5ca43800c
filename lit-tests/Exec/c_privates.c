// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs, arrays of them and pointers to them that a clause makes private, or that a region declares for its loops, as
// C programs that declare everything at the top have them. The plain program is the oracle.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -fplugin-arg-muster-remarks %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %cc -w -fsyntax-only -fplugin-arg-muster-print=facts %s 2>&1 | FileCheck --check-prefix=FACTS %s
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  double x, y;
} vector;
typedef struct {
  double re, im;
} complex_number;
struct pixel {
  unsigned char r, g, b;
};

enum { N = 37, M = 6 };

#pragma ompx managed(at, force)
static vector at[N], force[N];
#pragma ompx managed(waves, spectrum)
static complex_number waves[N][M], spectrum[N][M];

static void report(const char *name) {
  double sum = 0;
  for (int i = 0; i < N; i++) sum += force[i].x * (i % 5) - force[i].y;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) sum += spectrum[i][j].re * (j + 1) - spectrum[i][j].im * (i % 3);
  printf("%s %.12g\n", name, sum);
}

// A struct and pointers that each iteration sets.
// CHECK-DAG: [[#@LINE+4]]:1: remark: loop is outlined
static void pairs(vector *f, vector *p) {
  vector d, *mine, *own;
  int i, j;
#pragma omp parallel for private(j, d, mine, own)
  for (i = 0; i < N; i++) {
    mine = &p[i];
    own = f + i;
    for (j = 0; j < N; j++) {
      d.x = mine->x - p[j].x;
      d.y = mine->y - p[j].y;
      own->x += d.x * d.y;
      own->y -= d.x;
    }
  }
}

// Scratch rows of a region. The rows are read at other places than they are written at.
// CHECK-DAG: [[#@LINE+6]]:1: remark: loop is outlined
static void rows(void) {
#pragma omp parallel
  {
    complex_number line[M], back[M];
    int i, j;
#pragma omp for
    for (i = 0; i < N; i++) {
      for (j = 0; j < M; j++) line[j] = waves[i][j];
      for (j = 0; j < M; j++) {
        back[j].re = line[M - 1 - j].re - line[j].im;
        back[j].im = line[M - 1 - j].im + 1;
      }
      for (j = 0; j < M; j++) spectrum[i][j] = back[j];
    }
  }
}

// The struct takes a value from one inner iteration to the next: that loop is no dimension of the launch.
// FACTS: loop [[#@LINE+6]] in chain
// FACTS: dim i: int
// FACTS-NOT: dim
static void chain(void) {
  vector sum;
  int i, j;
#pragma omp parallel for private(j, sum)
  for (i = 0; i < N; i++) {
    sum.x = sum.y = i;
    for (j = 0; j < M; j++) {
      sum.x += waves[i][j].re;
      sum.y = sum.x * 0.5 - sum.y;
      spectrum[i][j].re = sum.x;
      spectrum[i][j].im = sum.y;
    }
  }
}

// The same with an array that is filled before the inner loop and changed in it.
// FACTS: loop [[#@LINE+6]] in shifts
// FACTS: dim i: int
// FACTS-NOT: dim
static void shifts(void) {
  complex_number last[2];
  int i, j;
#pragma omp parallel for private(j, last)
  for (i = 0; i < N; i++) {
    last[0] = last[1] = waves[i][0];
    for (j = 0; j < M; j++) {
      spectrum[i][j].re += last[j % 2].im;
      last[(j + 1) % 2].im += waves[i][j].re;
    }
  }
}

// What a thread gives from one iteration to the next stays with the team. (One thread, so that the result is known.)
// CHECK-DAG: region stays plain OpenMP on rank 0: gives 'check', of which each thread has its own, from one iteration to the next
static void carried(void) {
#pragma omp parallel num_threads(1)
  {
    complex_number check = {0, 0};
#pragma omp for nowait
    for (int i = 0; i < N; i++) {
      check.re += spectrum[i][1].re;
      force[i].x = check.re;
    }
  }
}

// A pixel through a pointer that is moved along.
// CHECK-DAG: [[#@LINE+7]]:1: remark: loop is outlined
// FACTS: loop [[#@LINE+6]] in colours
// FACTS: dim i: int
// FACTS: dim j: int {{.*}}, found independent
static unsigned colours(struct pixel *image) {
  struct pixel *p;
  int i, j;
#pragma omp parallel for private(j, p)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) {
      p = image + i * M + j;
      p->r = i;
      p->g = j * 3;
      p->b = p->r ^ p->g;
    }
  unsigned hash = 0;
  for (i = 0; i < N * M; i++) hash = hash * 31 + image[i].r + 7 * image[i].g + 3 * image[i].b;
  return hash;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    at[i] = (vector){i * 7 % 11, i * 5 % 13};
    for (int j = 0; j < M; j++) waves[i][j] = (complex_number){i * j % 9, i + j};
  }
  pairs(force, at), report("pairs");
  rows(), report("rows");
  chain(), report("chain");
  shifts(), report("shifts");
  carried(), report("carried");
#pragma ompx managed(image)
  struct pixel *image = malloc(N * M * sizeof *image);
  printf("%u\n", colours(image));
  free(image);
  return 0;
}
