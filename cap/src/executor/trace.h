// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executor's side of tracing: turns its calls, and what devices say about when operations really ran, into events.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "executor/messages.h"
#include "muster/cap/executor.h"
#include "muster/cap/trace.h"

namespace muster::cap {

class ExecutorTrace {
 public:
  explicit ExecutorTrace(TraceSink* sink)
      : sink_(sink), detailed_(sink != nullptr && sink->detail() == TraceSink::Detail::everything) {}

  // A device of this rank, `number` in the job's table. The Status says why its operations cannot be timed.
  Status add(cdm::ComputeDevice& device, std::uint32_t number);

  [[nodiscard]] bool on() const { return sink_ != nullptr; }
  [[nodiscard]] bool detailed() const { return detailed_; }
  [[nodiscard]] TraceSink* sink() const { return sink_; }
  // 0 where nobody wants to know.
  [[nodiscard]] std::int64_t now() const { return sink_ != nullptr ? traceClock() : 0; }
  [[nodiscard]] std::int64_t nowDetailed() const { return detailed_ ? traceClock() : 0; }

  // Transfers and messages belong to this command from now on.
  void begin(std::uint64_t sequence) {
    sequence_ = sequence;
    harvestMany();
  }
  // A chunk (or a part of one) was launched at `beganNs`. Event 0: it is done already.
  void chunk(cdm::ComputeDevice& device, const LaunchRequest& request, const Interval& iterations,
             std::uint64_t sequence, std::int64_t beganNs, cdm::Event event);
  // A device's transfer was queued.
  void transfer(cdm::ComputeDevice& device, TraceEvent::Kind kind, const CopyRun& run, std::int64_t beganNs,
                cdm::Event event);
  // A message, or a copy within the rank (kind copy), which began at `beganNs`, is done.
  void message(TraceEvent::Kind kind, const Message& message, int peer, std::int64_t beganNs);

  // Records the operations that are known to be complete. Happens by itself once many are under way.
  void harvest();

 private:
  static constexpr std::size_t kHarvestAt = 64;
  struct Device {
    cdm::ComputeDevice* device = nullptr;
    std::uint32_t number = 0;
    bool timed = false;
  };
  struct Key {
    std::uint32_t device = 0;
    cdm::Event event = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return key.event * 0x9e3779b97f4a7c15u + key.device; }
  };
  [[nodiscard]] const Device* find(const cdm::ComputeDevice& device) const;
  // Where so many are under way that asking for them is worth it.
  void harvestMany();
  void finishOrKeep(const Device& device, TraceEvent& event, cdm::Event operation);

  TraceSink* sink_;
  bool detailed_;
  std::uint64_t sequence_ = 0;
  std::vector<Device> devices_;
  std::unordered_map<Key, TraceEvent, KeyHash> underWay_;
  std::size_t harvestAt_ = kHarvestAt;
};

}  // namespace muster::cap
