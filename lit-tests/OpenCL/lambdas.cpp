// Lambdas of a body are functions, which get pointers to the variables around them.
// RUN: %kernels %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl
#pragma omp managed(anchor)
int *anchor = new int[1];

// CHECK: static void lambda(double x, double c_2, double *sum_2, __global const double *row_2, int *i_2) {
// CHECK-NEXT: *sum_2 += c_2 * x + row_2[*i_2];
// CHECK: static double lambda_2(double x_2, int *by_2) {
// CHECK-NEXT: x_2 *= *by_2;
// CHECK-NEXT: return x_2;
// CHECK: static double lambda_3(double *sum_3) {
// CHECK: lambda(a[i], c, &sum, row, &i);
// CHECK-NEXT: int by = 2 * i;
// CHECK-NEXT: a[i] = lambda_2(sum, &by) + lambda_3(&sum);
void captures(double *a, const double *b, int n, double c) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    const double *row = b + i;
    auto add = [&](double x) { sum += c * x + row[i]; };
    add(a[i]);
    auto scale = [by = 2 * i](auto x) { x *= by; return x; };
    a[i] = scale(sum) + [&] { ++sum; return sum; }();
  }
}

template <class F>
static double apply(F f, double x) {
  x = f(x);
  return x + f(1);
}

// What calls a lambda passes on what that names. A lambda of one expression stands in place of its calls.
// CHECK: static double apply(double x, const double *middle_3) {
// CHECK-NEXT: x = x * *middle_3;
// CHECK-NEXT: return x + (double)1 * *middle_3;
// CHECK: a[i] = apply(a[i], &middle);
void templates(double *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double middle = 0.5 * i;
    a[i] = apply([middle](double x) { return x * middle; }, a[i]);
  }
}

// One text for each of the address spaces of what is around it.
static double scaled(const double *row, double by) {
  auto element = [=](int k) {
    k += 2;
    return row[k] * by;
  };
  return element(0) + element(1);
}
// CHECK: static double lambda(int k, const double *row_2, double *by_2) {
// CHECK: static double lambda_2(int k_2, __global const double *row_4, double *by_4) {
void spaces(double *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double local[2] = {1, 2};
    a[i] = scaled(local, 2) + scaled(&a[i], 3);
  }
}
