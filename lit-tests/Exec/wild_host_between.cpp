// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code between loops: files, memcpy, sort, threads, exceptions, split regions, shared flags. The plain program is
// the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <algorithm>
#include <stdexcept>
#include <thread>
#include "Inputs/wild_report.h"
static int compute(double* a, int n, int mode) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] += mode;
  if (mode == 1) return 1;
  if (mode == 2) throw std::runtime_error("two");
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] *= 2;
  return 0;
}
int main() {
  int n = 3000;
#pragma ompx managed(a)
  double* a = new double[n];
#pragma ompx managed(b)
  double* b = new double[n];
  memset(a, 0, n * sizeof *a);
  std::fill(b, b + n, 1.5);
  for (int m = 0; m < 4; m++) try {
      printf("%d\n", compute(a, n, m));
    } catch (std::exception& e) {
      puts(e.what());
    }
  report("a", a, n);
  memcpy(b + 100, a, 500 * sizeof *a);
  memmove(a + 1, a, (n - 1) * sizeof *a);
#pragma omp parallel for
  for (int i = 0; i < n; i++) b[i] += a[i];
  report("b", b, n);
  FILE* f = tmpfile();
  printf("%zu\n", fwrite(b, sizeof *b, n, f));
  rewind(f);
  memset(b, 0, n * sizeof *b);
#pragma omp parallel for
  for (int i = 0; i < n; i++) b[i] += a[i] - 1;
  printf("%zu\n", fread(b, sizeof *b, n, f));
  fclose(f);
  report("b", b, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = (i * 7919) % 1009;
  std::sort(a, a + n);
  report("sorted", a, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = n - a[i];
  double s1 = 0, s2 = 0;
  std::thread t1([&] {
    for (int i = 0; i < n / 2; i++) s1 += a[i];
  }),
      t2([&] {
        for (int i = n / 2; i < n; i++) {
          s2 += a[i];
          a[i] = 1;
        }
      });
  t1.join();
  t2.join();
  printf("%g %g\n", s1, s2);
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] += 1;
  for (int i = 1; i < n; i++) a[i] += 0.5 * a[i - 1];
  report("serial", a, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) b[i] = a[i];
  printf("%g %g %g\n", b[0], b[n / 2], *std::max_element(b, b + n));
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; i++) b[i] = a[i] + 1;
#pragma omp for
    for (int i = 0; i < n; i++) a[i] = b[n - 1 - i];
  }
  report("split", a, n);
  int found = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] > 2.9 && i == 17) found = 1;
  printf("found %d\n", found);
  bool stop;
  int its = 0;
  do {
    stop = true;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      a[i] /= 2;
      if (a[i] > 0.01) {
#pragma omp atomic write
        stop = false;
      }
    }
    its++;
  } while (!stop && its < 100);
  printf("its %d\n", its);
  report("a", a, n);
  delete[] a;
  delete[] b;
}
