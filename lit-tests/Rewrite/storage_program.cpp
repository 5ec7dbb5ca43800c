// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// main gets a session, whatever its form.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=rewrite -DARGUMENTS %s 2>&1 | FileCheck --check-prefix=ARGUMENTS %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=rewrite -DNONE %s 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=rewrite -DUNNAMED %s 2>&1 | FileCheck --check-prefix=UNNAMED %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=rewrite -DCONSTANT %s 2>&1 | FileCheck --check-prefix=CONSTANT %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=rewrite -DENVIRONMENT %s 2>&1 | FileCheck --check-prefix=ENVIRONMENT %s
// RUN: %muster++ -fsyntax-only -DTRY %s 2>&1 | %filecheck --allow-empty --check-prefix=TRY %s
// RUN: %muster++ -fsyntax-only -DMACRO %s 2>&1 | %filecheck --allow-empty --check-prefix=MACRO %s
#if defined(ARGUMENTS)
int main(int count, char *values[]) {
  // ARGUMENTS: int main(int count, char *values[]) { ::muster::Session muster_session(count, values);
  return count == 0 && values;
}
#elif defined(NONE)
auto main() -> int
{
  // NONE: auto main() -> int
  // NONE-NEXT: { ::muster::Session muster_session;
}
#elif defined(UNNAMED)
int main(int, char **) { return 0; }
// UNNAMED: int main(int, char **) { ::muster::Session muster_session; return 0; }
#elif defined(CONSTANT)
int main(const int argc, const char *const *argv) { return argc != 0 && argv ? 0 : 1; }
// CONSTANT: int main(const int argc, const char *const *argv) { ::muster::Session muster_session; return
#elif defined(ENVIRONMENT)
int main(int argc, char **argv, char **) { return argc != 0 && argv ? 0 : 1; }
// ENVIRONMENT: { ::muster::Session muster_session(argc, argv); return
#elif defined(TRY)
// The runtime begins the session of this one and of the next.
// TRY-NOT: remark
int main() try {
  return 0;
} catch (...) {
  return 1;
}
#elif defined(MACRO)
#define BODY { return 0; }
// MACRO-NOT: remark
int main() BODY
#endif
