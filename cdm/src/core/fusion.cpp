// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/fusion.h"

#include <algorithm>
#include <utility>

#include "core/fused_code.h"

namespace muster::cdm {
namespace {

// Launches that follow each other later than that have something between them.
constexpr std::int64_t longestGapNs = 200'000;
// What a launch less saves (decision 48), and how fast the memory of a device is: a fast one, which saves least.
constexpr double secondsOfLaunch = 7e-6, bytesPerSecond = 4e12;
constexpr std::uint32_t mostRest = 4096;

}  // namespace

bool Fusion::goesWith(const KernelLaunch& launch) const {
  return std::all_of(launches_.begin(), launches_.begin() + static_cast<std::ptrdiff_t>(kept_),
                     [&](const KeptLaunch& kept) { return kept.mayFuse(launch); });
}

bool Fusion::isSoon(std::int64_t nowNs) const { return nowNs - launches_[kept_ - 1].calledNs() <= longestGapNs; }

bool Fusion::mayFuse(const KernelLaunch& launch) {
  // Who launches may not say where it touches its arrays.
  if (launch.own.size() != launch.arrays.size() || launch.own.empty()) return false;
  const auto [known, isNew] = mayBeFused_.try_emplace(launch.code->id);
  if (isNew) known->second = mayBeFused(*launch.code);
  return known->second;
}

Fusion::Sequence* Fusion::begunBy(const KernelLaunch& launch) {
  const auto found = sequences_.find(launch.code->id);
  return found != sequences_.end() && found->second.isReady ? &found->second : nullptr;
}

bool Fusion::takes(const KernelLaunch& launch, std::int64_t nowNs) {
  if (waits_ != nullptr) {
    if (waits_->codes[kept_] != launch.code || !goesWith(launch)) return false;
    isLate_ |= !isSoon(nowNs);
    keep(launch, nowNs);
    return true;
  }
  Sequence* const sequence = begunBy(launch);
  if (sequence == nullptr) return false;
  if (sequence->rest > 0) {
    --sequence->rest;
    return false;
  }
  keep(launch, nowNs);
  waits_ = sequence;
  isLate_ = false;
  return true;
}

Fusion::Taken Fusion::take() {
  Sequence& sequence = *waits_;
  const bool whole = isWhole();
  if (whole && !isLate_)
    sequence.nextRest = 0;
  else
    sequence.rest = sequence.nextRest = std::min(mostRest, 2 * sequence.nextRest + 1);
  // It comes no more: another one may begin so.
  if (!whole && sequence.nextRest == mostRest) {
    former_.push_back(std::move(sequence.fused));
    sequence = {};
  }
  waits_ = nullptr;
  return {std::span(launches_).first(std::exchange(kept_, 0)), &sequence};
}

bool Fusion::continues(const KernelLaunch& launch, std::int64_t nowNs) const {
  if (kept_ == 0) return true;
  return kept_ < most && launches_[kept_ - 1].code().results.empty() && isSoon(nowNs) && goesWith(launch);
}

void Fusion::ran(const KernelLaunch& launch, std::int64_t nowNs) {
  for (std::size_t i = 0; i < kept_; ++i) bytesShared_ += launches_[i].bytesShared(launch);
  keep(launch, nowNs);
}

Fusion::Sequence* Fusion::endRun() {
  const std::size_t launches = std::exchange(kept_, 0);
  const double bytes = std::exchange(bytesShared_, 0);
  if (launches < 2) return nullptr;
  Sequence& sequence = sequences_[launches_[0].code().id];
  if (sequence.isReady) return nullptr;
  const auto isSame = [](const KernelCode* code, const KeptLaunch& launch) { return code == &launch.code(); };
  const std::span ran = std::span(launches_).first(launches);
  if (!std::ranges::equal(sequence.codes, ran, isSame)) {
    sequence = {};
    for (const KeptLaunch& launch : ran) sequence.codes.push_back(&launch.code());
    sequence.seen = 1;
    return nullptr;
  }
  if (sequence.isOut) return nullptr;
  ++sequence.seen;
  if (sequence.fused == nullptr) sequence.fused = fusedCode(sequence.codes);
  if (sequence.fused == nullptr) sequence.isOut = true;
  sequence.saves += static_cast<double>(launches - 1) * secondsOfLaunch + bytes / bytesPerSecond;
  return sequence.isOut ? nullptr : &sequence;
}

}  // namespace muster::cdm
