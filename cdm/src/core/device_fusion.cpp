// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that become one: each is given a promise of an event, which stands for that of the operation that runs it.
#include <fmt/format.h>

#include <limits>

#include "core/fused_code.h"
#include "core/fusion.h"
#include "muster/cdm/clock.h"
#include "muster/cdm/device.h"

namespace muster::cdm {
namespace {

constexpr Event firstPromise = Event{1} << 63;
// Who waits for an older one waits for all operations.
constexpr std::size_t mostPromises = 65536;

}  // namespace

ComputeDevice::ComputeDevice(DeviceInfo info) : info_(std::move(info)), promised_(firstPromise) {}

ComputeDevice::~ComputeDevice() = default;

void ComputeDevice::fuseLaunches() { fusion_ = std::make_unique<Fusion>(); }

std::optional<std::uint8_t> ComputeDevice::doFusedForm(const KernelLaunch&) { return std::nullopt; }

double ComputeDevice::doSecondsToBuild(const KernelCode&) { return 0; }

double ComputeDevice::doSavedSeconds(const KernelCode&) { return 0; }

void ComputeDevice::doKeepSavedSeconds(const KernelCode&, double) {}

// A run may be too short to pay for a build that pays over several runs.
void ComputeDevice::keepSavings() {
  if (fusion_ == nullptr) return;
  for (const Fusion::Sequence* sequence : fusion_->unbuilt()) doKeepSavedSeconds(*sequence->fused, sequence->saves);
}

Result<Event> ComputeDevice::launchAmong(const KernelLaunch& launch) {
  MUSTER_TRY(Status(lost_));
  const std::optional<std::uint8_t> form = fusion_->mayFuse(launch) ? doFusedForm(launch) : std::nullopt;
  const Fusion::Call call{launch, form.value_or(0), traceClock()};
  if (form && fusion_->begins(launch)) endRun();
  bool waits = form && fusion_->takes(call);
  if (!waits && fusion_->isWaiting()) {
    MUSTER_TRY(runTaken());
    waits = form && fusion_->takes(call);
  }
  if (waits) {
    const Event event = ++promised_;
    if (fusion_->isWhole()) MUSTER_TRY(runTaken());
    return event;
  }
  if (!form || !fusion_->continues(call)) endRun();
  Result<Event> event = doLaunch(launch);
  if (event && form) fusion_->ran(call);
  return event;
}

Status ComputeDevice::settle() {
  if (fusion_ == nullptr || !lost_.ok()) return lost_;
  if (fusion_->isWaiting()) return runTaken();
  endRun();
  return {};
}

bool ComputeDevice::holdsLaunches() const { return (fusion_ != nullptr && fusion_->isWaiting()) || doHoldsLaunches(); }

// Nothing is built meanwhile: others may come soon.
Status ComputeDevice::flush() {
  MUSTER_TRY(Status(lost_));
  if (fusion_ != nullptr && fusion_->isWaiting()) MUSTER_TRY(runTaken());
  return doFlush();
}

// A kernel that does not build leaves its launches as they are.
void ComputeDevice::endRun() {
  if (!fusion_->hasRun()) return;
  Fusion::Sequence* const sequence = fusion_->endRun();
  if (sequence == nullptr) return;
  if (sequence->seconds < 0) {
    sequence->seconds = doSecondsToBuild(*sequence->fused);
    sequence->saves += doSavedSeconds(*sequence->fused);
  }
  if (!sequence->isWorthIt()) return;
  sequence->isReady = doPrepare(*sequence->fused, std::numeric_limits<double>::infinity()).ok();
  sequence->isOut = !sequence->isReady;
}

// Together if all of a sequence wait, else one by one. Their promises are the last ones.
Status ComputeDevice::runTaken() {
  const auto [launches, sequence] = fusion_->take();
  Event promise = promised_ - launches.size();
  if (sequence != nullptr) {
    const Result<Event> event = launchFused(launches, *sequence->fused);
    if (event.ok()) {
      for (std::size_t i = 0; i < launches.size(); ++i) keepPromise(++promise, *event);
      return {};
    }
    if (event.status().code() != Errc::buildFailed) return lose(event.status());
    sequence->isReady = false, sequence->isOut = true;
  }
  for (const KeptLaunch& kept : launches) {
    const Result<Event> event = doLaunch(kept.launch());
    if (!event) return lose(event.status());
    keepPromise(++promise, *event);
  }
  return {};
}

// Whose call finds it has nothing to do with it, and must not go on as if its own call could be mended.
Status ComputeDevice::lose(const Status& why) {
  lost_ = Status(Errc::deviceLost,
                 why.message() + " (a launch that waited for others; MUSTER_FUSE=off runs each by itself)");
  return lost_;
}

Result<Event> ComputeDevice::launchFused(std::span<const KeptLaunch> launches, const KernelCode& code) {
  std::vector<ArrayArg> arrays;
  std::vector<const void*> scalars;
  for (const std::size_t number : argumentOrder(launches.size(), !code.results.empty())) {
    const KeptLaunch& kept = launches[number];
    arrays.insert(arrays.end(), kept.arrays().begin(), kept.arrays().end());
    scalars.insert(scalars.end(), kept.scalars().begin(), kept.scalars().end());
  }
  KernelLaunch all = launches.back().launch();
  all.code = &code, all.arrays = arrays, all.scalars = scalars, all.own = {};
  return doLaunch(all);
}

void ComputeDevice::keepPromise(Event promise, Event event) {
  kept_[promise] = event;
  promisesOf_[event].push_back(promise);
  for (; kept_.size() > mostPromises; kept_.erase(kept_.begin())) promisesOf_.erase(kept_.begin()->second);
}

// 0: it is complete.
Result<Event> ComputeDevice::operationOf(Event event) {
  if (event < firstPromise) return event;
  if (event > promised_) return fail(Errc::invalidArgument, fmt::format("event {} was never given out", event));
  const auto kept = kept_.find(event);
  if (kept != kept_.end()) return kept->second;
  MUSTER_TRY(doFinish());
  return Event{0};
}

// Each launch has as much of the time of those that ran as one.
std::vector<OperationTiming> ComputeDevice::takeTimings() {
  std::vector<OperationTiming> timings = doTakeTimings();
  if (promisesOf_.empty()) return timings;
  std::vector<OperationTiming> all;
  for (OperationTiming timing : timings) {
    const auto promises = promisesOf_.find(timing.event);
    if (promises == promisesOf_.end()) {
      all.push_back(timing);
      continue;
    }
    timing.fused = static_cast<std::uint32_t>(promises->second.size());
    const std::int64_t beginNs = timing.beginNs, each = (timing.endNs - beginNs) / timing.fused;
    for (std::uint32_t i = 0; i < timing.fused; ++i) {
      timing.event = promises->second[i];
      timing.beginNs = beginNs + i * each, timing.endNs = timing.beginNs + each;
      all.push_back(timing);
    }
    promisesOf_.erase(promises);
  }
  return all;
}

}  // namespace muster::cdm
