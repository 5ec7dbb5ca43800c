// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Session: everything that one run of a program owns. The extern "C" entry points find it through one pointer.
#pragma once

#include <atomic>

#include "config/config.h"

namespace muster::rt {

// Exit codes of a job that Muster ends.
inline constexpr int kExitConfig = 2;    // a MUSTER_* variable
inline constexpr int kExitMismatch = 3;  // parts of different builds
inline constexpr int kExitFailure = 4;   // a device, a rank or the runtime failed

class Session {
 public:
  explicit Session(Config config) : config_(std::move(config)) {}

  // The program's session; nullptr before it begins and after it ends.
  [[nodiscard]] static Session* current() { return current_.load(std::memory_order_acquire); }
  static void begin(int* argc, char*** argv);
  static void end();

 private:
  static std::atomic<Session*> current_;

  Config config_;
};

}  // namespace muster::rt
