// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the session tells of what it does.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <span>

#include "muster/cdm/iterations.h"
#include "registry/registry.h"
#include "session/program/session.h"

namespace muster::rt {

std::vector<std::size_t> Session::directFrom(std::size_t device) {
  const std::vector<DeviceEntry>& devices = node_.table().devices();
  std::vector<std::size_t> targets;
  for (std::size_t to = 0; to < devices.size(); ++to)
    if (node_.executor().isDirect(devices[device].place.memory, devices[to].place.memory)) targets.push_back(to);
  return targets;
}

void Session::describeDevices() {
  if (!reporting_) return;
  const auto& slots = node_.table().slots(DeviceTable::Needs::opencl);
  for (std::size_t i = 0; i < node_.table().devices().size(); ++i) {
    const DeviceEntry& device = node_.table().devices()[i];
    DeviceReport entry{device.place.rank,
                       device.host,
                       device.info.name,
                       device.info.backend,
                       cdm::toString(device.info.kind),
                       0,
                       job_.measured[i].bytesPerSecond,
                       job_.measured[i].latencySeconds,
                       device.info.hostAddressable ? device.info.computeUnits : 0,
                       directFrom(i)};
    for (const cap::DeviceSlot& slot : slots) {
      if (slot.device == i) entry.weight = slot.weight;
    }
    report_->addDevice(std::move(entry));
  }
  if (const auto from = node_.executor().directMessagesFrom()) report_->noteDirectMessages(*from);
  for (std::size_t rank = 0; rank < job_.leftOut.size(); ++rank) {
    for (const auto& [device, reason] : job_.leftOut[rank]) report_->addLeftOut(static_cast<int>(rank), device, reason);
  }
}

// Trials may be slow, and there may be many of them: then the next one is announced.
void Session::noteTrial(const Tuner::Step& step) {
  const bool tries = step.decision.starts_with("try ") || step.decision == "probe";
  if (tries && triesSince_) {
    trialPatience_.strain(step.elapsed - *triesSince_, [this] {
      const std::string& store = job_.config.tuneStore;
      return "looking for the fastest devices takes a while; " +
             (store.empty() ? std::string("MUSTER_TUNE_STORE=FILE keeps for the next run what is found")
                            : "the next run finds the result in " + store);
    });
  }
  triesSince_ = tries ? std::optional(step.elapsed) : std::nullopt;
}

void Session::noteStep(const Tuner::Step& step) {
  noteTrial(step);
  const KernelEntry* kernel = registry().find(step.kernel);
  const std::string loop = kernel == nullptr ? "?" : location(kernel->descriptor->loc);
  if (tuneLog_ != nullptr) tuneLog_->write(step, loop);
  if (job_.config.info < 2) return;
  fmt::print(stderr, "muster: {}: {}\n", loop, describe(step));
}

void Session::noteCorrection(const WeightModel::Change& change) {
  std::string loops;
  for (const std::uint64_t id : change.kernels) {
    const KernelEntry* kernel = registry().find(id);
    if (kernel == nullptr) continue;
    if (change.reason == WeightModel::Change::Reason::gain) report_->countCorrection(*kernel->descriptor);
    loops += (loops.empty() ? "" : ", ") + location(kernel->descriptor->loc);
  }
  if (job_.config.info < 2) return;
  fmt::print(stderr, "muster: {}: weights are now {:.3f}", loops, fmt::join(change.speeds, " "));
  if (change.reason == WeightModel::Change::Reason::trial)
    fmt::print(stderr, ", to try a device that was too slow to take part");
  if (change.gain > 0) fmt::print(stderr, ", which should save {:.0f} % of the time", 100 * change.gain);
  fmt::print(stderr, "\n");
}

void Session::noteNative(const muster_launch& launch, std::int64_t beganNs) {
  cap::TraceEvent event;
  event.kernel = launch.kernel->id;
  event.beginNs = beganNs;
  event.endNs = cap::traceClock();
  event.device = hostDevice();
  report_->countNative(*launch.kernel, static_cast<double>(event.endNs - beganNs) * 1e-9, event.device);
  if (job_.trace == nullptr) return;
  cap::TraceEvent whole = event;
  whole.device = cap::TraceEvent::none;
  job_.trace->events().record(whole);
  event.kind = cap::TraceEvent::Kind::chunk;
  event.hi = launch.dims[0].count;
  event.amount = static_cast<std::uint64_t>(cdm::iterationsOf(1, std::span(launch.dims, launch.kernel->n_dims)));
  job_.trace->events().record(event);
}

std::string Session::deviceSets() const {
  std::string text;
  for (const Tuner::Found& found : tuner_->found()) {
    std::string loops;
    for (const std::uint64_t id : found.kernels) {
      const KernelEntry* kernel = registry().find(id);
      if (kernel != nullptr) loops += (loops.empty() ? "" : ", ") + location(kernel->descriptor->loc);
    }
    text += fmt::format("muster: device set {} for {}", tuner_->park().text(found.set), loops);
    text += found.tried > 0 ? fmt::format(", the fastest of {} that were timed\n", found.tried) : "\n";
  }
  return text;
}

void Session::writeReport() const {
  if (dryRun_ != nullptr) {
    std::fflush(stdout);
    fmt::print(stderr, "{}", dryRun_->text(node_.plans()));
  }
  if (job_.config.info > 0) {
    std::fflush(stdout);
    const bool several = job_.isOwn && job_.place.size > 1;
    if (several) fmt::print(stderr, "muster: {}{}\n", whoSpeaks(*job_.transport), report_->line());
    if (!several || job_.place.rank == 0) fmt::print(stderr, "{}", report_->text());
    if (tuner_ != nullptr) fmt::print(stderr, "{}", deviceSets());
  }
  if (job_.config.infoFile.empty()) return;
  std::ofstream out(job_.config.infoFile);
  out << report_->json();
  out.close();
  if (!out) fmt::print(stderr, "muster: warning: cannot write MUSTER_INFO_FILE {}\n", job_.config.infoFile);
}

}  // namespace muster::rt
