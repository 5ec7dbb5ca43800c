// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which launches on one device become one (loop fusion: Kennedy and McKinley, LCPC 1993, found while the program runs):
// those that came one behind the other before, with nothing between them. What is known to begin such a sequence waits
// for the rest of it; several may begin in the same way. Pure: who launches asks before each launch, says what ran, and
// when something else comes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/kept_launch.h"

namespace muster::cdm {

class Fusion {
 public:
  static constexpr std::size_t most = 8;  // launches in one
  // The first times are late, as kernels are built, so that sequences are shorter than they will be.
  static constexpr unsigned leastSeen = 4;
  static constexpr std::size_t mostWays = 4;  // in which sequences with the same beginning go on
  // A launch, the form that it runs in (FusedPart), and when it came.
  struct Call {
    const KernelLaunch& launch;
    std::uint8_t form = 0;
    std::int64_t nowNs = 0;
    [[nodiscard]] FusedPart part() const { return {launch.code, form}; }
  };
  struct Sequence {
    std::vector<FusedPart> parts;
    unsigned seen = 0;
    std::unique_ptr<KernelCode> fused;    // once it was seen twice, and can be
    double saves = 0;                     // seconds that it would have saved so far, about, in earlier runs, too
    double seconds = -1;                  // that `fused` takes to build; negative: nobody said yet
    bool isReady = false, isOut = false;  // it is built; it cannot be
    [[nodiscard]] bool isWorthIt() const { return seen >= leastSeen && saves >= seconds; }
    std::uint32_t rest = 0, nextRest = 0;  // so many times it does not wait, because it waited in vain
  };

  // Whether the launch may be one with others at all, in the form that its text has for that.
  [[nodiscard]] bool mayFuse(const KernelLaunch& launch);
  // Whether it begins a sequence that is ready. Where nothing waits, endRun() has to be called before takes().
  [[nodiscard]] bool begins(const KernelLaunch& launch) const;
  // Of those that may. Whether the launch waits: it goes with those that wait, or nothing waits and it begins a
  // sequence that is ready.
  [[nodiscard]] bool takes(const Call& call);
  [[nodiscard]] bool isWaiting() const { return waits_ != nullptr; }
  // All of a sequence wait.
  [[nodiscard]] bool isWhole() const { return waits_ != nullptr && kept_ == waits_->parts.size(); }
  // What waits, to be run next: together if it is all of a sequence, else one by one. Valid until the next call.
  struct Taken {
    std::span<const KeptLaunch> launches;
    Sequence* sequence = nullptr;  // that they are all of; nullptr: of none
  };
  [[nodiscard]] Taken take();

  // Whether a launch that comes, and does not wait, may be one with those that ran by themselves just now. If it may
  // not, endRun() has to be called before it.
  [[nodiscard]] bool continues(const Call& call) const;
  // It ran by itself.
  void ran(const Call& call);
  // Something comes that is not one with what ran. Not nullptr: a sequence that was seen again. Who calls says in it
  // how long a build takes and what earlier runs would have saved, and builds it once that is worth it.
  [[nodiscard]] Sequence* endRun();
  // Those that were seen often enough, and not built so far.
  [[nodiscard]] std::vector<const Sequence*> unbuilt() const;
  [[nodiscard]] bool hasRun() const { return waits_ == nullptr && kept_ > 0; }

 private:
  [[nodiscard]] bool goesWith(const Call& call) const;
  [[nodiscard]] bool isSoon(std::int64_t nowNs) const;
  // Of those that are ready and begin with what waits, and then this one.
  [[nodiscard]] Sequence* goingOnWith(const FusedPart& part) const;
  // What ran, among the sequences that begin so, as a new one if it is not there. nullptr: there are too many.
  [[nodiscard]] Sequence* sequenceOf(std::span<const KeptLaunch> ran);
  void keep(const Call& call) { launches_[kept_++].keep(call.launch, call.form, call.nowNs); }

  // Those that wait, or those that ran one behind the other.
  std::array<KeptLaunch, most> launches_;
  std::size_t kept_ = 0;
  double bytesShared_ = 0;
  Sequence* waits_ = nullptr;
  std::vector<std::unique_ptr<KernelCode>> former_;  // launches of it may be under way
  bool isLate_ = false;  // one of them came so late that the device may have had nothing to do
  std::unordered_map<std::uint64_t, bool> mayBeFused_;  // by id
  using Ways = std::vector<std::unique_ptr<Sequence>>;
  std::unordered_map<std::uint64_t, Ways> sequences_;  // by the first kernel's id
};

}  // namespace muster::cdm
