// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "core/fused_code.h"

namespace muster::cdm {

namespace {

// Measured; fewer work-items than this on a compute unit leave it idle while it waits for memory.
constexpr std::size_t itemsPerUnit = 2048, blocksPerUnit = 256;
// Work-groups that load rows together: so many rows, and work-items that load a row. Rows that have as many elements as
// four whole tiles are cut into whole ones, shorter ones into halves. Measured: decision 36.
constexpr std::size_t rowsOfTile = 32, loadersOfRow = 4, raggedRows = 128;
constexpr double longRow = 256;
constexpr std::size_t groupOfNest = 64;
// Groups have several iterations if the loop that they share is shorter than this; they have so many work-items, of
// which devices take so many along axis 2. Measured: decision 51.
constexpr double shortestOfRows = 2, longestOfRows = 128;
constexpr std::size_t groupOfRows = 256, mostAlongLast = 64;
// Groups that add up over a loop have so many work-items, each with as many of its steps at least, if it is long
// enough. Few groups of many have their rows in the cache when they read them again. Measured: decision 52.
// Where they keep what they have read, each has as many steps as that is of.
constexpr std::uint64_t fewestOfSums = 128, fewestOfKept = 64, mostOfSums = 1024, leastSteps = 16;
// Collected elements have copies, so that fewer work-items update one place together: their logarithm, and all bytes.
// As many as work-items run together leave none to wait where the updates take the time, not the reads. Measured:
// decision 40.
constexpr std::uint8_t mostCopies = 5, copiesOfRare = 4;
constexpr std::size_t bytesOfCopies = 32 << 10, bytesOfRare = 16 << 10, groupOfCopies = 512;
constexpr unsigned manyUpdates = 16;
constexpr std::size_t groupsOfCopies = 3, groupsOfRare = 8;

// Work-items of a group that runs several steps at once, and its rows: the more, the fewer does it compute twice. So
// many groups keep a compute unit busy. Measured: decision 45.
constexpr std::size_t groupOfSteps = 128;
constexpr std::array<std::uint8_t, 3> rowsOfSteps = {128, 64, 32};
constexpr std::size_t groupsOfSteps = 3;
// So that two groups of 256 work-items run at a time on a compute unit. And of the fewest rows that many: there are no
// more groups than that.
constexpr unsigned registersOfShared = 128, registersOfFewRows = 65536 / (groupsOfSteps * groupOfSteps) / 8 * 8;

// Groups that share what they read in a loop: its steps at least, and how many of the work-items have iterations.
constexpr double shortestShared = 32, leastUsed = 0.8;

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
  const std::int64_t width = blocks.wide == 0 ? MUSTER_SCHEDULE_STEPS : std::ranges::max(shiftOf(blocks)) + 1;
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

// Of the launch's iterations along an axis of the NDRange.
std::size_t countAlong(const KernelLaunch& launch, std::size_t axis) {
  const KernelCode& code = *launch.code;
  if (axis >= code.dimensions) return 1;
  const std::size_t d = code.schedule.dimension(code.dimensions, axis);
  return static_cast<std::size_t>(d == 0 ? launch.hi - launch.lo : launch.dims[d].count);
}

bool mayRun(const KernelLaunch& launch, const muster_blocks& blocks) {
  if (blocks.value != 0 && scalarOf(launch, launch.code->schedule.constants[0]) != blocks.value) return false;
  // Iterations that make no whole block run one by one. Before the first launch their numbers are not known.
  for (std::size_t axis = 1; axis < 3 && !launch.dims.empty(); ++axis)
    if (countAlong(launch, axis) < blocks.lanes[axis]) return false;
  return isAligned(launch, blocks) && (blocks.distinct == 0 || areDistinct(launch));
}

// Whether forms may differ in their results, or runs of one form: then no time may choose between them.
bool leavesBitsOpen(const KernelCode& code) {
  const FloatRules& floats = code.floats;
  return !code.results.empty() || code.schedule.privatized != 0 || floats.anyFusing || floats.anyOrder ||
         floats.anyDigits;
}

std::string definitions(const KernelCode& code, const std::vector<std::int64_t>& constants) {
  std::string text;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const std::size_t scalar = code.schedule.constants[i];
    text += fmt::format(" -DMUSTER_VALUE_{}=(({})({}L))", scalar, openClName(code.scalars[scalar].type), constants[i]);
  }
  return text;
}

}  // namespace

std::string Variant::options(const KernelCode& code) const {
  static constexpr std::array formOptions = {"",
                                             " -DMUSTER_PRIVATE=1 -DMUSTER_COPIES=",
                                             " -DMUSTER_PRIVATE=2 -DMUSTER_COPIES=",
                                             " -DMUSTER_TILES=",
                                             " -DMUSTER_GROUPS=",
                                             " -DMUSTER_BLOCKS=",
                                             " -DMUSTER_STEPS -DMUSTER_ROWS="};
  const std::string_view option = formOptions.at(static_cast<std::size_t>(form));
  return fmt::format(" -DMUSTER_POINTS={}{}{}{}", points, option, option.ends_with('=') ? std::to_string(number) : "",
                     definitions(code, constants));
}

std::string Variant::description(const KernelCode& code) const {
  if (const muster_blocks* blocks = blocksOf(code)) {
    if (std::ranges::all_of(blocks->lanes, [](std::uint8_t lanes) { return lanes == 1; }))
      return fmt::format("an iteration a work-item, form {}", number);
    std::string lanes = std::to_string(blocks->lanes[0]);
    for (std::uint32_t axis = 1; axis < code.dimensions; ++axis)
      lanes = fmt::format("{} x {}", blocks->lanes[axis], lanes);
    return fmt::format("blocks of {} iterations", lanes);
  }
  if (form == Form::steps) return fmt::format("{} steps at once", code.schedule.steps.most);
  if (form == Form::tiled) return "rows in local memory";
  if (form == Form::grouped)
    return hasRows() ? "work-groups that share loops of several iterations" : "work-groups that share loops";
  if (isCollecting()) return "updates in local memory";
  if (!constants.empty()) return fmt::format("loops written out for {}", fmt::join(constants, ", "));
  return points > 1 ? fmt::format("{} rows a work-item", points) : "an iteration a work-item";
}

std::size_t columnsOfSteps(const KernelCode& code) {
  const muster_steps& steps = code.schedule.steps;
  const std::uint32_t bytes = code.arrays[steps.to].elementSize;
  return groupOfSteps * MUSTER_STEP_COLUMNS(bytes) - std::size_t{2} * MUSTER_STEP_HALO(steps, bytes);
}

unsigned Variant::registers(const KernelCode& code) const {
  const muster_blocks* blocks = blocksOf(code);
  if (blocks != nullptr && blocks->shared != 0) return registersOfShared;
  if (form != Form::steps) return 0;
  const unsigned most = code.schedule.steps.registers;
  return number == rowsOfSteps.back() ? std::max(most, registersOfFewRows) : most;
}

Axes Variant::group(const KernelCode& code, const GroupLimits& limits) const {
  const muster_blocks* blocks = blocksOf(code);
  // A device without room for such a group runs another form.
  if (needsGroup(code) && blocks != nullptr) return {blocks->group[0], blocks->group[1], 1};
  if (form == Form::steps) return {groupOfSteps, 1, 1};
  if (blocks != nullptr && blocks->group[0] != 0) return fitting({blocks->group[0], blocks->group[1], 1}, limits);
  if (isCollecting() && number == mostCopies) return fitting({groupOfCopies, 1, 1}, limits);
  if (hasRows()) return fitting({groupOfRows, 1, 1}, limits);
  if (form == Form::grouped && number > 2) return fitting({std::size_t{1} << number, 1, 1}, limits);
  // A nest has iterations enough for small groups.
  if (form == Form::grouped && code.dimensions > 1) return fitting({groupOfNest, 1, 1}, limits);
  // Small groups: there may be few rows.
  const std::uint8_t rows = form == Form::tiled ? code.schedule.tiled : 0;
  if (rows == MUSTER_EVEN_ROWS || rows == MUSTER_STORED_ROWS) return {rowsOfTile, loadersOfRow, 1};
  if (rows == MUSTER_RAGGED_ROWS) return {raggedRows, 1, 1};
  return groupSize(code.dimensions, limits);
}

std::uint8_t Variants::copiesOf(const KernelCode& code, std::size_t bytes, std::size_t room) {
  const bool areMany = code.schedule.updates_per_read >= manyUpdates;
  const std::size_t most = std::min(room, areMany ? bytesOfCopies : bytesOfRare);
  std::uint8_t copies = 0;
  while (copies < (areMany ? mostCopies : copiesOfRare) && bytes << (copies + 1) <= most) ++copies;
  return copies;
}

std::size_t Variants::collectingGroups(std::uint8_t copies) {
  return copies == mostCopies ? groupsOfCopies : groupsOfRare;
}

std::size_t Variants::pointsFor(const KernelCode& code, double iterations) const {
  const std::size_t points = code.schedule.points;
  return forms_ == KernelForms::first || fillsDevice(iterations / static_cast<double>(points)) ? points : 1;
}

bool Variants::fillsDevice(double iterations) const {
  return iterations >= static_cast<double>(itemsPerUnit * info_.computeUnits);
}

// A CPU's work-items are loops already.
bool Variants::trustsSchedules() const {
  return forms_ == KernelForms::automatic ? info_.kind == DeviceKind::gpu : forms_ == KernelForms::first;
}

GroupShape Variants::rowsFor(const KernelLaunch& launch, std::size_t most) {
  const KernelCode& code = *launch.code;
  const auto values = loopValues(code, &launch);
  const std::size_t lanes = std::clamp<std::size_t>(values ? static_cast<std::size_t>(values->groupCount) : 1, 1, most),
                    rows = std::min(countAlong(launch, 0), most / lanes),
                    layers = std::min({countAlong(launch, 1), most / (lanes * rows), mostAlongLast});
  return {{lanes, rows, layers}, {rows, layers, 1}};
}

std::vector<Variant> Variants::candidates(const KernelCode& code, const Variant& scheduled, double iterations) const {
  const Variant plain;
  if (scheduled == plain || forms_ != KernelForms::automatic || leavesBitsOpen(code) || code.isFused) {
    if (trustsSchedules()) return {scheduled};
    return {plain};
  }
  // A CPU's work-items gain nothing by waiting for each other: they took 2 to 7 times as long.
  const bool waits = scheduled.form == Form::tiled || scheduled.form == Form::grouped;
  if (waits && info_.kind == DeviceKind::cpu) return {plain};
  if (!trustsSchedules()) return {plain, scheduled};
  std::vector<Variant> all = {scheduled};
  if (const Variant rows{pointsFor(code, iterations)}; rows != scheduled && rows != plain) all.push_back(rows);
  all.push_back(plain);
  return all;
}

std::optional<Variant> Variants::stepsFor(const KernelLaunch& launch) const {
  const muster_steps& steps = launch.code->schedule.steps;
  if (launch.steps != steps.most || launch.dims.size() != 2 || !trustsSchedules() || !areDistinct(launch))
    return std::nullopt;
  const double columns = static_cast<double>(columnsOfSteps(*launch.code)),
               strips = std::ceil(static_cast<double>(launch.dims[1].count) / columns);
  for (const std::uint8_t rows : rowsOfSteps) {
    const double groups = strips * std::ceil(static_cast<double>(launch.hi - launch.lo) / rows);
    const bool isLast = rows == rowsOfSteps.back();
    if (groups >= static_cast<double>((isLast ? 1 : groupsOfSteps) * info_.computeUnits))
      return Variant{1, Form::steps, {}, rows};
  }
  if (forms_ == KernelForms::first) return Variant{1, Form::steps, {}, rowsOfSteps.back()};
  return std::nullopt;
}

std::vector<Variant> Variants::candidatesOfSteps(const KernelCode& code, const Variant& steps) const {
  if (forms_ != KernelForms::automatic || leavesBitsOpen(code)) return {steps};
  return {Variant{}, steps};
}

bool Variants::mayShare(const KernelCode& code, const muster_blocks& blocks, double iterations,
                        const KernelLaunch* launch) const {
  const std::array lanes = {blocks.lanes[0] * blocks.group[0], blocks.lanes[1] * blocks.group[1], 1};
  const bool hasDims = launch != nullptr && !launch->dims.empty();
  double groups = hasDims ? 1 : iterations / (lanes[0] * lanes[1]);
  for (std::size_t axis = 0; hasDims && axis < code.dimensions; ++axis) {
    const auto count = static_cast<double>(countAlong(*launch, axis));
    if (count < lanes.at(axis)) return false;
    groups *= std::ceil(count / lanes.at(axis));
  }
  if (forms_ == KernelForms::first) return true;
  const auto values = loopValues(code, launch);
  const bool isLong = code.schedule.n_counts == 0 || (values && values->count >= shortestShared);
  return isLong && info_.kind == DeviceKind::gpu && groups >= info_.computeUnits &&
         iterations >= leastUsed * groups * lanes[0] * lanes[1];
}

// The number of the form that the launch can run in, and fills the device in; 0: there is none.
std::uint8_t Variants::blocksFor(const KernelCode& code, double iterations, const KernelLaunch* launch) const {
  for (std::uint8_t form = 0; form < code.schedule.n_blocks; ++form) {
    const muster_blocks& blocks = code.schedule.blocks[form];
    const double count = iterations / (blocks.lanes[0] * blocks.lanes[1] * blocks.lanes[2]);
    if (blocks.shared != 0 && !mayShare(code, blocks, iterations, launch)) continue;
    const bool fills = forms_ == KernelForms::first || count >= static_cast<double>(blocksPerUnit * info_.computeUnits);
    if (fills && (launch == nullptr ? blocks.value == 0 : mayRun(*launch, blocks))) return form + 1;
  }
  return 0;
}

// The logarithm of the work-items that add up over a loop.
static std::uint8_t sizeOfSums(double count, bool areKept) {
  const auto steps = static_cast<std::uint64_t>(count);
  const std::uint64_t wanted =
      areKept ? std::clamp(std::bit_ceil((steps + MUSTER_KEPT_STEPS - 1) / MUSTER_KEPT_STEPS), fewestOfKept, mostOfSums)
              : std::clamp(steps / leastSteps, fewestOfSums, mostOfSums);
  return static_cast<std::uint8_t>(std::bit_width(wanted) - 1);
}

// Short loops inside an iteration are unrolled for the values that bound them.
Variant Variants::scheduled(const KernelCode& code, double iterations, const KernelLaunch* launch,
                            double rowLength) const {
  if (forms_ == KernelForms::plain) return {};
  const Schedule& schedule = code.schedule;
  if (const std::uint8_t blocks = blocksFor(code, iterations, launch)) return {1, Form::blocks, {}, blocks};
  Variant variant{pointsFor(code, iterations), Form::plain, {}};
  if (schedule.tiled == MUSTER_RAGGED_ROWS) {
    if (forms_ == KernelForms::first || rowLength >= MUSTER_SHORTEST_RAGGED_ROW)
      variant.form = Form::tiled, variant.number = 1;
    return variant;
  }
  const bool isOfGroups = schedule.tiled != 0 || schedule.grouped != 0;
  if (!isOfGroups && (schedule.n_constants == 0 || variant.points == 1)) return variant;
  const std::optional<LoopValues> values = loopValues(code, launch);
  const bool areKept = schedule.grouped == MUSTER_GROUPED_KEPT;
  const double shortestSum = forms_ == KernelForms::first || !fillsDevice(iterations) ? MUSTER_SHORTEST_ROW
                             : areKept                                                ? MUSTER_SHORTEST_KEPT
                                                                                      : MUSTER_SHORTEST_SUM;
  if ((areKept || schedule.grouped == MUSTER_GROUPED_SUMS) && values && values->groupCount >= shortestSum)
    return {1, Form::grouped, {}, sizeOfSums(values->groupCount, areKept)};
  if (schedule.tiled == MUSTER_COMMON_ROWS) {
    const bool isLong = schedule.n_counts == 0 || (values && values->count >= MUSTER_SHORTEST_COMMON);
    if (isLong) variant.form = Form::tiled, variant.number = 1;
    return variant;
  }
  if (isOfGroups && schedule.tiled != 0) {
    const bool isLong = schedule.n_counts != 0 ? values && values->count >= MUSTER_SHORTEST_ROW
                                               : forms_ == KernelForms::first || !fillsDevice(iterations);
    const bool isApart = schedule.tiled != MUSTER_STORED_ROWS || (launch != nullptr && areDistinct(*launch));
    if (isLong && isApart) variant.form = Form::tiled, variant.number = values && values->count >= longRow ? 1 : 2;
    return variant;
  }
  if (isOfGroups) {
    const double shortest = code.dimensions > 1 ? MUSTER_SHORTEST_ROW_OF_NEST : MUSTER_SHORTEST_ROW;
    const bool isCounted = schedule.grouped == MUSTER_GROUPED_COUNTED || schedule.grouped == MUSTER_GROUPED_ROWS;
    const bool isLong = isCounted ? values && values->groupCount >= shortest
                                  : schedule.grouped == MUSTER_GROUPED_UNCOUNTED &&
                                        (forms_ == KernelForms::first || !fillsDevice(iterations));
    const bool hasRows = schedule.grouped == MUSTER_GROUPED_ROWS && values && values->groupCount >= shortestOfRows &&
                         values->groupCount < longestOfRows;
    if (hasRows) return {1, Form::grouped, {}, 2};
    // Points whose loops run along memory only take registers from each other.
    return isLong ? Variant{1, Form::grouped, {}, 1} : Variant{};
  }
  if (!values || values->count > schedule.most_counted) return {};
  variant.constants = values->constants;
  return variant;
}

}  // namespace muster::cdm
