// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options that change what a compile writes or how it reports: the plugin neither crashes nor writes twice.
// RUN: rm -rf %t && mkdir -p %t && cp %s %t/main.cpp && sed 's/int main/int other/;s/sum(/more(/' %s > %t/second.cpp && cd %t
// RUN: %muster++ -ftime-trace -c main.cpp -o trace.o && FileCheck --check-prefix=TRACE %s < trace.json
// RUN: %muster++ -ftime-report -c main.cpp -o report.o 2>&1 | FileCheck --check-prefix=REPORT %s
// RUN: %muster++ -fdiagnostics-format=sarif -Wno-sarif-format-unstable -Wall -c main.cpp -o sarif.o 2>&1 | FileCheck --check-prefix=SARIF %s
// RUN: %muster++ -serialize-diagnostics main.dia -c main.cpp -o dia.o && test -s main.dia
// RUN: %muster++ -DBAD -Wall -Xclang -verify -c main.cpp -o verify.o
// RUN: not %muster++ -Wall -Xclang -verify=other -c main.cpp -o verify.o 2>&1 | FileCheck --check-prefix=VERIFY %s
// RUN: %muster++ -emit-llvm -c main.cpp -o main.bc && llvm-dis < main.bc | FileCheck --check-prefix=LAUNCH %s
// RUN: %muster++ -Xclang -emit-llvm-only -c main.cpp && %muster++ -Xclang -emit-codegen-only -c main.cpp && %muster++ -Xclang -fixit -c main.cpp && diff %s main.cpp
// RUN: %muster++ -MMD -MF main.d -MT target -MJ main.json -c main.cpp -o deps.o && FileCheck --check-prefix=DEPENDS %s < main.d && FileCheck --check-prefix=DATABASE %s < main.json
// RUN: %muster-link main.cpp second.cpp -o program && %run ./program | FileCheck --check-prefix=RUNS %s
// RUN: sed 's/return total/return undeclared/' second.cpp > broken.cpp
// RUN: not %muster++ -c main.cpp broken.cpp second.cpp 2>&1 | FileCheck --check-prefix=BROKEN %s && test -s main.o && test -s second.o
// RUN: %muster-link -O1 -flto=thin main.cpp -o lto -### && %muster++ -flto=thin -c main.cpp -o lto.o && llvm-dis < lto.o | FileCheck --check-prefix=LAUNCH %s
// RUN: %muster++ -x c++ -S -o - - < main.cpp | FileCheck --check-prefix=LAUNCH %s
// RUN: %muster++ -fprofile-instr-generate -fcoverage-mapping -fno-exceptions -fno-rtti -fvisibility=hidden -ftrapv -march=native -gsplit-dwarf -c main.cpp -o flags.o
// RUN: %muster++ -Domp=parallel -Dmanaged=shared -c main.cpp -o macros.o
// TRACE: "name":"Frontend"
// REPORT-COUNT-1: Clang{{.*}} time report
// REPORT-NOT: Clang{{.*}} time report
// SARIF: {"$schema":
// SARIF-NOT: $schema
// VERIFY: error: no expected directives found
// LAUNCH: muster_launch
// DEPENDS: target: main.cpp
// DATABASE: "file": "main.cpp"
// BROKEN-COUNT-1: use of undeclared identifier 'undeclared'
// RUNS: 9900
#include <cstdio>
double sum(int n) {
#ifdef BAD
  int nobody;  // expected-warning {{unused variable 'nobody'}}
#endif
#pragma omp managed(u)
  double *u = new double[n];
  double total = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) u[i] = 2.0 * i;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < n; ++i) total += u[i];
  delete[] u;
  return total;
}
int main() { std::printf("%g\n", sum(100)); }
