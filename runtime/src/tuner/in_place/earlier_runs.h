// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs of a program showed (tuner/in_place/run_history.h), kept in the cache directory for the next ones, as JSON:
// a file for each program and machine, in it an entry for each first loop, which tells inputs of different sizes apart.
//
// Runs that end at the same time overwrite each other's entries. Thread-safety: none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "muster/cdm/status.h"
#include "tuner/in_place/run_history.h"

namespace muster::rt {

class EarlierRuns {
 public:
  // directory: empty: nothing is known or kept. key: all that speeds depend on but loops and their sizes.
  EarlierRuns(const std::filesystem::path& directory, std::string key);

  // Nothing, where there is none, or the file is damaged: the next write replaces it.
  [[nodiscard]] RunHistory find(std::uint64_t firstLoop) const;
  Status write(std::uint64_t firstLoop, const RunHistory& history) const;

 private:
  const std::string key_;
  std::filesystem::path file_;
};

}  // namespace muster::rt
