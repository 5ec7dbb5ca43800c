// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pointers of a loop have to lead into one array: groups, and whether their order counts.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts %s | FileCheck %s
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s | FileCheck --check-prefix=REWRITE %s

// CHECK-LABEL: loop {{[0-9]+}} in alone
// CHECK-NEXT: dim
// CHECK-NEXT: array out: pointer of long written{{$}}
// CHECK-NEXT: array a: pointer of int{{$}}
void alone(const int *a, long *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) out[i] = (a + 2 * i) - (a + i) + (a != nullptr);
}
// CHECK-LABEL: loop {{[0-9]+}} in ordered
// CHECK-DAG: array a: pointer of int read compared in order in group 1
// CHECK-DAG: array end: pointer of int compared in order in group 1
// REWRITE-LABEL: void ordered
// REWRITE-DAG: {"a", sizeof(int), MUSTER_TYPE_I32, MUSTER_READ, MUSTER_ARRAY_ORDERED | MUSTER_ARRAY_GROUP(1), 0}
// REWRITE-DAG: {"end", sizeof(int), MUSTER_TYPE_I32, MUSTER_READ, MUSTER_ARRAY_ORDERED | MUSTER_ARRAY_GROUP(1), 0}
void ordered(const int *a, const int *end, long *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (a + i < end) out[i] = a[i];
}
// Equality joins the third to them.
// CHECK-LABEL: loop {{[0-9]+}} in joined
// CHECK-DAG: array a: pointer of int compared in order in group [[#ONE:]]
// CHECK-DAG: array b: pointer of int compared in order in group [[#ONE]]
// CHECK-DAG: array c: pointer of int compared in order in group [[#ONE]]
// CHECK-DAG: array d: pointer of int compared in group [[#OTHER:]]
// CHECK-DAG: array e: pointer of int compared in group [[#OTHER]]
void joined(int *a, int *b, int *c, int *d, int *e, long *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) out[i] = (b - a) + (c == a) + (d == e);
}
int main() {}
