// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local alignment of two DNA sequences by Smith and Waterman with Gotoh's affine gaps: the best score and where it
// ends. A wavefront: all cells of an anti-diagonal are independent, and need the two before it only, so three
// diagonals are kept, indexed by the row. Arguments: length of the first, of the second sequence.
#include <utility>

#include "sample.h"

namespace {

constexpr int match = 5, mismatch = -4, gapOpen = -10, gapExtend = -1;
constexpr int never = -1000000000;

// Where the best cell is, in one number whose order is: higher score, then lower row, then lower column.
constexpr long long keyOf(int score, int i, int j) {
  return ((long long)score << 42) | ((long long)(0x1fffff - i) << 21) | (0x1fffff - j);
}

// Rows [low, high] of diagonal d: row i meets column d - i, both from 1.
long long diagonal(const char* a, const char* b, const int* before, const int* previous, int* current, int* left,
                   const int* up, int* nextUp, int d, int low, int high) {
  long long best = 0;
#pragma omp parallel for reduction(max : best)
  for (int i = low; i <= high; ++i) {
    const int j = d - i;
    int e = left[i] + gapExtend;
    if (previous[i] + gapOpen > e) e = previous[i] + gapOpen;
    int f = up[i - 1] + gapExtend;
    if (previous[i - 1] + gapOpen > f) f = previous[i - 1] + gapOpen;
    int h = before[i - 1] + (a[i - 1] == b[j - 1] ? match : mismatch);
    if (h < 0) h = 0;
    if (e > h) h = e;
    if (f > h) h = f;
    left[i] = e;
    nextUp[i] = f;
    current[i] = h;
    const long long key = keyOf(h, i, j);
    if (h > 0 && key > best) best = key;
  }
  return best;
}

void generate(char* sequence, int length, unsigned seed) {
  for (int i = 0; i < length; ++i) {
    seed = seed * 1664525u + 1013904223u;
    sequence[i] = "ACGT"[seed >> 30];
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int m = (int)numberArgument(argc, argv, 1, "length of the first sequence", 600, 1, 2000000);
  const int n = (int)numberArgument(argc, argv, 2, "length of the second sequence", 500, 1, 2000000);

#pragma omp alloc_start
#pragma omp managed(a)
  char* a = new char[m];
#pragma omp managed(b)
  char* b = new char[n];
#pragma omp managed(before, previous, current)
  int *before = new int[m + 1](), *previous = new int[m + 1](), *current = new int[m + 1]();
#pragma omp managed(left, up, nextUp)
  int *left = new int[m + 1], *up = new int[m + 1], *nextUp = new int[m + 1];
#pragma omp alloc_end

  generate(a, m, 1);
  generate(b, n, 2);
  // A stretch of `a` appears in `b` with every 50th letter changed: the alignment to be found.
  for (int i = 0; i < m / 3 && i < n / 2; ++i) b[n / 4 + i] = i % 50 == 49 ? 'A' : a[m / 3 + i];
  for (int i = 0; i <= m; ++i) left[i] = up[i] = nextUp[i] = never;

  long long best = 0;
  const double start = secondsNow();
  for (int d = 2; d <= m + n; ++d) {
    const int low = d - n > 1 ? d - n : 1, high = d - 1 < m ? d - 1 : m;
    const long long found = diagonal(a, b, before, previous, current, left, up, nextUp, d, low, high);
    if (found > best) best = found;
    std::swap(before, previous);
    std::swap(previous, current);
    std::swap(up, nextUp);
  }
  printTime("smith-waterman", secondsNow() - start, m + n - 1);

  const int score = (int)(best >> 42), row = 0x1fffff - (int)(best >> 21 & 0x1fffff),
            column = 0x1fffff - (int)(best & 0x1fffff);
  printf("smith-waterman: %d x %d, best score %d, ending at %d and %d\n", m, n, score, row, column);
  delete[] a;
  delete[] b;
  for (int* diagonals : {before, previous, current, left, up, nextUp}) delete[] diagonals;
  return 0;
}
