// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registry/pairs.h"

#include <numeric>
#include <tuple>

namespace muster::rt {
namespace {

// In the order of memory, where a further row lies behind another one, or in front of it.
std::tuple<int, int> placeOf(const std::int8_t (&offset)[2], bool isBack) {
  return {isBack ? -offset[0] : offset[0], offset[1]};
}

// Whether the host's text may have steps of the guest: it reads all that the guest reads.
bool mayHost(const KernelEntry& host, const KernelEntry& guest) {
  const muster_steps &own = host.code.schedule.steps, &other = guest.code.schedule.steps;
  if (own.most < 3 || other.guest == 0 || other.reach > own.reach || other.corners > own.corners) return false;
  const auto isIn = [&](std::size_t first, bool isBack) {
    return placeOf(other.around[first], isBack) >= placeOf(own.around[first], isBack) &&
           placeOf(other.around[first + 1], isBack) <= placeOf(own.around[first + 1], isBack);
  };
  return isIn(0, false) && isIn(2, true);
}

bool areAlike(const KernelEntry& one, const KernelEntry& other) {
  const auto isPlain = [](const KernelEntry& kernel) {
    const muster_kernel& descriptor = *kernel.descriptor;
    return kernel.code.schedule.steps.most != 0 && descriptor.n_inner == 0 && descriptor.n_results == 0 &&
           descriptor.calls == nullptr;
  };
  if (!isPlain(one) || !isPlain(other) || one.code.floats != other.code.floats) return false;
  const auto &a = one.code.arrays[one.code.schedule.steps.from], &b = other.code.arrays[other.code.schedule.steps.from];
  return a.elementSize == b.elementSize && a.type == b.type;
}

}  // namespace

std::unique_ptr<KernelPair> KernelPair::make(const KernelEntry& first, const KernelEntry& second) {
  if (!areAlike(first, second)) return nullptr;
  const bool isGuestFirst = !mayHost(first, second);
  if (isGuestFirst && !mayHost(second, first)) return nullptr;
  return std::unique_ptr<KernelPair>(new KernelPair(first, second, isGuestFirst));
}

KernelPair::KernelPair(const KernelEntry& first, const KernelEntry& second, bool isGuestFirst)
    : descriptor_(*(isGuestFirst ? second : first).descriptor), schedule_(*descriptor_.schedule) {
  const KernelEntry &host = isGuestFirst ? second : first, &guest = isGuestFirst ? first : second;
  entry_.turns = {&first, &second};
  entry_.isGuestFirst = isGuestFirst;
  entry_.code = host.code;
  entry_.accesses = host.accesses;
  arrays_.assign(descriptor_.arrays, descriptor_.arrays + descriptor_.n_arrays);
  scalars_.assign(descriptor_.scalars, descriptor_.scalars + descriptor_.n_scalars);
  addGuest(guest);
  if (isGuestFirst) {
    std::swap(schedule_.steps.from, schedule_.steps.to);
    std::swap(entry_.code.turns[0], entry_.code.turns[1]);
  }
  descriptor_.id = first.descriptor->id;
  descriptor_.schedule = &schedule_;
  descriptor_.arrays = arrays_.data(), descriptor_.n_arrays = static_cast<std::uint16_t>(arrays_.size());
  descriptor_.scalars = scalars_.data(), descriptor_.n_scalars = static_cast<std::uint16_t>(scalars_.size());
  descriptor_.n_accesses = static_cast<std::uint16_t>(entry_.accesses.size());
  entry_.descriptor = &descriptor_;
  entry_.code.schedule = cdm::Schedule(schedule_);
  entry_.code.id = pairId(first.code.id, second.code.id);
  entry_.code.native = nullptr;
  entry_.code.expected.clear();
  entry_.code.opencl = std::string("#define MUSTER_GUEST_FIRST ") + (isGuestFirst ? "1" : "0") +
                       "\n#define MUSTER_GUEST_TEXT\n" + guest.code.opencl + "#undef MUSTER_GUEST_TEXT\n" +
                       host.code.opencl;
  entry_.code.needsFp64 |= guest.code.needsFp64;
}

// Behind the host's arguments come the guest's but for the two arrays, which both have.
void KernelPair::addGuest(const KernelEntry& guest) {
  cdm::KernelCode& code = entry_.code;
  const muster_steps &own = code.schedule.steps, &other = guest.code.schedule.steps;
  cdm::KernelTurn hosts{&(entry_.isGuestFirst ? entry_.turns[1] : entry_.turns[0])->code, {}, 0};
  cdm::KernelTurn guests{&guest.code, {}, code.scalars.size()};
  hosts.arrays.resize(code.arrays.size());
  std::iota(hosts.arrays.begin(), hosts.arrays.end(), std::uint16_t{0});
  for (std::size_t i = 0; i < guest.code.arrays.size(); ++i) {
    if (i == other.from || i == other.to) {
      guests.arrays.push_back(i == other.from ? own.to : own.from);
      continue;
    }
    guests.arrays.push_back(static_cast<std::uint16_t>(arrays_.size()));
    arrays_.push_back(guest.descriptor->arrays[i]);
    code.arrays.push_back(guest.code.arrays[i]);
  }
  code.arrays[own.from].written = true;
  scalars_.insert(scalars_.end(), guest.descriptor->scalars, guest.descriptor->scalars + guest.descriptor->n_scalars);
  code.scalars.insert(code.scalars.end(), guest.code.scalars.begin(), guest.code.scalars.end());
  for (cap::Access access : guest.accesses) {
    access.array = guests.arrays[access.array];
    entry_.accesses.push_back(std::move(access));
  }
  code.turns = {std::move(hosts), std::move(guests)};
}

}  // namespace muster::rt
