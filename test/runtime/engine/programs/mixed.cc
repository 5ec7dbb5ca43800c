// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole program against the ABI: loops, host code between them, every result compared with the plain loop's. Prints
// "ok" and exits 0 if all agree; run by ctest with and without mpirun, on different devices.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "kernels.h"

namespace {

int failures = 0;

template <class A, class B>
void expectEqual(const char* what, long at, A got, B want) {
  if (got == want) return;
  if (++failures <= 10) std::printf("%s[%ld]: got %g, want %g\n", what, at, double(got), double(want));
}

template <class T>
void expectSame(const char* what, const T* got, const std::vector<T>& want) {
  for (std::size_t i = 0; i < want.size(); ++i) expectEqual(what, static_cast<long>(i), got[i], want[i]);
}

void testJacobi(long n, long m) {
  const std::size_t count = static_cast<std::size_t>(n * m);
  auto* u = static_cast<double*>(muster_array_create(&programs::siteU, count));
  auto* v = static_cast<double*>(muster_array_create(&programs::siteV, count));
  std::vector<double> a(count), b(count);
  for (std::size_t i = 0; i < count; ++i) a[i] = u[i] = static_cast<double>((i * 7919) % 1000) / 7;
  for (std::size_t i = 0; i < count; ++i) b[i] = v[i] = a[i];
  for (int step = 0; step < 12; ++step) {
    programs::jacobi(u, v, n, m);
    for (long i = 1; i < n - 1; ++i)
      for (long j = 1; j < m - 1; ++j) {
        const auto at = [&](long r, long c) { return a[static_cast<std::size_t>(r * m + c)]; };
        b[static_cast<std::size_t>(i * m + j)] = 0.25 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1));
      }
    std::swap(u, v);
    std::swap(a, b);
    // Host code between launches: one element read, one written.
    if (step % 3 == 1)
      expectEqual("u", n / 2, u[static_cast<std::size_t>(n / 2 * m + 1)], a[static_cast<std::size_t>(n / 2 * m + 1)]);
    if (step % 4 == 2) u[static_cast<std::size_t>(m + 1)] = a[static_cast<std::size_t>(m + 1)] = step;
  }
  expectSame("u", u, a);
  expectSame("v", v, b);
  muster_free(u);
  muster_free(v);
}

void testIntegers(long n, unsigned seed) {
  std::mt19937 random(seed);
  const std::size_t count = static_cast<std::size_t>(n);
  auto* x = static_cast<int*>(muster_array_malloc(&programs::siteX, count * 4));
  auto* y = static_cast<int*>(muster_array_calloc(&programs::siteY, count, 4));
  auto* index = static_cast<int*>(muster_array_create(&programs::siteIndex, count));
  std::vector<int> a(count), b(count), c(count);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = x[i] = static_cast<int>(random() % 1000);
    c[i] = index[i] = static_cast<int>(random() % count);
  }
  for (int step = 0; step < 40; ++step) {
    switch (random() % 6) {
      case 0: {
        const unsigned flags = random() % 3 == 0 ? MUSTER_LAUNCH_HOST : 0;
        programs::axpy(x, n, step, flags);
        for (std::size_t i = 0; i < count; ++i) a[i] += static_cast<int>(i) * step;
        break;
      }
      case 1: {
        programs::Summary got, want;
        got.sum = want.sum = step;
        programs::summarise(x, n, got);
        for (std::size_t i = 0; i < count; ++i) {
          want.sum += a[i];
          if (a[i] > want.largest) want.largest = a[i];
          want.last = static_cast<long>(i);
        }
        expectEqual("sum", step, got.sum, want.sum);
        expectEqual("largest", step, got.largest, want.largest);
        expectEqual("last", step, got.last, want.last);
        break;
      }
      case 2:
        programs::gatherThrough(index, x, y, n);
        for (std::size_t i = 0; i < count; ++i) b[i] = a[static_cast<std::size_t>(c[i])];
        break;
      case 3:
        programs::scale = step;
        programs::addReversed(x, y, n);
        for (std::size_t i = 0; i < count; ++i) a[count - 1 - i] += step * b[i];
        break;
      case 4: {  // the host writes a part
        const std::size_t lo = random() % count;
        for (std::size_t i = lo; i < count && i < lo + 3000; ++i) a[i] = x[i] = step;
        break;
      }
      default: {  // the host reads a part, in bulk
        const std::size_t lo = random() % count;
        muster_host_access(y + lo, SIZE_MAX, MUSTER_READ);
        for (std::size_t i = lo; i < count; ++i) expectEqual("y", static_cast<long>(i), y[i], b[i]);
      }
    }
  }
  expectSame("x", x, a);
  expectSame("y", y, b);
  muster_free(x);
  muster_free(y);
  muster_free(index);
}

// An argument that nobody manages, one that is read as another type, and an empty loop.
void testStepBacks() {
  std::vector<int> plain(5000, 3);
  programs::axpy(plain.data(), 5000, 2);
  for (long i = 0; i < 5000; ++i) expectEqual("plain", i, plain[static_cast<std::size_t>(i)], 3 + 2 * i);
  auto* u = static_cast<double*>(muster_array_create(&programs::siteU, 5000));
  programs::axpy(reinterpret_cast<int*>(u), 5000, 2);
  for (long i = 0; i < 5000; ++i) expectEqual("cast", i, reinterpret_cast<int*>(u)[i], 2 * i);
  // Counting from 1: each pointer lies in the array before, or in none.
  std::vector<int*> small;
  for (int k = 0; k < 4; ++k) small.push_back(static_cast<int*>(muster_array_create(&programs::siteX, 1024)));
  for (int* array : small) programs::axpyFromOne(array - 1, 1024, 3);
  for (int* array : small) {
    for (long i = 0; i < 1024; ++i) expectEqual("from one", i, array[i], 3 * (i + 1));
    muster_free(array);
  }
  programs::Summary none{7, 8, 9};
  programs::summarise(plain.data(), 0, none);
  expectEqual("empty", 0, none.sum + none.largest + none.last, 24);
  // Left alive on purpose: the session's end must cope with it.
}

}  // namespace

int main(int argc, char** argv) {
  auto* early = static_cast<int*>(muster_array_create(&programs::siteX, 4000));
  early[17] = 17;
  muster_session_begin(&argc, &argv);
  programs::axpy(early, 4000, 1);
  for (long i = 0; i < 4000; ++i) expectEqual("early", i, early[i], i == 17 ? 34 : i);
  testJacobi(67, 45);
  testJacobi(300, 200);
  testJacobi(3, 3);
  for (unsigned seed = 1; seed <= 4; ++seed) testIntegers(static_cast<long>(seed * seed) * 2500 + 3, seed);
  testStepBacks();
  programs::axpy(early, 4000, 1);
  muster_session_end();
  for (long i = 0; i < 4000; ++i) expectEqual("late", i, early[i], i == 17 ? 51 : 2 * i);
  if (failures == 0) std::printf("ok\n");
  return failures == 0 ? 0 : 1;
}
