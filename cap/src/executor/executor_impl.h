// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executor's state, and a launch between start() and finish(). Shared by its source files only.
#pragma once

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/links.h"
#include "executor/merge.h"
#include "executor/messages.h"
#include "executor/overlap.h"
#include "executor/trace.h"
#include "merge/race_log.h"
#include "muster/cap/executor.h"
#include "storage/device_storage.h"
#include "storage/host_pins.h"

namespace muster::cap {

// A chunk of this rank, with its arguments and room for its results.
struct LocalChunk {
  const Chunk* chunk = nullptr;
  std::size_t number = 0;  // in the plan
  std::uint64_t sequence = 0;
  DeviceStorage* storage = nullptr;
  SmallVector<cdm::ArrayArg, 8> arrays;
  Partial partial;
  std::vector<void*> results;
  std::shared_ptr<const ChunkParts> parts;  // set if its interior started before the chunk's data was complete
  cdm::Event event = 0;
  bool done = false;  // by the fallback
};

class LaunchInFlight {
 public:
  PlanRef plan;
  LaunchRequest request;
  std::uint64_t sequence = 0;
  std::vector<LocalChunk> local;
  std::unique_ptr<LaunchMerges> merges;  // nullptr: nothing to merge
  // Rank 0: results of chunks elsewhere, by their number in the plan.
  std::vector<Partial> remote;
  std::vector<cdm::RequestPtr> receives;

  // Keeps the room for chunks.
  void clear();
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
  // Memory for messages, of the host or in the device. `device` transfers to and from it without a copy; nullptr:
  // nobody does.
  struct Staging {
    cdm::PinnedMemory memory;
    std::size_t size = 0;
    cdm::ComputeDevice* device = nullptr;
    bool inDevice = false;
    [[nodiscard]] std::byte* get() const { return memory.get(); }
  };
  struct StagedWrite {
    cdm::ComputeDevice* device = nullptr;
    cdm::Event event = 0;
    Staging memory;
    cdm::Loan loan;  // instead of staging
    [[nodiscard]] std::size_t bytes() const { return memory.size + loan.room; }
  };
  using Operations = std::vector<std::pair<cdm::ComputeDevice*, cdm::Event>>;
  // A part of a copy. `zero`: nobody ever touched it at its source, which need not be read.
  struct CopyPart {
    Interval elements;
    bool zero = false;
  };
  using CopyParts = SmallVector<CopyPart, 4>;
  // A message that this rank sends or receives, or a transfer between two of its devices through staging.
  struct Passage {
    const Message* message = nullptr;
    std::span<std::byte> bytes;               // where the message's bytes lie
    Staging staging;                          // if not in an array
    cdm::Loan loan;                           // if in memory that both ranks share
    const cdm::DeviceRooms* rooms = nullptr;  // where the loan's bytes are, if not in host memory
    Operations reads;
    cdm::RequestPtr request;
    std::int64_t beganNs = 0;  // for traces
  };
  // Messages to one rank, or from one, or between this rank's devices. They go in their order, a few at a time.
  struct Channel {
    std::deque<const Message*> waiting;
    std::deque<Passage> underWay;
    std::size_t bytes = 0;  // of those under way
    std::size_t sent = 0;   // so many of those under way were handed to the transport
  };
  using Channels = std::map<int, Channel>;  // by rank, counted on from this one, so that not all begin with the same

  // The messages of one plan, between beginTransfer and endTransfer.
  struct Transfer {
    std::vector<Copy> own;    // of the plan, if it has spreads; of a merge
    std::vector<Copy> parts;  // if the plan's copies had to be cut
    std::vector<Message> messages;
    Channels incoming, outgoing;
    Channel staged;
    Operations reads;  // by which devices write to the host's memory
    // What is still to be read of this memory lies apart from these elements, by array parameter.
    [[nodiscard]] bool sparesElements(MemoryId memory, const LaunchSpec& spec,
                                      const std::vector<Interval>& elements) const;
  };

  // Whoever gives up with an error may leave devices and the transport at work: what they use stays until they are
  // done, or as long as the executor. Declared after all that they use, and dismissed at the end.
  class ErrorGuard {
   public:
    explicit ErrorGuard(Impl& impl, Transfer* transfer = nullptr) : impl_(impl), transfer_(transfer) {}
    ~ErrorGuard() {
      if (!dismissed_) impl_.abandon(transfer_);
    }
    ErrorGuard(const ErrorGuard&) = delete;
    ErrorGuard& operator=(const ErrorGuard&) = delete;
    void dismiss() { dismissed_ = true; }

   private:
    Impl& impl_;
    Transfer* const transfer_;
    bool dismissed_ = false;
  };

  // executor.cpp
  void abandon(Transfer* transfer);
  // The same call of each of this rank's devices, until one fails.
  Status onDevices(Status (cdm::ComputeDevice::*call)());
  [[nodiscard]] int rankOf(MemoryId memory) const;
  // Of the first device that has this memory.
  [[nodiscard]] const DevicePlace& placeOf(MemoryId memory) const;
  [[nodiscard]] DeviceStorage* storageOf(MemoryId memory);
  [[nodiscard]] Record& record(std::uint32_t array);
  [[nodiscard]] std::string here() const;  // "rank 1 on node07"
  [[nodiscard]] std::string where(const cdm::ComputeDevice& device) const;
  using WantedWindows = std::map<std::uint32_t, Interval>;  // by array
  [[nodiscard]] bool hasRoom(const Plan& plan, std::span<const Copy> copies, std::span<const ArrayUse> arrays);
  Status makeRoom(const Plan& plan, std::span<const Copy> copies, std::span<const ArrayUse> arrays);
  Status makeRoomIn(MemoryId memory, const WantedWindows& wanted);
  void commit(const Plan& plan);
  [[nodiscard]] std::uint64_t tag(std::uint64_t sequence, std::uint32_t index) const;

  // executor/transfer.cpp
  Result<Location> locate(std::uint32_t array, MemoryId memory, const Interval& elements);
  // Where elements of a copy go: to the array, or to a share of a merge.
  Result<Location> locateTarget(const Copy& copy, const Interval& elements);
  Status gather(Passage& passage);
  // What was never touched is not read.
  void gatherTouched(const Copy& copy, const std::byte* from, std::byte* to);
  Status scatter(Passage& passage);
  Status waitFor(const Operations& reads);
  // In order, and together all of the copy.
  [[nodiscard]] CopyParts partsOf(const Copy& copy);
  // Whether a message is one copy that should not be sent from where it is.
  [[nodiscard]] bool hasUntouched(const Message& message);
  Status copyHere(const Message& message, Transfer& transfer);
  Status copyHere(const CopyRun& run, bool zero, Transfer& transfer);
  Result<bool> useDirectly(Passage& passage, MemoryId memory);
  // The message's bytes are where the loan says.
  void useLoan(Passage& passage, MemoryId ofThisRank);
  // Whether a message to or from another rank is a loan; both ranks say the same.
  [[nodiscard]] bool isLoan(const Message& message, int peer) const;
  // That a message goes through; nullptr: it goes through host memory.
  [[nodiscard]] const cdm::DeviceRooms* roomsFor(const Message& message) const;
  // Of the loan that stands for a message: 0 where it is in a bare room.
  [[nodiscard]] std::size_t loanBytes(const Message& message) const;
  // Of a message between two memories. Both ends say the same.
  [[nodiscard]] std::size_t largestMessage(MemoryId from, MemoryId to) const;
  // False: there is no room now.
  Result<bool> takeRoom(Passage& passage);
  // Lets this memory's device transfer to and from a loan without a copy.
  void pin(const cdm::Loan& loan, MemoryId memory);
  // For a message between this memory and another rank or device.
  Status stage(Passage& passage, MemoryId memory);
  Result<Staging> takeStaging(std::size_t bytes, MemoryId memory, bool inDevice);
  void keepStaging(Staging staging);
  // Until at most so many bytes of staging are being written to devices, by at most so many writes.
  Status retireWrites(std::size_t most, std::size_t mostWrites = std::numeric_limits<std::size_t>::max());
  // What is kept in devices' memory for messages goes.
  void dropStagingOf(const cdm::ComputeDevice& device);

  // executor/pipeline.cpp
  // At least those in which this rank takes part; they lie in the plan, or in the transfer.
  [[nodiscard]] std::span<const Copy> copiesOf(const Plan& plan, Transfer& transfer) const;
  // Posts receives and starts to read what leaves this rank.
  Status beginTransfer(Transfer& transfer, std::span<const Copy> copies, std::uint64_t sequence);
  Status endTransfer(Transfer& transfer, std::uint64_t sequence);
  void sortMessages(Transfer& transfer, std::vector<const Message*>& here);
  // Puts waiting messages under way as far as there is room; one of each channel in turn. True if there was any.
  Result<bool> openReceives(Channels& channels, std::uint64_t sequence);
  Result<bool> openSources(Channels& channels);
  Status openStaged(Channel& channel);
  Status sendNext(Channel& channel, std::uint64_t sequence);
  Result<bool> advance(Transfer& transfer, std::uint64_t sequence);
  Result<bool> advanceOutgoing(Channels& channels, std::uint64_t sequence);
  Result<bool> advanceIncoming(Channels& channels, std::uint64_t sequence);
  Result<bool> advanceStaged(Channel& channel);
  // Until something can go on. False: there is nothing left to wait for.
  Result<bool> waitForPeers(Transfer& transfer);

  // executor/chunks.cpp
  Result<LocalChunk> prepareChunk(const Plan& plan, std::size_t number, const LaunchRequest& request);
  Status startInterior(LocalChunk& chunk, const PlanRef& plan, const LaunchRequest& request, const Transfer& transfer);
  [[nodiscard]] std::shared_ptr<const ChunkParts> knownParts(const PlanRef& plan, const LocalChunk& chunk,
                                                             const LaunchSpec& spec);
  Status startChunk(LocalChunk& chunk, const LaunchRequest& request);
  // `touched`: per array parameter, all elements that the part can touch.
  Status startPart(LocalChunk& chunk, const LaunchRequest& request, const Interval& iterations,
                   const std::vector<Interval>& touched);
  Result<cdm::Event> launchOn(LocalChunk& chunk, const LaunchRequest& request, const Interval& iterations);
  Status receiveResults(LaunchInFlight& launch);
  Status sendResults(LaunchInFlight& launch);
  Result<std::vector<Partial>> takeResults(LaunchInFlight& launch);

  // executor/merge.cpp
  // After the plan's copies, before its kernels.
  Status beginMerges(LaunchInFlight& launch);
  Status beginMerges(const LaunchInFlight& launch, LaunchMerges::Group& merges,
                     std::map<DeviceStorage*, std::size_t>& copies);
  // After its kernels: waits for them where the host takes part, or compares.
  Status finishMerges(LaunchInFlight& launch);
  Status mergeByHost(LaunchInFlight& launch);
  [[nodiscard]] int rankOfPart(const LaunchInFlight& launch, const Merge::Part& part) const;
  [[nodiscard]] MergeBuffers& mergeBuffers(DeviceStorage& storage);
  // For others to use the room, unless a launch uses the buffers now.
  Status releaseMergeBuffers(DeviceStorage& storage);
  [[nodiscard]] std::vector<int> mergePeers(const LaunchInFlight& launch) const;
  Status findChanges(LaunchInFlight& launch);
  Status exchangeDiffs(LaunchInFlight& launch);
  Status makeRoom(LaunchMerges::Bundle& bundle, const LaunchInFlight& launch) const;
  Status decode(LaunchMerges::Bundle& bundle, const LaunchInFlight& launch);
  [[nodiscard]] std::vector<std::vector<PlacedChanges>> placeChanges(const LaunchInFlight& launch) const;
  Status checkRaces(const LaunchInFlight& launch, const LaunchMerges::Local& local,
                    std::span<const PlacedChanges> changes);
  Status noteRace(const LaunchInFlight& launch, const MergeRange& range, std::size_t part, std::size_t other,
                  const Conflicts& conflicts);
  void recordMerge(const LaunchInFlight& launch, const MergeRange& range, const LaunchMerges::Local& local,
                   std::int64_t beganNs, std::uint64_t bytesChanged) const;
  Status applyChanges(const LaunchInFlight& launch, const LaunchMerges::Local& local,
                      std::span<const PlacedChanges> changes, std::deque<PlacedChanges>& kept);

  // executor/merge_direct.cpp
  // Whether a merge's devices exchange elements past the host. All ranks say the same, here and in the next.
  [[nodiscard]] bool isDirect(const Plan& plan, const Merge& merge) const;
  // So many elements at a time.
  [[nodiscard]] std::int64_t directElements(const Plan& plan, const Merge& merge) const;
  Status mergeDirectly(LaunchInFlight& launch);
  // `local`: this rank's chunks of the range.
  Status exchangeShares(LaunchInFlight& launch, const MergeRange& range, std::span<LaunchMerges::Local> local);
  Status joinShares(const LaunchInFlight& launch, const MergeRange& range, const LaunchMerges::Local& local);
  Status noteRaces(const LaunchInFlight& launch, const MergeRange& range, const LaunchMerges::Local& local);

  // executor/fallback.cpp
  Status runFallback(LocalChunk& chunk, const LaunchRequest& request);
  void warnFallback(const LocalChunk& chunk, const LaunchRequest& request, const Status& why);

  cdm::Transport& transport_;
  std::vector<DevicePlace> table_;
  ExecutorOptions options_;
  ExecutorTrace trace_;
  std::vector<std::unique_ptr<DeviceStorage>> storage_;  // by local index
  DeviceLinks links_;
  std::unordered_map<MemoryId, int> ranks_;                       // of every memory
  std::unordered_map<MemoryId, DeviceStorage*> storageByMemory_;  // of this rank
  std::unordered_map<std::uint32_t, Record> arrays_;
  std::unique_ptr<LaunchInFlight> spare_;
  std::deque<Transfer> abandoned_;  // that failed: messages may still use their memory
  std::deque<StagedWrite> stagedWrites_;
  std::size_t stagedWriteBytes_ = 0;
  std::vector<Staging> freeStaging_;  // the most recently used at the end
  std::size_t freeStagingBytes_ = 0;
  std::map<std::byte*, Staging> lent_;  // by address
  // Of shared memory, by device and where the room begins. An empty one: it could not be pinned.
  std::map<std::pair<cdm::ComputeDevice*, const std::byte*>, cdm::PinnedMemory> pinned_;
  HostPins pins_;
  // Writes whose source is an array in host memory, which may change once they have taken it.
  Operations directWrites_;
  std::map<std::pair<std::uint64_t, cdm::ComputeDevice*>, bool> warned_;  // by kernel and device
  std::map<DeviceStorage*, MergeBuffers> mergeBuffers_;
  MergeScratch mergeScratch_;  // for what ranks send
  int launchesMerging_ = 0;
  // While shares are exchanged: where they go, by the copies' memories.
  std::map<std::pair<MemoryId, MemoryId>, ContestedCopy::Share> shares_;
  RaceLog races_;
  // Parts of chunks of plans that come again, by plan and chunk; the plan is kept so that its address stays its own.
  struct KnownParts {
    PlanRef plan;
    std::shared_ptr<const ChunkParts> parts;
  };
  std::map<std::pair<const Plan*, std::size_t>, KnownParts> parts_;
};

}  // namespace muster::cap
