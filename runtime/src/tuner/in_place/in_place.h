// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// InPlace: whether a launch runs on rank 0's CPU alone, in place: as if there were no other device. Nothing is planned,
// moved or protected then, and all elements are valid on the host and nowhere else. In the mode "auto" a program begins
// so, and a guard (tuner/in_place/plain_guard.h) decides between launches whether all devices are faster.
//
// Thread-safety: any thread. The place changes only while one thread of the program launches.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "muster/abi.h"
#include "tuner/in_place/kernel_builder.h"
#include "tuner/in_place/plain_guard.h"
#include "tuner/in_place/whole_runs.h"

namespace muster::rt {

// Loops that ran in place and have no kernel yet, as far as is known: of the largest launch.
struct UnbuiltLoop {
  double iterations = 0;
  std::vector<std::vector<std::uint8_t>> scalars = {};  // as in KernelToBuild
  bool operator==(const UnbuiltLoop&) const = default;
};
using UnbuiltLoops = std::unordered_map<const muster_kernel*, UnbuiltLoop>;

class InPlace {
 public:
  // What it needs of the session. Called around launches, in their threads.
  struct Hooks {
    std::function<double()> seconds;  // since the start
    std::function<double()> waited;   // of them, the program has spent in the runtime
    // What a trial takes where so many loops have not been built for the devices.
    std::function<TrialCost(std::size_t unbuilt)> trialCost;
    std::function<bool()> fits;             // rank 0's host has the memory for all arrays
    std::function<bool()> openDevices;      // false: there are none but rank 0's CPU
    std::function<void()> finishDevices;    // of all ranks
    std::function<void()> fetchEverything;  // all elements are valid on the host and nowhere else
    // seconds: what following the advice took.
    std::function<void(const muster_kernel& last, PlainGuard::Advice, std::string_view reason, double seconds)> note;
    // The run has all devices from its start on.
    std::function<void(const WholeRuns&)> noteRun = {};
    // Kernels that are to be built beside the program, all of them each time, and how far that is.
    std::function<KernelBuilder::Progress(const UnbuiltLoops&)> build;
    std::function<void()> stopBuilding;
    // Of earlier runs as a whole, and of this one; in front of main(), where OpenMP may not be touched. All may be
    // empty.
    std::function<double()> openSeconds = {};  // that finding the devices takes
    std::function<RunHistory(std::uint64_t run)> recallRun = {};
    std::function<void(std::uint64_t run, const RunHistory&)> rememberRun = {};
    // Of earlier runs whose first launch was of this loop, and of this run for the next ones. Either may be empty.
    std::function<RunHistory(std::uint64_t firstLoop)> recall = {};
    std::function<void(std::uint64_t firstLoop, const RunHistory&)> remember = {};
  };
  explicit InPlace(Hooks hooks) : hooks_(std::move(hooks)) {}

  // All devices may be tried yet.
  [[nodiscard]] bool mayLeave() const { return !decided_.load(std::memory_order_acquire); }
  // In front of the program's main(): goes everywhere for all of the run where earlier ones, known by the same number,
  // showed that its threads launch at once and are faster so.
  void beginRun(std::uint64_t run);
  // The program ends: nothing changes from now on.
  void end();
  // Then, once all devices are idle: for later runs. waited: as the hook says it, when there is no session to ask.
  // threadsLaunched: at once, on all devices.
  void remember(double waited, bool threadsLaunched = false);

  // The next launch runs in place: code in front of it may prepare it so.
  [[nodiscard]] bool isHere() const { return here_.load(std::memory_order_acquire); }
  // Loops in place leave a processor to what builds kernels.
  [[nodiscard]] bool builds() const { return builds_.load(std::memory_order_relaxed); }

  // Around one launch of the program, or a nested one. The place changes at the end of a launch.
  class Launch {
   public:
    // inPlace may be nullptr: no launch runs in place.
    Launch(InPlace* inPlace, const muster_launch& launch, bool mayDecide)
        : inPlace_(inPlace),
          isNested_(!mayDecide),
          runsInPlace_(inPlace != nullptr && inPlace->begins(launch, mayDecide)) {}
    ~Launch() {
      if (inPlace_ != nullptr) inPlace_->ends(runsInPlace_, isNested_);
    }
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;
    [[nodiscard]] bool runsInPlace() const { return runsInPlace_; }

   private:
    InPlace* const inPlace_;
    const bool isNested_;  // it may not decide
    const bool runsInPlace_;
  };

 private:
  using Advice = PlainGuard::Advice;
  void beginsNested();
  void rememberRun(bool threadsLaunched);
  [[nodiscard]] bool begins(const muster_launch& launch, bool mayDecide);
  void ends(bool ranInPlace, bool isNested);
  [[nodiscard]] Advice adviceFor(const muster_launch& launch);
  [[nodiscard]] TrialCost trialCost() const;
  void build();
  void pauseBuilding();
  void endBuilding();
  void follow(Advice advice);

  const Hooks hooks_;
  std::atomic<bool> here_{true};
  std::mutex mutex_;
  PlainGuard guard_;
  std::optional<std::uint64_t> firstLoop_;
  Advice advice_ = Advice::stay;  // to be followed when no launch runs in place
  const muster_kernel* adviser_ = nullptr;
  UnbuiltLoops unbuilt_;
  std::unordered_set<const muster_kernel*> built_;
  std::unordered_map<std::uint64_t, const muster_kernel*> kernelOf_;  // by loop
  std::atomic<bool> builds_{false};
  std::thread::id user_;  // who launched first
  double buildsSince_ = 0, nextProgress_ = 0;
  double notEnough_ = 0;              // seconds in which no kernel was built
  bool hasBuilt_ = false;             // one, at least
  std::atomic<bool> decided_{false};  // for good
  bool tooLarge_ = false;             // for rank 0's memory alone
  bool areSeveral_ = false;           // there were two launches at once of threads that may do so
  bool beganEverywhere_ = false;
  int running_ = 0, nested_ = 0;  // launches in place, of any thread; of them, those of threads that may launch at once
  double nestedSince_ = 0, nestedSeconds_ = 0;  // in which there were such
  // Of runs as a whole. `run_`: 0: they are not known.
  std::uint64_t run_ = 0;
  WholeRuns runs_;
};

}  // namespace muster::rt
