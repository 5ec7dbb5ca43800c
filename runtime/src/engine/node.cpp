// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applying commands on one rank.
#include "engine/node.h"

#include <fmt/format.h>

#include <cstring>

#include "muster/cdm/device_manager.h"
#include "muster/cdm/remote.h"

namespace muster::rt {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

// Native code reads some globals under their own names: every rank but 0 gets the launch's values there.
void storeGlobals(const PlannedLaunch& launch) {
  const muster_kernel& kernel = *launch.kernel->descriptor;
  for (unsigned i = 0; i < kernel.n_scalars; ++i) {
    if (kernel.scalars[i].global != nullptr)
      std::memcpy(kernel.scalars[i].global, launch.scalars[i], kernel.scalars[i].size);
  }
}

}  // namespace

cap::LaunchRequest PlannedLaunch::request() const {
  return {.code = &kernel->code, .spec = &spec, .dims = dims, .scalars = scalars};
}

Node::Node(cdm::Transport& transport, std::vector<cdm::ComputeDevice*> devices, DeviceTable table,
           const Registry& registry, cap::ExecutorOptions options)
    : transport_(transport),
      devices_(std::move(devices)),
      table_(std::move(table)),
      registry_(registry),
      executor_(transport, devices_, table_.places(), std::move(options)) {}

Status Node::createArray(const protocol::CreateArray& command, std::byte* host) {
  return executor_.addArray({command.id, command.elemSize, command.count, command.name, host});
}

Status Node::releaseArray(const protocol::ReleaseArray& command) { return executor_.removeArray(command.id); }

Status Node::setWeights(const protocol::Weights& command) {
  return table_.setSpeeds(command.weights, command.minShare);
}

DeviceTable::Needs Node::needsOf(const PlannedLaunch& launch) const {
  if (launch.command.nativeOnly || launch.kernel->code.opencl.empty()) return DeviceTable::Needs::native;
  return launch.kernel->code.needsFp64 ? DeviceTable::Needs::openclFp64 : DeviceTable::Needs::opencl;
}

Status Node::plan(PlannedLaunch& launch) {
  MUSTER_TRY(buildSpec(launch));
  const auto& slots = table_.slots(needsOf(launch));
  if (slots.empty()) launch.spec.hostOnly = true;
  std::vector<cap::ArrayStateRef> states;
  states.reserve(launch.spec.arrays.size());
  for (const cap::ArrayUse& use : launch.spec.arrays) states.push_back(executor_.state(use.array));
  launch.plan = plans_.launch(launch.spec, slots, states);
  return {};
}

Result<cap::Plan> Node::planAccess(const protocol::HostAccess& command) const {
  const cap::ArrayInfo* info = executor_.array(command.array);
  if (info == nullptr || command.lo < 0 || command.hi > info->count)
    return Status(Errc::protocol, fmt::format("host access to elements [{}, {}) of array {}, which do not exist",
                                              command.lo, command.hi, command.array));
  return cap::makeHostPlan(command.array, info->elemSize, executor_.state(command.array),
                           cap::IntervalSet(cap::Interval{command.lo, command.hi}), command.write);
}

Status Node::applyLaunch(const protocol::Launch& command, std::uint64_t sequence) {
  PlannedLaunch launch;
  launch.command = command;
  MUSTER_TRY(plan(launch));
  storeGlobals(launch);
  if (launch.plan->onHost) return executor_.transfer(*launch.plan, sequence);
  auto started = executor_.start(launch.plan, launch.request(), sequence);
  if (!started.ok()) return started.status();
  MUSTER_TRY(executor_.runNative(**started));
  return executor_.finish(**started).status();
}

Status Node::apply(const protocol::Decoded& decoded, bool& running) {
  const auto lookup = [this](std::uint64_t id) -> const cdm::KernelCode* {
    if (id == cdm::benchmarkKernelId) return &cdm::benchmarkKernel();
    const KernelEntry* entry = registry_.find(id);
    return entry == nullptr ? nullptr : &entry->code;
  };
  return std::visit(Overloaded{
                        [&](const protocol::CreateArray& command) { return createArray(command, nullptr); },
                        [&](const protocol::ReleaseArray& command) { return releaseArray(command); },
                        [&](const protocol::Launch& command) { return applyLaunch(command, decoded.sequence); },
                        [&](const protocol::HostAccess& command) -> Status {
                          const Result<cap::Plan> plan = planAccess(command);
                          return plan.ok() ? executor_.transfer(*plan, decoded.sequence) : plan.status();
                        },
                        [&](const protocol::DeviceCall& command) {
                          return cdm::serveRemoteCall(transport_, devices_, lookup, command.call);
                        },
                        [&](const protocol::Weights& command) { return setWeights(command); },
                        [&](const protocol::Shutdown&) -> Status {
                          running = false;
                          return executor_.finishDevices();
                        },
                    },
                    decoded.command);
}

// Between the indexes of messages (below) and of results (above) in cap's tags.
std::uint64_t windowTag(std::uint64_t sequence) { return (sequence << 16) | 0xE000; }

Status Node::answer(std::uint64_t sequence) {
  if (sequence % windowCommands != 0) return {};
  auto request = transport_.send(0, windowTag(sequence), {});
  return request.ok() ? transport_.wait(*request) : request.status();
}

Status Node::serve() {
  bool running = true;
  while (running) {
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
