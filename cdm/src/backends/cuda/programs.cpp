// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/programs.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <sstream>
#include <utility>

#include "backends/cuda/prelude.h"

namespace muster::cdm {

namespace {

constexpr const char* preludeName = "muster_prelude.h";
// C++20 has designated initialisers, as C.
constexpr int firstWithCpp20 = 12;

// The newest one that the card runs.
int targetFor(const std::vector<int>& targets, int card) {
  int newest = 0;
  for (const int target : targets)
    if (target <= card) newest = std::max(newest, target);
  return newest;
}

// Results are to be those of the plain program, bit for bit, where its own options leave nothing open.
std::string floatOptions(const FloatRules& rules) {
  return fmt::format(" --fmad={} --ftz={} --prec-div={} --prec-sqrt={}", rules.anyFusing, rules.anyDenormals,
                     !rules.anyDigits, !rules.anyDigits);
}

std::string registerOption(unsigned registers) {
  return registers == 0 ? "" : fmt::format(" --maxrregcount={}", registers);
}

}  // namespace

CudaPrograms::CudaPrograms(const CudaHandle& handle, cuda::Context* context) : handle_(handle), context_(context) {
  const std::vector<int>& targets = handle.nvrtc->targets;
  const int card = handle.capability;
  isKnown_ = std::ranges::find(targets, card) != targets.end();
  // The prelude's hash is there for the key of binaries.
  target_ = fmt::format(
      "--std=c++{} --device-as-default-execution-space --disable-warnings --pre-include={} "
      "--gpu-architecture={}_{} -DMUSTER_CAPABILITY={} -DMUSTER_PRELUDE={}",
      handle_.nvrtc->major >= firstWithCpp20 ? 20 : 17, preludeName, isKnown_ ? "sm" : "compute",
      targetFor(targets, card), card, XXH3_64bits(cudaPrelude, std::strlen(cudaPrelude)));
}

std::string CudaPrograms::optionsOf(const KernelBuild& build) const {
  const auto& [code, variant, group] = build;
  return fmt::format("{} -DMUSTER_WG0={} -DMUSTER_WG1={} -DMUSTER_WG2={}{}{}{}", target_, group[0], group[1], group[2],
                     variant.options(code), floatOptions(code.floats), registerOption(variant.registers(code)));
}

Result<CudaProgram> CudaPrograms::compile(const std::string& text, const std::string& options) const {
  const NvrtcApi& nvrtc = *handle_.nvrtc;
  const auto refused = [](cuda::NvrtcError error) { return Status(Errc::buildFailed, nvrtcErrorName(error)); };
  cuda::Program* program = nullptr;
  const char* const headers[] = {cudaPrelude};
  const char* const names[] = {preludeName};
  if (const auto error = nvrtc.CreateProgram(&program, text.c_str(), "kernel.cl", 1, headers, names))
    return refused(error);
  const auto destroy = [&](cuda::Program* owned) { (void)nvrtc.DestroyProgram(&owned); };
  const std::unique_ptr<cuda::Program, decltype(destroy)> owner(program, destroy);

  std::istringstream words(options);
  const std::vector<std::string> list{std::istream_iterator<std::string>(words), {}};
  std::vector<const char*> arguments;
  for (const std::string& option : list) arguments.push_back(option.c_str());
  if (const auto error = nvrtc.CompileProgram(program, static_cast<int>(arguments.size()), arguments.data()))
    return Status(Errc::buildFailed, nvrtcErrorName(error) + "\n" + compilerLog(program));

  std::size_t size = 0;
  const auto sized = isKnown_ ? nvrtc.GetCUBINSize(program, &size) : nvrtc.GetPTXSize(program, &size);
  if (sized != cuda::nvrtcSuccess) return refused(sized);
  CudaProgram made{nullptr, std::string(size, '\0')};
  const auto given = isKnown_ ? nvrtc.GetCUBIN(program, made.binary.data()) : nvrtc.GetPTX(program, made.binary.data());
  if (given != cuda::nvrtcSuccess) return refused(given);
  cuda::Error error = cuda::success;
  made.module = moduleOf(made.binary, error);
  if (!made.module) return cudaStatus(*handle_.api, error).at("cuModuleLoadData");
  return made;
}

CudaProgram CudaPrograms::load(std::string binary) const {
  cuda::Error error = cuda::success;
  CudaModule module = moduleOf(binary, error);
  return {std::move(module), std::move(binary)};
}

CudaModule CudaPrograms::moduleOf(const std::string& binary, cuda::Error& error) const {
  cuda::Module* module = nullptr;
  error = handle_.api->ModuleLoadData(&module, binary.data());
  if (error != cuda::success) return nullptr;
  return {module, [api = handle_.api, context = context_](cuda::Module* owned) {
            (void)api->CtxSetCurrent(context);
            (void)api->ModuleUnload(owned);
          }};
}

std::string CudaPrograms::compilerLog(cuda::Program* program) const {
  std::size_t size = 0;
  if (handle_.nvrtc->GetProgramLogSize(program, &size) != cuda::nvrtcSuccess) return "(the compiler gives no log)";
  std::string log(size, '\0');
  if (handle_.nvrtc->GetProgramLog(program, log.data()) != cuda::nvrtcSuccess) return "(the compiler gives no log)";
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

}  // namespace muster::cdm
