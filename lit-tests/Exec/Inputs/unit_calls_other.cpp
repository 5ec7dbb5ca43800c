// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that loops of another file call.
#include <cassert>
#include <cmath>

extern "C" int thirdFactor(void);
int turnedHere(int n);
int plainHalf(int x);
enum Colour { Red, Green = 7 };
static const double table[4] = {1, 2.5, -3, 0.125};

namespace {
double helper(double x) { return x * x + 1; }
int helper(int x) { return x ^ 5; }
}  // namespace
static void twice(int *x) { *x *= 2; }

double otherSquare(double x) { return std::sqrt(helper(x)); }
int otherMix(int x, unsigned char by) {
  int result = helper(x) + by * thirdFactor();
  for (int i = 0; i < 3; ++i) twice(&result);
  return result % 1000;
}
double otherEntry(int i) { return table[i % 4] + std::fmax(i, 3.0); }
double otherOfSecond(double, double x) { return -x / 2; }
bool otherIsEven(long n) { return n % 2 == 0; }
Colour otherColour(int i) { return i % 3 == 0 ? Green : Red; }
int otherInTurn(int n) { return n <= 0 ? 0 : turnedHere(n - 1) + 2; }
double otherLong(double x) {
  const long double y = x;
  return static_cast<double>(y * y / 3);
}
double factor = 2;
double otherGlobal(double x) { return factor * x; }
double otherCounted(double x) {
  static double calls = 0;
#pragma omp atomic
  calls += 1;
  return x >= 0 ? x : calls;
}
double otherAsserted(double x) {
  assert(x >= 0);
  return x / 2;
}
#define ONCE x = x * 0.875 + 1.5;
#define OFTEN ONCE ONCE ONCE ONCE ONCE ONCE ONCE ONCE ONCE ONCE
#define VERY_OFTEN OFTEN OFTEN OFTEN OFTEN OFTEN OFTEN OFTEN OFTEN OFTEN OFTEN
double otherLengthy(double x) {
  VERY_OFTEN VERY_OFTEN VERY_OFTEN VERY_OFTEN VERY_OFTEN VERY_OFTEN VERY_OFTEN VERY_OFTEN return x;
}
int otherOfPlainHalf(int x) { return plainHalf(x); }
