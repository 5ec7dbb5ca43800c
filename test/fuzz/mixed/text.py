# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands in front of every mixed program: types, functions and macros for C and C++."""

# Each program has some of these, each with a probability of its own; the rest of it is as if they did not exist.
FEATURES = {
    "half": 0.3, "nested vectors": 0.4, "tables": 0.4, "macros": 0.4, "lambdas": 0.4, "structs": 0.4, "classes": 0.4,
    "class templates": 0.35, "smart pointers": 0.3, "arrays": 0.3, "regions": 0.5, "orphans": 0.3, "swaps": 0.4,
    "aliases": 0.3, "again": 0.3, "ranges": 0.3, "conditions": 0.5, "captures": 0.3, "extremes": 0.4, "array sums": 0.3,
    "collapse": 0.4, "wrapping": 0.4, "order": 0.3, "host": 0.7, "inner": 0.5, "twice": 0.3, "odd sizes": 0.2, "idioms": 0.5, "corners": 0.5, "nests": 0.4, "windows": 0.4, "products": 0.5, "steps": 0.5, "neighbours": 0.5, "walks": 0.5, "records": 0.5, "deep": 0.4, "kept": 0.5,
}
ONLY_CXX = {"nested vectors", "lambdas", "class templates", "smart pointers", "arrays", "ranges", "order"}

INCLUDES = ["math.h", "omp.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"]
CXX_INCLUDES = ["algorithm", "array", "cmath", "memory", "numeric", "utility", "vector"]

COMMON = r"""
#define SHOW(name, count, value) do { \
    uint64_t hash = 1469598103934665603u; \
    for (int q = 0; q < (count); ++q) { \
      const double shown = (double)(value); \
      uint64_t bits; \
      memcpy(&bits, &shown, sizeof bits); \
      hash = (hash ^ bits) * 1099511628211u; \
    } \
    printf("%s %d %016llx\n", name, (int)(count), (unsigned long long)hash); \
  } while (0)
#define SQUARE(x) ((x) * (x))
#define LESSER(a, b) ((a) < (b) ? (a) : (b))
#define IDX(i, j) ((i) * columns + (j))
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define PARALLEL_FOR PRAGMA(omp parallel for)
#define TEAM_FOR PRAGMA(omp for)
#define FOR(type, i, low, high) for (type i = (low); i < (high); ++i)
#define FOR_DOWN(i, high) for (int i = (high) - 1; i >= 0; --i)
#define LOOP(i, count, ...) PRAGMA(omp parallel for) for (int i = 0; i < (count); ++i) { __VA_ARGS__ }
#define NEST(i, j, high, wide, ...) PRAGMA(omp parallel for collapse(2)) \
  for (int i = 0; i < (high); ++i) for (int j = 0; j < (wide); ++j) { __VA_ARGS__ }
#define UPTO(count) ((count) + 1 - 1)
#define MAKE_STEP(NAME, T, VALUE) \
  static void NAME(T *to, const T *from, int n) { PARALLEL_FOR for (int i = 0; i < n; ++i) to[i] = (T)(VALUE); }
#define REGION(...) PRAGMA(omp parallel) { __VA_ARGS__ }
#define BEGIN {
#define END }
static int clampTo(int value, int low, int high) { return value < low ? low : value > high ? high : value; }
static int lesser(int a, int b) { return a < b ? a : b; }
static int wave(int k) {
  int sum = 0;
  while (k > 0) {
    sum += k & 3;
    k >>= 2;
  }
  return sum;
}
static double mixedUp(double a, int b) { return a * 0.5 + (b % 7 == 3 ? 2 : b % 5); }
static int globalShift = 3;
static const int table[4] = {2, 7, 1, 8};
"""

C_TEXT = """
typedef struct Pt {
  double x;
  float w[2];
  struct { int k[3]; short tag; } in;
} Pt;
static double ptSum(const Pt *p) { return p->x + p->w[0] - p->w[1] + p->in.k[1] + p->in.tag; }
static void ptScale(Pt *p, double by) {
  p->x = p->x * by + 1;
  for (int q = 0; q < 3; ++q) p->in.k[q] = (p->in.k[q] + q) % 53;
  p->w[1] = (float)(p->w[0] * by);
}
static int up(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
"""

CXX_TEXT = """
struct Pt {
  double x;
  float w[2];
  struct Inner { int k[3]; short tag; } in;
  double sum() const { return x + w[0] - w[1] + in.k[1] + in.tag; }
  void scale(double by) {
    x = x * by + 1;
    for (int q = 0; q < 3; ++q) in.k[q] = (in.k[q] + q) % 53;
    w[1] = (float)(w[0] * by);
  }
  Pt plus(const Pt &other) const {
    Pt p = *this;
    p.x = (p.x + other.x) * 0.5;
    p.in.k[0] = (p.in.k[0] + other.in.k[2]) % 53;
    return p;
  }
  Pt &operator+=(double by) { x = x * 0.5 + by; return *this; }
};
struct Counter {
  int at;
  int next() { return at++; }
  int operator()(int by) { return at += by; }
};
static int bump(int *k) { return (*k)++; }
static int bump(int &k) { return k++; }
static auto adder(double by) { return [by](double x) { return x * 0.5 + by; }; }
template <class F>
static double apply(F f, double x) { return f(x); }
template <class T>
static T blend(T a, T b) { return static_cast<T>((static_cast<double>(a) + static_cast<double>(b)) / 2); }
template <int K, class T>
static double around(const T *values, int at, int count) {
  double sum = 0;
  for (int q = 0; q < K; ++q) sum += values[(at + q) % count];
  return sum;
}
"""
