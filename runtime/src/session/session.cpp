// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begin and end of the session.
#include "session/session.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "registry/registry.h"

namespace muster::rt {
namespace {

[[noreturn]] void refuse(const Status& status, int code) {
  fmt::print(stderr, "muster: error: {}\n", status.message());
  std::exit(code);
}

}  // namespace

std::atomic<Session*> Session::current_{nullptr};

void Session::begin(int*, char***) {
  if (current() != nullptr) return;
  Result<Config> config = parseConfig(environmentAssignments());
  if (!config.ok()) refuse(config.status(), kExitConfig);
  if (const Status status = registry().status(); !status.ok()) refuse(status, kExitMismatch);
  current_.store(new Session(std::move(*config)), std::memory_order_release);
  std::atexit([] { Session::end(); });
}

void Session::end() { delete current_.exchange(nullptr); }

}  // namespace muster::rt
