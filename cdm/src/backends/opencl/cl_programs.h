// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels compiled for one device: kept by kernel id in the process, and as binaries on disk.
#pragma once

#include <string>
#include <unordered_map>

#include "backends/opencl/cl_binary_cache.h"
#include "backends/opencl/cl_handle.h"
#include "backends/opencl/cl_ndrange.h"
#include "backends/opencl/inventory.h"

namespace muster::cdm {

struct CompiledKernel {
  ClKernel kernel;
  Axes group = {1, 1, 1};
};

class ClPrograms {
 public:
  ClPrograms(const ClHandle& handle, cl_context context, const DeviceInfo& info, const OpenClOptions& options);

  // Compiles at the first call for this kernel. A failure is remembered: later calls return it at once.
  Result<const CompiledKernel*> get(const KernelCode& code);

 private:
  Result<CompiledKernel> compile(const KernelCode& code);
  // The kernel for one work-group size; compiled.kernel is empty if the device cannot run it that large.
  Result<CompiledKernel> compileFor(const KernelCode& code, const Axes& group);
  Result<ClProgram> program(const KernelCode& code, const std::string& options);
  Result<ClProgram> fromSource(const KernelCode& code, const std::string& options);
  ClProgram fromBinary(const std::string& binary, const std::string& options);
  std::string binaryOf(cl_program program);
  std::string buildLog(cl_program program);
  Result<bool> fits(cl_kernel kernel, const Axes& group) const;

  ClHandle handle_;
  cl_context context_;
  const DeviceInfo& info_;
  bool failBuilds_;
  ClBinaryCache binaries_;
  GroupLimits limits_;
  cl_ulong localMemory_ = 0;
  std::string mathOptions_;
  std::unordered_map<std::uint64_t, Result<CompiledKernel>> kernels_;
};

}  // namespace muster::cdm
