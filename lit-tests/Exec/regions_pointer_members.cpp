// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of each thread of a team that lead to what all of them share, by pointers or references that are members or
// elements: what is counted there is counted once for each thread. What an object has for itself is its thread's.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster 2> %t.remarks && %run %t.muster | diff %t.expected -
// RUN: FileCheck --input-file %t.remarks %s
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t.muster | diff %t.expected -
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <vector>

struct Box {
  int n = 0;
};
struct ByPointer {
  int *count;
  void hit() {
#pragma omp atomic
    ++*count;
  }
};
struct ByReference {
  int &count;
  void hit() {
#pragma omp critical
    count += 2;
  }
};
struct Nested {
  ByPointer inner;
  void hit() { inner.hit(); }
};
struct ToBox {
  Box *box;
  void hit() {
#pragma omp atomic
    box->n += 2;
  }
};
struct Listed {
  int *list[2];
};
struct OnCopy {
  int *count;
  explicit OnCopy(int *c) : count(c) {}
  OnCopy(const OnCopy &other) : count(other.count) {
#pragma omp atomic
    ++*count;
  }
};
struct Own {
  int count = 0;
  std::vector<int> list = std::vector<int>(3);
  void hit() {
#pragma omp atomic
    ++count;
#pragma omp atomic
    list[1] += 2;
  }
};
static void byValue(ByPointer p) {
#pragma omp atomic
  *p.count += 7;
}

static const int n = 1000;
static long *a;
static int count;
static Box box;
static void show(const char *what) { printf("%s %ld count %d box %d\n", what, a[n - 1], count, box.n); }

static void calls() {
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain {{.*}}adds the same once for each thread
#pragma omp parallel
  {
    ByPointer p{&count};
    p.hit();
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("pointer");
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel
  {
    ByReference p{count};
    p.hit();
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("reference");
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel
  {
    Nested p{{&count}};
    p.hit();
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("nested");
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel
  {
    ToBox p{&box};
    p.hit();
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("to a member");
  ByPointer first{&count};
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel firstprivate(first)
  {
    byValue(first);
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("by value");
  OnCopy made(&count);
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel
  {
    OnCopy copy = made;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("copy");
}

static void directly() {
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel
  {
    ByPointer p{&count};
    int *const q = p.count;
#pragma omp atomic
    *q += 3;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("loaded");
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel
  {
    ByReference p{count};
#pragma omp atomic
    p.count += 3;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("reference member");
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel
  {
    Listed p{{&count, &box.n}};
    int *list[2] = {&count, &box.n};
#pragma omp critical
    {
      *list[0] += 3;
      p.list[1][0] += 4;
    }
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("elements");
  std::vector<int> shared(4);
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel
  {
    auto it = shared.begin();
#pragma omp atomic
    *it += 3;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  count += shared[0];
  show("iterator");
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel
  {
    std::span<int> span(shared);
#pragma omp critical
    span[1] += 3;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  count += shared[1];
  show("span");
  std::vector<int *> pointers(2, &count);
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel
  {
    std::vector<int *> mine = pointers;
    for (int *one : mine) {
#pragma omp atomic
      *one += 3;
    }
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("elements of a range");
  int *given = &count;
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel firstprivate(given)
  {
#pragma omp atomic
    *given += 3;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("firstprivate");
  auto pointer = std::make_shared<Box>();
// CHECK: [[@LINE+1]]:{{.*}}: remark: region stays plain
#pragma omp parallel
  {
    std::shared_ptr<Box> mine = pointer;
#pragma omp critical
    mine->n += 5;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  count += pointer->n;
  show("shared_ptr");
}

int main() {
#pragma ompx managed(a)
  a = new long[n]();
  calls();
  directly();
// CHECK-NOT: remark: region
#pragma omp parallel
  {
    Own own;
    own.hit();
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  show("own");
  delete[] a;
}
