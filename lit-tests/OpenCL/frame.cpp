// The signature of a kernel, the mapping of work-items to iterations, and the guard.
// RUN: %kernels %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl
#include <vector>

#pragma omp managed(anchor)
int *anchor = new int[1];

void one(int n, float *out, const float *in, bool flag) {
#pragma omp parallel for
  for (unsigned short i = 0; i < n; ++i) out[i] = flag ? in[i] : 1;
}
// CHECK: #pragma OPENCL FP_CONTRACT OFF
// CHECK: __kernel __attribute__((reqd_work_group_size(MUSTER_WG0, MUSTER_WG1, MUSTER_WG2)))
// CHECK-NEXT: void muster_one_[[#]](
// CHECK-NEXT:     __global float *out_buf, long out_origin,
// CHECK-NEXT:     __global const float *in_buf, long in_origin,
// CHECK-NEXT:     uchar flag,
// CHECK-NEXT:     long muster_first_0, long muster_step_0, long muster_lo_0, long muster_hi_0) {
// CHECK-NEXT:   const long muster_point = muster_lo_0 + (long)get_group_id(0) * (MUSTER_WG0 * MUSTER_POINTS) + (long)get_local_id(0);
// CHECK-NEXT:   if (muster_point >= muster_hi_0) return;
// CHECK-NEXT:   __global float *out = out_buf + out_origin;
// CHECK-NEXT:   __global const float *in = in_buf + in_origin;
// CHECK-NEXT:   if (muster_point + (MUSTER_POINTS - 1) * MUSTER_WG0 < muster_hi_0) {
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int muster_p = 0; muster_p < MUSTER_POINTS; ++muster_p) {
// CHECK-NEXT:       const long muster_k_0 = muster_point + muster_p * MUSTER_WG0;
// CHECK-NEXT:       ushort i = (ushort)(muster_first_0 + muster_k_0);
// CHECK-NEXT:       out[i] = flag ? in[i] : 1;
// CHECK-NEXT:     }
// CHECK-NEXT:   } else {
// CHECK-NEXT:     for (long muster_k_0 = muster_point; muster_k_0 < muster_hi_0; muster_k_0 += MUSTER_WG0) {
// CHECK-NEXT:       ushort i = (ushort)(muster_first_0 + muster_k_0);
// CHECK-NEXT:       out[i] = flag ? in[i] : 1;
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }

// The innermost loop is dimension 0 of the NDRange. A dimension that is parallel only if no arrays overlap makes them
// `restrict`, and nothing else does.
void three(double (*grid)[8][9], int n) {
#pragma omp parallel for collapse(3)
  for (int i = 0; i < n; ++i)
    for (long j = 7; j > 0; --j)
      for (int k = 0; k < 9; k += 2) grid[i][j][k] = 0;
}
// CHECK: #pragma OPENCL EXTENSION cl_khr_fp64 : enable
// CHECK: __kernel __attribute__((reqd_work_group_size(MUSTER_WG0, MUSTER_WG1, MUSTER_WG2)))
// CHECK-NEXT: void muster_three_[[#]](
// CHECK-NEXT:     __global double *grid_buf, long grid_origin,
// CHECK:   const long muster_k_0 = muster_lo_0 + (long)get_global_id(2);
// CHECK-NEXT:   const long muster_point = muster_lo_1 + (long)get_global_id(1) * MUSTER_POINTS;
// CHECK-NEXT:   const long muster_k_2 = muster_lo_2 + (long)get_global_id(0);
// CHECK-NEXT:   if (muster_k_0 >= muster_hi_0 || muster_point >= muster_hi_1 || muster_k_2 >= muster_hi_2) return;
// CHECK-NEXT:   __global double (*grid)[8][9] = (__global double (*)[8][9])(grid_buf + grid_origin);
// CHECK-NEXT:   const int muster_base_0 = muster_int(muster_first_0 + muster_k_0);
// CHECK-NEXT:   const int muster_base_2 = muster_int(muster_first_2 + muster_k_2 * muster_step_2);
// CHECK-NEXT:   if (muster_point + MUSTER_POINTS <= muster_hi_1) {
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int muster_p = 0; muster_p < MUSTER_POINTS; ++muster_p) {
// CHECK-NEXT:       const long muster_k_1 = muster_point + muster_p;
// CHECK-NEXT:       int i = muster_base_0;
// CHECK-NEXT:       long j = muster_first_1 + muster_k_1 * muster_step_1;
// CHECK-NEXT:       int k = muster_base_2;
// CHECK-NEXT:       grid[i][j][k] = 0;
// CHECK-NEXT:     }
// CHECK-NEXT:   } else {
// CHECK-NEXT:     for (long muster_k_1 = muster_point; muster_k_1 < muster_hi_1; ++muster_k_1) {
// CHECK:       grid[i][j][k] = 0;

void rows(int n, int m, std::vector<float> &v, const std::vector<float> &u) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const int row = i * m;
    for (int j = 0; j < m; ++j) v[row + j] = u[row + j] + u.size();
  }
}
// CHECK: void muster_rows_[[#]](
// CHECK-NEXT:     __global float *restrict v_buf, long v_origin,
// CHECK-NEXT:     __global const float *restrict u_buf, long u_origin,
// CHECK-NEXT:     int m,
// CHECK-NEXT:     ulong u_size,
// CHECK:       int j = muster_base_1;
// CHECK-NEXT:       const int row = i * m;
// CHECK-NEXT:       v[row + j] = u[row + j] + u_size;

// A body with a loop that runs often has one work-item for each iteration.
void loops(int n, int m, float *v) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < 300; ++k) v[i * m + j] += k;
}
// CHECK: void muster_loops_[[#]](
// CHECK:   const long muster_k_0 = muster_lo_0 + (long)get_global_id(1);
// CHECK-NEXT:   const long muster_k_1 = muster_lo_1 + (long)get_global_id(0);
// CHECK-NEXT:   if (muster_k_0 >= muster_hi_0 || muster_k_1 >= muster_hi_1) return;

void copies(int n, int *a, int start) {
  int t, last = 0;
#pragma omp parallel for private(t) firstprivate(start) lastprivate(last)
  for (int i = 0; i < n; ++i) {
    if (a[i]) continue;
    t = start++;
    a[i] = t;
    last = i;
  }
}
// CHECK: void muster_copies_[[#]](
// CHECK:     int start_value,
// CHECK:     __global int *last_out) {
// CHECK:   int t;
// CHECK-NEXT:   int last;
// CHECK-NEXT:   int start = start_value;
// CHECK-NEXT:   do {
// CHECK-NEXT:     if (a[i]) {
// CHECK-NEXT:       continue;
// CHECK-NEXT:     }
// CHECK:     last = i;
// CHECK-NEXT:   } while (0);
// CHECK-NEXT:   if (muster_k_0 == muster_hi_0 - 1) {
// CHECK-NEXT:     last_out[0] = last;

void skips(int n, int *a) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (a[i]) continue;
    while (a[i] < 10) {
      if (a[i]++ & 1) continue;
      a[i] += 2;
    }
  }
}
// `continue` of the parallel loop ends the work-item, that of a loop inside does not.
// CHECK: void muster_skips_[[#]](
// CHECK: if (a[i]) {
// CHECK-NEXT: return;
// CHECK: while (a[i] < 10) {
// CHECK-NEXT: if (a[i]++ & 1) {
// CHECK-NEXT: continue;
