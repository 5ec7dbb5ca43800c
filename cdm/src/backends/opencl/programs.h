// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds kernels from OpenCL text, or from a binary on disk where the driver still takes it (not POCL's).
#pragma once

#include <filesystem>
#include <string>

#include "backends/opencl/api.h"
#include "stream/driver.h"

namespace muster::cdm {

class ClPrograms {
 public:
  ClPrograms(Driver& driver, const ClHandle& handle, cl_context context, const StreamOptions& options,
             bool keepsBinaries);

  // Driver::build and Driver::isKept.
  Result<ClKernel> build(const KernelBuild& build);
  [[nodiscard]] bool isKept(const KernelBuild& build) const;

 private:
  [[nodiscard]] std::string registerOption(const KernelCode& code, const Variant& variant) const;
  [[nodiscard]] std::string floatOptions(const FloatRules& rules) const;
  [[nodiscard]] std::string optionsOf(const KernelBuild& build) const;
  Result<ClProgram> program(const KernelCode& code, const std::string& options);
  Result<ClProgram> builtFromSource(const KernelCode& code, const std::string& options);
  Result<ClProgram> fromSource(const KernelCode& code, const std::string& options);
  Result<ClProgram> buildSource(const KernelCode& code, const std::string& options, std::string& log);
  ClProgram fromBinary(const std::string& binary, const std::string& options);
  std::string binaryOf(cl_program program);
  std::string buildLog(cl_program program);
  Result<bool> fits(cl_kernel kernel, const Axes& group) const;

  Driver& driver_;
  ClHandle handle_;
  cl_context context_;
  bool failBuilds_;
  bool keepsBinaries_;
  std::filesystem::path keptIn_;  // empty: nowhere
  BuildObserver built_;
  std::string capability_;        // of an NVIDIA GPU, as an option for kernels
  bool roundsQuotients_ = false;  // correctly, if asked to
};

}  // namespace muster::cdm
