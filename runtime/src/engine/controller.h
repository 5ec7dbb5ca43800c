// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Controller: rank 0's side of the job. Turns what the program does into commands, posts them to the other ranks and
// applies them to its own node.
//
// Thread-safety: any thread. Launches are done one after the other; while one computes natively in its thread,
// other threads (the fault service above all) can still have arrays created, released and fetched.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "balance/rebalancer.h"
#include "engine/dry_run.h"
#include "engine/node.h"
#include "muster/cap/residency.h"

namespace muster::rt {

// Hears of new states of arrays before anything moves or computes; called under the controller's lock.
class StateObserver {
 public:
  virtual ~StateObserver() = default;
  virtual Status stateChanges(std::uint32_t array, const cap::ArrayState& before, const cap::ArrayState& after) = 0;
};

// What placement needs to know of an array.
struct ArrayTraits {
  std::uint32_t block = 0;  // allocation block, 0: none
  bool replicated = false;
};

struct LaunchOutcome {
  cap::PlanRef plan;  // of the last pass, with the copies of all passes
  const KernelEntry* kernel = nullptr;
  std::string note;  // what was done because memories are small; "" if nothing
};

class Controller {
 public:
  // observer may be nullptr. All must outlive the controller.
  // spill: what has no room on a device may leave it (MUSTER_SPILL).
  Controller(Node& node, cdm::Transport& transport, StateObserver* observer, bool spill = true)
      : node_(node), transport_(transport), observer_(observer), residency_(node.table().limitedMemories(), spill) {}

  // From now on weights follow what is measured; it must outlive the controller's last launch.
  void balance(Rebalancer& rebalancer) { rebalancer_ = &rebalancer; }

  // From now on launches are planned and nothing is computed or moved; it must outlive the controller.
  void planOnly(DryRun& dryRun) { dryRun_ = &dryRun; }

  // `host`: the array's bytes. The id is not used again for another array.
  Result<std::uint32_t> createArray(std::uint32_t elemSize, std::int64_t count, std::string name, std::byte* host,
                                    const ArrayTraits& traits = {});
  Status releaseArray(std::uint32_t id);

  // Makes elements valid on the host, with `write` also its own. Bytes moved; 0 and no command where all is so already.
  Result<std::int64_t> hostAccess(std::uint32_t id, cap::Interval elements, bool write);
  // The same, then `then` with the new state while nothing can change it.
  using Then = std::function<Status(const cap::ArrayState&)>;
  Result<std::int64_t> hostAccess(std::uint32_t id, cap::Interval elements, bool write, const Then& then);

  // hostArrays: per array parameter its address on the host, for loops that run there. Results are combined into
  // results[i]. Must not be called with an empty loop.
  Result<LaunchOutcome> launch(protocol::Launch command, std::span<void* const> hostArrays,
                               std::span<void* const> results);

  Status setWeights(const protocol::Weights& weights);
  // Posts a call for another rank's device (cdm::PostCall).
  Status postDeviceCall(std::span<const std::byte> call);
  // Waits for all devices and ends the other ranks' service.
  Status shutdown();

  // True while a launch computes natively: another one started now may come from inside it.
  [[nodiscard]] bool computing() const { return computing_.load(std::memory_order_acquire); }
  [[nodiscard]] Status finishDevices();

 private:
  template <class Command>
  Status post(const Command& command);
  Status keepWindow();
  void waitUntilMerged(std::unique_lock<std::mutex>& lock, std::uint32_t array = UINT32_MAX);
  Status rebalance(const protocol::Launch& launch);
  Status announce(const cap::Plan& plan);
  Status move(const cap::Plan& plan);
  Status runDry(PlannedLaunch& launch);
  Status runOnHost(PlannedLaunch& launch, std::unique_lock<std::mutex>& lock, std::span<void* const> hostArrays,
                   std::span<void* const> results);
  Status runChunks(PlannedLaunch& launch, std::unique_lock<std::mutex>& lock, std::span<void* const> results);
  Status run(PlannedLaunch& launch, std::unique_lock<std::mutex>& lock, std::span<void* const> hostArrays,
             std::span<void* const> results);
  // controller_pressure.cpp
  Result<LaunchOutcome> launchUnderPressure(const protocol::Launch& command, std::unique_lock<std::mutex>& lock,
                                            std::span<void* const> hostArrays, std::span<void* const> results);
  Result<cap::Placement> place(const protocol::Launch& command);
  Status makeRoom(const protocol::Launch& command, std::vector<cap::Copy>& copies);

  Node& node_;
  cdm::Transport& transport_;
  StateObserver* observer_;
  Rebalancer* rebalancer_ = nullptr;
  DryRun* dryRun_ = nullptr;
  std::mutex launches_;  // taken before mutex_
  std::mutex mutex_;
  // Arrays that the launch under way writes on several devices.
  std::vector<std::uint32_t> merging_;
  std::condition_variable merged_;
  std::atomic<bool> computing_{false};
  std::uint64_t sequence_ = 0;
  std::vector<cdm::RequestPtr> answers_;  // of the window before
  std::uint32_t nextArray_ = 0;
  cap::Residency residency_;
};

}  // namespace muster::rt
