// What ends the program is written down, and the work-item leaves everything that it is in.
// RUN: %kernels %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl
#include <cstdlib>

#pragma omp managed(anchor)
int *anchor = new int[1];

// CHECK: static void muster_end_program(__global int *to, int how, int code) {
// CHECK-NEXT:   if (atomic_cmpxchg((volatile __global int *)to, 0, how) == 0) to[1] = code;

// CHECK-LABEL: void muster_plain_[[#]](
// CHECK:     __global int *muster_end_out) {
// CHECK:       if (a[i + k] < 0) {
// CHECK-NEXT:         muster_end_program(muster_end_out, 1, 3 + i);
// CHECK-NEXT:         return;
// CHECK-NEXT:       }
// CHECK:       muster_end_program(muster_end_out, 4, 0);
// CHECK-NEXT:       return;
void plain(int n, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 2; ++k)
      if (a[i + k] < 0) std::exit(3 + i);
    if (a[i] > 1e9) abort();
    a[i] = 1;
  }
}

// Work-items of a group meet at the end.
// CHECK-LABEL: void muster_sum_[[#]](
// CHECK:     __global double *total_out,
// CHECK-NEXT:     __global int *muster_end_out) {
// CHECK:         muster_end_program(muster_end_out, 2, 7);
// CHECK-NEXT:         goto muster_left;
// CHECK:     total += a[i];
// CHECK-NEXT:   }
// CHECK-NEXT: muster_left:;
// CHECK-NEXT:   __local double total_slots
double sum(int n, const double *a) {
  double total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < n; ++i) {
    if (a[i] < 0) _Exit(7);
    total += a[i];
  }
  return total;
}

struct Pair {
  double x, y;
};
[[noreturn]] static void fail(int code) { exit(code); }
static double checked(double value) {
  if (value < 0) fail(5);
  return value;
}
static Pair both(double value) {
  const double one = checked(value);
  return {one, 2 * one};
}

// CHECK: static void fail(int code, __global int *muster_end_out, int *muster_ended) {
// CHECK-NEXT:   muster_end_program(muster_end_out, 1, code);
// CHECK-NEXT:   *muster_ended = 1;
// CHECK-NEXT:   return;
// CHECK: static double checked(double [[VALUE:value[_0-9]*]], __global int *muster_end_out, int *muster_ended) {
// CHECK:     fail(5, muster_end_out, muster_ended);
// CHECK-NEXT:     if (*muster_ended) {
// CHECK-NEXT:       return 0;
// CHECK: static Pair both(double [[BOTH:value[_0-9]*]], __global int *muster_end_out, int *muster_ended) {
// CHECK-NEXT:   const double one = checked([[BOTH]], muster_end_out, muster_ended);
// CHECK-NEXT:   if (*muster_ended) {
// CHECK-NEXT:     return MUSTER_MAKE(Pair){0};

// CHECK-LABEL: void muster_callees_[[#]](
// CHECK:   int muster_ended = 0;
// CHECK:   Pair pair = both(a[i], muster_end_out, &muster_ended);
// CHECK-NEXT:   if (muster_ended) {
// CHECK-NEXT:     return;
// CHECK:   temporary = checked(a[i + 1], muster_end_out, &muster_ended);
// CHECK-NEXT:   if (muster_ended) {
// CHECK-NEXT:     return;
// CHECK-NEXT:   }
// CHECK-NEXT:   b[i] = temporary;
void callees(int n, const double *a, double *b) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Pair pair = both(a[i]);
    b[i] = checked(a[i + 1]);
    b[i] += pair.x + pair.y;
  }
}
