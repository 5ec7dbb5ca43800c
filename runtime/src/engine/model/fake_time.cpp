// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/model/fake_time.h"

#include <fmt/format.h>

namespace muster::rt {
namespace {

std::int64_t nanoseconds(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }

}  // namespace

FakeTime::FakeTime(const FakePark& park, const DeviceTable& table) : park_(park), cost_(table, linksOf(park)) {
  for (const auto& machine : park_.machines) devices_.insert(devices_.end(), machine.begin(), machine.end());
}

double FakeTime::perIteration(const KernelEntry& kernel, std::uint32_t device) const {
  double speed = devices_[device].speed;
  for (const FakePark::LoopFactor& loop : park_.loops) {
    if (loop.line == kernel.descriptor->loc.line && loop.kind == devices_[device].kind) speed *= loop.factor;
  }
  return park_.secondsPerIteration / speed;
}

void FakeTime::wait(const cap::Plan& copies) { seconds_ = seconds() + cost_.transferSeconds(copies); }

void FakeTime::run(const protocol::Launch& launch, const KernelEntry& kernel, const cap::Plan& plan,
                   std::uint64_t sequence, const Chunk& chunk) {
  const double inner = protocol::innerIterations(launch) * launch.steps;
  for (const cap::Chunk& part : plan.chunks) {
    const double iterations = static_cast<double>(part.hi - part.lo) * inner;
    cap::TraceEvent event;
    event.kind = cap::TraceEvent::Kind::chunk;
    event.kernel = launch.kernel;
    event.sequence = sequence;
    event.device = part.device;
    event.amount = static_cast<std::uint64_t>(iterations);
    event.beginNs = nanoseconds(seconds());
    event.endNs = event.beginNs + nanoseconds(iterations * perIteration(kernel, part.device));
    chunk(event);
  }
  const auto perIterationOf = [&](std::uint32_t device) { return perIteration(kernel, device); };
  seconds_ = seconds() + cost_.startSeconds(plan) + cost_.transferSeconds(plan) +
             LaunchCost::computeSeconds(plan, inner, perIterationOf);
}

Links linksOf(const FakePark& park) {
  Links links;
  links.networkBytesPerSecond = park.networkBytesPerSecond;
  links.networkLatency = park.networkLatency;
  links.busBytesPerSecond = park.busBytesPerSecond;
  links.busLatency = park.busLatency;
  return links;
}

DeviceTable::RankList fakeDevices(const FakePark& park, std::size_t machine) {
  DeviceTable::RankList list;
  list.host = fmt::format("machine{}", machine);
  for (const FakePark::Device& device : park.machines[machine]) {
    cdm::DeviceInfo info;
    info.backend = device.kind == FakePark::Kind::cpu ? "cpu" : "opencl";
    info.kind = device.kind == FakePark::Kind::gpu ? cdm::DeviceKind::gpu : cdm::DeviceKind::cpu;
    info.name = fmt::format("fake {} {}", cdm::toString(info.kind), list.devices.size());
    info.hardwareId = fmt::format("{} {}", list.host, info.name);
    info.memoryBytes = info.maxAllocationBytes = device.memoryBytes;
    info.hostAddressable = device.kind == FakePark::Kind::cpu;
    list.devices.push_back(std::move(info));
  }
  return list;
}

}  // namespace muster::rt
