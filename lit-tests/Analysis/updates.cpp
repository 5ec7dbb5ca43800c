// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is an update that commutes, what depends on the order, and which variables become reductions.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts %s | FileCheck %s
#include <algorithm>

// CHECK-LABEL: loop {{[0-9]+}} in commuting
// CHECK:   array h: pointer of int updated{{$}}
// CHECK:   updates h[i] by + at
// CHECK:   updates h[i + 1] by + at
// CHECK:   updates h[i + 2] by * at
// CHECK:   updates h[i + 3] by & conditionally at
// CHECK:   updates h[i + 4] by min at
// CHECK:   updates h[i + 5] by max at
// CHECK:   updates f[i] by + at
// CHECK:   updates f[i + 1] by max at
// CHECK-NOT: in order
void commuting(int *h, float *f, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    h[i]++;
#pragma omp atomic update
    h[i + 1] = h[i + 1] - i;
#pragma omp atomic release
    h[i + 2] = i * h[i + 2];
    if (i > 3) {
#pragma omp atomic
      h[i + 3] &= i;
    }
#pragma omp atomic compare
    if (h[i + 4] > i) h[i + 4] = i;
#pragma omp critical
    h[i + 5] = std::max(i, h[i + 5]);
#pragma omp atomic
    f[i] -= 2.5;
#pragma omp critical(name)
    {
      if (f[i + 1] < 2.f) f[i + 1] = 2.f;
    }
  }
}
// Operators that do not commute, conversions that drop something, values that are used.
// CHECK-LABEL: loop {{[0-9]+}} in ordered
// CHECK:   array h: pointer of int read written{{$}}
// CHECK:   reads h[i] in order at
// CHECK:   writes h[i] in order at
// CHECK:   writes h[i + 1] in order at
// CHECK:   writes h[i + 2] in order at
// CHECK:   writes h[i + 3] in order at
// CHECK:   writes h[i + 4] in order at
// CHECK:   writes h[i + 5] in order at
// CHECK:   writes h[i + 6] in order at
// CHECK:   reads b[i] in order at
// CHECK:   writes b[i] in order at
// CHECK:   writes wider[i] in order at
// CHECK-NOT: updates
void ordered(int *h, bool *b, long double *wider, int n, long wide) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int old;
#pragma omp atomic capture
    old = h[i]++;
#pragma omp atomic
    h[i + 1] /= 3;
#pragma omp atomic
    h[i + 2] = 3 - h[i + 2];
#pragma omp atomic
    h[i + 3] <<= 1;
#pragma omp atomic
    h[i + 4] += 0.5;
#pragma omp atomic compare
    if (h[i + 5] > wide) h[i + 5] = wide;
#pragma omp atomic compare
    if (h[i + 6] == i) h[i + 6] = 4;
#pragma omp atomic
    b[i] += i;
#pragma omp atomic
    wider[i] += i;
  }
}
// CHECK-LABEL: loop {{[0-9]+}} in single
// CHECK:   reads h[i] atomically at
// CHECK:   writes h[i + 1] atomically at
void single(int *h, int *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int v;
#pragma omp atomic read
    v = h[i];
#pragma omp atomic write
    h[i + 1] = v;
    out[i] = v;
  }
}
// CHECK-LABEL: loop {{[0-9]+}} in variables
// CHECK:   scalar shift{{$}}
// CHECK:   result count: +
// CHECK:   result most: max
// CHECK-NOT: result
int variables(const int *key, int n, int shift) {
  int count = 0, most = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    count += key[i] >> shift;
#pragma omp atomic
    --count;
#pragma omp critical
    if (key[i] > most) most = key[i];
  }
  return count + most;
}
// A value that is read, or two operators: no reduction.
// CHECK-LABEL: loop {{[0-9]+}} in used
// CHECK-NEXT:   refused {{[0-9]+}}: writes the shared variable 'count' without a reduction
// CHECK-LABEL: loop {{[0-9]+}} in used
// CHECK-NEXT:   refused {{[0-9]+}}: writes the shared variable 'count' without a reduction
// CHECK-LABEL: loop {{[0-9]+}} in used
// CHECK-NEXT:   refused {{[0-9]+}}: writes the shared variable 'count' without a reduction
void used(int *key, int n) {
  int count = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    count += key[i];
    key[i] = count;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    count += key[i];
#pragma omp atomic
    count *= 2;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic capture
    key[i] = count++;
  }
}
// CHECK-LABEL: loop {{[0-9]+}} in sections
// CHECK:   array h: pointer of double updated{{$}}
// CHECK:   array table: array of int[8] updated{{$}}
// CHECK:   scalar from{{$}}
// CHECK:   reduces h[from : 3 * n]: +
// CHECK:   reduces table: max
// CHECK:   updates h[?] by + conditionally at [[#@LINE + 6]]: a reduction over 'h', of which every device has a part
// CHECK:   updates table[?] by max conditionally at
// CHECK:   reads key[i] at
// CHECK:   needs distinct arrays
void sections(const int *key, double *h, int n, int from) {
  int table[4][8] = {};
#pragma omp parallel for reduction(+ : h[from : 3 * n]) reduction(max : table)
  for (int i = 0; i < n; i++) {
    h[from + key[i]] += 0.5;
    if (table[i % 4][3] < key[i]) table[i % 4][3] = key[i];
  }
}
// The order of integer updates does not show, so that the inner loop runs in parallel too; that of rounding does.
// CHECK-LABEL: loop {{[0-9]+}} in inner
// CHECK:   dim i:
// CHECK:   dim j: {{.*}} found independent
// CHECK-LABEL: loop {{[0-9]+}} in inner
// CHECK:   dim i:
// CHECK-NOT: dim j
void inner(const int *key, int *h, float *f, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
#pragma omp atomic
      h[key[i * n + j]]++;
    }
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
#pragma omp atomic
      f[i] += key[i * n + j];
    }
}
