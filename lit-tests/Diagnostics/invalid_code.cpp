// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Invalid code around directives and loops: clang's own errors, each once, and nothing else.
// RUN: rm -rf %t && mkdir -p %t && cp %s %t/main.cpp && cd %t
// RUN: not %muster++ -fsyntax-only -ferror-limit=0 main.cpp 2> ours
// RUN: not %muster++ -c -ferror-limit=0 main.cpp -o main.o 2> compiled && diff ours compiled
// RUN: sed 's/^#pragma omp managed.*/                      /' -i main.cpp && not %plain -fsyntax-only -ferror-limit=0 main.cpp 2> plain
// RUN: diff plain ours && FileCheck %s < ours
// RUN: not %muster++ -c -ferror-limit=1 %s -o cut.o 2>&1 | FileCheck --check-prefix=LIMIT %s
// RUN: sed 's/managed(a)/managed(a/' %s > cut.cpp && not %muster++ -fsyntax-only cut.cpp 2>&1 | FileCheck --check-prefix=SYNTAX %s
// RUN: printf 'void f() {\n#pragma omp managed(a)\n' > cut.cpp && not %muster++ -fsyntax-only cut.cpp 2>&1 | %filecheck --check-prefix=CUT %s
// RUN: printf '#pragma omp managed(' > cut.cpp && not %muster++ -fsyntax-only cut.cpp 2>&1 | %filecheck --check-prefix=HALF %s
// RUN: printf 'int main() {\n#pragma omp parallel for\n}' > cut.cpp && not %muster++ -fsyntax-only cut.cpp 2>&1 | %filecheck --check-prefix=NOLOOP %s
// RUN: printf '' > cut.cpp && %muster++ -c cut.cpp -o cut.o && printf '// \\' > cut.cpp && %muster++ -c cut.cpp -o cut.o 2>&1 | FileCheck --allow-empty --check-prefix=QUIET %s
// RUN: printf '\0\377#pragma omp managed(a)\n#\n#pragma\n#pragma omp\n' > cut.cpp && not %muster++ -fsyntax-only -w cut.cpp 2>&1 | FileCheck --check-prefix=BYTES %s
// LIMIT-COUNT-1: error: unknown type name 'Missing'
// SYNTAX: error: expected ',' or ')'
// CUT: error: expected '}'
// HALF: error: expected the name of an array, found the end of the line
// NOLOOP: error: expected statement
// QUIET-NOT: muster
// BYTES: error:
// CHECK: unknown type name 'Missing'
// CHECK: use of undeclared identifier 'undeclared'
// CHECK: use of undeclared identifier 'lost'
// CHECK: expected 2 for loops

Missing *global;
template <class T>
struct Broken : T::Type {
  Absent member[4];
  void run();
};
void loops(int n) {
#pragma omp managed(a)
  double *a = undeclared;
  Broken<int> *broken = nullptr;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = lost[i];
    broken->none = 1;
  }
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i) a[i] = 0;
}
