// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where pointers of an iteration may lead: after `continue`, `break`, early returns, loops that may not run and cases
// that may not be taken; through one of several objects, an object without a name, an object that names itself; and
// from a table's entry or something else. Each writes an array that another way of the program does not.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=missed %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 timeout 60 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu timeout 60 \
// RUN:   mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
//
#include <cstdio>
#include <cstdlib>

static const int n = 300;
static const int extent = 20 * n;

struct Cursor {
  int *p;
  Cursor(int *start) : p(start) {}
  Cursor(int *start, int count) : p(start) {
    for (int k = 0; k < count; ++k) *p++ = k + 5;
  }
  void fill(int count) {
    for (int k = 0; k < count; ++k) *p++ = k + 7;
  }
};
struct Pair {
  int *p;
  int size;
};
struct Own {
  int *p;
  Own *self;
  Own(int *start) : p(start), self(this) {}
};

static void flip(int *&p, int *other, bool stays) {
  int *before = p;
  p = other;
  if (stays) return;
  p = before;
}

static void show(const char *name, const int *a, const int *b) {
  unsigned sum = 0;
  for (int i = 0; i < extent; ++i) sum = sum * 31 + a[i] * 3 + b[i];
  std::printf("%s %u\n", name, sum);
}

int main() {
#pragma ompx managed(a)
  int *a = new int[extent]();
#pragma ompx managed(b)
  int *b = new int[extent]();
// CHECK: :[[#@LINE+1]]:1: remark: loop stays {{.*}} makes 'p' point to another array
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int *p = a;
    for (int k = 0; k < 2; ++k) {
      p[i] = 777 + i + k;
      p = b;
      if (k == 0) continue;
      p = a;
    }
  }
  show("continue", a, b);
// CHECK: :[[#@LINE+1]]:1: remark: loop stays {{.*}} makes 'p' point to another array
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int *p = a;
    for (int k = 0;; ++k) {
      p = b;
      if (k >= i % 3) break;
      p = a;
    }
    p[i] = 77 + i;
  }
  show("break", a, b);
// CHECK-NOT: :[[#@LINE+1]]:1: remark: loop stays
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int *p = a;
    flip(p, b, i % 2);
    p[i] = 7 + i;
  }
  show("return", a, b);
// CHECK: :[[#@LINE+1]]:1: remark: loop stays {{.*}} through a pointer that the analysis cannot follow
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int *p = a;
    if (i % 2) p = nullptr;
    const int count = i % 2 ? 1 : i % 3;
    for (int k = 0; k < count; ++k) p = b;
    p[i] = 17 + i;
  }
  show("no iteration", a, b);
// CHECK: :[[#@LINE+1]]:1: remark: loop stays {{.*}} through a pointer that the analysis cannot follow
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int *p;
    switch (i % 3) {
      case 0:
        p = a;
        break;
      default:
        p = b;
        break;
    }
    p[i] = 27 + i;
  }
  show("switch", a, b);
// CHECK: :[[#@LINE+1]]:1: remark: loop stays {{.*}} contains a loop that changes pointers in an object without a name
#pragma omp parallel for
  for (int i = 0; i < n; ++i) Cursor(a + 10 * i).fill(10);
  show("no name", a, b);
// CHECK: :[[#@LINE+1]]:1: remark: loop stays {{.*}} contains a loop that changes pointers in an object without a name
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Cursor cursor(a + 10 * i, 10);
    b[i] = cursor.p[-1];
  }
  show("constructor", a, b);
// CHECK: :[[#@LINE+1]]:1: remark: loop stays {{.*}} through a pointer that the analysis cannot follow
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Pair one = {a, 1}, other = {a, 2};
    Pair *chosen = i % 2 ? &one : &other;
    chosen->p = b;
    one.p[i] = 1000 + i;
  }
  show("one of two", a, b);
// CHECK: :[[#@LINE+1]]:1: remark: loop stays {{.*}} through a pointer that the analysis cannot follow
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Own own(a);
    own.self->p = b;
    own.p[i] = 2000 + i;
  }
  show("itself", a, b);
#pragma ompx managed(table)
  int **table = (int **)std::malloc((n + 1) * sizeof *table);
  for (int i = 0; i <= n; ++i) table[i] = a + 10 * i - (i == n ? 1 : 0);
// CHECK: :[[#@LINE+1]]:1: remark: loop stays {{.*}} through a pointer that the analysis cannot follow
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int *mine = b + i;
    int **entry = i % 2 ? table + i : &mine;
    (*entry)[0] = 3000 + i;
  }
  show("entry or not", a, b);
  std::free(table);
  delete[] a;
  delete[] b;

  // Arrays of whole pages: the end of one is not the beginning of another.
  const int pages = 1 << 15;
#pragma ompx managed(x)
  int *x = new int[pages];
#pragma ompx managed(y)
  int *y = new int[pages];
  for (int i = 0; i < pages; ++i) x[i] = i, y[i] = 2 * i + 1;
#pragma ompx managed(entries)
  int **entries = (int **)std::malloc(3 * sizeof *entries);
  entries[0] = x, entries[1] = x + 5, entries[2] = y;
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 2; ++i) {
    if (entries[i] != entries[i + 1]) sum += entries[i][7];
    sum += entries[i + 1][3];
    entries[i + 1][4] = 9;
  }
  std::printf("adjacent %ld %d %d\n", sum, x[9], y[4]);
  std::free(entries);
  delete[] x;
  delete[] y;
  return 0;
}
