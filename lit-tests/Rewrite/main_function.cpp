// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file in which nothing but main concerns Muster gets its session without a further parse, in every usual form of main.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=rewrite %s 2>&1 | FileCheck %s
// RUN: echo 'int main() { return 0; }' | %muster++ -fsyntax-only -fplugin-arg-muster-print=rewrite -x c++ - 2>&1 | FileCheck --check-prefix=STDIN --allow-empty %s
// RUN: %muster-link %s -o %t && %run %t one two
// RUN: %muster++ -fsyntax-only -ftime-report %s 2>&1 | FileCheck --check-prefix=ONCE %s
// STDIN-NOT: error
#include <cstdio>
#include <cstdlib>

namespace other {
int main_like(int x) { return x; }
}  // namespace other

// A mention in a comment does not count: main.
static const char *const text = "main";

// CHECK: #include "muster/core.hpp"
// CHECK-NEXT: #line 1
// CHECK: int main(int argc, char *argv[]) { ::muster::Session muster_session(argc, argv);
int main(int argc, char *argv[]) {
  if (argc != 3 || argv[1][0] != 'o' || text[0] != 'm') return 1;
  void *memory = std::malloc(8);
  std::free(memory);
  return other::main_like(0);
}
// One compile's report: there is no nested one.
// ONCE-COUNT-1: Clang{{.*}} time report
// ONCE-NOT: Clang{{.*}} time report
