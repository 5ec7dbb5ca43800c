// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles that Muster cannot serve say so once, and clang never sees a directive that it does not know.
// RUN: %clang -fplugin=%plugin -fsyntax-only %s 2>&1 | %filecheck --check-prefix=OPENMP %s
// RUN: not %clang -fplugin=%plugin -Werror -fsyntax-only %s 2>&1 | %filecheck --check-prefix=WERROR %s
// RUN: %clang -fplugin=%plugin -w -fsyntax-only %s 2>&1 | %filecheck --allow-empty --check-prefix=SILENT %s
// RUN: %cc -x c -std=gnu89 -fsyntax-only %s 2>&1 | %filecheck --check-prefix=C %s
// RUN: %muster++ -std=c++98 -fsyntax-only %s 2>&1 | %filecheck --check-prefix=CXX98 %s
// RUN: %muster++ -Xclang -fopenmp-is-target-device -fsyntax-only %s 2>&1 | %filecheck --check-prefix=OFFLOAD %s
// RUN: %muster++ -E %s -o %t.ii
// RUN: %muster++ -fsyntax-only %t.ii 2>&1 | %filecheck --check-prefix=PREPROCESSED %s
// RUN: FileCheck --check-prefix=PASSED %s < %t.ii
// PASSED: #pragma omp managed(a)
// OPENMP: :[[@LINE+7]]:1: warning: muster: -fopenmp is missing; directives are ignored
// WERROR: :[[@LINE+6]]:1: error: muster: -fopenmp is missing; directives are ignored
// SILENT-NOT: muster
// C: :[[@LINE+4]]:1: warning: muster: C sources are served from C99 on (-std=c99 or later); directives are ignored
// CXX98: :[[@LINE+3]]:1: warning: muster: C++ sources are served from C++11 on (-std=c++11 or later); directives are ignored
// OFFLOAD: warning: muster: directives are ignored for offload targets
// PREPROCESSED: warning: muster: preprocessed sources (-save-temps) cannot be rewritten; directives are ignored, loops stay plain OpenMP
#pragma omp managed(a)
double a[4];
#pragma omp managed(b)
double b[4];
#ifdef __MUSTER__
#error not active here
#endif
