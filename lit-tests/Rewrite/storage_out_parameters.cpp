// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands that lead to the pointer: out-parameters, their members, entries of tables.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=directives %s 2>&1 | FileCheck --check-prefix=BOUND %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=rewrite %s 2>&1 | FileCheck %s
#include <cstdlib>
struct Matrix { float *values; };
struct Place { double **out; };
// CHECK: {{^}}static const muster_array_site muster_site_out_13 = {{.*}} "*out", "double", 8, MUSTER_TYPE_F64,
// CHECK: {{^}}static const muster_array_site muster_site_values_18 = {{.*}} "values", "float", 4, MUSTER_TYPE_F32,
void make(int n, double ** out, Matrix **matrix, int *&reference, Place *at, float *table[]) {
  // Blanks do not count.
#pragma omp managed(* out)
  *out = (double *)malloc(n * 8);
  // BOUND-DAG: directive managed at [[@LINE-2]]:1 *out@[[@LINE-2]]:21
  // BOUND-DAG: managed '*out' : 'double *' declared at [[@LINE-5]]:28 allocated at [[@LINE-2]]:20
  // CHECK: *out = (double *)muster_array_malloc(&muster_site_out_[[@LINE-3]], n * 8);
#pragma omp managed((*matrix)->values)
  (*matrix)->values = new float[n];
  // BOUND-DAG: managed 'values' : 'float *' declared at 6:24 allocated at [[@LINE-1]]:23
  // CHECK: (*matrix)->values = ::muster::PartitionedArray<float>::allocate(muster_site_values_[[@LINE-2]], n).host();
#pragma omp managed(reference)
  reference = new int[n];
  // BOUND-DAG: managed 'reference' : 'int *&' declared at 10:56 allocated at [[@LINE-1]]:15
  // CHECK: reference = ::muster::PartitionedArray<int>::allocate(muster_site_reference_[[@LINE-2]], n).host();
#pragma omp managed(*at->out)
  *at->out = new double[n];
  // BOUND-DAG: managed '*at->out' : 'double *' declared at 7:25 allocated at [[@LINE-1]]:14
  // CHECK: *at->out = ::muster::PartitionedArray<double>::allocate(muster_site_out_[[@LINE-2]], n).host();
#pragma omp managed(table[n - 1])
  table[n - 1] = new float[n];
  // BOUND-DAG: directive managed at [[@LINE-2]]:1 table[n-1]@[[@LINE-2]]:21
  // CHECK: table[n - 1] = ::muster::PartitionedArray<float>::allocate(muster_site_table_[[@LINE-2]], n).host();
}
