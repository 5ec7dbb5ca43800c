// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags that are members of structs, in C.
//
// RUN: %plain-c -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-remarks %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <stdbool.h>
#include <stdio.h>

enum { N = 99 };
struct state {
  int changed, done;
  bool fine;
  struct {
    short deep;
  } inner;
};
static struct state shared;
#pragma ompx managed(a)
static int a[N];

static void sweep(struct state *s, int limit) {
  // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_sweep_[[#@LINE+1]]' for all devices
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    if (a[i] > limit) {
      a[i] -= limit;
      s->changed = 1;
      s->fine = false;
      continue;
    }
    if (a[i] < 0) s->inner.deep = 9, shared.done = -1;
  }
}

int main(void) {
  struct state s = {.fine = true};
  for (int i = 0; i < N; i++) a[i] = i;
  int rounds = 0;
  do {
    s.changed = 0;
    sweep(&s, 30);
    printf("%d %d %d %d\n", s.changed, s.fine, s.inner.deep, shared.done);
  } while (s.changed && ++rounds < 10);
  a[17] = -4;
  s.fine = true;
  sweep(&s, 100);
  printf("%d %d %d %d %d\n", rounds, s.changed, s.fine, s.inner.deep, shared.done);
}
