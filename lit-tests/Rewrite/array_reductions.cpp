// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates and reductions over arrays: the user's directives and clauses stay in the native code, and a launch reduces
// into managed memory.
//
// The output repeats these comments, which must not match themselves.
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s | grep -v '// *CHECK' | FileCheck %s

// CHECK-LABEL: void reduce(
// CHECK:      struct muster_loop_[[#LINE:]] {
// CHECK:      int (&table)[16] = *static_cast<int (*)[16]>(muster_c->arrays[0]);
// CHECK:      double *h = static_cast<double *>(muster_c->arrays[2]);
// CHECK:      {{^}}#pragma omp parallel for firstprivate(key, from) reduction(+ : table) reduction(max : h[from : 8])
// CHECK:      {"table", sizeof(int), MUSTER_TYPE_I32, MUSTER_UPDATE, 0, [[#]]},
// CHECK:      {0, MUSTER_UPDATE, MUSTER_ACCESS_UNBOUNDED | MUSTER_ACCESS_CONDITIONAL | MUSTER_ACCESS_OP(MUSTER_REDUCE_ADD), [[#LINE]]},
// CHECK:      {2, MUSTER_UPDATE, MUSTER_ACCESS_UNBOUNDED | MUSTER_ACCESS_CONDITIONAL | MUSTER_ACCESS_OP(MUSTER_REDUCE_MAX), [[#LINE]]},
// CHECK:      MUSTER_KERNEL_NEEDS_DISTINCT
// CHECK:      0, 0,  // updates table[anywhere]
// CHECK:      static const muster_array_site muster_site_table = {
// CHECK-NEXT:   {"{{.*}}array_reductions.cpp", [[#LINE]], 1}, "table", "int", sizeof(int),
// CHECK-NEXT:   MUSTER_TYPE_I32, MUSTER_REPLICATED, 0, "every device reduces into a copy of it"
// CHECK:      ::muster::ReductionSection<int, MUSTER_REDUCE_ADD> muster_section_table(muster_site_table, (int *)table, 0, static_cast<int64_t>(sizeof(table) / sizeof(int)));
// CHECK:      ::muster::ReductionSection<double, MUSTER_REDUCE_MAX> muster_section_h(muster_site_h, (double *)h, static_cast<int64_t>(from), static_cast<int64_t>(8));
// CHECK:      muster_section_table.data(),
// CHECK-NEXT: (void *)key,
// CHECK-NEXT: muster_section_h.data(),
// CHECK:      muster_launch_loop(&muster_this_launch);
// CHECK-NEXT: muster_section_table.combine();
// CHECK-NEXT: muster_section_h.combine();
void reduce(const int *key, double *h, int n, int from) {
  int table[16] = {};
#pragma omp parallel for reduction(+ : table) reduction(max : h[from : 8])
  for (int i = 0; i < n; ++i) {
    table[key[i]]++;
    h[from + key[i] % 8] = h[from + key[i] % 8] < i ? i : h[from + key[i] % 8];
  }
}
// CHECK-LABEL: void update(
// CHECK:      struct muster_loop_[[#LINE:]] {
// CHECK:      long total = static_cast<long>(0);
// CHECK:      {{^}}#pragma omp parallel for firstprivate(h, key) reduction(+ : total)
// CHECK:      {{^}}#pragma omp atomic update relaxed
// CHECK:      h[key[i]] += 2;
// CHECK:      {{^}}#pragma omp atomic capture
// CHECK:      {"h", sizeof(int), MUSTER_TYPE_I32, MUSTER_READ | MUSTER_WRITE | MUSTER_UPDATE, 0, [[#]]},
// CHECK:      {"total", sizeof(total), MUSTER_TYPE_I64, MUSTER_REDUCE_ADD, 0, &muster_loop_[[#LINE]]::muster_combine_total},
// CHECK:      {0, MUSTER_UPDATE, MUSTER_ACCESS_UNBOUNDED | MUSTER_ACCESS_OP(MUSTER_REDUCE_ADD), [[#LINE + 3]]},
// CHECK:      {0, MUSTER_READ, MUSTER_ACCESS_ORDERED, [[#LINE + 6]]},
// CHECK-NEXT: {0, MUSTER_WRITE, MUSTER_ACCESS_ORDERED, [[#LINE + 6]]},
// CHECK-NEXT: {0, MUSTER_READ, MUSTER_ACCESS_ATOMIC, [[#LINE + 10]]},
// CHECK:      &total,
void update(int *h, const int *key, int n) {
  long total = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic update relaxed
    h[key[i]] += 2;
    int before;
#pragma omp atomic capture
    before = h[i]++;
#pragma omp atomic
    total += before;
#pragma omp atomic read
    before = h[i + 1];
  }
}
