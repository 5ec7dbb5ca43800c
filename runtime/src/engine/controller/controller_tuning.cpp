// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the weights' and the device set's adaptation need of the job.
#include "engine/controller/controller.h"
#include "engine/model/forecast.h"
#include "host/system/runtime_section.h"

namespace muster::rt {

// Under launches_, not under mutex_.
Status Controller::adapt(const protocol::Launch& launch) {
  if (rebalancer_ == nullptr) return {};
  const RuntimeSection section;
  {
    const Lock lock(mutex_);
    MUSTER_TRY(rebalancer_->beforeLaunch(launch, poster(), inOrder()));
  }
  return tuner_ != nullptr ? tuner_->beforeLaunch(launch) : Status();
}

std::size_t Controller::groupOf(std::uint64_t kernel) { return rebalancer_->model().componentOf(kernel); }

TunedJob::Clock Controller::clock() const {
  if (dryRun_ != nullptr && dryRun_->time() != nullptr)
    return {dryRun_->time()->seconds(), dryRun_->time()->seconds(), node_.plans().misses(), 0};
  const std::int64_t now = cap::traceClock();
  const std::int64_t inLaunch = launchBeganNs_ != 0 ? now - launchBeganNs_ : 0;
  return {static_cast<double>(now) * 1e-9, static_cast<double>(waitedNs_.load() + inLaunch) * 1e-9,
          node_.plans().misses(), node_.planningSeconds()};
}

Status Controller::drain() {
  {
    const Lock lock(mutex_);
    MUSTER_TRY(runWaiting());
    MUSTER_TRY(rebalancer_->askAll(poster(), inOrder()));
  }
  MUSTER_TRY(stream_.waitForAll());
  MUSTER_TRY(rebalancer_->waitForAnswers());
  const Lock lock(mutex_);
  return rebalancer_->useAll(poster());
}

Status Controller::drainBetweenLaunches() {
  const Waiting waiting(*this);
  const std::lock_guard noLaunch(launches_);
  return drain();
}

Status Controller::restrict(std::uint64_t kernel, const std::vector<bool>& members) {
  const Lock lock(mutex_);
  return rebalancer_->restrict(kernel, members, poster());
}

bool Controller::ranEverywhere(std::uint64_t kernel) const { return rebalancer_->model().ranEverywhere(kernel); }

Status Controller::probe(std::uint64_t kernel) {
  const Lock lock(mutex_);
  return rebalancer_->probe(kernel, poster());
}

Result<bool> Controller::reweigh(std::uint64_t kernel) {
  const Lock lock(mutex_);
  return rebalancer_->decideNow(kernel, poster());
}

void Controller::hold(bool on) {
  const Lock lock(mutex_);
  rebalancer_->hold(on);
}

Forecast Controller::forecast(std::uint64_t kernel, std::span<const protocol::Command> commands,
                              const std::vector<bool>& members) {
  const Lock lock(mutex_);
  const WeightModel& model = rebalancer_->model();
  std::vector<double> speeds = model.speedsOf(kernel, members);
  for (std::size_t d = 0; d < speeds.size(); ++d) speeds[d] = members[d] ? speeds[d] : 0;
  DeviceTable table = node_.table();
  if (!table.setSpeeds(speeds, rebalancer_->minShare()).ok()) return {.possible = false};
  return rt::forecast(node_, commands, table, LaunchCost(table, links_),
                      [&](std::uint64_t id, std::uint32_t device, const std::vector<bool>& works) {
                        return model.secondsPerIteration(id, device, works);
                      });
}

}  // namespace muster::rt
