// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock of a job of devices that do not exist (MUSTER_FAKE_DEVICES): what planned launches and host accesses would
// take, summed up.
//
// Thread-safety: under the controller's lock; seconds() from any thread.
#pragma once

#include <atomic>
#include <functional>

#include "config/fake_park.h"
#include "devices/device_table.h"
#include "muster/cap/trace.h"
#include "protocol/protocol.h"
#include "registry/registry.h"
#include "tuner/search/launch_cost.h"

namespace muster::rt {

class FakeTime {
 public:
  // The table has the park's devices, in its order.
  FakeTime(const FakePark& park, const DeviceTable& table);

  [[nodiscard]] double seconds() const { return seconds_.load(std::memory_order_relaxed); }
  void wait(const cap::Plan& copies);
  // Hears of each chunk, with its modelled time.
  using Chunk = std::function<void(const cap::TraceEvent&)>;
  void run(const protocol::Launch& launch, const KernelEntry& kernel, const cap::Plan& plan, std::uint64_t sequence,
           const Chunk& chunk);

 private:
  [[nodiscard]] double perIteration(const KernelEntry& kernel, std::uint32_t device) const;

  const FakePark park_;
  std::vector<FakePark::Device> devices_;  // as in the table
  LaunchCost cost_;
  std::atomic<double> seconds_{0};
};

[[nodiscard]] Links linksOf(const FakePark& park);
// What rank `machine` of the job says of its devices.
[[nodiscard]] DeviceTable::RankList fakeDevices(const FakePark& park, std::size_t machine);

}  // namespace muster::rt
