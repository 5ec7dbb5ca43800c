// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The signals of the runtime's own threads.
#pragma once

#include <signal.h>

#include <initializer_list>

namespace muster::cdm {

// While it lives, threads that are started take those signals only that their own errors raise. The program's are for
// its own threads.
class OwnSignalsOnly {
 public:
  OwnSignalsOnly() {
    sigset_t all;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~OwnSignalsOnly() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  OwnSignalsOnly(const OwnSignalsOnly&) = delete;
  OwnSignalsOnly& operator=(const OwnSignalsOnly&) = delete;

 private:
  sigset_t before_;
};

}  // namespace muster::cdm
