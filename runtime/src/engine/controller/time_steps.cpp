// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/controller/time_steps.h"

#include <algorithm>
#include <utility>

namespace muster::rt {
namespace {

// What waits in vain starts later than it could have: that must happen seldom.
constexpr std::uint32_t mostRest = 4096;

bool mayStep(const protocol::Launch& command) {
  return !command.hostOnly && !command.nativeOnly && command.weights.empty() && command.steps == 1;
}

bool haveSame(const protocol::Launch& one, const protocol::Launch& other) {
  return one.kernel == other.kernel && one.floatMode == other.floatMode && one.dims == other.dims &&
         one.forms == other.forms && one.scalars == other.scalars && one.arrays.size() == other.arrays.size();
}

// The two arrays are alike and apart from each other, and no other argument is one of them.
bool areApart(const protocol::Launch& command, const muster_steps& steps) {
  const auto& arrays = command.arrays;
  if (steps.equal[0] != steps.equal[1] && command.scalars[steps.equal[0]] != command.scalars[steps.equal[1]])
    return false;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    for (const std::size_t own : {std::size_t{steps.from}, std::size_t{steps.to}}) {
      if (i != own && arrays[i].id == arrays[own].id) return false;
    }
    const bool isOwn = i == steps.from || i == steps.to;
    if (arrays[i].opaque || (isOwn && arrays[i].absent)) return false;
  }
  return true;
}

bool isBack(const protocol::Launch& one, const protocol::Launch& other, const muster_steps& steps) {
  if (!haveSame(one, other)) return false;
  for (std::size_t i = 0; i < one.arrays.size(); ++i) {
    const std::size_t there = i == steps.from ? steps.to : i == steps.to ? steps.from : i;
    if (one.arrays[i] != other.arrays[there]) return false;
  }
  return true;
}

bool isEqual(const protocol::Launch& one, const protocol::Launch& other) {
  return haveSame(one, other) && one.arrays == other.arrays;
}

// The command of two loops in turn (KernelPair): the arguments of the one whose text it is, then the other's.
protocol::Launch joined(const KernelEntry& pair, const protocol::Launch& first, const protocol::Launch& second,
                        const muster_steps& stepsOfGuest) {
  const protocol::Launch& guest = pair.isGuestFirst ? first : second;
  protocol::Launch command = pair.isGuestFirst ? second : first;
  command.kernel = first.kernel, command.other = second.kernel;
  command.forms.insert(command.forms.end(), guest.forms.begin(), guest.forms.end());
  command.scalars.insert(command.scalars.end(), guest.scalars.begin(), guest.scalars.end());
  for (std::size_t i = 0; i < guest.arrays.size(); ++i) {
    if (i != stepsOfGuest.from && i != stepsOfGuest.to) command.arrays.push_back(guest.arrays[i]);
  }
  return command;
}

}  // namespace

bool TimeSteps::isKnown(const Direction& direction, const protocol::Launch& command) const {
  return direction.provenIn == epoch_ && isEqual(direction.command, command);
}

bool TimeSteps::watches() const {
  return std::any_of(directions_.begin(), directions_.end(),
                     [this](const Direction& direction) { return direction.provenIn == epoch_; });
}

bool TimeSteps::takes(const protocol::Launch& command) {
  if (directions_[0].provenIn != epoch_ || directions_[1].provenIn != epoch_ || !mayStep(command)) return false;
  const std::size_t direction = waiting_ == 0 ? isKnown(directions_[0], command) ? 0 : 1 : (first_ + waiting_) % 2;
  if (!isKnown(directions_[direction], command)) return false;
  if (waiting_ == 0) {
    if (rest_ > 0) {
      --rest_;
      return false;
    }
    first_ = direction;
  }
  ++waiting_;
  return true;
}

protocol::Launch TimeSteps::take(std::uint32_t steps) {
  const Direction &first = directions_[first_], &second = directions_[1 - first_];
  const KernelEntry* const pair = steps == 1 ? nullptr : first.pair;
  protocol::Launch command =
      pair == nullptr ? first.command
                      : joined(*pair, first.command, second.command, (pair->isGuestFirst ? first : second).loop.steps);
  command.steps = steps;
  first_ = (first_ + steps) % 2;
  waiting_ -= steps;
  hasJoined_ = waiting_ > 0;
  return command;
}

std::optional<protocol::Launch> TimeSteps::takeTogether() {
  if (waiting_ <= most()) return std::nullopt;
  nextRest_ = 0;
  return take(most());
}

std::uint32_t TimeSteps::most() const {
  const Direction& first = directions_[first_];
  return first.pair == nullptr ? first.loop.steps.most : first.pair->code.schedule.steps.most;
}

std::optional<protocol::Launch> TimeSteps::takeOne() {
  if (waiting_ == 0) return std::nullopt;
  if (!hasJoined_) rest_ = nextRest_ = std::min(mostRest, 2 * nextRest_ + most());
  return take(1);
}

void TimeSteps::split(std::uint32_t steps) {
  first_ = (first_ + steps) % 2;
  waiting_ += steps;
  hasJoined_ = false;
}

// Whether each of them reads what the other one writes. Notes what they are together.
bool TimeSteps::takeTurns(Direction& one, Direction& other) const {
  one.pair = other.pair = nullptr;
  if (one.command.kernel == other.command.kernel)
    return one.loop.steps.most > 1 && isBack(one.command, other.command, one.loop.steps);
  const muster_steps &mine = one.loop.steps, &its = other.loop.steps;
  const auto &from = one.command.arrays, &to = other.command.arrays;
  const bool isSame = one.command.floatMode == other.command.floatMode && one.command.dims == other.command.dims &&
                      !one.loop.place.empty() && one.loop.place == other.loop.place && one.loop.isAlike &&
                      from.size() > std::max(mine.from, mine.to) && from[mine.from] == to[its.to] &&
                      from[mine.to] == to[its.from];
  if (!isSame || !findPair_) return false;
  one.pair = findPair_(one.command.kernel, other.command.kernel);
  other.pair = findPair_(other.command.kernel, one.command.kernel);
  return one.pair != nullptr && other.pair != nullptr;
}

void TimeSteps::ran(const protocol::Launch& command, Loop loop, bool sparesHost) {
  if (loop.steps.most == 0 || !mayStep(command) || !areApart(command, loop.steps)) return;
  const std::uint64_t proven = sparesHost ? epoch_ : 0;
  for (Direction& direction : directions_) {
    if (isEqual(direction.command, command)) {
      direction.provenIn = proven;
      return;
    }
  }
  Direction next{command, std::move(loop), proven};
  // The last one may begin a turn with this one, whatever it was before.
  for (const std::size_t last : {std::size_t{0}, std::size_t{1}}) {
    if (!takeTurns(directions_[last], next)) continue;
    directions_[1 - last] = std::move(next);
    return;
  }
  directions_[0] = std::move(next);
  directions_[1] = {};
}

}  // namespace muster::rt
