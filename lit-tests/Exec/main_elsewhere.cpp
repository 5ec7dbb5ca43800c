// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The unit with main() has no directive, so the plugin leaves it as it is; still only rank 0 runs it, and its exit code is
// the program's.
//
// RUN: %plain -O1 %s %S/Inputs/main_without_directives.cpp -o %t.plain && not %run %t.plain one two > %t.expected
// RUN: %muster-link -O1 %s %S/Inputs/main_without_directives.cpp -o %t.muster && not %run %t.muster one two | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 sh -c '%t.muster one two || test $? = 3' | diff %t.expected -
double *makeSquares(int n) {
#pragma ompx managed(squares)
  double *squares = new double[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) squares[i] = static_cast<double>(i) * i;
  return squares;
}
double sumOf(const double *values, int n) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += values[i];
  return sum;
}
