// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What keeps a C loop from being distributed, and what to do about it; nothing else changes in the program.
//
// RUN: %cc -fsyntax-only -fplugin-arg-muster-remarks=missed %s 2>&1 | %filecheck %s
int counter = 3;
int by_counter(void) { return counter; }

// CHECK: :[[#@LINE+7]]:1: remark: loop stays plain OpenMP on rank 0: uses the type 'pair', which is declared inside the function; declare it in front of the function
// CHECK: :[[#@LINE+11]]:1: remark: loop stays plain OpenMP on rank 0: uses the enumerator 'FEW', which is declared inside the function; declare it in front of the function
// CHECK: :[[#@LINE+12]]:1: remark: loop stays plain OpenMP on rank 0: uses the function 'outside', which is declared inside the function; declare it in front of the function
void types(double *a, int n) {
  typedef struct { double x; } pair;
  enum { FEW = 4 };
  double outside(double);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    pair p = {1.0};
    a[i] = p.x;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = FEW;
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = outside(i);
}
double outside(double x) { return x; }

// CHECK: :[[#@LINE+4]]:1: remark: loop stays plain OpenMP on rank 0: calls 'unprototyped', which is not defined in this translation unit
#pragma clang diagnostic ignored "-Wdeprecated-non-prototype"
double unprototyped();
void arguments(double *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = unprototyped(&a[i], i);
}

// CHECK: :[[#@LINE+5]]:1: remark: loop stays plain OpenMP on rank 0: stands behind '#undef SCALE' of its function; move that line in front of the function
#define SCALE 2
void macros(double *a, int n) {
#undef SCALE
#define SCALE
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = SCALE i;
}

// CHECK: :[[#@LINE+4]]:1: remark: loop stays plain OpenMP on rank 0: uses the global 'counter' in a function that has a variable of the same name; rename that one
void hidden(double *a, int n) {
  int counter = 1;
  a[0] = counter;
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = by_counter();
}

// CHECK: :[[#@LINE+6]]:1: remark: loop stays plain OpenMP on rank 0: uses the register variable 'k', which has no address; take 'register' away
// CHECK: :[[#@LINE+7]]:1: remark: loop stays plain OpenMP on rank 0: uses the array 'w' as a whole (sizeof, &); name its size instead
#define COUNT_W (int)(sizeof w / sizeof w[0])
void storage(double *a, int n) {
  register int k = n / 2;
  double w[5] = {0};
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = k;
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = w[i % COUNT_W];
}

// CHECK: :[[#@LINE+18]]:1: remark: loop stays plain OpenMP on rank 0: uses 'inner.n' of an object whose type is declared inside the function; declare the type in front of it
// CHECK: :[[#@LINE+19]]:1: remark: loop stays plain OpenMP on rank 0: uses 'p->n' of an object whose type has no name; give it one
// CHECK: :[[#@LINE+20]]:1: remark: loop stays plain OpenMP on rank 0: uses 'fast.n' of the register variable 'fast', which has no address; take 'register' away
// CHECK: :[[#@LINE+21]]:1: remark: loop stays plain OpenMP on rank 0: uses 'box' of type 'struct box'
// CHECK: :[[#@LINE+22]]:1: remark: loop stays plain OpenMP on rank 0: writes the shared variable 'b->n' without a reduction
struct box {
  int n, bits : 3;
  double *u, w[4];
};
static struct {
  int n;
} unnamed;
void members(double *a, struct box box, struct box *b) {
  struct hidden {
    int n;
  } inner = {3};
  __typeof__(unnamed) *p = &unnamed;
  register struct box fast = box;
#pragma omp parallel for
  for (int i = 0; i < 10; i++) a[i] = inner.n;
#pragma omp parallel for
  for (int i = 0; i < 10; i++) a[i] = p->n;
#pragma omp parallel for
  for (int i = 0; i < 10; i++) a[i] = fast.n;
#pragma omp parallel for
  for (int i = 0; i < 10; i++) a[i] = box.bits;
#pragma omp parallel for
  for (int i = 0; i < 10; i++) b->n = i, a[i] = 1;
}

// CHECK: :[[#@LINE+9]]:1: remark: loop stays plain OpenMP on rank 0: uses 'box', an object outside of the loop, as a whole; name the members that are meant
// CHECK: :[[#@LINE+10]]:1: remark: loop stays plain OpenMP on rank 0: uses 'b', whose elements of type 'struct box' hold a pointer ('u'), which no other device can follow
// CHECK: :[[#@LINE+19]]:1: remark: loop stays plain OpenMP on rank 0: uses a member of a union in an object outside of the loop
static struct box kept(struct box box) { return box; }
static double changed(struct box box) {
  box.n += 1;
  return box.n;
}
void copies(double *a, struct box *b) {
#pragma omp parallel for
  for (int i = 0; i < 10; i++) a[i] = kept(*b).n;
#pragma omp parallel for
  for (int i = 0; i < 10; i++) a[i] = changed(*b);
}
struct tagged {
  union {
    float *f;
    double *d;
  };
};
void unions(double *a, struct tagged *t) {
#pragma omp parallel for
  for (int i = 0; i < 10; i++) a[i] = t->d[i];
}

// CHECK: :[[#@LINE+6]]:1: remark: loop stays plain OpenMP on rank 0: uses 'c->data', an array of unknown or variable length, as it ends its struct
struct counted {
  int n;
  double data[1];
};
void endsStruct(double *a, struct counted *c) {
#pragma omp parallel for
  for (int i = 0; i < c->n; i++) a[i] = c->data[i];
}

// CHECK: :[[#@LINE+4]]:{{[0-9]+}}: remark: loop stays plain OpenMP on rank 0: 'reduction' with an operator of the user's own, which is declared inside a function; declare it in front of the function
int reduced(const int *a, int n) {
  int sum = 0;
#pragma omp declare reduction(local : int : omp_out += omp_in) initializer(omp_priv = 0)
#pragma omp parallel for reduction(local : sum)
  for (int i = 0; i < n; i++) sum += a[i];
  return sum;
}
