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
#include "engine/node.h"

namespace muster::rt {

// Hears of new states of arrays before anything moves or computes; called under the controller's lock.
class StateObserver {
 public:
  virtual ~StateObserver() = default;
  virtual Status stateChanges(std::uint32_t array, const cap::ArrayState& before, const cap::ArrayState& after) = 0;
};

struct LaunchOutcome {
  cap::PlanRef plan;
  const KernelEntry* kernel = nullptr;
};

class Controller {
 public:
  // observer may be nullptr. All must outlive the controller.
  Controller(Node& node, cdm::Transport& transport, StateObserver* observer)
      : node_(node), transport_(transport), observer_(observer) {}

  // From now on weights follow what is measured; it must outlive the controller's last launch.
  void balance(Rebalancer& rebalancer) { rebalancer_ = &rebalancer; }

  // `host`: the array's bytes. The id is not used again for another array.
  Result<std::uint32_t> createArray(std::uint32_t elemSize, std::int64_t count, std::string name, std::byte* host);
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
  Status rebalance(const protocol::Launch& launch);
  Status announce(const cap::Plan& plan);
  Status runOnHost(PlannedLaunch& launch, std::unique_lock<std::mutex>& lock, std::span<void* const> hostArrays,
                   std::span<void* const> results);
  Status runChunks(PlannedLaunch& launch, std::unique_lock<std::mutex>& lock, std::span<void* const> results);

  Node& node_;
  cdm::Transport& transport_;
  StateObserver* observer_;
  Rebalancer* rebalancer_ = nullptr;
  void waitUntilMerged(std::unique_lock<std::mutex>& lock, std::uint32_t array = UINT32_MAX);
  std::mutex launches_;  // taken before mutex_
  std::mutex mutex_;
  std::atomic<bool> computing_{false};
  std::uint64_t sequence_ = 0;
  std::vector<cdm::RequestPtr> answers_;  // of the window before
  std::uint32_t nextArray_ = 0;
};

}  // namespace muster::rt
  // Arrays that the launch under way writes on several devices.
  std::vector<std::uint32_t> merging_;
  std::condition_variable merged_;
