// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel and its arguments, which CUDA takes at each launch and others keep. An argument in a group's own memory is
// the offset of its bytes there (prelude.cpp: muster_dynamic).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "backends/cuda/programs.h"

namespace muster::cdm {

class CudaKernel {
 public:
  // nullptr: the device does not run groups that large.
  static Result<std::unique_ptr<CudaKernel>> find(const CudaApi& api, const CudaModule& module,
                                                  const KernelBuild& build);

  // As Driver::setArgument.
  void setArgument(std::size_t index, std::size_t bytes, const void* value);
  cuda::Error launch(const CudaApi& api, const Axes& group, const Axes& groups, cuda::Stream* stream);

 private:
  CudaKernel(CudaModule module, cuda::Function* function) : module_(std::move(module)), function_(function) {}
  std::size_t placeLocal();

  struct Argument {
    std::vector<std::byte> value;
    std::size_t localBytes = 0;  // not 0: of the group's memory
  };

  CudaModule module_;
  cuda::Function* function_;
  std::vector<Argument> arguments_;
  std::vector<void*> places_;         // of the arguments' values
  bool hasLocal_ = false;             // one of them is in the group's memory
  std::size_t mostLocal_ = 48 << 10;  // bytes that a launch may have without asking
};

}  // namespace muster::cdm
