// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executor's state, and a launch between start() and finish(). Shared by its source files only.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor_messages.h"
#include "executor_storage.h"
#include "muster/cap/executor.h"

namespace muster::cap {

// A chunk of this rank, with its arguments and room for its results.
struct LocalChunk {
  const Chunk* chunk = nullptr;
  std::size_t number = 0;  // in the plan
  DeviceStorage* storage = nullptr;
  std::vector<cdm::ArrayArg> arrays;
  Partial partial;
  std::vector<void*> results;
  cdm::Event event = 0;
  bool done = false;  // by the fallback
};

class LaunchInFlight {
 public:
  PlanRef plan;
  LaunchRequest request;
  std::uint64_t sequence = 0;
  std::vector<LocalChunk> local;
  // Rank 0: results of chunks elsewhere, by their number in the plan.
  std::vector<Partial> remote;
  std::vector<cdm::RequestPtr> receives;
};

struct Executor::Impl {
  Impl(cdm::Transport& transport, std::vector<cdm::ComputeDevice*> devices, std::vector<DevicePlace> table,
       ExecutorOptions options);

  struct Record {
    ArrayInfo info;
    ArrayStateRef state;
  };
  // Elements of an array in a memory of this rank. `address` where the CPU can get at them.
  struct Location {
    cdm::ComputeDevice* device = nullptr;
    cdm::BufferId buffer = 0;
    std::size_t offset = 0;
    std::byte* address = nullptr;
  };
  using Staging = std::unique_ptr<std::byte[]>;
  struct StagedWrite {
    cdm::ComputeDevice* device = nullptr;
    cdm::Event event = 0;
    std::size_t size = 0;
    Staging memory;
  };
  // A message that this rank sends or receives, or a transfer between two of its memories through staging.
  struct Passage {
    const Message* message = nullptr;
    std::span<std::byte> bytes;  // where the message's bytes lie
    Staging staging;             // if not in an array
    std::vector<std::pair<cdm::ComputeDevice*, cdm::Event>> reads;
    cdm::RequestPtr request;
  };

  // executor.cpp
  [[nodiscard]] int rankOf(MemoryId memory) const;
  [[nodiscard]] DeviceStorage* storageOf(MemoryId memory);
  [[nodiscard]] Record& record(std::uint32_t array);
  [[nodiscard]] std::string where(const cdm::ComputeDevice& device) const;
  Status makeRoom(const Plan& plan, const LaunchSpec* spec);
  void commit(const Plan& plan);
  [[nodiscard]] std::uint64_t tag(std::uint64_t sequence, std::uint32_t index) const;

  // executor_transfer.cpp
  Status transfer(std::span<const Copy> copies, std::uint64_t sequence);
  Result<Location> locate(std::uint32_t array, MemoryId memory, const Interval& elements);
  Status postReceives(std::vector<Passage>& passages, std::uint64_t sequence);
  Status readSources(std::vector<Passage>& passages);
  Status gather(Passage& passage);
  Status scatter(Passage& passage);
  Status copyHere(const Message& message, std::vector<Passage>& staged);
  Result<bool> useDirectly(Passage& passage, MemoryId memory);
  Status send(std::vector<Passage>& passages, std::uint64_t sequence);
  Status complete(std::vector<Passage>& incoming, std::vector<Passage>& outgoing, std::vector<Passage>& staged);
  Staging takeStaging(std::size_t bytes);
  void keepStaging(std::size_t bytes, Staging memory);
  Status retireWrites();

  // executor_chunks.cpp
  Result<LocalChunk> prepareChunk(const Plan& plan, std::size_t number, const LaunchRequest& request);
  Status startChunk(LocalChunk& chunk, const LaunchRequest& request);
  Result<cdm::Event> launchOn(LocalChunk& chunk, const LaunchRequest& request);
  Status receiveResults(LaunchInFlight& launch);
  Status sendResults(LaunchInFlight& launch);

  // executor_fallback.cpp
  Status runFallback(LocalChunk& chunk, const LaunchRequest& request);
  void warnFallback(const LocalChunk& chunk, const LaunchRequest& request, const Status& why);

  cdm::Transport& transport_;
  std::vector<DevicePlace> table_;
  ExecutorOptions options_;
  std::vector<std::unique_ptr<DeviceStorage>> storage_;           // by local index
  std::unordered_map<MemoryId, int> ranks_;                       // of every memory
  std::unordered_map<MemoryId, DeviceStorage*> storageByMemory_;  // of this rank
  std::unordered_map<std::uint32_t, Record> arrays_;
  std::deque<StagedWrite> stagedWrites_;
  std::vector<std::pair<std::size_t, Staging>> freeStaging_;
  // Writes whose source is an array in host memory: done before that memory may change.
  std::vector<std::pair<cdm::ComputeDevice*, cdm::Event>> directWrites_;
  std::map<std::pair<std::uint64_t, cdm::ComputeDevice*>, bool> warned_;  // by kernel and device
};

}  // namespace muster::cap
