// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Somebody who sits at a terminal is told, once, why a program seems to stand still. Thread-safe.
#pragma once

#include <cstdio>
#include <functional>
#include <mutex>
#include <string>

#include "config/config.h"

namespace muster::rt {

class Patience {
 public:
  static constexpr double defaultSeconds = 2;
  // out: nullptr where nobody reads it.
  explicit Patience(std::FILE* out, double seconds = defaultSeconds) : out_(out), left_(seconds) {}
  // Standard error of rank 0, where it is a terminal and MUSTER_INFO is not 0.
  static Patience atTerminal(const Config& config, int rank) { return Patience(terminal(config, rank)); }

  // Another part took so long. text: what to say, asked for once all parts together were too long.
  void strain(double seconds, const std::function<std::string()>& text);

 private:
  static std::FILE* terminal(const Config& config, int rank);

  std::FILE* out_;
  std::mutex mutex_;
  double left_;
};

}  // namespace muster::rt
