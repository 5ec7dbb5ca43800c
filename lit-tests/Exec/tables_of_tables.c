// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of tables in C, as multigrid codes have them: a table of levels of different sizes, whose rows are allocated
// one by one, and loops over one level, in regions, too. All loops are distributed.
// RUN: %plain-c -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-remarks=missed %s -o %t 2>&1 | FileCheck --allow-empty --check-prefix=REMARKS %s
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck --check-prefix=INFO %s
// REMARKS-NOT: remark:
// INFO-NOT: this loop runs
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 4, MOST = 40 };
static int size[LEVELS] = {5, 9, 17, 33};

typedef struct {
  float ***f;
  int n;
} Field;

static void smooth(double ***r, double ***u, int n) {
  int i3, i2, i1;
  double r1[MOST];
#pragma omp parallel for default(shared) private(i1, i2, i3, r1)
  for (i3 = 1; i3 < n - 1; i3++)
    for (i2 = 1; i2 < n - 1; i2++) {
      for (i1 = 0; i1 < n; i1++)
        r1[i1] = r[i3][i2 - 1][i1] + r[i3][i2 + 1][i1] + r[i3 - 1][i2][i1] + r[i3 + 1][i2][i1];
      for (i1 = 1; i1 < n - 1; i1++) u[i3][i2][i1] += 0.25 * r1[i1] - 0.125 * (r1[i1 - 1] + r1[i1 + 1]);
    }
}

static void border(double ***u, int n) {
  int i1, i2, i3;
#pragma omp parallel default(shared) private(i1, i2, i3)
  {
#pragma omp for
    for (i3 = 1; i3 < n - 1; i3++) {
      for (i2 = 1; i2 < n - 1; i2++) {
        u[i3][i2][n - 1] = u[i3][i2][1];
        u[i3][i2][0] = u[i3][i2][n - 2];
      }
      for (i1 = 0; i1 < n; i1++) {
        u[i3][n - 1][i1] = u[i3][1][i1];
        u[i3][0][i1] = u[i3][n - 2][i1];
      }
    }
#pragma omp for nowait
    for (i2 = 0; i2 < n; i2++)
      for (i1 = 0; i1 < n; i1++) {
        u[n - 1][i2][i1] = u[1][i2][i1];
        u[0][i2][i1] = u[n - 2][i2][i1];
      }
  }
}

static void restrictTo(double ***s, double ***r, int m) {
  int j3, j2, j1;
#pragma omp parallel for private(j1, j2, j3)
  for (j3 = 1; j3 < m - 1; j3++) {
    int i3 = 2 * j3 - 1;
    for (j2 = 1; j2 < m - 1; j2++)
      for (j1 = 1; j1 < m - 1; j1++)
        s[j3][j2][j1] = 0.5 * r[i3 + 1][2 * j2][2 * j1] + 0.25 * (r[i3][2 * j2][2 * j1] + r[i3 + 2][2 * j2][2 * j1]);
  }
}

static double norm(double ***r, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int k = 1; k < n - 1; k++) s += r[i][j][k] * (i + j * k);
  return s;
}

static void fill(Field *field) {
#pragma omp parallel for
  for (int i = 0; i < field->n; i++)
    for (int j = 0; j < field->n; j++) {
      float *row = field->f[i][j];
      for (int k = 0; k < field->n; k++) row[k] = i + j - k;
    }
}

int main(void) {
  double ****u, ***v;
  int l, k, j;
#pragma ompx managed(u)
  u = (double ****)malloc(LEVELS * sizeof(double ***));
  for (l = LEVELS - 1; l >= 0; l--) {
    u[l] = (double ***)malloc(size[l] * sizeof(double **));
    for (k = 0; k < size[l]; k++) {
      u[l][k] = (double **)malloc(size[l] * sizeof(double *));
      for (j = 0; j < size[l]; j++) u[l][k][j] = (double *)calloc(size[l], sizeof(double));
    }
  }
  const int n = size[LEVELS - 1];
#pragma ompx managed(v)
  v = malloc(n * sizeof *v);
  for (k = 0; k < n; k++) v[k] = malloc(n * sizeof **v);
  for (k = 0; k < n; k++)
    for (j = n - 1; j >= 0; j--) v[k][j] = malloc(n * sizeof ***v);
#pragma omp parallel for private(j)
  for (k = 0; k < n; k++)
    for (j = 0; j < n; j++)
      for (int i = 0; i < n; i++) v[k][j][i] = (k * 3 + j * 5 + i * 7) % 16;
  for (int t = 0; t < 3; t++) {
    smooth(v, u[LEVELS - 1], n);
    border(u[LEVELS - 1], n);
    for (l = LEVELS - 2; l >= 0; l--) {
      restrictTo(u[l], u[l + 1], size[l]);
      border(u[l], size[l]);
      smooth(u[l], u[l], 2);
    }
  }
  for (l = 0; l < LEVELS; l++) printf("%.15g %.15g\n", norm(u[l], size[l]), u[l][0][1][2]);
  Field field = {NULL, 11};
#pragma ompx managed(field.f)
  field.f = malloc(field.n * sizeof *field.f);
  for (k = 0; k < field.n; k++) {
    field.f[k] = malloc(field.n * sizeof(float *));
    for (j = 0; j < field.n; j++) field.f[k][j] = malloc(field.n * sizeof(float));
  }
  fill(&field);
  printf("%g\n", field.f[10][9][0]);
  for (l = 0; l < LEVELS; l++) {
    for (k = 0; k < size[l]; k++) {
      for (j = 0; j < size[l]; j++) free(u[l][k][j]);
      free(u[l][k]);
    }
    free(u[l]);
  }
  free(u);
  return 0;
}
