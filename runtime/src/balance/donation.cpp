// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "balance/donation.h"

#include <algorithm>
#include <cmath>

namespace muster::rt {
namespace {

// A device goes to a thread with so many times the work: otherwise it would go to and fro between equals.
constexpr double tolerance = 1.25;
// A thread that has not looked for so long has nothing for its device.
constexpr double goneSeconds = 0.02;
// Long enough that what a thread gets done says something.
constexpr double windowSeconds = 0.02;
// Launches that a device was not worth must be so much longer for another attempt; half of that a second later.
constexpr double nextAttempt = 2;
// Of a core's time: shorter launches are over before a device has begun.
constexpr double leastWork = 5e-6;

}  // namespace

double Donation::Device::leastWork(double now) const {
  return std::max(muster::rt::leastWork, least * std::exp2(since - now));
}

Donation::Thread Donation::join() {
  const auto free = std::find_if(threads_.begin(), threads_.end(), [](const Member& m) { return !m.joined; });
  Member& member = free != threads_.end() ? *free : threads_.emplace_back();
  member.joined = true;
  member.work = member.seen = 0;
  member.onCore = onCore_;
  give(member, std::nullopt);
  return free != threads_.end() ? static_cast<Thread>(free - threads_.begin()) : threads_.size() - 1;
}

void Donation::leave(Thread thread) {
  threads_[thread].joined = false;
  give(threads_[thread], std::nullopt);
}

void Donation::give(Member& member, std::optional<std::size_t> device) {
  member.device = device;
  member.window = {};
}

// What it did since the last look it did where that said.
void Donation::note(Member& self, const Progress& progress, double now) {
  self.work = progress.work;
  self.seen = now;
  if (self.window.began < 0 || progress.isCold) {
    self.window = {now, 0};
    return;
  }
  self.window.done += progress.done;
  if (self.device || now - self.window.began < windowSeconds) return;
  self.onCore = onCore_ = self.window.done / (now - self.window.began);
  self.window = {now, 0};
}

bool Donation::isInVain(Member& self) {
  const double seconds = self.seen - self.window.began;
  if (seconds < windowSeconds) return false;
  const double onDevice = self.window.done / seconds;
  self.window = {self.seen, 0};
  Device& device = devices_[*self.device];
  if (onDevice >= self.onCore) {
    device.least = std::min(device.least, self.work);
    return false;
  }
  device.least = nextAttempt * self.work;
  device.since = self.seen;
  return true;
}

std::size_t Donation::holdersOf(std::size_t device) const {
  return static_cast<std::size_t>(
      std::count_if(threads_.begin(), threads_.end(), [&](const Member& m) { return m.device == device; }));
}

bool Donation::isGone(const Member& member, double now) const {
  return !member.launching.load(std::memory_order_relaxed) && now - member.seen > goneSeconds;
}

// Of those without a device, the one with the most work, if that is more than this one's.
Donation::Member* Donation::needier(const Member& self, double now) {
  Member* most = nullptr;
  for (Member& other : threads_) {
    if (!other.joined || other.device || isGone(other, now)) continue;
    if (most == nullptr || other.work > most->work) most = &other;
  }
  return most != nullptr && most->work > tolerance * self.work && mayTake(*most, *self.device, now) ? most : nullptr;
}

// Without knowing what the thread gets done on its core nobody could say later whether that is more.
bool Donation::mayTake(const Member& self, std::size_t device, double now) const {
  return !options_.donates || (self.onCore > 0 && self.work >= devices_[device].leastWork(now));
}

void Donation::takeDevice(Member& self, double now) {
  std::optional<std::size_t> best;
  std::size_t fewest = options_.threadsOfDevice;
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    if (!mayTake(self, d, now)) continue;
    const std::size_t holders = holdersOf(d);
    if (holders >= fewest) continue;
    best = d;
    fewest = holders;
  }
  if (best) return give(self, best);
  if (!options_.donates) return;
  for (Member& other : threads_) {
    if (!other.device || !isGone(other, now) || !mayTake(self, *other.device, now)) continue;
    give(self, other.device);
    return give(other, std::nullopt);
  }
}

std::optional<std::size_t> Donation::look(Thread thread, const Progress& progress, double now) {
  Member& self = threads_[thread];
  note(self, progress, now);
  if (!self.device) {
    takeDevice(self, now);
  } else if (options_.donates && isInVain(self)) {
    give(self, std::nullopt);
  } else if (Member* const other = options_.donates ? needier(self, now) : nullptr; other != nullptr) {
    give(*other, self.device);
    give(self, std::nullopt);
    ++donations_;
  }
  return self.device;
}

}  // namespace muster::rt
