// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "native/program_thread.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "muster/cdm/own_signals.h"

namespace muster::rt {
namespace {

std::size_t stackBytes() {
  constexpr std::size_t kLeast = std::size_t{16} << 20, kMost = std::size_t{1} << 30;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return kLeast;
  if (limit.rlim_cur == RLIM_INFINITY) return std::size_t{256} << 20;
  return std::clamp<std::size_t>(limit.rlim_cur, kLeast, kMost);
}

}  // namespace

Result<pthread_t> startProgramThread(const char* name, const char* what, void* (*enter)(void*), void* argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes());
  pthread_t thread{};
  const int error = [&] {
    const cdm::OwnSignalsOnly starting;
    return pthread_create(&thread, &attributes, enter, argument);
  }();
  pthread_attr_destroy(&attributes);
  if (error != 0)
    return Status(Errc::internal, std::string("starting the thread of ") + what + " failed: " + std::strerror(error));
  pthread_setname_np(thread, name);
  return thread;
}

}  // namespace muster::rt
