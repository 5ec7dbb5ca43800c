// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/fusion.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/fused_code.h"

namespace muster::cdm {
namespace {

// Launches that follow each other later than that have something between them.
constexpr std::int64_t longestGapNs = 200'000;
// What a launch less saves (decision 48), and how fast the memory of a device is: a fast one, which saves least.
constexpr double secondsOfLaunch = 7e-6, bytesPerSecond = 4e12;
constexpr std::uint32_t mostRest = 4096;

bool beginsWith(const Fusion::Sequence& sequence, std::span<const KeptLaunch> launches) {
  return std::ranges::equal(std::span(sequence.parts).first(launches.size()), launches, {}, {}, &KeptLaunch::part);
}

bool isSame(const Fusion::Sequence& sequence, std::span<const KeptLaunch> launches) {
  return sequence.parts.size() == launches.size() && beginsWith(sequence, launches);
}

}  // namespace

bool Fusion::goesWith(const Call& call) const {
  return std::ranges::all_of(std::span(launches_).first(kept_), [&](const KeptLaunch& kept) {
    return goTogether(kept.part(), call.part()) && kept.mayFuse(call.launch);
  });
}

bool Fusion::isSoon(std::int64_t nowNs) const { return nowNs - launches_[kept_ - 1].calledNs() <= longestGapNs; }

bool Fusion::mayFuse(const KernelLaunch& launch) {
  // Who launches may not say where it touches its arrays.
  if (launch.own.size() != launch.arrays.size() || launch.own.empty()) return false;
  const auto [known, isNew] = mayBeFused_.try_emplace(launch.code->id);
  if (isNew) known->second = mayBeFused(*launch.code);
  return known->second;
}

// The longest one: if the rest of it does not come, a shorter one may be whole.
Fusion::Sequence* Fusion::goingOnWith(const FusedPart& part) const {
  const KernelCode& first = kept_ > 0 ? launches_[0].code() : *part.code;
  const auto ways = sequences_.find(first.id);
  if (ways == sequences_.end()) return nullptr;
  const std::span kept = std::span(launches_).first(kept_);
  Sequence* longest = nullptr;
  for (const auto& way : ways->second) {
    const bool goesOn = way->isReady && way->rest == 0 && way->parts.size() > kept_ && way->parts[kept_] == part &&
                        beginsWith(*way, kept);
    if (goesOn && (longest == nullptr || way->parts.size() > longest->parts.size())) longest = way.get();
  }
  return longest;
}

bool Fusion::begins(const KernelLaunch& launch) const {
  const auto ways = sequences_.find(launch.code->id);
  return !isWaiting() && ways != sequences_.end() &&
         std::ranges::any_of(ways->second, [](const auto& sequence) { return sequence->isReady; });
}

bool Fusion::takes(const Call& call) {
  if (waits_ != nullptr) {
    if (!goesWith(call)) return false;
    Sequence* const sequence = waits_->parts[kept_] == call.part() ? waits_ : goingOnWith(call.part());
    if (sequence == nullptr) return false;
    waits_ = sequence;
    isLate_ |= !isSoon(call.nowNs);
    keep(call);
    return true;
  }
  if (!begins(call.launch)) return false;
  Sequence* const sequence = goingOnWith(call.part());
  for (const auto& resting : sequences_.at(call.launch.code->id))
    if (resting->rest > 0) --resting->rest;
  if (sequence == nullptr) return false;
  keep(call);
  waits_ = sequence;
  isLate_ = false;
  return true;
}

Fusion::Taken Fusion::take() {
  const bool whole = isWhole();
  const std::span launches = std::span(launches_).first(std::exchange(kept_, 0));
  Sequence* const sequence = std::exchange(waits_, nullptr);
  if (whole && !isLate_)
    sequence->nextRest = 0;
  else
    sequence->rest = sequence->nextRest = std::min(mostRest, 2 * sequence->nextRest + 1);
  if (whole) return {launches, sequence};
  Ways& ways = sequences_.at(launches[0].code().id);
  // It comes no more: another one may begin so.
  if (sequence->nextRest == mostRest) {
    former_.push_back(std::move(sequence->fused));
    std::erase_if(ways, [&](const auto& way) { return way.get() == sequence; });
  }
  const auto shorter =
      std::ranges::find_if(ways, [&](const auto& way) { return way->isReady && isSame(*way, launches); });
  return {launches, shorter == ways.end() ? nullptr : shorter->get()};
}

bool Fusion::continues(const Call& call) const {
  if (kept_ == 0) return true;
  return kept_ < most && launches_[kept_ - 1].code().results.empty() && isSoon(call.nowNs) && goesWith(call);
}

void Fusion::ran(const Call& call) {
  for (std::size_t i = 0; i < kept_; ++i) bytesShared_ += launches_[i].bytesShared(call.launch);
  keep(call);
}

Fusion::Sequence* Fusion::sequenceOf(std::span<const KeptLaunch> ran) {
  Ways& ways = sequences_[ran[0].code().id];
  for (const auto& way : ways)
    if (isSame(*way, ran)) return way.get();
  if (ways.size() == mostWays) {  // in place of the one that was seen least; what was built, or cannot be, stays
    constexpr unsigned stays = std::numeric_limits<unsigned>::max();
    const auto weight = [](const auto& way) { return way->isReady || way->isOut ? stays : way->seen; };
    const auto least = std::ranges::min_element(ways, {}, weight);
    if (weight(*least) == stays) return nullptr;
    ways.erase(least);
  }
  ways.push_back(std::make_unique<Sequence>());
  for (const KeptLaunch& launch : ran) ways.back()->parts.push_back(launch.part());
  return ways.back().get();
}

Fusion::Sequence* Fusion::endRun() {
  const std::size_t launches = std::exchange(kept_, 0);
  const double bytes = std::exchange(bytesShared_, 0);
  if (launches < 2) return nullptr;
  Sequence* const sequence = sequenceOf(std::span(launches_).first(launches));
  if (sequence == nullptr || sequence->isReady || sequence->isOut || ++sequence->seen == 1) return nullptr;
  if (sequence->fused == nullptr) sequence->fused = fusedCode(sequence->parts);
  if (sequence->fused == nullptr) sequence->isOut = true;
  sequence->saves += static_cast<double>(launches - 1) * secondsOfLaunch + bytes / bytesPerSecond;
  return sequence->isOut ? nullptr : sequence;
}

std::vector<const Fusion::Sequence*> Fusion::unbuilt() const {
  std::vector<const Sequence*> found;
  for (const auto& [id, ways] : sequences_)
    for (const auto& way : ways)
      if (way->seen >= leastSeen && way->fused != nullptr && !way->isReady && !way->isOut) found.push_back(way.get());
  return found;
}

}  // namespace muster::cdm
