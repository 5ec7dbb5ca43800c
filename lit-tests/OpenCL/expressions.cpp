// Conversions that C makes by itself are left to it, others are written out; literals are exact.
// RUN: %kernels -w %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl
#include <cstddef>
#include <cstdint>
#include <limits>

#pragma omp managed(anchor)
int *anchor = new int[1];

enum Color { Red, Green = 5 };
enum class Level : unsigned char { Low, High = 200 };

void conversions(int n, bool *b, char *c, unsigned char *u, long *l, float *f, double *d, int *w) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    // CHECK: b[i] = w[i] != 0;
    b[i] = w[i];
    // CHECK-NEXT: b[i] = d[i] != 0;
    b[i] = d[i];
    // CHECK-NEXT: b[i] |= w[i] > 2;
    b[i] |= w[i] > 2;
    // CHECK-NEXT: b[i] = (b[i] | w[i]) != 0;
    b[i] |= w[i];
    // CHECK-NEXT: b[i] = !(f[i] != 0);
    b[i] = !f[i];
    // CHECK-NEXT: c[i] = u[i] + c[i];
    c[i] = u[i] + c[i];
    // CHECK-NEXT: u[i] += 2.5;
    u[i] += 2.5;
    // CHECK-NEXT: u[i] <<= l[i];
    u[i] <<= l[i];
    // CHECK-NEXT: f[i] = f[i] * 0.5 + w[i];
    f[i] = f[i] * 0.5 + w[i];
    // CHECK-NEXT: l[i] = w[i] * 2 + (long)w[i] * 3;
    l[i] = w[i] * 2 + (long)w[i] * 3;
    // CHECK-NEXT: w[i] = (int)d[i] / (uchar)f[i] % 7;
    w[i] = int(d[i]) / static_cast<unsigned char>(f[i]) % 7;
    // CHECK-NEXT: w[i] = -(-w[i]) - ~-w[i] + (w[i] - 1 - (w[i] - 2));
    w[i] = - -w[i] - ~-w[i] + (w[i] - 1 - (w[i] - 2));
    // CHECK-NEXT: w[i] = (w[i] > 3 && d[i] != 0) || !b[i];
    w[i] = (w[i] > 3 && d[i]) || !b[i];
    // CHECK-NEXT: w[i] = (w[i] & 3) == 1 ? 5 : 200;
    w[i] = (w[i] & 3) == 1 ? Green : (int)Level::High;
    // CHECK-NEXT: d[i] = w[i] ? 1 : 2.5;
    d[i] = w[i] ? 1 : 2.5;
  }
}

void literals(int n, long *l, double *d, unsigned long *u) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    // CHECK: l[i] = 2147483648L + (-9223372036854775807L - 1) + 97 + -1 + 10 + 1;
    l[i] = 0x80000000L + std::numeric_limits<long>::min() + 'a' + '\xff' + '\n' + true;
    // CHECK-NEXT: u[i] = 4000000000u + 18446744073709551615UL + 24UL + 16UL;
    u[i] = 4000000000u + 0xffffffffffffffffull + sizeof(double[3]) + alignof(std::max_align_t);
    // CHECK-NEXT: d[i] = 0.1 + 0.1f + 9.99988E-321 + 100.0 + 1.0E+30f + 3.5 + 0.3333333333333333;
    d[i] = 0.1 + 0.1f + 1e-320 + 100. + 1e30f + 0x1.cp1 + 0.33333333333333331;
    // CHECK-NEXT: d[i] += 1.7976931348623157E+308 + 1.1920929E-7f;
    d[i] += std::numeric_limits<double>::max() + std::numeric_limits<float>::epsilon();
  }
}
