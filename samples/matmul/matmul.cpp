// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix multiplication C = A B of n x n floats, as a textbook writes it: once with the rows of C in parallel, once
// with all elements of C in parallel (collapse). Arguments: n, steps, "rows" or "collapse" (both without it).
#include "sample.h"

namespace {

void multiplyRows(const float* a, const float* b, float* c, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[(size_t)i * n + k] * b[(size_t)k * n + j];
      c[(size_t)i * n + j] = sum;
    }
}

void multiplyElements(const float* a, const float* b, float* c, int n) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[(size_t)i * n + k] * b[(size_t)k * n + j];
      c[(size_t)i * n + j] = sum;
    }
}

}  // namespace

int main(int argc, char** argv) {
  const int n = (int)numberArgument(argc, argv, 1, "the size", 384, 1, 65536);
  const int steps = (int)numberArgument(argc, argv, 2, "steps", 2, 1, 1000000);
  const char* variant = argc > 3 ? argv[3] : "both";
  const bool rows = strcmp(variant, "collapse") != 0, elements = strcmp(variant, "rows") != 0;
  if (rows && elements && strcmp(variant, "both") != 0) {
    fprintf(stderr, "%s: '%s' is neither rows nor collapse nor both\n", argv[0], variant);
    return 2;
  }
  const size_t count = (size_t)n * n;

#pragma omp alloc_start
#pragma omp managed(a)
  float* a = new float[count];
#pragma omp managed(b)
  float* b = new float[count];
#pragma omp managed(c)
  float* c = new float[count];
#pragma omp alloc_end

#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      a[(size_t)i * n + j] = (float)((i * 7 + j * 13) % 101) / 101.0f;
      b[(size_t)i * n + j] = (float)((i * 11 + j * 5) % 97) / 97.0f;
    }

  if (rows) {
    multiplyRows(a, b, c, n);  // not timed: kernels are built, arrays are spread
    const double start = secondsNow();
    for (int step = 0; step < steps; ++step) multiplyRows(a, b, c, n);
    const float corner = c[count - 1];
    printTime("matmul rows", secondsNow() - start, steps);
    printf("matmul rows: n = %d, last element %.9g, checksum %016llx\n", n, corner, checksum(c, count * sizeof *c));
  }
  if (elements) {
    multiplyElements(a, b, c, n);
    const double start = secondsNow();
    for (int step = 0; step < steps; ++step) multiplyElements(a, b, c, n);
    const float corner = c[count - 1];
    printTime("matmul collapse", secondsNow() - start, steps);
    printf("matmul collapse: n = %d, last element %.9g, checksum %016llx\n", n, corner, checksum(c, count * sizeof *c));
  }
  delete[] a;
  delete[] b;
  delete[] c;
  return 0;
}
