// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/kernel.h"

#include <cstdint>
#include <cstring>

namespace muster::cdm {

namespace {

// Of each argument, and of each in the group's memory: wide accesses are aligned.
constexpr std::size_t alignment = 16;

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

Result<std::unique_ptr<CudaKernel>> CudaKernel::find(const CudaApi& api, const CudaModule& module,
                                                     const KernelBuild& build) {
  cuda::Function* function = nullptr;
  if (const auto error = api.ModuleGetFunction(&function, module.get(), build.code.name.c_str()))
    return Status(Errc::buildFailed, cudaErrorName(api, error));
  int most = 0;
  if (const auto error = api.FuncGetAttribute(&most, cuda::maxThreadsOfFunction, function))
    return cudaStatus(api, error).at("cuFuncGetAttribute");
  const Axes& group = build.group;
  if (group[0] * group[1] * group[2] > static_cast<std::size_t>(most)) return std::unique_ptr<CudaKernel>();
  return std::unique_ptr<CudaKernel>(new CudaKernel(module, function));
}

// One that grows lies behind the others from then on.
void CudaKernel::makeRoom(std::size_t index, std::size_t bytes) {
  if (index >= places_.size()) {
    places_.resize(index + 1);
    sizes_.resize(index + 1);
    localBytes_.resize(index + 1);
    addresses_.resize(index + 1);
  }
  if (bytes <= sizes_[index]) return;
  places_[index] = aligned(values_.size());
  sizes_[index] = bytes;
  values_.resize(places_[index] + bytes);
  for (std::size_t i = 0; i < places_.size(); ++i) addresses_[i] = values_.data() + places_[i];
}

void CudaKernel::setArgument(std::size_t index, std::size_t bytes, const void* value) {
  makeRoom(index, value == nullptr ? sizeof(std::uint64_t) : bytes);
  localBytes_[index] = value == nullptr ? bytes : 0;
  if (value != nullptr) std::memcpy(addresses_[index], value, bytes);
  hasLocal_ |= value == nullptr;
}

// How many bytes of the group's memory they take in all.
std::size_t CudaKernel::placeLocal() {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (localBytes_[i] == 0) continue;
    std::memcpy(addresses_[i], &bytes, sizeof bytes);
    bytes += aligned(localBytes_[i]);
  }
  return bytes;
}

cuda::KernelNode CudaKernel::node(const Axes& group, const Axes& groups) {
  const auto number = [](std::size_t value) { return static_cast<unsigned>(value); };
  return {.function = function_,
          .groups = {number(groups[0]), number(groups[1]), number(groups[2])},
          .group = {number(group[0]), number(group[1]), number(group[2])},
          .localBytes = number(hasLocal_ ? placeLocal() : 0),
          .arguments = addresses_.data()};
}

cuda::Error CudaKernel::allow(const CudaApi& api, const cuda::KernelNode& node) {
  if (node.localBytes <= mostLocal_) return cuda::success;
  const auto error = api.FuncSetAttribute(function_, cuda::dynamicSharedMemory, static_cast<int>(node.localBytes));
  if (error == cuda::success) mostLocal_ = node.localBytes;
  return error;
}

cuda::Error launch(const CudaApi& api, const cuda::KernelNode& node, cuda::Stream* stream) {
  const auto& [function, groups, group, localBytes, arguments, extra] = node;
  return api.LaunchKernel(function, groups[0], groups[1], groups[2], group[0], group[1], group[2], localBytes, stream,
                          arguments, extra);
}

}  // namespace muster::cdm
