// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles OpenCL text, from a cached binary where the driver still takes it.
#include "backends/opencl/cl_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>

#include "core/fused_code.h"
#include "muster/cdm/benchmark_kernel.h"
#include "muster/cdm/clock.h"
#include "muster/cdm/text.h"

namespace muster::cdm {

namespace {

// A program may give a kernel new values again and again, each of which takes a build.
constexpr unsigned mostValued = 4;
// What a form of several steps takes to build, with a cold and with a warm cache, and what a fast device moves of
// memory meanwhile. Its trial needs no further build. Measured: decision 45.
constexpr double secondsToBuild = 1.1, secondsToLoad = 0.5, bytesPerSecond = 4e12;
constexpr Pace paceOfSteps = {0, 0.5, 1};
// Of cl_nv_device_attribute_query.
constexpr cl_device_info capabilityMajor = 0x4000, capabilityMinor = 0x4001;
// So that two groups of 256 work-items run at a time on a compute unit.
constexpr unsigned registersOfShared = 128;
// Bytes of local memory that work-groups collect in: with more of them fewer run at a time. NVIDIA's driver launches
// nothing that has all of it.
constexpr std::size_t mostCollected = 48 << 10, leftOver = 1 << 10;

// In place of options, in the cache.
constexpr const char* microsecondsSaved = "microseconds saved";

std::size_t widestWritten(const KernelCode& code) {
  std::size_t bytes = 0;
  for (const auto& array : code.arrays)
    if (array.written) bytes = std::max<std::size_t>(bytes, array.elementSize);
  return bytes;
}

}  // namespace

ClPrograms::ClPrograms(const ClHandle& handle, cl_context context, const DeviceInfo& info, const StreamOptions& options)
    : handle_(handle),
      context_(context),
      info_(info),
      failBuilds_(options.failBuilds),
      variants_(info, options.likeGpu ? KernelForms::first : options.kernels),
      buildSeconds_(options.buildSeconds),
      // POCL has a cache of its own. Asked for binaries, it walks that folder, and crashes (3.1) when another process,
      // such as another rank, compiles the same kernel just then.
      keepsBinaries_(!isPocl(handle)),
      binaries_(options.cacheDirectory, info.backend, options.warn),
      keptIn_(keepsBinaries_ ? options.cacheDirectory : std::filesystem::path()),
      built_(options.built),
      warn_(options.warn),
      inform_(options.inform) {
  limits_.total = clDeviceValue<std::size_t>(handle, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1);
  std::size_t perAxis[16] = {};  // CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS of them, at least 3
  if (handle.api->GetDeviceInfo(handle.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof perAxis, perAxis, nullptr) ==
      CL_SUCCESS)
    limits_.perAxis = {perAxis[0], perAxis[1], perAxis[2]};
  localMemory_ = clDeviceValue<cl_ulong>(handle, CL_DEVICE_LOCAL_MEM_SIZE, 0);
  if (info_.vendor.find("NVIDIA") != std::string::npos)
    capability_ = fmt::format(" -DMUSTER_CAPABILITY={}{}", clDeviceValue<cl_uint>(handle, capabilityMajor, 0),
                              clDeviceValue<cl_uint>(handle, capabilityMinor, 0));
  // Results are to be those of the plain program, bit for bit.
  const auto single = clDeviceValue<cl_device_fp_config>(handle, CL_DEVICE_SINGLE_FP_CONFIG, 0);
  roundsQuotients_ = (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
}

std::size_t ClPrograms::privateRoom() const {
  return variants_.trustsSchedules() ? std::min(localMemory_, mostCollected) - leftOver : 0;
}

// Of one kernel there are only so many variants for values.
bool ClPrograms::mayBuildFor(const KernelCode& code, const Variant& variant) const {
  if (variant.constants.empty()) return true;
  const Variant* last = nullptr;
  unsigned valued = 0;
  for (auto at = chosen_.lower_bound({code.id, Variant{0}, 0}); at != chosen_.end(); ++at) {
    const auto& [id, known, size] = at->first;
    if (id != code.id) break;
    if (known == variant) return true;
    const bool isOther = !known.constants.empty() && (last == nullptr || *last != known);
    if (isOther) last = &known, ++valued;
  }
  return valued < mostValued;
}

ClPrograms::Chosen& ClPrograms::chosenFor(const KernelCode& code, double iterations, const KernelLaunch* launch,
                                          double rowLength) {
  Variant scheduled = variants_.scheduled(code, iterations, launch, rowLength);
  if (!mayBuildFor(code, scheduled)) scheduled = {};
  return chosenAmong(code, scheduled, iterations, [&] { return variants_.candidates(code, scheduled, iterations); },
                     {buildSeconds_});
}

ClPrograms::Chosen& ClPrograms::chosenAmong(const KernelCode& code, const Variant& scheduled, double iterations,
                                            const std::function<std::vector<Variant>()>& candidates, const Pace& pace) {
  const int size = iterations > 1 ? std::ilogb(iterations) : 0;
  const auto [at, isNew] = chosen_.try_emplace({code.id, scheduled, size});
  Chosen& chosen = at->second;
  if (!isNew) return chosen;
  chosen.size = size;
  chosen.forms = candidates();
  if (chosen.forms.size() == 1) return chosen;
  std::size_t kept = 0;
  const bool isKnown = parseNumber(binaries_.load(keyOf(code, chosen)), kept) && kept < chosen.forms.size();
  chosen.trial.emplace(chosen.forms.size(), pace, isKnown ? std::optional(kept) : std::nullopt);
  return chosen;
}

std::string ClPrograms::keyOf(const KernelCode& code, const Chosen& chosen) const {
  std::string key =
      fmt::format("{}\n{}\n{}\nfastest form of 2^{} iterations\n", info_.name, info_.vendor, info_.driver, chosen.size);
  for (const Variant& form : chosen.forms) key += form.options(code) + "\n";
  return key + code.opencl;
}

// Before the first launch, whose scalars may be known nevertheless.
Status ClPrograms::prepare(const KernelCode& code, double iterations) {
  std::vector<const void*> scalars;
  scalars.reserve(code.expected.size());
  for (const auto& value : code.expected) scalars.push_back(value.data());
  KernelLaunch expected;
  expected.code = &code;
  expected.scalars = scalars;
  const Chosen& chosen = chosenFor(code, iterations, scalars.empty() ? nullptr : &expected, MUSTER_SHORTEST_RAGGED_ROW);
  return getOrPlain(code, chosen.known()).status();
}

Result<ClPrograms::Timed> ClPrograms::get(const KernelLaunch& launch, double iterations, double rowLength) {
  const KernelCode& code = *launch.code;
  Chosen& chosen = chosenFor(code, iterations, &launch, rowLength);
  Trial::Launch next;
  if (chosen.trial) next = chosen.trial->next();
  while (next.isTimed && next.form != 0) {
    Result<const CompiledKernel*> compiled = get(code, chosen.forms[next.form]);
    if (compiled) return Timed{*compiled, &chosen};
    // The next launch of the trial runs in place of this one.
    chosen.trial->drop();
    keepChoice(code, chosen);
    next = chosen.trial->next();
  }
  const Result<const CompiledKernel*> compiled = getOrPlain(code, chosen.forms[next.form]);
  if (!compiled) return compiled.status();
  return Timed{*compiled, next.isTimed ? &chosen : nullptr};
}

std::optional<std::uint8_t> ClPrograms::fusedForm(const KernelLaunch& launch, double iterations) {
  const Variant& form = chosenFor(*launch.code, iterations, &launch, 0).known();
  const muster_blocks* blocks = form.blocksOf(*launch.code);
  if ((form.form != Form::plain && blocks == nullptr) || !form.constants.empty()) return std::nullopt;
  if (blocks != nullptr && !hasOwnBlocks(*blocks)) return std::nullopt;
  const auto built = kernels_.find({launch.code->id, form});
  if (built == kernels_.end() || !built->second.ok()) return std::nullopt;
  return form.number;
}

// Steps one after the other are what runs already. The other form pays for its build from twice its time on.
Result<ClPrograms::Timed> ClPrograms::getSteps(const KernelLaunch& launch, double iterations) {
  const KernelCode& code = *launch.code;
  const std::optional<Variant> steps = variants_.stepsFor(launch);
  if (!steps) return Timed{};
  Chosen& chosen =
      chosenAmong(code, *steps, iterations, [&] { return variants_.candidatesOfSteps(code, *steps); }, paceOfSteps);
  const bool isKnown = chosen.trial && chosen.trial->chosen();
  if (variants_.forms() == KernelForms::automatic && chosen.waited < 2 * (isKnown ? secondsToLoad : secondsToBuild)) {
    chosen.waited += iterations * launch.steps * 2 * static_cast<double>(widestWritten(code)) / bytesPerSecond;
    return Timed{};
  }
  Trial::Launch next;
  if (chosen.trial) next = chosen.trial->next();
  Chosen* const timed = next.isTimed ? &chosen : nullptr;
  if (chosen.forms[next.form] != *steps) return Timed{nullptr, timed};
  const Result<const CompiledKernel*> compiled = get(code, *steps);
  if (compiled) return Timed{*compiled, timed};
  if (timed != nullptr) chosen.trial->drop();
  return Timed{};
}

void ClPrograms::note(const KernelCode& code, Chosen& chosen, double iterations, double seconds) {
  chosen.trial->note(seconds / iterations, seconds);
  keepChoice(code, chosen);
}

// What is known now, for all later starts.
void ClPrograms::keepChoice(const KernelCode& code, const Chosen& chosen) {
  if (!chosen.trial->isMeasured()) return;
  const std::size_t form = *chosen.trial->chosen();
  binaries_.store(keyOf(code, chosen), std::to_string(form));
  if (!inform_) return;
  inform_(fmt::format("{}: kernel {} ({}): {}, {}", info_.name, code.name, code.location,
                      chosen.forms[form].description(code),
                      form == 0 ? "as before: others are not faster"
                                : fmt::format("which takes {:.2f} of the time of {}", 1 / chosen.trial->gain(),
                                              chosen.forms[0].description(code))));
}

// A driver may refuse a form, as for want of local memory.
Result<const CompiledKernel*> ClPrograms::getOrPlain(const KernelCode& code, const Variant& variant) {
  Result<const CompiledKernel*> compiled = get(code, variant);
  const bool isOther = variant.form == Form::tiled || variant.form == Form::grouped || variant.form == Form::blocks;
  return compiled || !isOther ? compiled : get(code, Variant{});
}

Result<const CompiledKernel*> ClPrograms::get(const KernelCode& code, const Variant& variant) {
  const std::pair key(code.id, variant);
  auto at = kernels_.find(key);
  if (at == kernels_.end()) {
    at = kernels_.emplace(key, compile(code, variant)).first;
    if (variant.isCollecting() && !at->second && warn_)
      warn_(fmt::format("{}; its updates go to global memory", at->second.status().message()));
    else if (variant != Variant{} && !at->second && inform_)
      inform_(fmt::format("{}; it runs in another form", at->second.status().message()));
  }
  if (!at->second) return at->second.status();
  return &*at->second;
}

Result<CompiledKernel> ClPrograms::compile(const KernelCode& code, const Variant& variant) {
  if (code.opencl.empty())
    return Status(Errc::unsupported,
                  fmt::format("{}: kernel {} ({}) has no OpenCL text", info_.name, code.name, code.location));
  if (code.needsFp64 && !info_.fp64)
    return Status(Errc::unsupported, fmt::format("{}: kernel {} ({}) needs double precision, which this device lacks",
                                                 info_.name, code.name, code.location));
  Axes group = variant.group(code, limits_);
  do {
    Result<CompiledKernel> compiled = compileFor(code, group, variant);
    if (!compiled || compiled->kernel) return compiled;
  } while (!variant.needsGroup(code) && shrink(group));
  return Status(Errc::buildFailed, fmt::format("{}: kernel {} ({}) needs more registers or local memory than the "
                                               "device has, even with one work-item a group",
                                               info_.name, code.name, code.location));
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

// At most so many registers for a work-item, of forms that would have more than enough.
std::string ClPrograms::registerOption(const KernelCode& code, const Variant& variant) const {
  const muster_blocks* blocks = variant.blocksOf(code);
  const bool isShared = blocks != nullptr && blocks->shared != 0;
  if (capability_.empty() || (!isShared && variant.form != Form::steps)) return "";
  return fmt::format(" -cl-nv-maxrregcount={}", isShared ? registersOfShared : code.schedule.steps.registers);
}

std::string ClPrograms::optionsOf(const KernelCode& code, const Axes& group, const Variant& variant) const {
  // Without -w some drivers count the warnings of generated text on the program's stderr.
  return fmt::format("-w -cl-std=CL1.2 -DMUSTER_WG0={} -DMUSTER_WG1={} -DMUSTER_WG2={}{}{}", group[0], group[1],
                     group[2], variant.options(code), floatOptions(code.floats)) +
         capability_ + registerOption(code, variant);
}

Result<CompiledKernel> ClPrograms::compileFor(const KernelCode& code, const Axes& group, const Variant& variant) {
  const muster_blocks* blocks = variant.blocksOf(code);
  Result<ClProgram> built = program(code, optionsOf(code, group, variant));
  if (!built) return built.status();
  cl_int error = CL_SUCCESS;
  CompiledKernel compiled;
  compiled.kernel = ClKernel(handle_.api, handle_.api->CreateKernel(built->get(), code.name.c_str(), &error));
  compiled.shape = {group, group};
  Axes& tile = compiled.shape.tile;
  tile[code.schedule.points_axis] *= variant.points;
  if (variant.form == Form::grouped) tile = {1, 1, 1};
  compiled.hasRows = variant.hasRows();
  if (variant.form == Form::tiled) tile = {group[0], 1, 1};
  if (blocks != nullptr) {
    for (std::size_t axis = 0; axis < tile.size(); ++axis) tile[axis] *= blocks->lanes[axis];
    compiled.shift = shiftOf(*blocks);
    if (blocks->lanes[2] > 1) compiled.bytesOfLayers = widestWritten(code);
  }
  if (variant.form == Form::steps) {
    tile = {columnsOfSteps(code), variant.number, 1};
    compiled.shift = {std::size_t{MUSTER_STEP_COLUMNS(widestWritten(code)) - 1}, 0, 0};
    compiled.hasSteps = true;
  }
  compiled.isPrivate = variant.isCollecting();
  if (error != CL_SUCCESS)
    return Status(Errc::buildFailed, fmt::format("{}: the program of kernel {} ({}) has no such kernel: {}", info_.name,
                                                 code.name, code.location, clErrorName(error)));
  const Result<bool> fitting = fits(compiled.kernel.get(), group);
  if (!fitting) return fitting.status();
  if (!*fitting) compiled.kernel = ClKernel();
  return compiled;
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
  if (error != CL_SUCCESS) return clFailure(info_, "clGetKernelWorkGroupInfo", error);
  // NVIDIA's driver says 256 of all kernels, and runs those that are built for more.
  return (group[0] * group[1] * group[2] <= most || group == built) && local <= localMemory_;
}

std::string ClPrograms::keyOf(const KernelCode& code, const std::string& options) const {
  return fmt::format("{}\n{}\n{}\n{}\n{}", info_.name, info_.vendor, info_.driver, options, code.opencl);
}

double ClPrograms::secondsOfBuild(const KernelCode& code) {
  if (variants_.forms() == KernelForms::first) return 0;
  const Variant form = variants_.scheduled(code, std::numeric_limits<double>::infinity(), nullptr, 0);
  const std::string key = keyOf(code, optionsOf(code, form.group(code, limits_), form));
  return keepsBinaries_ && !binaries_.load(key).empty() ? 0 : buildSeconds_;
}

double ClPrograms::savedSeconds(const KernelCode& code) const {
  std::size_t microseconds = 0;
  (void)parseNumber(binaries_.load(keyOf(code, microsecondsSaved)), microseconds);  // else none are known
  return static_cast<double>(microseconds) * 1e-6;
}

void ClPrograms::keepSavedSeconds(const KernelCode& code, double seconds) {
  binaries_.store(keyOf(code, microsecondsSaved), std::to_string(static_cast<std::uint64_t>(seconds * 1e6)));
}

Result<ClProgram> ClPrograms::program(const KernelCode& code, const std::string& options) {
  const std::string key = keyOf(code, options);
  const bool injected = failBuilds_ && code.id != benchmarkKernelId;
  if (keepsBinaries_ && !injected)
    if (const std::string binary = binaries_.load(key); !binary.empty())
      if (ClProgram loaded = fromBinary(binary, options)) return loaded;
  Result<ClProgram> built = builtFromSource(code, options);
  if (keepsBinaries_ && built) binaries_.store(key, binaryOf(built->get()));
  return built;
}

Result<ClProgram> ClPrograms::builtFromSource(const KernelCode& code, const std::string& options) {
  const std::int64_t began = traceClock();
  Result<ClProgram> built = fromSource(code, options);
  if (built_) built_(secondsSince(began), keptIn_);
  return built;
}

// POCL 3.1 fails without an error in the text, now and then, where another rank fills its cache with the same kernel.
Result<ClProgram> ClPrograms::fromSource(const KernelCode& code, const std::string& options) {
  constexpr int mostTries = 3;
  std::string log;
  for (int tries = 1;; ++tries) {
    Result<ClProgram> built = buildSource(code, options, log);
    const bool isOfText = log.find("error") != std::string::npos;
    if (built || isOfText || tries == mostTries) return built;
    std::this_thread::sleep_for(std::chrono::milliseconds(20 * tries));
  }
}

// `log`: what the driver says of a text that does not build.
Result<ClProgram> ClPrograms::buildSource(const KernelCode& code, const std::string& options, std::string& log) {
  std::string text = code.opencl;
  if (failBuilds_ && code.id != benchmarkKernelId) text += "\n#error MUSTER_INJECT=build-failure is set\n";
  const char* start = text.data();
  const std::size_t size = text.size();
  cl_int error = CL_SUCCESS;
  ClProgram program(handle_.api, handle_.api->CreateProgramWithSource(context_, 1, &start, &size, &error));
  if (error != CL_SUCCESS) return clFailure(info_, "clCreateProgramWithSource", error);
  error = handle_.api->BuildProgram(program.get(), 1, &handle_.device, options.c_str(), nullptr, nullptr);
  if (error == CL_SUCCESS) return program;
  log = buildLog(program.get());
  return Status(Errc::buildFailed, fmt::format("{}: kernel {} ({}) does not build: {}\n{}", info_.name, code.name,
                                               code.location, clErrorName(error), log));
}

// Empty if the driver refuses the binary, as after an update that kept its version.
ClProgram ClPrograms::fromBinary(const std::string& binary, const std::string& options) {
  const auto* start = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  cl_int taken = CL_SUCCESS, error = CL_SUCCESS;
  ClProgram program(handle_.api,
                    handle_.api->CreateProgramWithBinary(context_, 1, &handle_.device, &size, &start, &taken, &error));
  if (error != CL_SUCCESS || taken != CL_SUCCESS) return {};
  error = handle_.api->BuildProgram(program.get(), 1, &handle_.device, options.c_str(), nullptr, nullptr);
  return error == CL_SUCCESS ? std::move(program) : ClProgram();
}

// "" if the driver gives none: then nothing is cached.
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
