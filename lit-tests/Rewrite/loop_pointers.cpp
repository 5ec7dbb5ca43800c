// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over a pointer counts how far it is from where it starts; every iteration makes the pointer.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s | grep -v '// *CHECK' | FileCheck %s
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts %s | FileCheck --check-prefix=FACTS %s
// CHECK: long muster_index_p = static_cast<long>(muster_first0 + muster_k0 * (2));
// CHECK: double *p = (a) + muster_index_p;
// CHECK: __global double *p = a + my_muster_index_p;
// CHECK: const long muster_lower0 = 1;
// CHECK: ::muster::tripCount(muster_lower0, static_cast<long>(n - 2), muster_step0, ::muster::Relation::lessEqual, false)
// CHECK: 1, -1,  // reads a[muster_index_p - 1]
// FACTS: dim muster_index_p: long from 1 while <= static_cast<long>(n - 2) step 2, p from a
void neighbours(double *a, int n) {
#pragma omp parallel for
  for (double *p = a + 1; p <= &a[n - 2]; p += 2) *p = p[-1] + p[1];
}
// CHECK: const double *q = (b) + muster_index_q;
// CHECK: ::muster::tripCount(muster_lower0, static_cast<long>((end) - (b)), muster_step0, ::muster::Relation::notEqual, false)
// FACTS: dim muster_index_q: long from 0L while != static_cast<long>((end) - (b)) step 1, q from b
double sum(const double *b, const double *end) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (const double *q = b; q != end; ++q) s += *q;
  return s;
}
// The distance of sums is made of their parts, converted as the pointers convert them.
// CHECK: const long muster_lower0 = ((long)n - m);
// CHECK: ::muster::tripCount(muster_lower0, static_cast<long>(((long)n - k)), muster_step0, ::muster::Relation::less, false)
void tail(double *a, int n, int m, int k) {
#pragma omp parallel for
  for (double *p = a + n - m; p < a + n - k; ++p) *p = 1;
}
