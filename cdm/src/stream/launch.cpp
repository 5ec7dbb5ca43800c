// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches: arguments in the order of docs/architecture.md, work-groups, and the way of results back.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernels/identity.h"
#include "muster/cdm/clock.h"
#include "muster/cdm/iterations.h"
#include "stream/results.h"
#include "stream/stream_device.h"

namespace muster::cdm {

namespace {

constexpr std::size_t argumentsPerDimension = 4;
// A work-group puts each element together once: below this there is less to collect than to put together.
constexpr double leastUpdatesPerElement = 4;

bool holdsLastIteration(const KernelLaunch& launch) { return launch.hi == launch.dims[0].count; }

double iterationsOf(const KernelLaunch& launch) {
  return static_cast<double>(cdm::iterationsOf(launch.hi - launch.lo, launch.dims.subspan(1)));
}

std::size_t firstPieceArgument(const KernelCode& code) { return 2 * code.arrays.size() + code.scalars.size(); }

}  // namespace

Status StreamDevice::doPrepare(const KernelCode& code, double iterations) {
  const std::size_t room = code.schedule.privatized != 0 ? programs_.privateRoom() : 0;
  // Most arrays of the kind are small.
  if (room > 0) (void)programs_.getPrivate(code, false, Variants::copiesOf(code, 1, room));
  return programs_.prepare(code, iterations);
}

// The launch touches no more of the buffer. It may touch nothing, for which there is no local memory.
std::size_t StreamDevice::collectedBytes(const KernelLaunch& launch, std::size_t array) const {
  const std::size_t touched = std::min(buffers_.at(launch.arrays[array].buffer).bytes, launch.arrays[array].touchedEnd);
  return std::max<std::size_t>(touched, launch.code->arrays[array].elementSize);
}

// How many work-groups may collect their updates, and of how many bytes; no groups: the arrays do not fit, or there
// would be more to put together than to collect.
StreamDevice::Collecting StreamDevice::collectingOf(const KernelLaunch& launch) const {
  std::size_t bytes = 0, elements = 0;
  for (std::size_t i = 0; i < launch.arrays.size(); ++i) {
    if (!launch.code->schedule.isPrivatized(i)) continue;
    if (launch.arrays[i].buffer == 0) return {};
    const std::size_t own = collectedBytes(launch, i);
    bytes += own;
    elements += own / launch.code->arrays[i].elementSize;
  }
  const std::size_t room = programs_.privateRoom();
  if (bytes == 0 || room == 0 || bytes > room * launch.code->schedule.most_passes) return {};
  const double worth = iterationsOf(launch) / (leastUpdatesPerElement * static_cast<double>(elements));
  const std::uint8_t copies = Variants::copiesOf(*launch.code, bytes, room);
  const std::size_t most = Variants::collectingGroups(copies) * info_.computeUnits;
  if (programs_.variants().forms() != KernelForms::first && worth < static_cast<double>(info_.computeUnits)) return {};
  return {worth < static_cast<double>(most) ? std::max<std::size_t>(1, static_cast<std::size_t>(worth)) : most, bytes,
          copies};
}

// Arrays that do not fit together have parts of it by their sizes. Small ones have copies, for work-items beside each
// other.
Status StreamDevice::setPrivateArguments(const CompiledKernel& compiled, const KernelLaunch& launch,
                                         const Collecting& collecting) {
  const KernelCode& code = *launch.code;
  const std::size_t room = programs_.privateRoom();
  std::size_t index = firstPieceArgument(code) + argumentsPerDimension * launch.dims.size();
  for (std::size_t i = 0; i < launch.arrays.size(); ++i) {
    if (!code.schedule.isPrivatized(i)) continue;
    const std::size_t size = code.arrays[i].elementSize, bytes = collectedBytes(launch, i);
    const auto count = static_cast<std::uint32_t>(bytes / size);
    const auto held =
        collecting.bytes <= room
            ? count
            : static_cast<std::uint32_t>(std::max<std::size_t>(1, room * bytes / collecting.bytes / size));
    const Status set = driver_->setArgument(compiled.kernel.get(), index++, held * size << collecting.copies, nullptr);
    if (!set.ok())
      return driver_->failure(fmt::format("local memory of kernel {} ({})", code.name, code.location), set);
    MUSTER_TRY(setArgument(compiled, code, index++, sizeof count, &count));
    MUSTER_TRY(setArgument(compiled, code, index++, sizeof held, &held));
  }
  return {};
}

// Elements of the array along the rows for each of these; the buffer may have more than theirs.
double StreamDevice::lengthOfRows(const KernelLaunch& launch) const {
  const Schedule& schedule = launch.code->schedule;
  if (schedule.tiled != MUSTER_RAGGED_ROWS || launch.lo == launch.hi) return 0;
  const ArrayArg& array = launch.arrays[schedule.row_array];
  const double bytes = array.absent ? 0 : static_cast<double>(buffers_.at(array.buffer).bytes);
  return bytes / static_cast<double>(launch.code->arrays[schedule.row_array].elementSize) /
         static_cast<double>(launch.hi - launch.lo);
}

Result<Programs::Timed> StreamDevice::kernelFor(const KernelLaunch& launch, const Collecting& collecting) {
  if (collecting.groups > 0)
    if (Result<const CompiledKernel*> found =
            programs_.getPrivate(*launch.code, collecting.bytes > programs_.privateRoom(), collecting.copies))
      return Programs::Timed{*found};
  return programs_.get(launch, iterationsOf(launch), lengthOfRows(launch));
}

template <class Run>
Result<Event> StreamDevice::launchTimed(const Programs::Timed& found, const KernelLaunch& launch, const Run& run) {
  if (found.trial == nullptr) return run();
  MUSTER_TRY(queues_.waitAll());
  const std::int64_t began = traceClock();
  Result<Event> event = run();
  if (event) MUSTER_TRY(queues_.wait(*event));
  if (event) programs_.note(*launch.code, *found.trial, iterationsOf(launch), secondsSince(began));
  return event;
}

Result<Event> StreamDevice::doLaunch(const KernelLaunch& launch) {
  if (iterationsOf(launch) < 1) {
    MUSTER_TRY(runEmpty(launch));
    return Event{0};
  }
  const Collecting collecting = launch.code->schedule.privatized == 0 ? Collecting{} : collectingOf(launch);
  const Result<Programs::Timed> found = kernelFor(launch, collecting);
  if (!found) return found.status();
  return launchTimed(*found, launch, [&] { return launchIn(*found->kernel, launch, collecting); });
}

Result<Event> StreamDevice::doLaunchSteps(const KernelLaunch& launch) {
  if (iterationsOf(launch) < 1) return Event{0};
  const Result<Programs::Timed> found = programs_.getSteps(launch, iterationsOf(launch));
  if (!found) return found.status();
  return launchTimed(*found, launch, [&] {
    return found->kernel != nullptr ? launchIn(*found->kernel, launch, {}) : ComputeDevice::doLaunchSteps(launch);
  });
}

// Compilers for CPUs make vectors of work-items, not where these store and load in turn: POCL took three times as long.
std::optional<std::uint8_t> StreamDevice::doFusedForm(const KernelLaunch& launch) {
  if (!programs_.variants().trustsSchedules() || iterationsOf(launch) < 1) return std::nullopt;
  return programs_.fusedForm(launch, iterationsOf(launch));
}

Result<Event> StreamDevice::launchIn(const CompiledKernel& compiled, const KernelLaunch& launch,
                                     const Collecting& collecting) {
  const GroupShape shape = compiled.hasRows ? Variants::rowsFor(launch, compiled.shape.group[0]) : compiled.shape;
  pieces_ = cutIntoPieces(launch.dims, launch.lo, launch.hi, shape.tile, launch.code->schedule, compiled.shift,
                          compiled.bytesOfLayers, std::move(pieces_));
  MUSTER_TRY(setFixedArguments(compiled, launch));
  if (compiled.isPrivate) MUSTER_TRY(setPrivateArguments(compiled, launch, collecting));
  if (compiled.hasSteps) {
    const std::int64_t count = launch.dims[0].count;
    const std::size_t index = firstPieceArgument(*launch.code) + argumentsPerDimension * launch.dims.size();
    MUSTER_TRY(setArgument(compiled, *launch.code, index, sizeof count, &count));
  }
  const Clock after = conflictsOf(launch);
  const Lane lane = laneFor(launch, iterationsOf(launch), after);
  const Result<Queues::Order> order = queues_.orderAfter(lane, after);
  if (!order) return order.status();
  const Result<Event> event = reduces(*launch.code) ? launchReduction(compiled, launch, *order)
                                                    : launchPlain(compiled, shape, launch, lane, *order, pieces_,
                                                                  compiled.isPrivate ? collecting.groups : 0);
  if (event) {
    keepAccesses(launch, *event);
  } else {
    driver_->finish(queues_.queue(lane));  // what was enqueued has no event to wait for; the first error is to be told
  }
  return event;
}

// The bytes of its buffer that an argument may touch.
ByteRange StreamDevice::rangeOf(const ArrayArg& array, const Buffer& buffer) {
  return {array.touchedBegin, std::min(array.touchedEnd, buffer.bytes)};
}

Clock StreamDevice::conflictsOf(const KernelLaunch& launch) const {
  Clock after = {};
  for (std::size_t i = 0; i < launch.arrays.size(); ++i) {
    if (launch.arrays[i].buffer == 0) continue;
    const Buffer& buffer = buffers_.at(launch.arrays[i].buffer);
    buffer.log.conflicts(rangeOf(launch.arrays[i], buffer), launch.code->arrays[i].written, after);
  }
  return after;
}

void StreamDevice::keepAccesses(const KernelLaunch& launch, Event event) {
  for (std::size_t i = 0; i < launch.arrays.size(); ++i) {
    if (launch.arrays[i].buffer == 0) continue;
    Buffer& buffer = buffers_.at(launch.arrays[i].buffer);
    buffer.log.add(rangeOf(launch.arrays[i], buffer), launch.code->arrays[i].written, Queues::laneOf(event),
                   Queues::numberOf(event), queues_.completed());
  }
}

// A launch that fills the device gains nothing from running beside another one; a small one, such as the edge of a
// chunk whose ghost cells came late, then costs no time of its own. Results are in the first lane, because launches
// share the memory for partials.
Lane StreamDevice::laneFor(const KernelLaunch& launch, double iterations, const Clock& after) const {
  if (!launch.results.empty() || queues_.idle(Lane::kernels)) return Lane::kernels;
  if (queues_.isLast(Lane::kernels, after[static_cast<std::size_t>(Lane::kernels)])) return Lane::kernels;
  return programs_.variants().fillsDevice(iterations) ? Lane::kernels : Lane::smallKernels;
}

// No iteration: reductions give their identity.
Status StreamDevice::runEmpty(const KernelLaunch& launch) {
  for (std::size_t i = 0; i < launch.results.size(); ++i)
    if (launch.code->results[i].kind != ResultKind::lastPrivate)
      MUSTER_TRY(writeIdentity(launch.code->results[i], launch.results[i]));
  return {};
}

Status StreamDevice::setArgument(const CompiledKernel& compiled, const KernelCode& code, std::size_t index,
                                 std::size_t bytes, const void* value) {
  compiled.arguments.at(memoriesMade_);
  if (compiled.arguments.has(index, bytes, value)) return {};
  const Status set = driver_->setArgument(compiled.kernel.get(), index, bytes, value);
  if (!set.ok())
    return driver_->failure(fmt::format("argument {} of kernel {} ({})", index, code.name, code.location), set);
  compiled.arguments.keep(index, bytes, value);
  return {};
}

Status StreamDevice::setFixedArguments(const CompiledKernel& compiled, const KernelLaunch& launch) {
  const KernelCode& code = *launch.code;
  std::size_t index = 0;
  for (std::size_t i = 0; i < launch.arrays.size(); ++i) {
    const ArrayArg& array = launch.arrays[i];
    const auto elementSize = static_cast<std::int64_t>(code.arrays[i].elementSize);
    if (elementSize == 0 || array.originBytes % elementSize != 0)
      return {Errc::unsupported,
              fmt::format("{}: kernel {} ({}): array {} starts at byte {}, in the middle of an "
                          "element of {} bytes",
                          info_.name, code.name, code.location, code.arrays[i].name, array.originBytes, elementSize)};
    if (array.buffer == 0 && !array.absent && !nothing_.memory) {
      Result<Owned<DriverMemory>> memory = createMemory(64);
      if (!memory) return memory.status();
      nothing_ = {std::move(*memory), 64, {}};
    }
    DriverMemory* const memory = array.absent        ? nullptr
                                 : array.buffer == 0 ? nothing_.memory.get()
                                                     : buffers_.at(array.buffer).memory.get();
    const std::int64_t origin = array.originBytes / elementSize;
    MUSTER_TRY(setArgument(compiled, code, index++, sizeof memory, &memory));
    MUSTER_TRY(setArgument(compiled, code, index++, sizeof origin, &origin));
  }
  for (std::size_t i = 0; i < launch.scalars.size(); ++i)
    MUSTER_TRY(setArgument(compiled, code, index++, code.scalars[i].size, launch.scalars[i]));
  return {};
}

Status StreamDevice::setPieceArguments(const CompiledKernel& compiled, const KernelLaunch& launch, const Piece& piece) {
  std::size_t index = firstPieceArgument(*launch.code);
  for (std::size_t d = 0; d < launch.dims.size(); ++d)
    for (const std::int64_t value : {launch.dims[d].first, launch.dims[d].step, piece.lo[d], piece.hi[d]})
      MUSTER_TRY(setArgument(compiled, *launch.code, index++, sizeof value, &value));
  return {};
}

// Zero for each launch: what says something ends the program, so that there are no more launches then but in tests and
// exit handlers.
Result<DriverMemory*> StreamDevice::endMemory() {
  if (!ends_.memory) {
    Result<Owned<DriverMemory>> memory = createMemory(kMostEndBytes);
    if (!memory) return memory.status();
    ends_ = {std::move(*memory), kMostEndBytes, {}};
    endsAreZero_ = false;
  }
  if (!endsAreZero_) {
    const Status filled = driver_->fill(queues_.command(Lane::kernels, nullptr, nullptr), ends_.memory.get(), 0,
                                        std::byte{0}, kMostEndBytes);
    if (!filled.ok()) return driver_->failure(fmt::format("fill of {} bytes", kMostEndBytes), filled);
    endsAreZero_ = true;
  }
  return ends_.memory.get();
}

Result<DriverMemory*> StreamDevice::resultMemory(const KernelCode& code, std::size_t index, std::size_t groups) {
  const std::size_t bytes = partialBytes(code.results[index], groups);
  if (code.results[index].kind == ResultKind::programEnd) return endMemory();
  if (resultMemory_.size() <= index) resultMemory_.resize(index + 1);
  Buffer& buffer = resultMemory_[index];
  if (buffer.bytes < bytes) {
    const std::size_t room = std::max(2 * bytes, std::size_t{4096});
    Result<Owned<DriverMemory>> memory = createMemory(room);
    if (!memory) return memory.status();
    buffer = {std::move(*memory), room, {}};
  }
  return buffer.memory.get();
}

Status StreamDevice::setResultArguments(const CompiledKernel& compiled, const KernelLaunch& launch,
                                        std::size_t groups) {
  const KernelCode& code = *launch.code;
  const std::size_t first = firstPieceArgument(code) + argumentsPerDimension * launch.dims.size();
  for (std::size_t i = 0; i < launch.results.size(); ++i) {
    const Result<DriverMemory*> memory = resultMemory(code, i, groups);
    if (!memory) return memory.status();
    MUSTER_TRY(setArgument(compiled, code, first + i, sizeof(DriverMemory*), &*memory));
  }
  return {};
}

Status StreamDevice::enqueue(const CompiledKernel& compiled, const Axes& group, const KernelLaunch& launch,
                             const Command& command, const Piece& piece, const Axes& groups) {
  MUSTER_TRY(setPieceArguments(compiled, launch, piece));
  const Status launched = driver_->launch(command, compiled.kernel.get(), group, groups);
  if (launched.ok()) return {};
  return driver_->failure(fmt::format("launch of kernel {} ({})", launch.code->name, launch.code->location), launched);
}

TimingLog::Label StreamDevice::labelFor(const KernelLaunch& launch, Lane lane, const Queues::Order& order) {
  TimingLog::Label label;
  label.group = LaunchSampler::groupOf(launch.code->id, iterationsOf(launch));
  label.measured = queues_.chooseForEvent(lane, order, label.group);
  label.steps = launch.steps;
  return label;
}

// Pieces run in order, so a lastprivate value is the last piece's.
Result<Event> StreamDevice::launchPlain(const CompiledKernel& compiled, const GroupShape& shape,
                                        const KernelLaunch& launch, Lane lane, const Queues::Order& order,
                                        const std::vector<Piece>& pieces, std::size_t maxGroups) {
  MUSTER_TRY(setResultArguments(compiled, launch, 1));
  const bool results = !launch.results.empty() && (holdsLastIteration(launch) || mayEnd(*launch.code));
  TimingLog::Label label = labelFor(launch, lane, order);
  const Result<bool> waits = label.measured || results ? Result<bool>(false) : queues_.holds(lane, order, &compiled);
  if (!waits) return waits.status();
  const bool timed = label.measured && queues_.timed() != Timings::off;
  Owned<DriverEvent> end;
  for (const Piece& piece : pieces) {
    const bool first = &piece == &pieces.front(), last = &piece == &pieces.back() && !results;
    const Axes groups =
        groupsFor(launch.code->dimensions, piece, shape.tile, maxGroups, launch.code->schedule, compiled.shift);
    Owned<DriverEvent>* const event = last && label.measured ? &end : first && !last && timed ? &label.begin : nullptr;
    MUSTER_TRY(enqueue(compiled, shape.group, launch,
                       *waits ? queues_.heldLaunch(lane) : queues_.command(lane, first ? &order : nullptr, event),
                       piece, groups));
  }
  if (*waits) return queues_.addHeld(lane, order, std::move(label));
  return results ? readResults(launch, order, 1, std::move(label))
                 : queues_.add(lane, order, std::move(end), std::move(label));
}

Result<Event> StreamDevice::launchReduction(const CompiledKernel& compiled, const KernelLaunch& launch,
                                            const Queues::Order& order) {
  const KernelCode& code = *launch.code;
  for (const auto& result : code.results)
    if (isPerGroup(result) && !result.combine)
      return Status(Errc::invalidArgument, fmt::format("{}: kernel {} ({}): reduction {} has no combine function",
                                                       info_.name, code.name, code.location, result.name));
  Piece whole;
  for (std::size_t d = 0; d < launch.dims.size(); ++d) {
    whole.lo[d] = d == 0 ? launch.lo : 0;
    whole.hi[d] = d == 0 ? launch.hi : launch.dims[d].count;
  }
  const Axes perAxis = groupsFor(code.dimensions, whole, compiled.shape.tile,
                                 maxReductionGroups(code, info_.computeUnits, iterationsOf(launch)), code.schedule);
  const std::size_t groups = perAxis[0] * perAxis[1] * perAxis[2];
  MUSTER_TRY(setResultArguments(compiled, launch, groups));
  TimingLog::Label label = labelFor(launch, Lane::kernels, order);
  const bool timed = label.measured && queues_.timed() != Timings::off;
  MUSTER_TRY(enqueue(compiled, compiled.shape.group, launch,
                     queues_.command(Lane::kernels, &order, timed ? &label.begin : nullptr), whole, perAxis));
  return readResults(launch, order, groups, std::move(label));
}

// In the kernel's own lane: the next launch must not overwrite partials before they are read. All results share one
// staging slot; the event is that of the last read, which is complete after the others.
Result<Event> StreamDevice::readResults(const KernelLaunch& launch, const Queues::Order& order, std::size_t groups,
                                        TimingLog::Label label) {
  const KernelCode& code = *launch.code;
  std::size_t total = 0;
  for (const auto& result : code.results) total += partialBytes(result, groups);
  const Result<Staging::Slot*> acquired = slotFor(total);
  if (!acquired) return acquired.status();
  Staging::Slot* slot = *acquired;
  if (total > slot->bytes)
    panic(fmt::format("{} bytes of partials of kernel {} do not fit into a slot", total, code.name));
  Owned<DriverEvent> event;
  std::size_t at = 0;
  for (std::size_t i = 0; i < code.results.size(); ++i) {
    const std::size_t bytes = partialBytes(code.results[i], groups);
    const bool isEnd = code.results[i].kind == ResultKind::programEnd;
    DriverMemory* const memory = isEnd ? ends_.memory.get() : resultMemory_[i].memory.get();
    const bool isLast = i + 1 == code.results.size();
    const Status why = driver_->read(queues_.command(Lane::kernels, nullptr, isLast ? &event : nullptr), memory, 0,
                                     slot->address() + at, {bytes});
    if (!why.ok()) {
      // Reads already queued write to the slot; the first error is the one to tell.
      driver_->finish(queues_.queue(Lane::kernels));
      Staging::release(slot);
      return driver_->failure(fmt::format("results of kernel {} ({})", code.name, code.location), why);
    }
    at += bytes;
  }
  std::vector<void*> targets(launch.results.begin(), launch.results.end());
  return queues_.add(Lane::kernels, order, std::move(event), std::move(label),
                     [this, slot, groups, targets = std::move(targets), &code, last = holdsLastIteration(launch)] {
                       const std::byte* partials = slot->address();
                       for (std::size_t i = 0; i < targets.size(); ++i) {
                         const KernelCode::ResultParam& result = code.results[i];
                         if (last || result.kind != ResultKind::lastPrivate)
                           combinePartials(result, partials, groups, targets[i]);
                         if (result.kind == ResultKind::programEnd)
                           endsAreZero_ &= std::all_of(partials, partials + result.size,
                                                       [](std::byte byte) { return byte == std::byte{0}; });
                         partials += partialBytes(result, groups);
                       }
                       Staging::release(slot);
                     });
}

}  // namespace muster::cdm
