// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of OpenCL: options of its compiler, texts, binaries, kernels.
#pragma once

#include <string>

#include "backends/opencl/api.h"
#include "stream/driver.h"

namespace muster::cdm {

class ClPrograms {
 public:
  ClPrograms(const Driver& driver, const ClHandle& handle, cl_context context);

  // As the functions of Driver.
  [[nodiscard]] std::string optionsOf(const KernelBuild& build) const;
  Result<ClProgram> compile(const std::string& text, const std::string& options);
  ClProgram load(const std::string& binary, const std::string& options);
  std::string binaryOf(cl_program program);
  Result<ClKernel> kernelOf(cl_program program, const KernelBuild& build);

 private:
  [[nodiscard]] std::string registerOption(unsigned registers) const;
  [[nodiscard]] std::string floatOptions(const FloatRules& rules) const;
  Result<ClProgram> build(const std::string& text, const std::string& options, std::string& log);
  std::string buildLog(cl_program program);
  Result<bool> fits(cl_kernel kernel, const Axes& group) const;

  const Driver& driver_;
  ClHandle handle_;
  cl_context context_;
  std::string capability_;        // of an NVIDIA GPU, as an option for kernels
  bool roundsQuotients_ = false;  // correctly, if asked to
};

}  // namespace muster::cdm
