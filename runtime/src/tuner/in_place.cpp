// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/in_place.h"

#include <algorithm>
#include <bit>

namespace muster::rt {
namespace {

constexpr int kOrders = 4;  // of size between n and 2 n that count as loops of their own

// Loops whose bounds change from launch to launch come again, too.
std::uint64_t kernelAndOrder(const muster_launch& launch) {
  std::uint64_t hash = launch.kernel->id;
  for (unsigned d = 0; d < launch.kernel->n_dims; ++d) {
    const auto count = static_cast<std::uint64_t>(launch.dims[d].count);
    const int bits = std::bit_width(count);
    const std::uint64_t part = bits > 1 ? (count - (std::uint64_t{1} << (bits - 1))) * kOrders >> (bits - 1) : 0;
    hash = (hash ^ (static_cast<std::uint64_t>(bits) * kOrders + part)) * 0x9e3779b97f4a7c15 + 1;
  }
  return hash;
}

double iterationsOf(const muster_launch& launch) {
  double iterations = 1;
  for (unsigned d = 0; d < launch.kernel->n_dims; ++d) iterations *= static_cast<double>(launch.dims[d].count);
  return iterations;
}

}  // namespace

// A launch beside or inside of one that runs in place does so, too: the other one's accesses must not meet protected
// pages that wait for it.
bool InPlace::begins(const muster_launch& launch, bool mayDecide) {
  // A launch inside of one on the host must not wait for who waits for that one.
  if (!mayDecide && !isHere()) return false;
  const std::lock_guard lock(mutex_);
  // What one thread moves another one may be about to use.
  const std::thread::id self = std::this_thread::get_id();
  if (mayDecide && user_ == std::thread::id()) user_ = self;
  if (mayDecide && user_ != self) decided_ = true;
  if (mayDecide && !decided_ && running_ == 0 && advice_ == Advice::stay) {
    advice_ = adviceFor(launch);
    adviser_ = launch.kernel;
  }
  if (isHere()) ++running_;
  return isHere();
}

PlainGuard::Advice InPlace::adviceFor(const muster_launch& launch) {
  if (isHere() && !hooks_.fits()) {
    tooLarge_ = decided_ = true;
    return Advice::tryAll;
  }
  const std::uint64_t loop = kernelAndOrder(launch);
  if (!firstLoop_) {
    firstLoop_ = loop;
    if (hooks_.recall) guard_.learn(hooks_.recall(loop));
  }
  if (!isHere() || guard_.isKnownEverywhere(loop)) {
    if (built_.insert(launch.kernel).second) unbuilt_.erase(launch.kernel);
  } else if (built_.count(launch.kernel) == 0) {
    double& iterations = unbuilt_[launch.kernel];
    iterations = std::max(iterations, iterationsOf(launch));
  }
  const Advice advice =
      guard_.beforeLaunch(loop, hooks_.seconds(), [this] { return hooks_.trialSeconds(unbuilt_.size()); });
  if (advice == Advice::tryAll && !areBuilt()) return Advice::stay;
  if (advice != Advice::drain) return advice;
  hooks_.finishDevices();
  return guard_.afterDrain(hooks_.seconds());
}

bool InPlace::areBuilt() const {
  if (!hooks_.areBuilt) return true;
  std::vector<UnbuiltLoop> unbuilt;
  unbuilt.reserve(unbuilt_.size());
  for (const auto& [kernel, iterations] : unbuilt_) unbuilt.push_back({kernel, iterations});
  return hooks_.areBuilt(unbuilt);
}

// Waits for a change that another thread makes.
void InPlace::end() {
  const std::lock_guard lock(mutex_);
  if (firstLoop_ && hooks_.remember) hooks_.remember(*firstLoop_, guard_.history());
  firstLoop_.reset();
  decided_ = true;
  advice_ = Advice::stay;
}

// What prepares a launch asks isHere() in front of it.
void InPlace::ends(bool ranInPlace) {
  const std::lock_guard lock(mutex_);
  if (ranInPlace) --running_;
  if (decided_ && !tooLarge_) advice_ = Advice::stay;
  if (running_ == 0 && advice_ != Advice::stay) follow(std::exchange(advice_, Advice::stay));
}

void InPlace::follow(Advice advice) {
  using Place = PlainGuard::Place;
  const double decided = hooks_.seconds();
  if (advice == Advice::goBack) {
    hooks_.finishDevices();
    hooks_.fetchEverything();
  }
  const double began = hooks_.seconds();
  if ((advice == Advice::tryAll || advice == Advice::useAll) && !hooks_.openDevices()) {
    decided_ = true;
    guard_.foundNoDevices();
    return;
  }
  const Place place = advice == Advice::goBack   ? Place::inPlace
                      : advice == Advice::tryAll ? Place::trial
                                                 : Place::everywhere;
  here_.store(place == Place::inPlace, std::memory_order_release);
  guard_.moved(place, began);
  hooks_.note(*adviser_, advice, tooLarge_ ? "the arrays are too large for rank 0's memory alone" : guard_.reason(),
              hooks_.seconds() - decided);
}

}  // namespace muster::rt
