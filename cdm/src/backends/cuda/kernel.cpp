// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/kernel.h"

#include <cstdint>
#include <cstring>

namespace muster::cdm {

namespace {

// Of each argument in the group's memory: wide accesses are aligned.
constexpr std::size_t localAlignment = 16;

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

void CudaKernel::setArgument(std::size_t index, std::size_t bytes, const void* value) {
  if (index >= arguments_.size()) {
    arguments_.resize(index + 1);
    places_.resize(index + 1);
  }
  Argument& argument = arguments_[index];
  argument.localBytes = value == nullptr ? bytes : 0;
  argument.value.resize(value == nullptr ? sizeof(std::uint64_t) : bytes);
  if (value != nullptr) std::memcpy(argument.value.data(), value, bytes);
  places_[index] = argument.value.data();
  hasLocal_ |= value == nullptr;
}

// How many bytes of the group's memory they take in all.
std::size_t CudaKernel::placeLocal() {
  std::uint64_t bytes = 0;
  for (Argument& argument : arguments_) {
    if (argument.localBytes == 0) continue;
    std::memcpy(argument.value.data(), &bytes, sizeof bytes);
    bytes += (argument.localBytes + localAlignment - 1) / localAlignment * localAlignment;
  }
  return bytes;
}

cuda::Error CudaKernel::launch(const CudaApi& api, const Axes& group, const Axes& groups, cuda::Stream* stream) {
  const std::size_t local = hasLocal_ ? placeLocal() : 0;
  if (local > mostLocal_) {
    if (const auto error = api.FuncSetAttribute(function_, cuda::dynamicSharedMemory, static_cast<int>(local)))
      return error;
    mostLocal_ = local;
  }
  const auto number = [](std::size_t value) { return static_cast<unsigned>(value); };
  return api.LaunchKernel(function_, number(groups[0]), number(groups[1]), number(groups[2]), number(group[0]),
                          number(group[1]), number(group[2]), number(local), stream, places_.data(), nullptr);
}

}  // namespace muster::cdm
