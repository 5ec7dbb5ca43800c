// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of C programs whose arrays and sizes are members of structs. The plain program is the oracle.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -std=c11 -pedantic -Wall -Wextra -Werror %s -o %t.c11 && %run %t.c11 | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.c11 2> %t.warnings | diff %t.expected - && not grep 'not build' %t.warnings
// RUN: %cc-link -O2 -std=gnu23 -pedantic -Wall -Wextra -Werror %s -o %t.c23 && %run %t.c23 | diff %t.expected -
// Every loop is distributed:
// RUN: %cc -fsyntax-only %s 2>&1 | %filecheck --allow-empty --check-prefix=SILENT %s
// SILENT-NOT: muster
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int nx, ny;
  double dx;
  double *data;
} field;
enum boundary { OPEN, PERIODIC = 4 };
struct cell {
  float rho, speeds[3];
};
struct mesh {
  const size_t cells;
  struct cell *restrict cell;
  enum boundary kind;
  bool active;
  unsigned char tag;
};
typedef struct {
  float density, omega;
  int n;
  float weights[2][3];
} param;
typedef struct {
  struct {
    int rows, cols;
  };
  struct {
    double *a, (*rows8)[8];
  } in;
  struct {
    double h;
  } *more;
  field *f;
} nested;

static void report(const char *name, const double *a, int n) {
  double sum = 0, weighted = 0;
  for (int i = 0; i < n; ++i) sum += a[i], weighted += a[i] * (i % 7);
  printf("%s %.17g %.17g\n", name, sum, weighted);
}

#define IDX(f, i, j) ((i) * ((f)->ny + 2) + (j))
#define AT(f, i, j) (f)->data[IDX(f, i, j)]

static void evolve(field *curr, const field *prev, double dt) {
#pragma omp parallel for
  for (int i = 1; i < curr->nx + 1; i++)
    for (int j = 1; j < curr->ny + 1; j++)
      curr->data[i * (curr->ny + 2) + j] = dt * (prev->data[(i - 1) * (prev->ny + 2) + j] + prev->data[IDX(prev, i + 1, j)] +
                                                AT(prev, i, j - 1) + (*prev).data[IDX(prev, i, j + 1)]);
}

static inline double value(const field *f, int i, int j) { return f->data[IDX(f, i, j)] * f->dx; }
static void callees(field *restrict to, field from) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < to->nx; ++i)
    for (int j = 0; j < to->ny; ++j) AT(to, i, j) = value(&from, i, j) + 1;
}

static double byValue(const param params, const double *a, struct mesh m) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < params.n; ++i)
    if (m.active && m.tag == 200 && m.kind == PERIODIC)
      sum += a[i] * params.density * params.weights[i % 2][i % 3] + (double)(sizeof params.weights / sizeof(float));
  return sum;
}

static void structs(struct mesh *const m) {
#pragma omp parallel for
  for (size_t i = 0; i < m->cells; ++i) {
    struct cell *c = m->cell + i;
    c->rho = (float)(i % 11);
    for (int k = 0; k < 3; ++k) m->cell[i].speeds[k] = c->rho * (float)(k + (int)m->kind);
  }
}

static void nest(nested *p) {
#pragma omp parallel for
  for (int i = 0; i < p->rows; ++i) {
    double *row = p->in.a + i * p->cols;
    const field *f = p->f;
    for (int j = 0; j < p->cols; ++j) row[j] += p->more->h * f->data[i] + p->in.rows8[i][j % 8];
  }
}

// Objects that are passed and copied by value.
static inline int at(const field f, int i, int j) { return (i + 1) * (f.ny + 2) + j + 1; }
static inline void put(field f, int k, double x) { f.data[k] = x; }
static inline double slope(field f, int i, int j) {
  const double h = f.dx;
  return (f.data[at(f, i, j)] - f.data[at(f, i - 1, j)]) * h;
}
static void copies(field *to, const nested *p) {
#pragma omp target teams distribute parallel for map(to : p->f->data[ : p->rows])
  for (int i = 1; i < p->rows; ++i) {
    field own = *to;
    const field from = *p->f;
    for (int j = 0; j < own.ny; ++j) put(own, at(own, i, j), slope(from, i, j) + own.nx);
  }
}

// Objects that travel as a whole, also with members of theirs.
static double changed(struct cell c) {
  c.rho += 1;
  c.speeds[2] *= 2;
  return c.rho * c.speeds[2] + c.speeds[0];
}
static void wholes(double *a, struct mesh *m, const struct cell c) {
#pragma omp parallel for
  for (size_t i = 0; i < m->cells; ++i) {
    struct cell own = c;
    own.speeds[1] = (float)i;
    a[i] = changed(c) + c.rho + changed(own) + own.speeds[1];
    m->cell[i] = i % 2 ? c : own;
  }
}

static struct {
  int n;
  double *u, *v;
} state, *current = &state;
static void globals(void) {
#pragma omp parallel for
  for (int i = 0; i < state.n; ++i) state.v[i] = 2 * state.u[i];
#pragma omp parallel for
  for (int i = 1; i < current->n; ++i) current->u[i] = current->v[i - 1] + state.n;
}

static int threads(double *a) {
  static struct settings {
    int team;
  } unused = {2};
  struct cell last = {0.5f, {1, 2, 3}};
  int count = 0;
  (void)unused;
#pragma omp parallel for reduction(+ : count) firstprivate(a)
  for (int i = 0; i < 40; ++i) count += a[i] > last.speeds[1];
  return count;
}

int main(void) {
  field a = {37, 11, 0.25, NULL}, b = a;
  const int n = (a.nx + 2) * (a.ny + 2);
#pragma ompx managed(a.data)
  a.data = (double *)malloc(n * sizeof(double));
#pragma ompx managed(b.data)
  b.data = (double *)malloc(n * sizeof(double));
  for (int i = 0; i < n; ++i) a.data[i] = i % 17, b.data[i] = 100 + i % 13;
  for (int step = 0; step < 3; ++step) {
    evolve(&b, &a, 0.125);
    double *swapped = a.data;
    a.data = b.data;
    b.data = swapped;
  }
  report("a", a.data, n), report("b", b.data, n);
  callees(&b, a);
  report("b", b.data, n);

  struct mesh m = {101, NULL, PERIODIC, true, 200};
  const param params = {0.5f, 1.7f, 400, {{1, 2, 3}, {4, 5, 6}}};
  printf("%.17g\n", byValue(params, a.data, m));
#pragma ompx managed(m.cell)
  m.cell = (struct cell *)calloc(m.cells, sizeof(struct cell));
  structs(&m);
  float total = 0;
  for (size_t i = 0; i < m.cells; ++i) total += m.cell[i].rho + m.cell[i].speeds[2];
  printf("%.9g\n", total);

  wholes(a.data, &m, m.cell[7]);
  total = 0;
  for (size_t i = 0; i < m.cells; ++i) total += m.cell[i].rho + m.cell[i].speeds[1];
  printf("%.9g\n", total);
  report("a", a.data, n);

#pragma ompx managed(rows)
  double(*rows)[8] = (double(*)[8])malloc(30 * sizeof *rows);
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 8; ++j) rows[i][j] = i - j;
  nested p = {{30, 13}, {a.data, rows}, NULL, &b};
  p.more = malloc(sizeof *p.more);
  p.more->h = 0.75;
  nest(&p);
  report("a", a.data, n), report("b", b.data, n);

  copies(&a, &p);
  report("a", a.data, n);

  state.n = n, state.u = a.data, state.v = b.data;
  globals();
  report("a", a.data, n), report("b", b.data, n);
  printf("%d\n", threads(a.data));
  free(p.more), free(rows), free(m.cell), free(a.data), free(b.data);
  return 0;
}
