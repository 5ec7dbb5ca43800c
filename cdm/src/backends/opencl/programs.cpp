// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/programs.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>

namespace muster::cdm {

namespace {

// Of cl_nv_device_attribute_query.
constexpr cl_device_info capabilityMajor = 0x4000, capabilityMinor = 0x4001;

}  // namespace

ClPrograms::ClPrograms(const Driver& driver, const ClHandle& handle, cl_context context)
    : driver_(driver), handle_(handle), context_(context) {
  if (driver_.info().vendor.find("NVIDIA") != std::string::npos)
    capability_ = fmt::format(" -DMUSTER_CAPABILITY={}{}", clDeviceValue<cl_uint>(handle, capabilityMajor, 0),
                              clDeviceValue<cl_uint>(handle, capabilityMinor, 0));
  // Results are to be those of the plain program, bit for bit.
  const auto single = clDeviceValue<cl_device_fp_config>(handle, CL_DEVICE_SINGLE_FP_CONFIG, 0);
  roundsQuotients_ = (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
}

std::string ClPrograms::floatOptions(const FloatRules& rules) const {
  std::string options;
  if (roundsQuotients_ && !rules.anyDigits) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  if (rules.anyDenormals) options += " -cl-denorms-are-zero";
  if (rules.anyFusing) options += " -cl-mad-enable";
  if (rules.anyNan) options += " -cl-finite-math-only";
  if (rules.anyOrder) options += " -cl-no-signed-zeros";
  // OpenCL has no smaller option for another order.
  if (rules.anyOrder && rules.anyFusing && rules.anyDigits) options += " -cl-unsafe-math-optimizations";
  return options;
}

std::string ClPrograms::registerOption(unsigned registers) const {
  return registers == 0 || capability_.empty() ? "" : fmt::format(" -cl-nv-maxrregcount={}", registers);
}

std::string ClPrograms::optionsOf(const KernelBuild& build) const {
  const auto& [code, variant, group] = build;
  // Without -w some drivers count the warnings of generated text on the program's stderr.
  return fmt::format("-w -cl-std=CL1.2 -DMUSTER_WG0={} -DMUSTER_WG1={} -DMUSTER_WG2={}{}{}", group[0], group[1],
                     group[2], variant.options(code), floatOptions(code.floats)) +
         capability_ + registerOption(variant.registers(code));
}

Result<ClKernel> ClPrograms::kernelOf(cl_program program, const KernelBuild& build) {
  cl_int error = CL_SUCCESS;
  ClKernel kernel(handle_.api, handle_.api->CreateKernel(program, build.code.name.c_str(), &error));
  if (error != CL_SUCCESS) return Status(Errc::buildFailed, clErrorName(error));
  const Result<bool> fitting = fits(kernel.get(), build.group);
  if (!fitting) return fitting.status();
  return *fitting ? std::move(kernel) : ClKernel();
}

Result<bool> ClPrograms::fits(cl_kernel kernel, const Axes& group) const {
  std::size_t most = 0;
  cl_ulong local = 0;
  cl_int error = handle_.api->GetKernelWorkGroupInfo(kernel, handle_.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                                     &most, nullptr);
  if (error == CL_SUCCESS)
    error = handle_.api->GetKernelWorkGroupInfo(kernel, handle_.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local,
                                                nullptr);
  Axes built = {0, 0, 0};
  if (error == CL_SUCCESS)
    error = handle_.api->GetKernelWorkGroupInfo(kernel, handle_.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof built,
                                                built.data(), nullptr);
  if (error != CL_SUCCESS) return driver_.failure("clGetKernelWorkGroupInfo", clStatus(error));
  // NVIDIA's driver says 256 of all kernels, and runs those that are built for more.
  return (group[0] * group[1] * group[2] <= most || group == built) && local <= driver_.limits().localMemory;
}

// POCL 3.1 fails without an error in the text, now and then, where another rank fills its cache with the same kernel.
Result<ClProgram> ClPrograms::compile(const std::string& text, const std::string& options) {
  constexpr int mostTries = 3;
  std::string log;
  for (int tries = 1;; ++tries) {
    Result<ClProgram> built = build(text, options, log);
    const bool isOfText = log.find("error") != std::string::npos;
    if (built || isOfText || tries == mostTries) return built;
    std::this_thread::sleep_for(std::chrono::milliseconds(20 * tries));
  }
}

// `log`: what the driver says of a text that does not build.
Result<ClProgram> ClPrograms::build(const std::string& text, const std::string& options, std::string& log) {
  const char* start = text.data();
  const std::size_t size = text.size();
  cl_int error = CL_SUCCESS;
  ClProgram program(handle_.api, handle_.api->CreateProgramWithSource(context_, 1, &start, &size, &error));
  if (error != CL_SUCCESS) return driver_.failure("clCreateProgramWithSource", clStatus(error));
  error = handle_.api->BuildProgram(program.get(), 1, &handle_.device, options.c_str(), nullptr, nullptr);
  if (error == CL_SUCCESS) return program;
  log = buildLog(program.get());
  return Status(Errc::buildFailed, clErrorName(error) + "\n" + log);
}

ClProgram ClPrograms::load(const std::string& binary, const std::string& options) {
  const auto* start = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  cl_int taken = CL_SUCCESS, error = CL_SUCCESS;
  ClProgram program(handle_.api,
                    handle_.api->CreateProgramWithBinary(context_, 1, &handle_.device, &size, &start, &taken, &error));
  if (error != CL_SUCCESS || taken != CL_SUCCESS) return {};
  error = handle_.api->BuildProgram(program.get(), 1, &handle_.device, options.c_str(), nullptr, nullptr);
  return error == CL_SUCCESS ? std::move(program) : ClProgram();
}

std::string ClPrograms::binaryOf(cl_program program) {
  std::size_t size = 0;
  if (handle_.api->GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS)
    return "";
  std::string binary(size, '\0');
  auto* start = reinterpret_cast<unsigned char*>(binary.data());
  if (handle_.api->GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof start, &start, nullptr) != CL_SUCCESS) return "";
  return binary;
}

std::string ClPrograms::buildLog(cl_program program) {
  std::size_t size = 0;
  const auto ask = [&](std::size_t room, char* to) {
    return handle_.api->GetProgramBuildInfo(program, handle_.device, CL_PROGRAM_BUILD_LOG, room, to, &size) ==
           CL_SUCCESS;
  };
  if (!ask(0, nullptr)) return "(the driver gives no log)";
  std::string log(size, '\0');
  if (!ask(size, log.data())) return "(the driver gives no log)";
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

}  // namespace muster::cdm
