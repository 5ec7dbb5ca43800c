// Work-items stride over the iterations, a tree in local memory combines a group, partials go to <name>_out.
// RUN: %kernels %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl

#pragma omp managed(anchor)
int *anchor = new int[1];

double sum(int n, int m, const double *a) {
  double total = 0;
#pragma omp parallel for collapse(2) reduction(+ : total)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      if (a[i * m + j] < 0) continue;
      total += a[i * m + j];
    }
  return total;
}
// CHECK: void muster_sum_[[#]](
// CHECK:     __global double *total_out) {
// CHECK:   double total = 0.0;
// CHECK-NEXT:   for (long muster_k_0 = muster_lo_0 + (long)get_global_id(1); muster_k_0 < muster_hi_0; muster_k_0 += (long)get_global_size(1)) {
// CHECK-NEXT:     for (long muster_k_1 = muster_lo_1 + (long)get_global_id(0); muster_k_1 < muster_hi_1; muster_k_1 += (long)get_global_size(0)) {
// CHECK-NEXT:       MUSTER_GUEST_ITERATION
// CHECK-NEXT:       int i = muster_int(muster_first_0 + muster_k_0);
// CHECK-NEXT:       int j = muster_int(muster_first_1 + muster_k_1);
// CHECK-NEXT:       if (a[i * m + j] < 0) {
// CHECK-NEXT:         continue;
// CHECK-NEXT:       }
// CHECK-NEXT:       total += a[i * m + j];
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   __local double total_slots[MUSTER_WG0 * MUSTER_WG1 * MUSTER_WG2];
// CHECK:   for (int muster_half = MUSTER_WG0 * MUSTER_WG1 * MUSTER_WG2 / 2; muster_half > 0; muster_half /= 2) {
// CHECK-NEXT:     barrier(CLK_LOCAL_MEM_FENCE);
// CHECK-NEXT:     if (muster_lane < muster_half) {
// CHECK-NEXT:       total_slots[muster_lane] = total_slots[muster_lane] + total_slots[muster_lane + muster_half];
// CHECK:   if (muster_lane == 0) {
// CHECK:     total_out[muster_group] = total_slots[0];

void all(int n, const int *a) {
  unsigned char product = 1, bits = 255;
  short either = 0;
  unsigned long differ = 0;
  bool every = true, some = false, set = true;
  float least = 0;
  int most = 0;
  signed char low = 0;
  double high = 0;
#pragma omp parallel for reduction(* : product) reduction(& : bits, set) reduction(| : either) reduction(^ : differ) \
    reduction(&& : every) reduction(|| : some) reduction(min : least, low) reduction(max : most, high)
  for (int i = 0; i < n; ++i) {
    product *= a[i];
    bits &= a[i];
    set &= a[i] > 2;
    either |= a[i];
    differ ^= a[i];
    every = every && a[i];
    some = some || a[i];
    least = least < a[i] ? least + 0 : a[i];
    low = low < a[i] ? low + 0 : a[i];
    most = most < a[i] ? a[i] + 0 : most;
    high = high < a[i] ? a[i] + 0 : high;
  }
}
// CHECK: void muster_all_[[#]](
// CHECK-DAG: uchar product = 1;
// CHECK-DAG: uchar bits = 255;
// CHECK-DAG: uchar set = 1;
// CHECK-DAG: short either = 0;
// CHECK-DAG: ulong differ = 0;
// CHECK-DAG: uchar every = 1;
// CHECK-DAG: uchar some = 0;
// CHECK-DAG: float least = INFINITY;
// CHECK-DAG: char low = 127;
// CHECK-DAG: int most = -2147483647 - 1;
// CHECK-DAG: double high = -(double)INFINITY;
// CHECK: for (long muster_k_0
// CHECK: set &= a[i] > 2;
// CHECK: every = every && a[i];
// CHECK-DAG: every_slots[muster_lane] = every_slots[muster_lane] && every_slots[muster_lane + muster_half];
// CHECK-DAG: least_slots[muster_lane] = least_slots[muster_lane + muster_half] < least_slots[muster_lane] ? least_slots[muster_lane + muster_half] : least_slots[muster_lane];
// CHECK-DAG: high_slots[muster_lane] = high_slots[muster_lane] < high_slots[muster_lane + muster_half] ? high_slots[muster_lane + muster_half] : high_slots[muster_lane];
