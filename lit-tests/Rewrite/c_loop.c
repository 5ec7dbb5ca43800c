// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a C loop becomes: functions in front of the one that holds it, and a launch over muster/muster.h.
//
// RUN: %cc -std=c99 -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s | grep -v '// *CHECK' | FileCheck %s
// The body stands at the user's place, where its diagnostics show:
// RUN: not %cc -std=c99 -w -fsyntax-only -DBROKEN %s 2>&1 | FileCheck --check-prefix=BROKEN %s

enum colour { RED, GREEN };
static int level;

// CHECK:      #include "muster/muster.h"
// CHECK-NOT:  extern "C"
// CHECK:      extern const muster_kernel *const __start_muster_kernels[]
// CHECK:      __attribute__((constructor)) static void muster_register_this_file(void) {
// CHECK:      static void muster_loop_[[#LINE:]]_run(const muster_chunk *muster_c) {
// CHECK-NEXT:   const float *in = (const float *)(muster_c->arrays[0]);
// CHECK-NEXT:   double *out = (double *)(muster_c->arrays[1]);
// CHECK-NEXT:   int (*table)[300] = (int (*)[300])(muster_c->arrays[2]);
// CHECK-NEXT:   int m = *(const int *)(muster_c->scalars[0]);
// CHECK-NEXT:   unsigned int colour = *(const unsigned int *)(muster_c->scalars[1]);
// CHECK:        const int two = 2;
// CHECK-NEXT:   double sum = (double)(0);
// CHECK-NEXT:   double tmp;
// CHECK:        {{^}}#pragma omp parallel for firstprivate(in, out, m, colour, level, calls) private(tmp) reduction(+ : sum)
// CHECK:          int i = (int)(muster_first0 + muster_k0 * (2));
// CHECK-NEXT: {{^}}#pragma clang diagnostic pop
// CHECK-NEXT: {{^}}#line [[#LINE + 1]]
// CHECK:        tmp = in[i * m + 1] * two;  // verbatim
// CHECK:        *(double *)(muster_c->results[0]) = sum;
// CHECK:      static void muster_loop_[[#LINE]]_combine_sum(void *muster_into, const void *muster_partial) {
// CHECK:        *muster_a = (double)(*muster_a + muster_b);
// CHECK:      {{^}}#line [[#LINE - 6]]
// CHECK-NEXT: static double kitchen(
// CHECK:      {"level", sizeof(level), MUSTER_TYPE_I32, {0, 0, 0}, (void *)0},
// CHECK:      {"calls", sizeof(calls), MUSTER_TYPE_I32, {0, 0, 0}, (void *)0},
// CHECK:      {"sum", sizeof(sum), MUSTER_TYPE_F64, MUSTER_REDUCE_ADD, 0, &muster_loop_[[#LINE]]_combine_sum},
// CHECK:      &muster_loop_[[#LINE]]_run,
// CHECK-NEXT: "#pragma OPENCL
// CHECK:      {(int64_t)(muster_lower0), muster_step0, muster_trip_count((uint64_t)(unsigned int)(muster_lower0), (uint64_t)(unsigned int)(n), muster_step0, MUSTER_LESS, 0, 0)},
// CHECK:      int muster_exact = 1;
// CHECK-NEXT: const int64_t muster_s0 = muster_coefficient(&muster_exact, (int64_t)(m), (m) < 0);
// CHECK-NEXT: const int64_t muster_s[[C:[0-9]+]] = muster_coefficient(&muster_exact, (int64_t)(((colour == GREEN) ? 1 : 0)), (((colour == GREEN) ? 1 : 0)) < 0);
// CHECK-NEXT: const int64_t muster_forms[] = {
// CHECK:      muster_s[[C]], 0, muster_add(&muster_exact, -4611686018427387904, muster_mul(&muster_exact, 4611686018427387904, muster_s[[C]])),  // writes out[i] if colour == GREEN
// CHECK:      sizeof(muster_launch), (uint32_t)(muster_exact ? 0 : MUSTER_LAUNCH_HOST),
// CHECK:      muster_launch_loop(&muster_this_launch);
static double kitchen(double *out, const float *in, unsigned n, int m, enum colour colour) {
  const int two = 2;
  static int calls;
  double sum = 0, tmp;
  int table[4][300] = {{0}}, i;
  calls++;
#pragma omp parallel for private(tmp) reduction(+ : sum)
  for (i = 0; i < n; i += two) {
    tmp = in[i * m + 1] * two;  // verbatim
    if (colour == GREEN) out[i] = tmp + table[i % 4][1];
    sum += level + calls;
#ifdef BROKEN
    // BROKEN: c_loop.c:[[#@LINE+1]]:5: error: use of undeclared identifier 'missing'
    missing = 1;
#endif
  }
  return sum;
}

// Guards, and rows of variable length.
// CHECK:       static void muster_loop_{{[0-9]+}}_run(
// CHECK:       typedef double muster_row_a[*(const int64_t *)muster_c->scalars[1]];
// CHECK-NEXT:  muster_row_a *a = (muster_row_a *)muster_c->arrays[0];
// CHECK:       {"muster_length_a_0", sizeof(int64_t), MUSTER_TYPE_I64, {0, 0, 0}, (void *)0},
// CHECK:       const int64_t muster_length_a_0 = (int64_t)(sizeof(a[0]) / sizeof(a[0][0]));
// CHECK:       &muster_length_a_0,
static void rows(int n, int m, double a[n][m], int k) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = k;
}

int main(void) {
  float in[8] = {0};
  double out[8], a[2][2];
  rows(2, 2, a, 1);
  return (int)kitchen(out, in, 8, 0, RED);
}
