// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors that clang finds only while it generates code are the user's, and are not taken for those of rewritten text.
// RUN: not %muster++ -c %s -o %t.o 2>&1 | %filecheck %s
// RUN: not %muster++ -c -DLATE %s -o %t.o 2>&1 | %filecheck --check-prefix=LATE %s
#include <immintrin.h>
void scale(double *u, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) u[i] = 2 * i;
}
#ifdef LATE
// LATE: :[[@LINE+1]]:28: error: invalid instruction mnemonic 'nosuchinstruction'
void trap() { asm volatile("nosuchinstruction"); }
// LATE: 1 error generated
#else
// CHECK: :[[@LINE+1]]:48: error: always_inline function '_mm256_zeroupper' requires target feature 'avx'
__attribute__((target("sse2"))) void clear() { _mm256_zeroupper(); }
// CHECK: 1 error generated
#endif
int main() {
#pragma omp managed(u)
  double *u = new double[100];
  scale(u, 100);
  delete[] u;
}
