// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of iterations as 32-bit loop variables, which NVIDIA's compiler may not see through (decision 34).
//
// RUN: %kernels %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl

// Rows count from the first of their work-item, and numbers are narrowed once for all of them.
// CHECK: #ifdef __NV_CL_C_VERSION
// CHECK-NEXT: static int muster_int(long wide) {
// CHECK: asm(
// CHECK: #define muster_int(wide) ((int)(wide))
void rows(float *out, const float *in, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) out[i * m + j] = in[i * m + j] + in[(i + 1) * m + j];
}
// CHECK-LABEL: void muster_rows
// CHECK: #elif MUSTER_BLOCKS == 1
// CHECK: int i__0 = muster_int(muster_first_0 + muster_k_0__0);
// CHECK-NEXT: int i__1 = i__0 + 1;
// CHECK: int j__0 = muster_int(muster_first_1 + muster_k_1__0);
// CHECK: #else
// CHECK: const int muster_base_0 = muster_int(muster_first_0 + muster_point);
// CHECK-NEXT: const int muster_base_1 = muster_int(muster_first_1 + muster_k_1);
// CHECK: int i = muster_base_0 + (int)(muster_k_0 - muster_point);
// CHECK-NEXT: int j = muster_base_1;

// Steps other than one.
void steps(short *out, const short *in, int n, int m, int step) {
#pragma omp parallel for
  for (short i = 0; i < n; i += step)
    for (int j = m - 1; j >= 0; --j) out[i * 34 + j] = in[(i + 1) * 34 + j];
}
// CHECK-LABEL: void muster_steps
// CHECK: const int muster_base_0 = muster_int(muster_first_0 + muster_point * muster_step_0);
// CHECK-NEXT: const int muster_base_1 = muster_int(muster_first_1 + muster_k_1 * muster_step_1);
// CHECK: short i = (short)(muster_base_0 + (int)((muster_k_0 - muster_point) * muster_step_0));
// CHECK-NEXT: int j = muster_base_1;

// Where the body has loops, columns are not, unless something multiplies them: a factor, another variable's, the length
// of a row, or perhaps a function.
static int at(int j) { return j * 3; }
void sums(float *out, const float *in, const float (*rows)[3], int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += in[k * m + j];
      out[i * m + j] = sum;
    }
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      const int k = j + 1;
      float sum = 0;
      for (int l = 0; l < n; ++l) sum += in[k * 3 + l];
      out[i * m + j] = sum;
    }
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int l = 0; l < n; ++l) sum += rows[j][l] + rows[j + 1][1];
      out[i * m + j] = sum;
    }
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int l = 0; l < n; ++l) sum += in[at(j) + l];
      out[i * m + j] = sum;
    }
}
// CHECK-LABEL: void muster_sums
// CHECK: int j = (int)(muster_first_1 + muster_k_1);
// CHECK-LABEL: void muster_sums
// CHECK: const int muster_base_1 = muster_int(muster_first_1 + muster_k_1);
// CHECK-LABEL: void muster_sums
// CHECK: const int muster_base_1 = muster_int(muster_first_1 + muster_k_1);
// CHECK-LABEL: void muster_sums
// CHECK: const int muster_base_1 = muster_int(muster_first_1 + muster_k_1);

// One dimension: points in space have three numbers each.
void points(float *out, const float *in, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) out[i] = in[i * 3] + in[i * 3 + 1] + in[i * 3 + 2];
}
// CHECK-LABEL: void muster_points
// CHECK: int i = muster_int(muster_first_0

// What the program narrows itself. Numbers without a sign need nothing.
void narrowed(float *out, const float *in, long n, int m) {
#pragma omp parallel for
  for (long t = 0; t < n; ++t) {
    const int i = t / m, j = (int)t % m;
    out[t] = in[(i + 1) * 34 + j];
  }
#pragma omp parallel for
  for (unsigned t = 0; t < n; ++t) out[t] = in[t * 3];
}
// CHECK-LABEL: void muster_narrowed
// CHECK: long t = muster_first_0
// CHECK-NEXT: const int i = muster_int(t / m);
// CHECK-NEXT: const int j = muster_int(t) % m;
// CHECK-LABEL: void muster_narrowed
// CHECK: uint t = (uint)(muster_first_0
