// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels compiled for one device: kept by kernel id in the process, and as binaries on disk (not POCL's).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/opencl/cl_arguments.h"
#include "backends/opencl/cl_binary_cache.h"
#include "backends/opencl/cl_handle.h"
#include "backends/opencl/cl_ndrange.h"
#include "backends/opencl/inventory.h"

namespace muster::cdm {

struct CompiledKernel {
  ClKernel kernel;
  mutable ClArguments arguments;  // as they were set last
  Axes group = {1, 1, 1};
  Axes tile = {1, 1, 1};   // iterations that one work-group covers, per axis
  Axes shift = {0, 0, 0};  // so many at most may the first work-item of an axis begin in front of them
  bool isPrivate = false;  // work-groups collect updates; each may run iterations a whole NDRange apart
};

class ClPrograms {
 public:
  ClPrograms(const ClHandle& handle, cl_context context, const DeviceInfo& info, const OpenClOptions& options);

  // Compiles at the first call for this kernel. A failure is remembered: later calls return it at once. `iterations`
  // of the whole launch decide whether several a work-item leave enough work-items to fill the device.
  // Without a launch, whose scalars and arrays are not known yet: what most launches need. `rowLength`: elements for
  // each iteration of the schedule's row_array.
  Result<const CompiledKernel*> get(const KernelCode& code, double iterations, const KernelLaunch* launch = nullptr,
                                    double rowLength = MUSTER_SHORTEST_RAGGED_ROW);
  // The kernel whose work-groups collect updates in local memory (Schedule::privatized), of a part of the arrays at a
  // time.
  Result<const CompiledKernel*> getPrivate(const KernelCode& code, bool inParts) {
    return get(code, Variant{1, inParts ? Form::parts : Form::collecting, {}});
  }
  [[nodiscard]] KernelForms forms() const { return forms_; }
  // Bytes of local memory that work-groups of such a kernel may have; 0: the device does not gain.
  [[nodiscard]] std::size_t privateRoom() const;
  // So many iterations leave no part of the device idle.
  [[nodiscard]] bool fillsDevice(double iterations) const;

 private:
  // Parts of the text: an iteration or several beside each other, or what its macros MUSTER_PRIVATE, _TILES, _BLOCKS
  // are for (muster_schedule).
  enum class Form : std::uint8_t { plain, collecting, parts, tiled, grouped, blocks };
  static constexpr bool isCollecting(Form form) { return form == Form::collecting || form == Form::parts; }
  struct Variant {
    std::size_t points = 1;
    Form form = Form::plain;
    std::vector<std::int64_t> constants = {};  // values of the schedule's constants that the text is built for
    std::uint8_t number = 0;                   // the value of MUSTER_BLOCKS or MUSTER_TILES
    auto operator<=>(const Variant&) const = default;
  };
  // nullptr: the variant runs no blocks.
  static const muster_blocks* blocksOf(const KernelCode& code, const Variant& variant);
  Result<const CompiledKernel*> get(const KernelCode& code, const Variant& variant);
  Result<CompiledKernel> compile(const KernelCode& code, const Variant& variant);
  // The kernel for one work-group size; compiled.kernel is empty if the device cannot run it that large.
  Result<CompiledKernel> compileFor(const KernelCode& code, const Axes& group, const Variant& variant);
  [[nodiscard]] std::string floatOptions(const FloatRules& rules) const;
  Result<ClProgram> program(const KernelCode& code, const std::string& options);
  Result<ClProgram> builtFromSource(const KernelCode& code, const std::string& options);
  Result<ClProgram> fromSource(const KernelCode& code, const std::string& options);
  Result<ClProgram> buildSource(const KernelCode& code, const std::string& options, std::string& log);
  ClProgram fromBinary(const std::string& binary, const std::string& options);
  std::string binaryOf(cl_program program);
  std::string buildLog(cl_program program);
  [[nodiscard]] std::size_t pointsFor(const KernelCode& code, double iterations) const;
  // Forms with local memory: GPUs gain by them.
  [[nodiscard]] bool usesLocalForms() const;
  [[nodiscard]] bool mayBuildFor(const KernelCode& code, const Variant& variant) const;
  [[nodiscard]] Variant variantFor(const KernelCode& code, double iterations, const KernelLaunch* launch,
                                   double rowLength) const;
  [[nodiscard]] std::uint8_t blocksFor(const KernelCode& code, double iterations, const KernelLaunch* launch) const;
  Result<bool> fits(cl_kernel kernel, const Axes& group) const;

  ClHandle handle_;
  cl_context context_;
  const DeviceInfo& info_;
  bool failBuilds_;
  KernelForms forms_;
  bool keepsBinaries_;
  ClBinaryCache binaries_;
  std::filesystem::path keptIn_;  // empty: nowhere
  BuildObserver built_;
  decltype(OpenClOptions::warn) warn_;
  GroupLimits limits_;
  cl_ulong localMemory_ = 0;
  bool roundsQuotients_ = false;                                                 // correctly, if asked to
  std::map<std::pair<std::uint64_t, Variant>, Result<CompiledKernel>> kernels_;  // by id
};

}  // namespace muster::cdm
