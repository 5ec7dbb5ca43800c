// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel and its arguments, which CUDA takes at each launch and others keep. An argument in a group's own memory is
// the offset of its bytes there (prelude.cpp: muster_dynamic).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
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
  // The launch that the arguments are for now. It points to them.
  [[nodiscard]] cuda::KernelNode node(const Axes& group, const Axes& groups);
  // Lets the kernel have as much of a group's memory as the launch asks for.
  cuda::Error allow(const CudaApi& api, const cuda::KernelNode& node);

  [[nodiscard]] const CudaModule& module() const { return module_; }
  // Of all arguments; `places` has where each lies among them.
  [[nodiscard]] std::span<const std::byte> values() const { return values_; }
  [[nodiscard]] std::span<const std::size_t> places() const { return places_; }

 private:
  CudaKernel(CudaModule module, cuda::Function* function) : module_(std::move(module)), function_(function) {}
  std::size_t placeLocal();
  void makeRoom(std::size_t index, std::size_t bytes);

  CudaModule module_;
  cuda::Function* function_;
  std::vector<std::byte> values_;
  std::vector<std::size_t> places_, sizes_, localBytes_;  // by index; localBytes not 0: of the group's memory
  std::vector<void*> addresses_;
  bool hasLocal_ = false;             // one of them is in the group's memory
  std::size_t mostLocal_ = 48 << 10;  // bytes that a launch may have without asking
};

cuda::Error launch(const CudaApi& api, const cuda::KernelNode& node, cuda::Stream* stream);

}  // namespace muster::cdm
