// _Float16: 16 bits in objects, floats in expressions, rounded where the host's compiler rounds.
// RUN: %kernels %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl
// RUN: %kernels -Xclang -ffloat16-excess-precision=none %s > %t.none.cl
// RUN: %check-cl %t.none.cl
// RUN: %filecheck --check-prefix=NONE %s < %t.none.cl
#include <vector>

#pragma omp managed(anchor)
int *anchor = new int[1];

using H = _Float16;
struct Cell {
  H weight, at[3];
};
static const H table[2] = {(H)0.1, (H)-2};
constexpr H third(H x) { return x / (H)3 + x; }

// Copies keep their bits, expressions of several operations are rounded once.
void arithmetic(int n, H *a, const std::vector<H> &b, Cell *cells, H factor) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    H h = b[i];
    cells[i].at[1] = h;
    a[i] = h * factor + a[i] / b[i];
    a[i] = -(h + factor) * h;
    h += a[i] * factor;
    h *= 2.5f;
    ++h;
    cells[i].weight = h++;
    h--;
    const bool less = h + factor < a[i];
    a[i] = less ? h : table[i % 2];
    a[i] = third(h);
  }
}
// CHECK: typedef ushort muster_half;
// CHECK: muster_half weight;
// CHECK-NEXT: muster_half at[3];
// CHECK: typedef char Cell_has_8_bytes
// CHECK: __constant muster_half table[2] = {0x2e66, 0xc000};
// CHECK: return vload_half(0, (const half *)&bits);
// CHECK: vstore_half_rte(value, 0, (half *)&bits);
// CHECK: static muster_half third(muster_half x) {
// CHECK-NEXT: return muster_half_bits(muster_half_value(x) / 3.0f + muster_half_value(x));
// CHECK: __global muster_half *a_buf, long a_origin,
// CHECK: muster_half factor,
// CHECK: muster_half h = b[i];
// CHECK-NEXT: cells[i].at[1] = h;
// CHECK-NEXT: a[i] = muster_half_bits(muster_half_value(h) * muster_half_value(factor) + muster_half_value(a[i]) / muster_half_value(b[i]));
// CHECK-NEXT: a[i] = muster_half_bits(-(muster_half_value(h) + muster_half_value(factor)) * muster_half_value(h));
// CHECK-NEXT: h = muster_half_bits(muster_half_value(h) + muster_half_value(a[i]) * muster_half_value(factor));
// CHECK-NEXT: h = muster_half_bits(muster_half_value(h) * 2.5f);
// CHECK-NEXT: h = muster_half_bits(muster_half_value(h) + 1.0f);
// CHECK-NEXT: cells[i].weight = muster_half_bits((temporary = h, h = muster_half_bits(muster_half_value(temporary) + 1.0f), muster_half_value(temporary)));
// CHECK-NEXT: h = muster_half_bits(muster_half_value(h) - 1.0f);
// A comparison's operand is rounded.
// CHECK-NEXT: const uchar less = muster_half_value(muster_half_bits(muster_half_value(h) + muster_half_value(factor))) < muster_half_value(a[i]);
// CHECK: a[i] = third(h);
// NONE: a[i] = muster_half_bits(muster_half_value(muster_half_bits(muster_half_value(h) * muster_half_value(factor))) + muster_half_value(muster_half_bits(muster_half_value(a[i]) / muster_half_value(b[i]))));

// A double is rounded once, a constant by the plugin.
void conversions(int n, H *a, double *d, long *l, __fp16 *s) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = d[i];
    a[i] = 0.1;
    a[i] = l[i];
    d[i] = a[i];
    l[i] = a[i];
    l[i] += a[i];
    s[i] += d[i];
    s[i] = a[i];
  }
}
// CHECK: static muster_half muster_half_bits_of_double(double value) {
// CHECK-NEXT: float odd = convert_float_rtz(value);
// CHECK: a[i] = muster_half_bits_of_double(d[i]);
// CHECK-NEXT: a[i] = 0x2e66;
// CHECK-NEXT: a[i] = muster_half_bits(l[i]);
// CHECK-NEXT: d[i] = muster_half_value(a[i]);
// CHECK-NEXT: l[i] = muster_half_value(a[i]);
// CHECK-NEXT: l[i] = (long)((float)l[i] + muster_half_value(a[i]));
// CHECK-NEXT: s[i] = muster_half_bits_of_double((double)muster_half_value(s[i]) + d[i]);
// CHECK-NEXT: s[i] = a[i];
// NONE: l[i] = (long)muster_half_value(muster_half_bits(muster_half_value(muster_half_bits((float)l[i])) + muster_half_value(a[i])));
