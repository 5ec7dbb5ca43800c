// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A main() that knows nothing of Muster, nor of OpenMP.
#include <cstdio>

double *makeSquares(int n);
double sumOf(const double *values, int n);

int main(int argc, char **argv) {
  std::printf("starts with %d argument(s) after %s\n", argc - 1, argv[0] != nullptr ? "its name" : "nothing");
  double *squares = makeSquares(100);
  std::printf("sum %g, last %g\n", sumOf(squares, 100), squares[99]);
  delete[] squares;
  return 3;
}
