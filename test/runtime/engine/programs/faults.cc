// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that computes for a while, or ends early, so that faults.py can see what users see.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels.h"

int main(int argc, char** argv) {
  muster_session_begin(&argc, &argv);
  const char* how = argc > 1 ? argv[1] : "once";
  constexpr long n = 100000;
  auto* x = static_cast<int*>(muster_array_create(&programs::siteX, n));
  programs::axpy(x, n, 1);
  if (std::strcmp(how, "exit") == 0) std::exit(7);  // without the session's end
  std::printf("running\n");
  std::fflush(stdout);
  if (std::strcmp(how, "forever") == 0) {
    for (;;) programs::axpy(x, n, 1);
  }
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += x[i];
  std::printf("sum %ld\n", sum);
  muster_free(x);
  muster_session_end();
  return sum == n * (n - 1) / 2 ? 0 : 1;
}
