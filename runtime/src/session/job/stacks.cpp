// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/job/stacks.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include <cstddef>

namespace muster::rt {
namespace {

constexpr std::size_t kSmall = std::size_t{2} << 20, kLarge = std::size_t{8} << 20;

// makecontext passes integers only.
struct Run {
  int (*main)(int, char**, char**);
  int argc;
  char** argv;
  char** environment;
  int code;
} run;

void enter() { run.code = run.main(run.argc, run.argv, run.environment); }

bool stacksAreSmall() {
  rlimit limit{};
  return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < kSmall;
}

void enlargeThreads() {
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  if (pthread_attr_setstacksize(&attributes, kLarge) == 0) pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

}  // namespace

int runOnLargeStack(int (*main)(int, char**, char**), int argc, char** argv, char** environment) {
  if (!stacksAreSmall()) return main(argc, argv, environment);
  enlargeThreads();
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  void* stack = mmap(nullptr, kLarge, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  ucontext_t here, there;
  if (stack == MAP_FAILED || getcontext(&there) != 0) return main(argc, argv, environment);
  run = {main, argc, argv, environment, 0};
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = kLarge;
  there.uc_link = &here;
  makecontext(&there, enter, 0);
  swapcontext(&here, &there);
  return run.code;
}

}  // namespace muster::rt
