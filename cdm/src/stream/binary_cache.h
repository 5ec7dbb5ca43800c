// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Program binaries on disk. Files are checked before a driver sees them, and replaced as a whole.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace muster::cdm {

class BinaryCache {
 public:
  // An empty directory: nothing is ever found or kept. `prefix`: of the files' names, one for each backend.
  BinaryCache(std::filesystem::path directory, std::string prefix, std::function<void(const std::string&)> warn)
      : directory_(std::move(directory)), prefix_(std::move(prefix)), warn_(std::move(warn)) {}

  // `key`: all that the binary depends on (text, options, device, driver). "" if there is no sound entry.
  [[nodiscard]] std::string load(const std::string& key) const;
  // A cache that cannot be written is worth one warning, not an error.
  void store(const std::string& key, const std::string& binary);

  [[nodiscard]] std::filesystem::path fileFor(const std::string& key) const;

 private:
  std::filesystem::path directory_;
  std::string prefix_;
  std::function<void(const std::string&)> warn_;
  bool warned_ = false;
};

}  // namespace muster::cdm
