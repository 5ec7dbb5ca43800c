// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds kernels from their texts, or from a binary on disk where the driver still takes it.
#pragma once

#include <filesystem>
#include <string>

#include "stream/driver.h"
#include "stream/options.h"

namespace muster::cdm {

class Builds {
 public:
  Builds(Driver& driver, const StreamOptions& options);

  // nullptr: the device does not run groups that large. May take seconds.
  Result<Owned<DriverKernel>> build(const KernelBuild& build);
  // An earlier run did that.
  [[nodiscard]] bool isKept(const KernelBuild& build) const;

 private:
  Result<Owned<DriverProgram>> program(const KernelCode& code, const std::string& options);
  Result<Owned<DriverProgram>> compile(const KernelCode& code, const std::string& options);
  [[nodiscard]] bool isToFail(const KernelCode& code) const;

  Driver& driver_;
  bool failBuilds_;
  std::filesystem::path keptIn_;  // empty: nowhere
  BuildObserver built_;
};

}  // namespace muster::cdm
