// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles OpenCL text, from a cached binary where the driver still takes it.
#include "backends/opencl/cl_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "muster/cdm/benchmark_kernel.h"
#include "muster/cdm/clock.h"

namespace muster::cdm {

namespace {

// Measured; fewer work-items than this on a compute unit leave it idle while it waits for memory.
constexpr std::size_t itemsPerUnit = 2048, blocksPerUnit = 256;
// A program may give a kernel new values again and again, each of which takes a build.
constexpr unsigned mostValued = 4;
// Work-groups that load rows together: so many rows, and work-items that load a row. Rows that have as many elements as
// four whole tiles are cut into whole ones, shorter ones into halves. Measured: decision 36.
constexpr std::size_t rowsOfTile = 32, loadersOfRow = 4, raggedRows = 128;
constexpr double longRow = 256;
constexpr std::size_t groupOfNest = 64;
// Bytes of local memory that work-groups collect in: with more of them fewer run at a time. NVIDIA's driver launches
// nothing that has all of it.
constexpr std::size_t mostCollected = 48 << 10, leftOver = 1 << 10;

template <class T>
std::int64_t valueAt(const void* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return static_cast<std::int64_t>(value);
}

// None for a type that is no integer.
std::optional<std::int64_t> valueOf(ScalarType type, const void* place) {
  switch (type) {
    case ScalarType::i8:
      return valueAt<std::int8_t>(place);
    case ScalarType::boolean:
    case ScalarType::u8:
      return valueAt<std::uint8_t>(place);
    case ScalarType::i16:
      return valueAt<std::int16_t>(place);
    case ScalarType::u16:
      return valueAt<std::uint16_t>(place);
    case ScalarType::i32:
      return valueAt<std::int32_t>(place);
    case ScalarType::u32:
      return valueAt<std::uint32_t>(place);
    case ScalarType::i64:
    case ScalarType::u64:
      return valueAt<std::int64_t>(place);
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> scalarOf(const KernelLaunch& launch, std::size_t scalar) {
  if (scalar >= launch.scalars.size()) return std::nullopt;
  return valueOf(launch.code->scalars[scalar].type, launch.scalars[scalar]);
}

const char* openClName(ScalarType type) {
  static constexpr std::array names = {"uchar", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"};
  return names.at(static_cast<std::size_t>(type));
}

// The values of what bounds the loops inside an iteration, and how often all together run for them, and the one that
// groups share.
struct LoopValues {
  std::vector<std::int64_t> constants;
  double count = 1, groupCount = 0;
};

// None where a value is not known, or too large to be a bound of a short loop.
std::optional<LoopValues> loopValues(const KernelCode& code, const KernelLaunch* launch) {
  const Schedule& schedule = code.schedule;
  LoopValues values;
  for (std::size_t i = 0; i < schedule.n_constants; ++i) {
    const auto value = launch != nullptr ? scalarOf(*launch, schedule.constants[i]) : std::nullopt;
    constexpr std::int64_t farthest = std::int64_t{1} << 31;
    if (!value || *value > farthest || *value < -farthest) return std::nullopt;
    values.constants.push_back(*value);
  }
  const auto countOf = [&](const float* factors) {
    double count = factors[0];
    for (std::size_t i = 0; i < values.constants.size(); ++i)
      count += static_cast<double>(values.constants[i]) * factors[i + 1];
    return count;
  };
  for (std::size_t loop = 0; loop < schedule.n_counts; ++loop)
    values.count *= std::max(1.0, countOf(schedule.counts[loop]));
  values.groupCount = countOf(schedule.group_count);
  return values;
}

// Whether wide accesses of a work-item's block are aligned.
bool isAligned(const KernelLaunch& launch, const muster_blocks& blocks) {
  const std::int64_t width = std::ranges::max(shiftOf(blocks)) + 1;
  const auto isMultiple = [&](std::int64_t value) { return value % width == 0; };
  for (std::size_t i = 0; i < blocks.n_multiples; ++i) {
    const auto value = scalarOf(launch, blocks.multiples[i]);
    if (!value || !isMultiple(*value)) return false;
  }
  for (std::size_t i = 0; i < launch.arrays.size() && i < 32; ++i) {
    if ((blocks.aligned >> i & 1) == 0) continue;
    if (launch.arrays[i].absent || !isMultiple(launch.arrays[i].originBytes / launch.code->arrays[i].elementSize))
      return false;
  }
  return true;
}

// Whether no array that the kernel writes shares elements with another one.
bool areDistinct(const KernelLaunch& launch) {
  const auto overlap = [&](std::size_t one, std::size_t other) {
    const ArrayArg &left = launch.arrays[one], &right = launch.arrays[other];
    const bool isWritten = launch.code->arrays[one].written || launch.code->arrays[other].written;
    return isWritten && left.buffer != 0 && left.buffer == right.buffer && left.touchedBegin < right.touchedEnd &&
           right.touchedBegin < left.touchedEnd;
  };
  for (std::size_t i = 0; i < launch.arrays.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(i, j)) return false;
  return true;
}

bool mayRun(const KernelLaunch& launch, const muster_blocks& blocks) {
  return isAligned(launch, blocks) && (blocks.distinct == 0 || areDistinct(launch));
}

// Options that put them into the text.
std::string definitions(const KernelCode& code, const std::vector<std::int64_t>& constants) {
  std::string text;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const std::size_t scalar = code.schedule.constants[i];
    text += fmt::format(" -DMUSTER_VALUE_{}=(({})({}L))", scalar, openClName(code.scalars[scalar].type), constants[i]);
  }
  return text;
}

}  // namespace

ClPrograms::ClPrograms(const ClHandle& handle, cl_context context, const DeviceInfo& info, const OpenClOptions& options)
    : handle_(handle),
      context_(context),
      info_(info),
      failBuilds_(options.failBuilds),
      forms_(options.likeGpu ? KernelForms::first : options.kernels),
      // POCL has a cache of its own. Asked for binaries, it walks that folder, and crashes (3.1) when another process,
      // such as another rank, compiles the same kernel just then.
      keepsBinaries_(!isPocl(handle)),
      binaries_(options.cacheDirectory, options.warn),
      keptIn_(keepsBinaries_ ? options.cacheDirectory : std::filesystem::path()),
      built_(options.built),
      warn_(options.warn) {
  limits_.total = clDeviceValue<std::size_t>(handle, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1);
  std::size_t perAxis[16] = {};  // CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS of them, at least 3
  if (handle.api->GetDeviceInfo(handle.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof perAxis, perAxis, nullptr) ==
      CL_SUCCESS)
    limits_.perAxis = {perAxis[0], perAxis[1], perAxis[2]};
  localMemory_ = clDeviceValue<cl_ulong>(handle, CL_DEVICE_LOCAL_MEM_SIZE, 0);
  // Results are to be those of the plain program, bit for bit.
  const auto single = clDeviceValue<cl_device_fp_config>(handle, CL_DEVICE_SINGLE_FP_CONFIG, 0);
  roundsQuotients_ = (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
}

// A CPU's work-items are loops already.
std::size_t ClPrograms::pointsFor(const KernelCode& code, double iterations) const {
  const std::size_t points = code.schedule.points;
  if (forms_ != KernelForms::automatic) return forms_ == KernelForms::first ? points : 1;
  return info_.kind == DeviceKind::gpu && fillsDevice(iterations / static_cast<double>(points)) ? points : 1;
}

bool ClPrograms::fillsDevice(double iterations) const {
  return iterations >= static_cast<double>(itemsPerUnit * info_.computeUnits);
}

bool ClPrograms::usesLocalForms() const {
  return forms_ == KernelForms::automatic ? info_.kind == DeviceKind::gpu : forms_ == KernelForms::first;
}

std::size_t ClPrograms::privateRoom() const {
  return usesLocalForms() ? std::min(localMemory_, mostCollected) - leftOver : 0;
}

// Of one kernel there are only so many variants for values.
bool ClPrograms::mayBuildFor(const KernelCode& code, const Variant& variant) const {
  if (kernels_.find({code.id, variant}) != kernels_.end()) return true;
  unsigned valued = 0;
  for (auto at = kernels_.lower_bound({code.id, Variant{0, Form::plain, {}}});
       at != kernels_.end() && at->first.first == code.id; ++at)
    valued += at->first.second.constants.empty() ? 0 : 1;
  return valued < mostValued;
}

// The number of the form that the launch can run in, and fills the device in; 0: there is none.
std::uint8_t ClPrograms::blocksFor(const KernelCode& code, double iterations, const KernelLaunch* launch) const {
  if (!usesLocalForms()) return 0;
  for (std::uint8_t form = 0; form < code.schedule.n_blocks; ++form) {
    const muster_blocks& blocks = code.schedule.blocks[form];
    const double count = iterations / (blocks.lanes[0] * blocks.lanes[1] * blocks.lanes[2]);
    const bool fills = forms_ == KernelForms::first || count >= static_cast<double>(blocksPerUnit * info_.computeUnits);
    if (fills && (launch == nullptr || mayRun(*launch, blocks))) return form + 1;
  }
  return 0;
}

// Short loops inside an iteration are unrolled for the values that bound them.
ClPrograms::Variant ClPrograms::variantFor(const KernelCode& code, double iterations, const KernelLaunch* launch,
                                           double rowLength) const {
  const Schedule& schedule = code.schedule;
  if (const std::uint8_t blocks = blocksFor(code, iterations, launch)) return {1, Form::blocks, {}, blocks};
  Variant variant{pointsFor(code, iterations), Form::plain, {}};
  const bool hasLocalForms = usesLocalForms();
  if (schedule.tiled == MUSTER_RAGGED_ROWS && hasLocalForms) {
    if (forms_ == KernelForms::first || rowLength >= MUSTER_SHORTEST_RAGGED_ROW)
      variant.form = Form::tiled, variant.number = 1;
    return variant;
  }
  const bool isOfGroups = (schedule.tiled != 0 || schedule.grouped != 0) && hasLocalForms;
  if (!isOfGroups && (schedule.n_constants == 0 || variant.points == 1)) return variant;
  const std::optional<LoopValues> values = loopValues(code, launch);
  if (isOfGroups && schedule.tiled != 0) {
    const bool isLong = schedule.n_counts != 0 ? values && values->count >= MUSTER_SHORTEST_ROW
                                               : forms_ == KernelForms::first || !fillsDevice(iterations);
    if (isLong) variant.form = Form::tiled, variant.number = values && values->count >= longRow ? 1 : 2;
    return variant;
  }
  if (isOfGroups) {
    const double shortest = code.dimensions > 1 ? MUSTER_SHORTEST_ROW_OF_NEST : MUSTER_SHORTEST_ROW;
    const bool isLong = schedule.grouped == MUSTER_GROUPED_COUNTED
                            ? values && values->groupCount >= shortest
                            : forms_ == KernelForms::first || !fillsDevice(iterations);
    // Points whose loops run along memory only take registers from each other.
    return {1, isLong ? Form::grouped : Form::plain, {}};
  }
  if (!values || values->count > schedule.most_counted) return {};
  variant.constants = values->constants;
  return mayBuildFor(code, variant) ? variant : Variant{};
}

Result<const CompiledKernel*> ClPrograms::get(const KernelCode& code, double iterations, const KernelLaunch* launch,
                                              double rowLength) {
  if (launch == nullptr && !code.expected.empty()) {
    std::vector<const void*> scalars;
    scalars.reserve(code.expected.size());
    for (const auto& value : code.expected) scalars.push_back(value.data());
    KernelLaunch expected;
    expected.code = &code;
    expected.scalars = scalars;
    return get(code, iterations, &expected, rowLength);
  }
  const Variant variant = variantFor(code, iterations, launch, rowLength);
  Result<const CompiledKernel*> compiled = get(code, variant);
  // A driver may refuse the form for this launch, as for want of local memory.
  const bool isOther = variant.form == Form::tiled || variant.form == Form::grouped || variant.form == Form::blocks;
  return compiled || !isOther ? compiled : get(code, Variant{});
}

Result<const CompiledKernel*> ClPrograms::get(const KernelCode& code, const Variant& variant) {
  const std::pair key(code.id, variant);
  auto at = kernels_.find(key);
  if (at == kernels_.end()) {
    at = kernels_.emplace(key, compile(code, variant)).first;
    if (isCollecting(variant.form) && !at->second && warn_)
      warn_(fmt::format("{}; its updates go to global memory", at->second.status().message()));
  }
  if (!at->second) return at->second.status();
  return &*at->second;
}

const muster_blocks* ClPrograms::blocksOf(const KernelCode& code, const Variant& variant) {
  return variant.form == Form::blocks ? &code.schedule.blocks[variant.number - 1] : nullptr;
}

Result<CompiledKernel> ClPrograms::compile(const KernelCode& code, const Variant& variant) {
  if (code.opencl.empty())
    return Status(Errc::unsupported,
                  fmt::format("{}: kernel {} ({}) has no OpenCL text", info_.name, code.name, code.location));
  if (code.needsFp64 && !info_.fp64)
    return Status(Errc::unsupported, fmt::format("{}: kernel {} ({}) needs double precision, which this device lacks",
                                                 info_.name, code.name, code.location));
  Axes group = groupSize(code.dimensions, limits_);
  const muster_blocks* blocks = blocksOf(code, variant);
  if (blocks != nullptr && blocks->group[0] != 0) group = fitting({blocks->group[0], blocks->group[1], 1}, limits_);
  // A nest has iterations enough for small groups.
  if (variant.form == Form::grouped && code.dimensions > 1) group = fitting({groupOfNest, 1, 1}, limits_);
  // Small groups: there may be few rows.
  if (variant.form == Form::tiled && code.schedule.tiled == MUSTER_EVEN_ROWS) group = {rowsOfTile, loadersOfRow, 1};
  if (variant.form == Form::tiled && code.schedule.tiled == MUSTER_RAGGED_ROWS) group = {raggedRows, 1, 1};
  do {
    Result<CompiledKernel> compiled = compileFor(code, group, variant);
    if (!compiled || compiled->kernel) return compiled;
  } while (variant.form != Form::tiled && shrink(group));
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

Result<CompiledKernel> ClPrograms::compileFor(const KernelCode& code, const Axes& group, const Variant& variant) {
  static constexpr std::array formOptions = {
      "", " -DMUSTER_PRIVATE=1", " -DMUSTER_PRIVATE=2", " -DMUSTER_TILES=", " -DMUSTER_GROUPS", " -DMUSTER_BLOCKS="};
  const std::string form = formOptions.at(static_cast<std::size_t>(variant.form)) +
                           (variant.number != 0 ? std::to_string(variant.number) : "");
  // Without -w some drivers count the warnings of generated text on the program's stderr.
  const std::string options = fmt::format(
      "-w -cl-std=CL1.2 -DMUSTER_WG0={} -DMUSTER_WG1={} -DMUSTER_WG2={} -DMUSTER_POINTS={}{}{}{}", group[0], group[1],
      group[2], variant.points, floatOptions(code.floats), form, definitions(code, variant.constants));
  Result<ClProgram> built = program(code, options);
  if (!built) return built.status();
  cl_int error = CL_SUCCESS;
  CompiledKernel compiled;
  compiled.kernel = ClKernel(handle_.api, handle_.api->CreateKernel(built->get(), code.name.c_str(), &error));
  compiled.group = group;
  compiled.tile = group;
  compiled.tile[code.schedule.points_axis] *= variant.points;
  if (variant.form == Form::grouped) compiled.tile = {1, 1, 1};
  if (variant.form == Form::tiled) compiled.tile = {group[0], 1, 1};
  if (const muster_blocks* blocks = blocksOf(code, variant)) {
    for (std::size_t axis = 0; axis < compiled.tile.size(); ++axis) compiled.tile[axis] *= blocks->lanes[axis];
    compiled.shift = shiftOf(*blocks);
  }
  compiled.isPrivate = isCollecting(variant.form);
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
  if (error != CL_SUCCESS) return clFailure(info_, "clGetKernelWorkGroupInfo", error);
  return group[0] * group[1] * group[2] <= most && local <= localMemory_;
}

Result<ClProgram> ClPrograms::program(const KernelCode& code, const std::string& options) {
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}\n{}", info_.name, info_.vendor, info_.driver, options, code.opencl);
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
