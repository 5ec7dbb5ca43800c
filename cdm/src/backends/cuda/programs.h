// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of CUDA: options of NVRTC, texts, binaries for the card at hand, kernels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/api.h"
#include "stream/driver.h"

namespace muster::cdm {

// Owned by its program and by its kernels.
using CudaModule = std::shared_ptr<cuda::Module>;

struct CudaProgram {
  CudaModule module;
  std::string binary;
};

// The device's context is current while a member is called.
class CudaPrograms {
 public:
  CudaPrograms(const CudaHandle& handle, cuda::Context* context);

  // As the functions of Driver.
  [[nodiscard]] std::string optionsOf(const KernelBuild& build) const;
  Result<CudaProgram> compile(const std::string& text, const std::string& options) const;
  // Without a module if the driver refuses the binary.
  [[nodiscard]] CudaProgram load(std::string binary) const;

 private:
  // nullptr and `error` if the driver refuses it.
  CudaModule moduleOf(const std::string& binary, cuda::Error& error) const;
  [[nodiscard]] std::string compilerLog(cuda::Program* program) const;

  CudaHandle handle_;
  cuda::Context* context_;
  std::string target_;  // options for the card
  bool isKnown_;        // NVRTC makes binaries for it; else an intermediate text, which the driver compiles
};

}  // namespace muster::cdm
