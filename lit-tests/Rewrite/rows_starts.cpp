// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that end where the next one starts: a table of numbers and the array that they count in, and, in native code, a
// table of pointers again. Rows of one length stay one array.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=facts %s 2>&1 | FileCheck --check-prefix=FACTS %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=kernels %s 2>&1 | FileCheck --check-prefix=OPENCL %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=rewrite %s 2>&1 | FileCheck %s
long rows(int **index, int n) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    for (int *p = index[i]; p < index[i + 1]; ++p) sum += *p;
  return sum;
}
// FACTS: loop 9 in rows
// FACTS: array index: starts of long read
// FACTS-NEXT: array index_elements: pointer of int read
// FACTS: row i of index
// FACTS-NEXT: row i + 1 of index
// FACTS: reads index[?]
// FACTS: reads index_elements[?]
// OPENCL: __global const long *index_buf, long index_origin,
// OPENCL-NEXT: __global const int *index_elements_buf, long index_elements_origin,
// OPENCL: index_elements + index[i]
// OPENCL: p < index_elements + index[i + 1]
// CHECK: int **index = (int **)muster_start_pointers(muster_c->arrays[1], muster_c->arrays[0], 4, *(const int64_t *)muster_c->scalars[0], *(const int64_t *)muster_c->scalars[1]);
// CHECK: muster_start_pointers_end((void *)index, *(const int64_t *)muster_c->scalars[0], *(const int64_t *)muster_c->scalars[1]);
// CHECK: muster_find_starts(&muster_this_kernel, 0, (const void *)index, muster_span_0.low, muster_span_0.high, &muster_rows_index)
// CHECK: muster_rows_index.starts,
// CHECK-NEXT: muster_rows_index.data,

void even(double **a, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (double *p = a[i], *end = a[i] + m; p < end; ++p) *p = i;
}
// FACTS: loop {{[0-9]+}} in even
// FACTS: array a: rows of double[0]

// How long the rows are is data: even rows would not be split either.
void lengths(double **a, const int *count, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < count[i]; ++j) y[i] += a[i][j];
}
// FACTS: loop {{[0-9]+}} in lengths
// FACTS: array a: starts of long read
