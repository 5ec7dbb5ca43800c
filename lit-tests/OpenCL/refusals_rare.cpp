// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rarer things that OpenCL C cannot say, and keep a loop on CPUs.
// RUN: %kernels -w -std=c++23 -fplugin-arg-muster-remarks=missed %s 2>&1 | %filecheck %s
#include <complex>
#include <cmath>
#include <array>
#include <vector>
#include <utility>
enum class E8 : unsigned char { A };
struct Big { __int128 x; };
struct Ptr { double *p; };
struct Dtor { double d; Dtor() : d(1) {} ~Dtor() {} };
struct Virt { virtual int f() { return 1; } };
struct Init { int a[3]; Init() : a{1, 2, 3} {} };
struct Flex { int n; int rest[]; };
struct Deleg { int x; Deleg(int v) : x(v) {} Deleg() : Deleg(3) {} };
struct alignas(32) Over { double x; char pad; };
struct Empty {}; struct NoUnique { [[no_unique_address]] Empty e; int x; };
struct __attribute__((packed)) Packed { char c; double d; };
union Un { int i; float f; };
struct Meth { int x; int get() const { return x; } Meth twice() const { return Meth{x * 2}; } };
static double *pick(double *a, double *b, int i) { return i > 3 ? a : b; }
static int vari(int n, ...) { return n; }
static double sum2(const double (&t)[2]) { return t[0] + t[1]; }
static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
static int addTo(int &x) { return ++x; }
static int (*fp)(int &) = addTo;
enum class Wide : __int128 { A };
void loops(double *a, int n, int *k, std::complex<double> *z, std::complex<float> *zf, bool *flags, Over *over, Packed *packed, __int128 *wide, long double *ld, unsigned char *uc, double (*rows)[8], Meth *meths, std::vector<double> &v, unsigned _BitInt(24) *bits, __bf16 *bf, std::complex<long double> *zl) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses '__int128', which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { wide[i] += 1; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses 'long double', which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { ld[i] = 2; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses 'unsigned _BitInt(24)', which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { bits[i] = 2; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses '__bf16', which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { bf[i] = 2; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses 'long double', which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { zl[i] = 2; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: function 'pick' returns pointers to array elements and to private data, which are different types in OpenCL
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { double x = 2; a[i] = *pick(&a[i], &x, i); }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: constructor 'Init' initialises more than plain members
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { Init t; a[i] = t.a[1]; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: constructor 'Deleg' initialises more than plain members
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { Deleg t; a[i] = t.x; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses 'NoUnique', which has a member without size
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { NoUnique t; t.x = i; a[i] = t.x; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses 'Packed', whose layout C does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { a[i] = packed[i].d; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses a temporary array
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { a[i] = sum2({1.0, (double)i}); }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses an array of variable length, which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { double vla[i + 1]; vla[0] = 1; a[i] = vla[0]; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses a StringLiteral, which has no OpenCL counterpart
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { a[i] = sizeof("text") + "text"[i % 4]; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: depends on the order in which C++17 evaluates a shift
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { int t = 2; a[i] = t++ << t; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: depends on the order in which C++17 evaluates a subscript
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { int t = 2; int q[5] = {}; a[i] = q[t++] + (q + t)[t++]; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: depends on the order in which C++17 evaluates an assignment
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { int t = 0; int q[5] = {}; q[t++] = t++; a[i] = q[0]; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: changes a variable in an initialiser list
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { int t = 0; int q[3] = {t++, t++, t++}; a[i] = q[1]; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses a range of case values
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { switch (i) { case 1 ... 3: a[i] = 1; break; default: a[i] = 2; } }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses 'if consteval'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { if consteval { a[i] = 1; } else { a[i] = 2; } }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: changes a variable inside the target of '+=' on bool
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { int t = 0; bool bs[3] = {}; bs[t++] += 2; a[i] = bs[0]; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses a pointer to a pointer
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { double t[2] = {1, 2}, *p = t; [](double *&q) { ++q; }(p); a[i] = *p; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses a temporary array
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { using A2 = int[2]; a[i] = A2{1, 2}[i % 2]; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: converts 'double *' to 'long' (PointerToIntegral)
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { a[i] = (long)&a[i] < (long)&a[n / 2]; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses a StringLiteral, which has no OpenCL counterpart
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { const char *s = "abc"; a[i] = s[i % 3]; }
}
void others(double *a, int n, int m, long double *ld, int *h, double *vla) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses 'A', which has no OpenCL counterpart
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { Wide w = Wide::A; a[i] = w == Wide::A; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses operator '<=>', which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { a[i] = (h[i] <=> 3) > 0; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses a statement expression of more than numbers and a value
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { a[i] = ({ double x = 1; if (i > 3) x = 2; x; }); }
  int last;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses 'long double', which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    ld[i % 2] += 1; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses 'long double', which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic write
    ld[i % 2] = 1; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses 'omp atomic compare' for something else than a minimum or maximum
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic compare
    if (h[0] == i) h[0] = 3; }
  auto r = (double (*)[m])vla;
}
#pragma omp declare reduction(begun : Init : omp_out.a[0] += omp_in.a[0])
void reduced(const int *k, int n, Init init) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: has a reduction whose copies a function or a constructor makes
#pragma omp parallel for reduction(begun : init)
  for (int i = 0; i < n; ++i) init.a[0] += k[i];
}
struct Plain { double x = 1; };
struct Explicit { double x; double get(this Explicit self) { return self.x; } };
static double apply(double (*)(double), double x) { return x + 1; }
static int chosen(int i) {
  static constexpr int table[2] = {1, 2};
  static constexpr const int *first = table;
  return first[i & 1];
}
void declared(double *a, double *b, int *k, Explicit *explicits, int n) {
  double small[300] = {};
  int last = 0;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls 'get', which has an explicit object parameter
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = explicits[i].get();
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: constructs an array of objects
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { Plain plain[3]; a[i] = plain[i % 3].x; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: passes 2400 bytes of small arrays and objects by value
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += small[i % 300];
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses an array of pointers
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { double *both[2] = {a, b}; (void)both; a[i] = 1; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: takes the address of 'a'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { double *&other = a; other[i] = 1; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses a pointer to a function or a member, which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = apply(std::sin, a[i]);
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: has static variable 'first'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) k[i] = chosen(i);
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: has a lastprivate variable and parallel inner loops
#pragma omp parallel for lastprivate(last)
  for (int i = 0; i < n; ++i) { for (int j = 0; j < n; ++j) { a[i * n + j] = 2; last = j; } }
  k[0] = last;
}
