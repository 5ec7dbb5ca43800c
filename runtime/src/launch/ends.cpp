// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations that end the program: what they leave in a launch's result, and what the launch site makes of it.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>

#include "muster/abi.h"
#include "session/program/session.h"

namespace {

// The library with the calls of MPI, which MPI programs have, knows the communicator.
[[noreturn]] void abortMpi(int code) {
  using Abort = void(int);
  if (auto* const abortAll = reinterpret_cast<Abort*>(dlsym(RTLD_DEFAULT, "muster_mpi_abort"))) abortAll(code);
  std::abort();
}

}  // namespace

extern "C" void muster_combine_ends(void* into, const void* partial) {
  auto* const first = static_cast<muster_program_end*>(into);
  const auto* const next = static_cast<const muster_program_end*>(partial);
  if (first->how == MUSTER_END_NONE) {
    first->how = next->how;
    first->code = next->code;
  }
  for (int i = 0; i < MUSTER_MOST_REPORTS; ++i) first->reports[i] += next->reports[i];
}

extern "C" void muster_end_program(const muster_program_end* end) {
  switch (end->how) {
    case MUSTER_END_EXIT:
      std::exit(end->code);
    case MUSTER_END_AT_ONCE:
      _exit(end->code);
    case MUSTER_END_QUICKLY:
      std::quick_exit(end->code);
    case MUSTER_END_ABORT:
      std::abort();
    case MUSTER_END_TERMINATE:
      std::terminate();
    case MUSTER_END_MPI_ABORT:
      abortMpi(end->code);
    default:
      return;
  }
}

extern "C" void muster_end_iteration(void* result, int32_t how, int32_t code) {
  const muster_program_end wanted{how, code, {}};
  if (!muster::rt::Session::computesChunk()) muster_end_program(&wanted);
  auto& end = *static_cast<muster_program_end*>(result);
  std::int32_t none = MUSTER_END_NONE;
  if (std::atomic_ref(end.how).compare_exchange_strong(none, how)) end.code = code;
}
