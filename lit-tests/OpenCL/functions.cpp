// Called functions come along, once for each combination of address spaces that they are called with; those of one
// expression stand in place of their calls.
// RUN: %kernels %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl
#include <utility>

#pragma omp managed(anchor)
int *anchor = new int[1];

static double offset = 2;
static const int table[3] = {1, 2, 3};
constexpr double scale = 0.5;

static double sum(const double *p, int n = 3) {
  double s = offset;
  for (int k = 0; k < n; ++k) s += p[k] * scale;
  return s;
}
static int lookup(const int *p, int k) {
  ++p;
  return p[k - 1];
}
static double &at(double *p, int k) {
  double *first = p;
  return first[k];
}
static void add(double &x, double by) { x += by; }
template <typename T, int N>
T times(T x) {
  return x * N;
}
static bool odd(unsigned x) { return x & 1; }

void functions(int n, double *a, const int *w) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double local[3] = {a[i], 1};
    a[i] = sum(a + i) + sum(local, 2);
    add(a[i], 2);
    add(local[1], i);
    at(local, 0) = 3;
    at(a, i) += local[0];
    std::swap(a[i], local[2]);
    a[i] += times<int, 3>(i) + times<float, 2>(i) + lookup(table, i % 3) + lookup(w, i) + odd(i);
  }
}
// CHECK: __constant int table[3] = {1, 2, 3};
// CHECK: static double sum(__global const double *p, int n, double offset_2) {
// CHECK-NEXT:   double s = offset_2;
// CHECK:     s += p[k] * 0.5;
// CHECK: static double sum_2(const double *p_2, int n_2, double offset_3) {
// CHECK: static void add(__global double *x, double by) {
// CHECK-NEXT:   *x += by;
// CHECK: static void add_2(double *x_2, double by_2) {
// CHECK: static double *at(double *p_3, int k_3) {
// CHECK-NEXT:   double *first = p_3;
// CHECK-NEXT:   return &first[k_3];
// CHECK: static __global double *at_2(__global double *p_4, int k_4) {
// CHECK: static void swap(__global double *a_2, double *b) {
// CHECK: static int lookup(constant int *p_5, int k_5) {
// CHECK: static int lookup_2(__global const int *p_6, int k_6) {
// CHECK: void muster_functions_[[#]](
// CHECK: double my_local[3] = {a[i], 1};
// CHECK: a[i] += i * 3 + (float)i * 2 + lookup(table, i % 3) + lookup_2(w, i) + (int)(((uint)i & 1) != 0);
