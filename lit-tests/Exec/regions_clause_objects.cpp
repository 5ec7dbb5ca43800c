// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of objects that a region's clauses make: each thread of the team runs their constructors and destructors.
// Where these count, wait, or ask for the thread, the region keeps its team.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster 2> %t.remarks && %run %t.muster | diff %t.expected -
// RUN: FileCheck --input-file %t.remarks %s
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t.muster | diff %t.expected -
#include <omp.h>

#include <cstdio>

static int made, copied, ended, asked;
struct Counted {
  int value = 3;
  Counted() {
#pragma omp atomic
    ++made;
  }
  Counted(const Counted &other) : value(other.value) {
#pragma omp atomic
    ++copied;
  }
  ~Counted() {
#pragma omp atomic
    ++ended;
  }
};
struct Holder {
  Counted inner;
  int more = 1;
};
struct Ends {
  int value = 2;
  ~Ends() {
#pragma omp critical
    ended += 10;
  }
};
struct Asks {
  int thread = 0;
  Asks() {
#pragma omp atomic
    asked += 1 + omp_get_thread_num();
  }
};
static Counted add(Counted a, const Counted &b) {
  a.value += b.value;
  return a;
}
#pragma omp declare reduction(sum : Counted : omp_out = add(omp_out, omp_in))
// Harmless ones are distributed.
struct Plain {
  int value;
  explicit Plain(int v = 4) : value(v) {}
};

static const int n = 1000;
static long *a;
static void show(const char *what) {
  long s = 0;
  for (int i = 0; i < n; ++i) s += a[i] * (i % 3 + 1);
  printf("%s %ld made %d copied %d ended %d asked %d\n", what, s, made, copied, ended, asked);
}

int main() {
#pragma ompx managed(a)
  a = new long[n]();
  Counted counted;
  Holder holder, holders[2];
  Ends ends;
  Asks asks;
  Plain plain(5);
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain {{.*}}adds the same once for each thread
#pragma omp parallel private(counted)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("private");
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel firstprivate(holder)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("firstprivate");
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel private(holders) default(shared)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("array");
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel private(ends)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("destructor");
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel private(asks)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("thread");
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel reduction(sum : counted)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("reduction");
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel
  {
#pragma omp for private(counted)
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("of the loop");
// CHECK: [[@LINE+1]]:{{.*}}: remark: loop stays plain
#pragma omp parallel for private(ends)
  for (int i = 0; i < n; ++i) a[i] += i;
  show("of both");
// CHECK-NOT: remark: region
#pragma omp parallel private(plain)
  {
    plain.value = 6;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += plain.value;
  }
  show("harmless");
  delete[] a;
}
