// Loops of many kinds give the same bits as compiled C++ and as printed OpenCL C.
// RUN: %kernels -w %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %host -w %s -lOpenCL -lm -o %t
// RUN: %t %t.cl
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>
#ifndef __MUSTER__
#include "KernelRunner.h"
#endif

#pragma omp managed(anchor)
int* anchor = new int[1];

// ------------------------------------------------------------------ frames

void stencil(int n, int m, const float* u, float* v) {
#pragma omp parallel for collapse(2)
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      v[i * m + j] = 0.25f * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
}

void backwards(unsigned char n, int* a) {
#pragma omp parallel for
  for (unsigned char i = n; i > 3; i -= 3) a[i] = i * 3;
}

void cube(int n, double* a) {
#pragma omp parallel for collapse(3)
  for (long i = 0; i < n; i += 2)
    for (short j = 8; j >= 0; --j)
      for (unsigned k = 1; k <= 6; k++) a[(i * 9 + j) * 7 + k] = i * 100 + j * 10 + k;
}

void copies(int n, int* a, double* b, int start, double& scale, int& last) {
  int counter, temporary = 7;
  double buffer[4];
#pragma omp parallel for private(temporary, buffer) firstprivate(start) lastprivate(last) private(counter)
  for (int i = 0; i < n; i++) {
    if (i % 3 == 0) start += i;
    temporary = a[i] * start;
    for (counter = 0; counter < 4; ++counter) buffer[counter] = temporary + counter * scale;
    last = temporary - i;
    if (i % 2) continue;
    b[i] = buffer[i % 4] + buffer[(i + 1) % 4];
  }
}

// ------------------------------------------------------------------ reductions

struct Sums {
  double sum = 1.5;
  long product = 3;
  unsigned bits_and = 0xfffff0u, bits_or = 1;
  unsigned short bits_xor = 7;
  bool all = true, any = false;
  float smallest = 1e30f, largest = -1e30f;
  signed char low = 100;
  unsigned long high = 0;
};

void reduce(int n, const int* a, const float* f, Sums& out) {
  double sum = out.sum;
  long product = out.product;
  unsigned bits_and = out.bits_and, bits_or = out.bits_or;
  unsigned short bits_xor = out.bits_xor;
  bool all = out.all, any = out.any;
  float smallest = out.smallest, largest = out.largest;
  signed char low = out.low;
  unsigned long high = out.high;
#pragma omp parallel for reduction(+ : sum) reduction(* : product) reduction(& : bits_and) reduction(| : bits_or) \
    reduction(^ : bits_xor) reduction(&& : all) reduction(|| : any) reduction(min : smallest, low)                \
    reduction(max : largest, high)
  for (int i = 0; i < n; ++i) {
    if (a[i] == 12345) continue;
    sum += a[i];
    product *= a[i] % 2 ? 1 : -1;
    bits_and &= a[i] | 0xff00;
    bits_or |= a[i];
    bits_xor ^= a[i];
    all = all && a[i] > -1000;
    any = any || a[i] == 77;
    if (f[i] < smallest) smallest = f[i];
    largest = std::max(largest, f[i]);
    low = low < a[i] % 90 ? low : (signed char)(a[i] % 90);
    high = std::max<unsigned long>(high, a[i] * 3ul);
  }
  out = {sum, product, bits_and, bits_or, bits_xor, all, any, smallest, largest, low, high};
}

double sum2d(int n, int m, const double* a) {
  double total = 0;
#pragma omp parallel for collapse(2) reduction(+ : total)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) total += a[i * m + j];
  return total;
}

// ------------------------------------------------------------------ statements

enum Kind { Empty, Small = 3, Large };

void statements(int n, int* a, int* b) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int total = 0;
    for (int j = 0, k = 20; j < k; ++j, k -= 2) {
      if (j == 2) continue;
      if (k < 9) break;
      total += j * k;
    }
    int w = a[i] % 17;
    while (int rest = w - 3) {
      if (rest < 0) {
        w += 2;
        if (w > 4) break;
        continue;
      }
      w -= 1;
      total ^= rest;
    }
    do {
      if (++w % 3 == 0) continue;
      total += w;
    } while (w < 12);
    switch (int z = i % 7; z) {
      case Empty:
        int inner;
        inner = 5;
        total += inner;
        break;
      case 1:
      case 2: {
        total -= 4;
        if (i & 8) break;
        total *= 2;
        break;
      }
      case Small:
        total += 100;
        [[fallthrough]];
      case Large:
        total += 1000;
      default:
        total -= z;
    }
    for (;;) {
      if (total > 100) {
        total /= 2;
      } else if (bool odd = total & 1; odd && total > 10) {
        total--;
      } else
        break;
    }
    if (i % 5 == 4) continue;
    if constexpr (sizeof(long) == 8) total += 3;
    b[i] = total, a[i] = (total, i);
    b[i] += i > 3 ? i < 9 ? 1 : 2 : 3;
    int x = 3, y = x++ + 4, z = -(-x) - -y - ~x;
    x += y -= z *= 2;
    b[i] ^= x ^ (y << 3) ^ z ^ (x & y | z) ^ (x, y);
  }
}

// ------------------------------------------------------------------ functions and types

static double offset = 2.5;
static const double factors[2][3] = {{1, 0.5, 0.25}, {3}};
constexpr int limit = 11;

struct Cell {
  int id[3];
  double weight;
};

template <typename T, int N = 2>
T scaled(T value) {
  return value * N;
}
static void extremes(const double* p, int n, double& low, double* high) {
  low = *high = p[0];
  for (int i = 1; i < n; ++i) {
    if (p[i] < low) low = p[i];
    if (*high < p[i]) *high = p[i];
  }
}
static double& select(double* p, bool second) { return second ? p[1] : *p; }
static double bump(double& x, double by = 1) { return x += by + offset; }
static double value(int x) { return x * 2; }
static double value(float x) { return x * 3; }
static bool isOdd(unsigned x) { return x & 1; }
inline double weighted(const double (&row)[3], int k) { return row[k % 3] * factors[k % 2][k % 3]; }

void functions(int n, double* a, double* b) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double local[5] = {a[4 * i], 2, -a[4 * i + 1]}, low, high;
    extremes(local, 5, low, &high);
    double sum = low * high;
    extremes(a + 4 * i, 3, low, &high);
    sum += low - high;
    select(local, i & 1) += 4;
    select(&a[4 * i], isOdd(i)) -= 3;
    sum += bump(local[2]) + bump(a[4 * i + 2], 0.5) + value(i) + value(0.5f * i) + scaled(i) + scaled<double, 3>(sum);
    const double row[3] = {sum, 2, i + 0.5};
    sum += weighted(row, i) + factors[0][i % 3];
    Cell cells[2] = {{{1, 2, 3}, sum}, {{i}}};
    Cell& cell = cells[i % 2];
    cell.id[2] += 5;
    Cell other = cell;
    other.weight += other.id[2];
    sum += other.weight + cell.weight + cells[1].id[0] + limit;
    std::swap(local[0], local[1]);
    std::swap(a[4 * i], local[3]);
    union {
      float f;
      std::uint32_t u;
    } pun;
    pun.f = 0.1f * i;
    pun.u ^= 3;
    std::uint64_t bits = (std::uint64_t)(a[4 * i + 3] * a[4 * i + 3]);
    b[i] = sum + pun.f + (double)(bits >> 2);
  }
}

// ------------------------------------------------------------------ maths

void maths(int n, const double* a, const float* f, const int* w, double* b, double* c, long* l) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double x = a[i];
    const float y = f[i];
    const int k = w[i];
    double* o = b + i * 40;
    o[0] = std::sqrt(std::abs(x)) + fabs(x) + std::fabs(y);
    o[1] = std::floor(x) + std::ceil(y) + trunc(x) + std::round(x) + rint(x) + nearbyint(y);
    o[2] = std::fmod(x, 3.0) + std::remainder(y, 0.7f);
    o[3] = std::fma(x, x, 0.1) + std::fmin(x, k) + std::fmax(y, 1.0f) + fdim(x, 2);
    o[4] = std::copysign(2.0, x) + std::ldexp(x, k % 5);
    o[6] = std::sqrt(2.0f) + std::sqrt(k < 0 ? -k : k) + __builtin_sqrt(4.5);
    o[7] = std::min(x, 3.0) + std::max(y, 0.5f) + std::clamp(k, -3, 3);
    o[8] = std::numeric_limits<double>::epsilon() + std::numeric_limits<float>::max() + M_PI;
    o[10] = std::abs(y) * 0.1 + 0.1f;
    long* m = l + i * 8;
    m[0] = std::lround(x) + llround(y) + lrint(x);
    m[1] = std::abs(k) + labs(k * 3l) + std::signbit(x);
    m[4] = std::isfinite(x) + std::isinf(1 / (x - x)) * 2 + std::isnormal(y) * 4;
    double* p = c + i * 40;
    p[0] = std::sin(x) + cosf(y);
    p[1] = std::exp(y) + exp2(x) + expm1(x);
    p[2] = std::log(std::abs(x) + 1) + log10(x * x + 1) + std::log1p(std::fabs(y)) + log2f(y * y + 2);
    p[3] = std::pow(std::abs(x), 0.3) + std::pow(y, 2) + std::pow(2.0f, y) + pow(k, 3);
    p[4] = std::tan(x) + std::atan2(x, y) + std::atan(x) + std::asin(x / 100) + std::acos(y / 100);
    p[5] = std::sinh(y) + std::cosh(x) + std::tanh(x) + std::hypot(x, 2.0) + std::cbrt(x) + std::erf(x) + std::erfc(y);
  }
}

// ------------------------------------------------------------------ arrays

double grid[12][7];
static float volume[4][5][6];
static int flat[60];

void arrays(int n, double (*rows)[7], std::vector<double>& vector, const std::vector<int>& index, bool* flags) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double* row = grid[i];
    double(&given)[7] = rows[i];
    row[3] = *(rows[i] + 1) + (*given);
    given[4] = row[6 - i % 3] + rows[i][5];
    double* end = row + 7;
    for (double* p = row; p != end; ++p) *p += p - row;
    vector[i] += index[i] + vector.data()[i];
    flat[i] = volume[1][2][i % 6] > 0.5f;
    volume[i % 4][i / 4][3] = i;
    flags[i] = !flags[i];
    flags[i] |= i % 3;
    flags[i] ^= i > 4;
  }
}

// ------------------------------------------------------------------ comparison

#ifndef __MUSTER__
static int failures = 0;

template <typename T>
void compare(const char* what, const T* expected, const T* got, std::size_t count, double tolerance = 0) {
  for (std::size_t i = 0; i < count; ++i) {
    const double difference = std::abs((double)expected[i] - (double)got[i]);
    if (std::memcmp(&expected[i], &got[i], sizeof(T)) == 0 ||
        difference <= tolerance * std::max(1.0, std::abs((double)expected[i])))
      continue;
    if (++failures < 20)
      std::printf("%s[%zu]: C++ %.17g, OpenCL %.17g\n", what, i, (double)expected[i], (double)got[i]);
  }
}
template <typename T>
void compare(const char* what, const std::vector<T>& expected, const std::vector<T>& got, double tolerance = 0) {
  compare(what, expected.data(), got.data(), expected.size(), tolerance);
}

template <typename T>
std::vector<T> filled(std::size_t count, long modulus, double scale = 1) {
  std::vector<T> values(count);
  unsigned state = 11;
  for (T& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<T>(static_cast<double>((state >> 8) % (2 * modulus)) - modulus) * scale;
  }
  return values;
}

void testFrames(Kernels& kernels) {
  const int n = 37, m = 51;
  auto u = filled<float>(n * m, 1000, 0.01), v = filled<float>(n * m, 10), vDevice = v;
  stencil(n, m, u.data(), v.data());
  Launch(kernels, "stencil")
      .dim(1, 1, n - 2)
      .dim(1, 1, m - 2)
      .scalar("n", n)
      .scalar("m", m)
      .array("u", u)
      .array("v", vDevice)
      .run();
  compare("stencil", v, vDevice);

  std::vector<int> a(256), aDevice(a);
  backwards(200, a.data());
  Launch(kernels, "backwards").dim(200, -3, 66).array("a", aDevice).run();
  compare("backwards", a, aDevice);

  std::vector<double> c(10 * 9 * 7), cDevice(c);
  cube(10, c.data());
  Launch(kernels, "cube").dim(0, 2, 5).dim(8, -1, 9).dim(1, 1, 6).array("a", cDevice).run();
  compare("cube", c, cDevice);

  auto w = filled<int>(70, 100), wDevice = w;
  std::vector<double> b(70), bDevice(b);
  double scale = 0.75;
  int last = -1, lastDevice = -1;
  copies(70, w.data(), b.data(), 5, scale, last);
  Launch(kernels, "copies")
      .dim(0, 1, 70)
      .array("a", wDevice)
      .array("b", bDevice)
      .scalar("start", 5)
      .scalar("scale", scale)
      .result<int>(
          "last", lastDevice, [](int& value, int partial) { value = partial; }, true)
      .run();
  // What a firstprivate copy holds in a later iteration of the same thread is not specified: one iteration a thread.
  for (int i = 0; i < 70; ++i) {
    int start = 5 + (i % 3 == 0 ? i : 0);
    b[i] = i % 2 ? 0 : w[i] * start + i % 4 * scale + (w[i] * start + (i + 1) % 4 * scale);
    last = w[i] * start - i;
  }
  compare("copies", b, bDevice);
  compare("copies, last", &last, &lastDevice, 1);
}

template <typename T, typename F>
void addResult(Launch& launch, const char* name, T& value, F combine) {
  launch.result<T>(name, value, [combine](T& into, T partial) { into = combine(into, partial); });
}

void testReductions(Kernels& kernels) {
  const int n = 1000;
  auto a = filled<int>(n, 500);
  auto f = filled<float>(n, 500, 0.1);
  Sums sums, device;
  reduce(n, a.data(), f.data(), sums);
  Launch launch(kernels, "reduce");
  launch.dim(0, 1, n).groups(4).array("a", a).array("f", f);
  addResult(launch, "sum", device.sum, [](double x, double y) { return x + y; });
  addResult(launch, "product", device.product, [](long x, long y) { return x * y; });
  addResult(launch, "bits_and", device.bits_and, [](unsigned x, unsigned y) { return x & y; });
  addResult(launch, "bits_or", device.bits_or, [](unsigned x, unsigned y) { return x | y; });
  addResult(launch, "bits_xor", device.bits_xor, [](unsigned short x, unsigned short y) { return x ^ y; });
  addResult(launch, "all", device.all, [](bool x, bool y) { return x && y; });
  addResult(launch, "any", device.any, [](bool x, bool y) { return x || y; });
  addResult(launch, "smallest", device.smallest, [](float x, float y) { return std::min(x, y); });
  addResult(launch, "largest", device.largest, [](float x, float y) { return std::max(x, y); });
  addResult(launch, "low", device.low, [](signed char x, signed char y) { return std::min(x, y); });
  addResult(launch, "high", device.high, [](unsigned long x, unsigned long y) { return std::max(x, y); });
  launch.run();
  compare("reduce, sum", &sums.sum, &device.sum, 1);
  compare("reduce, product", &sums.product, &device.product, 1);
  compare("reduce, and", &sums.bits_and, &device.bits_and, 1);
  compare("reduce, or", &sums.bits_or, &device.bits_or, 1);
  compare("reduce, xor", &sums.bits_xor, &device.bits_xor, 1);
  compare("reduce, all", &sums.all, &device.all, 1);
  compare("reduce, any", &sums.any, &device.any, 1);
  compare("reduce, smallest", &sums.smallest, &device.smallest, 1);
  compare("reduce, largest", &sums.largest, &device.largest, 1);
  compare("reduce, low", &sums.low, &device.low, 1);
  compare("reduce, high", &sums.high, &device.high, 1);

  auto d = filled<double>(33 * 45, 100);
  double total = sum2d(33, 45, d.data()), totalDevice = 0;
  Launch two(kernels, "sum2d");
  addResult(two, "total", totalDevice, [](double x, double y) { return x + y; });
  two.dim(0, 1, 33).dim(0, 1, 45).groups(2).scalar("n", 33).scalar("m", 45).array("a", d).run();
  compare("sum2d", &total, &totalDevice, 1);
}

void testCode(Kernels& kernels) {
  const int n = 60;
  auto a = filled<int>(n, 1000), b = filled<int>(n, 7), aDevice = a, bDevice = b;
  statements(n, a.data(), b.data());
  Launch(kernels, "statements").dim(0, 1, n).array("a", aDevice).array("b", bDevice).run();
  compare("statements, a", a, aDevice);
  compare("statements, b", b, bDevice);

  auto d = filled<double>(4 * n, 1000, 0.03), e = filled<double>(n, 3), dDevice = d, eDevice = e;
  functions(n, d.data(), e.data());
  Launch(kernels, "functions").dim(0, 1, n).array("a", dDevice).array("b", eDevice).scalar("offset", offset).run();
  compare("functions, a", d, dDevice);
  compare("functions, b", e, eDevice);
}

void testMaths(Kernels& kernels) {
  const int n = 50;
  auto a = filled<double>(n, 500, 0.013);
  auto f = filled<float>(n, 400, 0.017);
  auto w = filled<int>(n, 300);
  std::vector<double> b(n * 40), c(n * 40), bDevice(b), cDevice(c);
  std::vector<long> l(n * 8), lDevice(l);
  maths(n, a.data(), f.data(), w.data(), b.data(), c.data(), l.data());
  Launch(kernels, "maths")
      .dim(0, 1, n)
      .array("a", a)
      .array("f", f)
      .array("w", w)
      .array("b", bDevice)
      .array("c", cDevice)
      .array("l", lDevice)
      .run();
  compare("maths, exact", b, bDevice);
  compare("maths, integers", l, lDevice);
  // Libraries differ in the last bits of these; some are float.
  compare("maths, library", c, cDevice, 1e-6);
}

void testArrays(Kernels& kernels) {
  const int n = 12;
  auto rows = filled<double>(12 * 7, 50), vector = filled<double>(n, 9), rowsDevice = rows, vectorDevice = vector;
  const auto index = filled<int>(n, 8);
  auto indexDevice = index;
  std::copy_n(filled<double>(12 * 7, 70).data(), 12 * 7, &grid[0][0]);
  std::copy_n(filled<float>(120, 70, 0.1).data(), 120, &volume[0][0][0]);
  std::vector<double> gridDevice(&grid[0][0], &grid[0][0] + 12 * 7);
  std::vector<float> volumeDevice(&volume[0][0][0], &volume[0][0][0] + 120);
  std::vector<int> flatDevice(flat, flat + 60);
  bool flags[12] = {true, false, true}, flagsDevice[12] = {true, false, true};
  arrays(n, reinterpret_cast<double(*)[7]>(rows.data()), vector, index, flags);
  Launch(kernels, "arrays")
      .dim(0, 1, n)
      .array("grid", gridDevice)
      .array("rows", rowsDevice)
      .array("vector", vectorDevice)
      .array("index", indexDevice)
      .array("flat", flatDevice)
      .array("volume", volumeDevice)
      .array("flags", flagsDevice, 12)
      .run();
  compare("arrays, grid", &grid[0][0], gridDevice.data(), gridDevice.size());
  compare("arrays, rows", rows, rowsDevice);
  compare("arrays, vector", vector, vectorDevice);
  compare("arrays, flat", flat, flatDevice.data(), 60);
  compare("arrays, volume", &volume[0][0][0], volumeDevice.data(), 120);
  compare("arrays, flags", flags, flagsDevice, 12);
}

int main(int, char** argv) {
  Kernels kernels(argv[1]);
  testFrames(kernels);
  testReductions(kernels);
  testCode(kernels);
  testMaths(kernels);
  testArrays(kernels);
  std::printf("%d failures\n", failures);
  return failures != 0;
}
#endif
