// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For debuggers, what a loop becomes is at the loop's line, and its body where the user wrote it.
// RUN: %muster++ -O0 -g -w -c %s -o %t.o && llvm-dwarfdump --debug-line %t.o > %t.lines
// RUN: FileCheck --check-prefix=BODY %s < %t.lines
// No line behind the file's end, and none of text between the loops.
// RUN: FileCheck --allow-empty --check-prefix=NONE --input-file %t.lines %s
// BODY-DAG: {{^0x[0-9a-f]+ +20 +[0-9]+ +[01] }}
// BODY-DAG: {{^0x[0-9a-f]+ +22 +[0-9]+ +[01] }}
// BODY-DAG: {{^0x[0-9a-f]+ +29 +[0-9]+ +[01] }}
// NONE-NOT: {{^0x[0-9a-f]+ +(23|24|25|26|3[6-9]|[4-9][0-9]|[0-9]{3,}) +[0-9]+ +[01] }}
//
//
#include <cstdlib>

void step(double *u, const float *v, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double x = v[i];
    if (x > 2)  // a breakpoint here
      u[i] =
          x * 0.5;
  }



#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    u[i] += 1;
}
int main() {
#pragma ompx managed(u)
  double *u = new double[100];
  step(u, nullptr, 0);
}
