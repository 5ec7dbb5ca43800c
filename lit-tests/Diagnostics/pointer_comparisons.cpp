// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses that a device cannot give the loop as the program would.
//
// RUN: %muster++ -std=c++20 -w -fsyntax-only %s 2>&1 | FileCheck --implicit-check-not=remark: --implicit-check-not=warning: --implicit-check-not=error: %s
#include <cstdint>
#include <cstring>
#include <initializer_list>
// What is only compared is no number; a null pointer is none of an array.
// CHECK: :[[#@LINE+2]]:1: remark: loop 'muster_compared_{{[0-9]+}}' runs on CPUs only: converts 'double *' to 'std::uintptr_t'
void compared(double *a, double *end, long *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    out[i] = (a != nullptr) + (reinterpret_cast<std::uintptr_t>(a + i) < reinterpret_cast<std::uintptr_t>(end));
}
void aligned(double *a, int n) {
// CHECK: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses the address 'a + i' as a number; use an index instead [-Rmuster-missed]
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (reinterpret_cast<std::uintptr_t>(a + i) % 64 == 0) a[i] = 1;
}
void bits(double *a, std::uintptr_t *keys, int n) {
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: uses the address 'a' as a number
#pragma omp parallel for
  for (int i = 0; i < n; ++i) keys[i] = __builtin_bit_cast(std::uintptr_t, a) + i;
}
void own(double *a, long *out, int n) {
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: compares pointers to different things, 'p != t'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double t[2] = {a[i], 1};
    double *p = i % 2 ? a + i : t;
    if (p != t) out[i] = *p;
  }
}
void copied(double *a, std::uintptr_t *keys, int n) {
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: copies the bytes of a pointer to something else; use an index instead
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double *p = a + i;
    std::memcpy(&keys[i], &p, sizeof p);
  }
}
void punned(double *a, std::uintptr_t *keys, int n) {
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: declares 'both', a union with a pointer and something else
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    union { double *pointer; std::uintptr_t number; } both;
    both.pointer = a + i;
    keys[i] = both.number;
  }
}
void unknown(double *a, long *out, int n) {
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: compares 'p', a pointer that the analysis cannot follow; use an index instead
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double *p;
    std::memset(&p, 0, sizeof p);
    out[i] = p < a + i;
  }
}
int main() {}
// The list has no name, nor have its ends.
void listed(double *a, int n) {
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: contains a range-based 'for' over a list or a range without a name
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int x : {1, 2, 3}) a[i] += x;
}
