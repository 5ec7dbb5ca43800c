// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applying commands on one rank.
#include "node/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "muster/cdm/host.h"
#include "muster/cdm/host_allocation.h"
#include "native/float_mode.h"

namespace muster::rt {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

constexpr std::size_t mostPlans = 4096;

// Native code reads some globals under their own names: every rank but 0 gets the launch's values there.
void storeGlobals(const PlannedLaunch& launch) {
  const muster_kernel& kernel = *launch.kernel->descriptor;
  for (unsigned i = 0; i < kernel.n_scalars; ++i) {
    if (kernel.scalars[i].global != nullptr)
      std::memcpy(kernel.scalars[i].global, launch.scalars[i], kernel.scalars[i].size);
  }
}

cap::ExecutorOptions withSink(cap::ExecutorOptions options, cap::TraceSink* sink) {
  options.trace = sink;
  return options;
}

std::vector<cdm::ComputeDevice*> withSpill(std::vector<cdm::ComputeDevice*> devices, cdm::ComputeDevice* spill) {
  if (spill != nullptr) devices.push_back(spill);
  return devices;
}

}  // namespace

cap::LaunchRequest PlannedLaunch::request() const {
  return {.code = &kernel->code,
          .spec = &spec->spec,
          .dims = {dims.begin(), dims.size()},
          .scalars = {scalars.begin(), scalars.size()},
          .steps = command.steps,
          .own = spec->own};
}

std::size_t planMemory() {
  return std::clamp<std::size_t>(cdm::hostMemoryBytes() / 64, std::size_t{128} << 20, std::size_t{1} << 30);
}

Node::Node(cdm::Transport& transport, std::vector<cdm::ComputeDevice*> devices, DeviceTable table,
           const Registry& registry, cap::ExecutorOptions options, bool measure, std::size_t planBytes)
    : transport_(transport),
      spill_(table.needsSpillMemory(transport.rank()) ? cdm::makeHostMemory() : nullptr),
      devices_(withSpill(std::move(devices), spill_.get())),
      table_(std::move(table)),
      registry_(registry),
      meter_(measure ? std::make_unique<Meter>(options.trace) : nullptr),
      trace_(measure ? meter_.get() : options.trace),
      executor_(transport, devices_, table_.places(), withSink(std::move(options), trace_)),
      plans_(mostPlans, planBytes) {}

Result<cap::ArrayInfo> Node::declareArray(const protocol::CreateArray& command, std::byte* host) {
  cap::ArrayInfo info{command.id, command.elemSize, command.count, command.name, host};
  if (info.elemSize == 0 || info.count < 0)
    return Status(Errc::invalidArgument, fmt::format("array {} has no valid size", info.name));
  auto state = std::make_shared<const cap::ArrayState>(command.count, cap::hostMemory);
  if (!arrays_.try_emplace(command.id, PlannedArray{info, std::move(state)}).second)
    return Status(Errc::protocol, fmt::format("array id {} is in use already", command.id));
  return info;
}

Status Node::forgetArray(const protocol::ReleaseArray& command) {
  if (arrays_.erase(command.id) > 0) return {};
  return {Errc::protocol, fmt::format("there is no array {} to release", command.id)};
}

void Node::assume(const cap::Plan& plan) {
  for (const auto& [id, state] : plan.next) {
    cap::ArrayStateRef& now = arrays_.at(id).state;
    if (now != state) now = state;
  }
}

const cap::ArrayInfo* Node::array(std::uint32_t id) const {
  const auto found = arrays_.find(id);
  return found == arrays_.end() ? nullptr : &found->second.info;
}

cap::ArrayStateRef Node::state(std::uint32_t id) const {
  const auto found = arrays_.find(id);
  if (found == arrays_.end()) panic(fmt::format("a command names array {}, which does not exist", id));
  return found->second.state;
}

Status Node::createArray(const protocol::CreateArray& command) {
  const auto info = declareArray(command, nullptr);
  return info.ok() ? executor_.addArray(*info) : info.status();
}

Status Node::releaseArray(const protocol::ReleaseArray& command) {
  MUSTER_TRY(forgetArray(command));
  return executor_.removeArray(command.id);
}

Status Node::transfer(const Result<cap::Plan>& plan, std::uint64_t sequence) {
  if (!plan.ok()) return plan.status();
  assume(*plan);
  return executor_.transfer(*plan, sequence);
}

Status Node::setWeights(const protocol::Weights& command, std::uint64_t sequence) {
  if (meter_ != nullptr) meter_->startEpoch(sequence);
  if (command.kernels.empty()) return table_.setSpeeds(command.weights, command.minShare);
  return table_.setKernelSpeeds(command.kernels, command.weights, command.minShare);
}

std::vector<protocol::KernelTime> Node::takeMeasured() {
  executor_.harvestTimings();
  return meter_ != nullptr ? meter_->takeWindow() : std::vector<protocol::KernelTime>();
}

protocol::RankTotals Node::totals() {
  executor_.harvestTimings();
  return meter_ != nullptr ? meter_->totals() : protocol::RankTotals();
}

DeviceTable::Needs Node::needsOf(const PlannedLaunch& launch) const {
  if (launch.command.nativeOnly || launch.kernel->code.opencl.empty()) return DeviceTable::Needs::native;
  return launch.kernel->code.needsFp64 ? DeviceTable::Needs::openclFp64 : DeviceTable::Needs::opencl;
}

Status Node::describe(PlannedLaunch& launch, const DeviceTable& table) const {
  MUSTER_TRY(findKernel(launch));
  MUSTER_TRY(findSlots(launch, table));
  MUSTER_TRY(findSpec(launch, launch.slots.empty()).status());
  addStates(launch);
  return {};
}

// The devices that could take part, with the launch's own weights if it has some.
Status Node::findSlots(PlannedLaunch& launch, const DeviceTable& table) const {
  launch.slots = table.slots(needsOf(launch), launch.command.kernel);
  const std::vector<double>& weights = launch.command.weights;
  if (weights.empty()) return {};
  const bool valid = weights.size() == launch.slots.size() &&
                     std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w) && w >= 0; });
  if (!valid) return {Errc::protocol, fmt::format("launch of kernel {:#x} has wrong weights", launch.command.kernel)};
  for (std::size_t i = 0; i < weights.size(); ++i) launch.slots[i].weight = weights[i];
  return {};
}

Result<bool> Node::isFor(protocol::Launch& command, std::uint32_t device) const {
  PlannedLaunch launch;
  launch.command.kernel = command.kernel;
  launch.command.nativeOnly = command.nativeOnly;
  MUSTER_TRY(findKernel(launch));
  command.weights.clear();
  for (const cap::DeviceSlot& slot : table_.slots(needsOf(launch), command.kernel))
    command.weights.push_back(slot.device == device ? 1 : 0);
  return std::ranges::find(command.weights, 1) != command.weights.end();
}

void Node::addStates(PlannedLaunch& launch) const {
  launch.states.clear();
  launch.states.reserve(launch.spec->spec.arrays.size());
  for (const cap::ArrayUse& use : launch.spec->spec.arrays) launch.states.push_back(state(use.array));
}

// One that is remembered for the arrays' states as they are, or nullptr.
cap::PlanRef Node::findPlan(const cap::SpecRef& spec, const std::vector<cap::DeviceSlot>& slots) {
  cap::SmallVector<const cap::ArrayState*, 16> states;
  for (const cap::ArrayUse& use : spec->spec.arrays) states.push_back(arrays_.at(use.array).state.get());
  return plans_.find(spec, slots, {states.begin(), states.size()});
}

// Parts hardly ever come again: neither their specs nor their plans are remembered.
Status Node::planPart(PlannedLaunch& launch) {
  MUSTER_TRY(describe(launch));
  const std::uint32_t device = launch.command.part.device;
  if (std::ranges::find(launch.slots, device, &cap::DeviceSlot::device) == launch.slots.end())
    return {Errc::protocol,
            fmt::format("a part of kernel {:#x} is for device {}, which cannot run it", launch.command.kernel, device)};
  auto plan = std::make_shared<cap::Plan>(cap::makePlan(launch.spec->spec, launch.slots, launch.states));
  for (auto& [id, state] : plan->next) state = plans_.intern(std::move(state));
  launch.plan = std::move(plan);
  return {};
}

Status Node::plan(PlannedLaunch& launch) {
  if (launch.command.part.isOne()) return planPart(launch);
  MUSTER_TRY(findKernel(launch));
  const std::vector<cap::DeviceSlot>* slots = &table_.slots(needsOf(launch), launch.command.kernel);
  if (!launch.command.weights.empty()) {
    MUSTER_TRY(findSlots(launch, table_));
    slots = &launch.slots;
  }
  const bool noDevice = slots->empty();
  const Result<bool> kept = findSpec(launch, noDevice);
  if (!kept.ok()) return kept.status();
  launch.plan = findPlan(launch.spec, *slots);
  const std::size_t misses = plans_.misses();
  if (launch.plan != nullptr) {
    launch.slots.clear();
  } else {
    if (slots != &launch.slots) launch.slots = *slots;
    addStates(launch);
    const std::int64_t beganNs = cap::traceClock();
    launch.plan = plans_.launch(launch.spec, launch.slots, launch.states);
    if (plans_.misses() > misses) planningNs_ += cap::traceClock() - beganNs;
  }
  // Only what comes again is worth it: a program may give each of its launches other numbers.
  if (!*kept && plans_.misses() == misses)
    specs_.keep(launch.command, launch.command.hostOnly || noDevice, launch.spec);
  return {};
}

Result<cap::Plan> Node::planEviction(const protocol::Evict& command) const {
  std::vector<cap::Eviction> evictions;
  for (const protocol::Evict::Part& part : command.parts) {
    const cap::ArrayInfo* info = array(part.array);
    const bool known = info != nullptr && part.memory != cap::hostMemory && part.memory != part.spill &&
                       table_.hasMemory(part.memory) && table_.hasMemory(part.spill);
    if (!known || part.lo < 0 || part.hi > info->count)
      return Status(Errc::protocol, fmt::format("eviction of array {} from memory {} to memory {}, not all of which "
                                                "exist",
                                                part.array, part.memory, part.spill));
    evictions.push_back({part.array, part.memory, part.spill, {part.lo, part.hi}});
  }
  return cap::makeEvictionPlan(
      evictions, [this](std::uint32_t id) { return array(id)->elemSize; },
      [this](std::uint32_t id) { return state(id); });
}

Result<cap::Plan> Node::planAccess(const protocol::HostAccess& command) {
  const cap::ArrayInfo* info = array(command.array);
  if (info == nullptr || !cap::Interval{0, info->count}.contains(command.elements.hull()))
    return Status(Errc::protocol, fmt::format("host access to elements {} of array {}, which do not exist",
                                              command.elements.toString(), command.array));
  if (command.mode == cap::HostMode::overwrite && command.elements.size() == info->count) {
    // The same object each time, so that the plans of launches that follow are found by its address.
    cap::Plan plan;
    plan.onHost = true;
    plan.next.emplace_back(command.array,
                           plans_.intern(std::make_shared<const cap::ArrayState>(info->count, cap::hostMemory)));
    return plan;
  }
  return cap::makeHostPlan(command.array, info->elemSize, state(command.array), command.elements, command.mode);
}

Status Node::applyLaunch(const protocol::Launch& command, std::uint64_t sequence) {
  const cap::TraceScope whole(trace_, cap::TraceEvent::Kind::launch, sequence, command.kernel);
  // Parts of a launch may be computed natively meanwhile.
  if (!command.part.isOne()) MUSTER_TRY(waitForNative());
  auto launch = std::make_unique<PlannedLaunch>();
  launch->command = command;
  {
    const cap::TraceScope planning(trace_, cap::TraceEvent::Kind::plan, sequence, command.kernel);
    MUSTER_TRY(plan(*launch));
  }
  assume(*launch->plan);
  if (!computesNatively()) storeGlobals(*launch);  // else another part has done so
  if (launch->plan->onHost) return executor_.transfer(*launch->plan, sequence);
  if (command.part.isOne()) return applyPart(std::move(launch), sequence);
  const FloatMode::Scope floats(FloatMode::of(command.floatMode));  // also of what is merged
  auto started = executor_.start(launch->plan, launch->request(), sequence);
  if (!started.ok()) return started.status();
  MUSTER_TRY(executor_.runNative(**started));
  return executor_.finish(**started).status();
}

Status Node::apply(const protocol::Decoded& decoded, bool& running) {
  if (!std::holds_alternative<protocol::Launch>(decoded.command)) MUSTER_TRY(waitForNative());
  return std::visit(
      Overloaded{
          [&](const protocol::CreateArray& command) { return createArray(command); },
          [&](const protocol::ReleaseArray& command) { return releaseArray(command); },
          [&](const protocol::Launch& command) { return applyLaunch(command, decoded.sequence); },
          [&](const protocol::HostAccess& command) { return transfer(planAccess(command), decoded.sequence); },
          [&](const protocol::Evict& command) { return transfer(planEviction(command), decoded.sequence); },
          [&](const protocol::Weights& command) { return setWeights(command, decoded.sequence); },
          [&](const protocol::Measure& command) { return answerMeasure(command, decoded.sequence); },
          [&](const protocol::Shutdown&) -> Status {
            running = false;
            executor_.warnOfRaces();
            return executor_.finishDevices();
          },
      },
      decoded.command);
}

// Between the indexes of messages (below) and of results (above) in cap's tags.
std::uint64_t windowTag(std::uint64_t sequence) { return (sequence << 16) | 0xE000; }

std::uint64_t measureTag(std::uint64_t sequence) { return (sequence << 16) | 0xEFFF; }

Status Node::answerMeasure(const protocol::Measure& command, std::uint64_t sequence) {
  if (command.finish) MUSTER_TRY(executor_.finishDevices());
  const cdm::Bytes answer = protocol::encodeMeasured(takeMeasured());
  auto request = transport_.send(0, measureTag(sequence), answer);
  if (command.finish) transport_.expectCommandSoon();  // rank 0 waits for all ranks, and goes on then
  return request.ok() ? transport_.wait(*request) : request.status();
}

Status Node::tellRank0(std::uint64_t tag) {
  auto request = transport_.send(0, tag, {});
  return request.ok() ? transport_.wait(*request) : request.status();
}

Status Node::answer(std::uint64_t sequence) {
  return sequence % windowCommands == 0 ? tellRank0(windowTag(sequence)) : Status();
}

// Launches wait for those behind them as long as commands do.
Status Node::flushIfIdle() {
  if (!executor_.holdsLaunches()) return {};
  const Result<bool> more = transport_.hasCommand();
  if (!more.ok()) return more.status();
  return *more ? Status() : executor_.flushDevices();
}

Status Node::serve() {
  bool running = true;
  while (running) {
    MUSTER_TRY(flushIfIdle());
    MUSTER_TRY(watchParts());
    const auto bytes = transport_.nextCommand();
    if (!bytes.ok()) return bytes.status();
    const auto decoded = protocol::decode(*bytes);
    if (!decoded.ok()) return decoded.status();
    MUSTER_TRY(apply(*decoded, running));
    MUSTER_TRY(answer(decoded->sequence));
  }
  return {};
}

}  // namespace muster::rt
