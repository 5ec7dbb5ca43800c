// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/patience.h"

#include <fmt/format.h>
#include <unistd.h>

namespace muster::rt {

std::FILE* Patience::terminal(const Config& config, int rank) {
  return config.notices && rank == 0 && isatty(STDERR_FILENO) != 0 ? stderr : nullptr;
}

void Patience::strain(double seconds, const std::function<std::string()>& text) {
  const std::lock_guard lock(mutex_);
  if (out_ == nullptr) return;
  left_ -= seconds;
  if (left_ > 0) return;
  fmt::print(out_, "muster: {}\n", text());
  out_ = nullptr;
}

}  // namespace muster::rt
