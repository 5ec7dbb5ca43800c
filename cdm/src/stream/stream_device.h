// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One device behind a driver, with in-order queues of its own, so that transfers overlap with kernels. Transfers of
// GPUs go through pinned slots: the call returns when the caller's data is in a slot, or when the read is queued; what
// is read reaches the caller's memory in wait() or finish(). CPU-type devices copy directly.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "muster/cdm/device.h"
#include "stream/driver.h"
#include "stream/hazards.h"
#include "stream/programs.h"
#include "stream/queues.h"
#include "stream/staging.h"

namespace muster::cdm {

class StreamDevice final : public ComputeDevice {
 public:
  StreamDevice(std::unique_ptr<Driver> driver, const StreamOptions& options);
  ~StreamDevice() override;
  // Creates the queues for operations; before any other call.
  Status openQueues();

  [[nodiscard]] bool hasRooms() const override { return driver_->hasRooms(); }
  Result<DeviceRooms> makeRooms(std::size_t roomBytes, std::size_t count) override;
  Result<DeviceRooms> openRooms(std::span<const std::byte> offer) override;
  Status signalFilled(const DeviceRooms& rooms, std::size_t number) override;
  Status awaitFilled(const DeviceRooms& rooms, std::size_t number) override;
  Result<PinnedMemory> messageMemory(std::size_t bytes) override;

 protected:
  Result<BufferId> doAllocate(std::size_t bytes) override;
  Status doRelease(BufferId buffer) override;
  Result<Event> doWrite(BufferId to, std::size_t offset, const void* from, std::size_t bytes) override;
  Result<Event> doRead(BufferId from, std::size_t offset, void* to, std::size_t bytes) override;
  Result<Event> doWriteRows(BufferId to, std::size_t offset, const void* from, const Rows& rows) override;
  Result<Event> doReadRows(BufferId from, std::size_t offset, void* to, const Rows& rows) override;
  Result<Event> doCopy(BufferId from, std::size_t fromOffset, BufferId to, std::size_t toOffset,
                       std::size_t bytes) override;
  [[nodiscard]] bool doReaches(const ComputeDevice& other) const override;
  Result<Event> doPush(BufferId from, std::size_t offset, const Rows& rows, ComputeDevice& target, BufferId to,
                       std::size_t toOffset) override;
  Result<Event> doFill(BufferId to, std::size_t offset, std::byte value, std::size_t bytes) override;
  Result<PinnedMemory> doPinnedMemory(std::size_t bytes) override;
  Result<PinnedMemory> doPin(std::span<std::byte> memory) override;
  Status doPrepare(const KernelCode& code, double iterations) override;
  Result<Event> doLaunch(const KernelLaunch& launch) override;
  Result<Event> doLaunchSteps(const KernelLaunch& launch) override;
  std::optional<std::uint8_t> doFusedForm(const KernelLaunch& launch) override;
  double doSecondsToBuild(const KernelCode& code) override { return programs_.secondsOfBuild(code); }
  double doSavedSeconds(const KernelCode& code) override { return programs_.savedSeconds(code); }
  void doKeepSavedSeconds(const KernelCode& code, double seconds) override {
    programs_.keepSavedSeconds(code, seconds);
  }
  Status doWait(Event event) override;
  Result<bool> doTest(Event event) override;
  Status doWaitForSource(Event write) override;
  Status doFinish() override;
  [[nodiscard]] bool doHoldsLaunches() const override { return queues_.hasHeld(); }
  Status doFlush() override { return queues_.start(); }
  Status doKeepTimings(Timings timings) override;
  std::vector<OperationTiming> doTakeTimings() override;

 private:
  struct Buffer {
    Owned<DriverMemory> memory;
    std::size_t bytes = 0;
    AccessLog log;
  };

  [[nodiscard]] Status outOfMemory(std::size_t bytes, const std::string& why) const;
  Result<Owned<DriverMemory>> createMemory(std::size_t bytes);
  // Waits for transfers under way until a slot is free.
  Result<Staging::Slot*> slotFor(std::size_t bytes);
  // Of memory that its transfers use directly, until it is dropped.
  PinnedMemory holdPinned(PinnedMemory memory, std::size_t bytes);
  [[nodiscard]] bool needsStaging(const void* memory, std::size_t bytes) const;
  struct Part {
    std::size_t offset = 0;
    std::byte* host = nullptr;
    Rows rows;
    Staging::Slot* slot = nullptr;  // that the bytes go through; nullptr: the device uses the host memory itself
    bool isLast = true;
    [[nodiscard]] std::size_t bytes() const { return rows.bytes * rows.count; }
  };
  // Whether one command is to move them.
  [[nodiscard]] static bool goTogether(const Rows& rows);
  Result<Event> moveRows(Lane lane, BufferId id, Part whole);
  Result<Event> moveLines(Lane lane, BufferId id, Part rows);
  // From host memory (Lane::writes) or into it (Lane::reads).
  Result<Event> move(Lane lane, BufferId id, const Part& whole);
  Result<Event> transferStaged(Lane lane, Buffer& buffer, const ByteRange& range, Part left);
  static void pack(const Part& part);
  static void unpack(const Part& part);
  Result<Event> transfer(Lane lane, Buffer& buffer, const ByteRange& range, const Part& part);
  // Between host memory, or a room, and the device's.
  Status carry(const Command& command, bool writes, DriverMemory* memory, std::size_t offset, void* host,
               const Rows& rows);
  Result<Queues::Order> orderOf(Lane lane, const Buffer& buffer, const ByteRange& range, bool write);
  // Keeps an enqueued transfer of part of `range`, whose start is the same for all parts.
  Result<Event> keepTransfer(Lane lane, const Queues::Order& order, Owned<DriverEvent> event, Buffer& buffer,
                             const ByteRange& range, TimingLog::Label label, std::function<void()> done = {});

  // rooms.cpp
  PinnedMemory hold(Driver::Rooms rooms);
  DeviceRooms holdRooms(Driver::Rooms rooms);
  [[nodiscard]] Result<DriverEvent*> eventOf(const DeviceRooms& rooms, std::size_t number) const;
  // Where an address lies in rooms; none: in host memory.
  struct PlaceInRooms {
    DriverMemory* memory = nullptr;
    std::size_t offset = 0;
  };
  [[nodiscard]] PlaceInRooms placeInRooms(const void* address) const;

  // launch.cpp
  Status runEmpty(const KernelLaunch& launch);
  struct Collecting {
    std::size_t groups = 0, bytes = 0;  // of all arrays whose updates are collected
    std::uint8_t copies = 0;            // of each element, as a logarithm
  };
  [[nodiscard]] std::size_t collectedBytes(const KernelLaunch& launch, std::size_t array) const;
  [[nodiscard]] Collecting collectingOf(const KernelLaunch& launch) const;
  [[nodiscard]] double lengthOfRows(const KernelLaunch& launch) const;
  Result<Programs::Timed> kernelFor(const KernelLaunch& launch, const Collecting& collecting);
  // Where the launch is one of a trial, nothing runs beside it.
  template <class Run>
  Result<Event> launchTimed(const Programs::Timed& found, const KernelLaunch& launch, const Run& run);
  Result<Event> launchIn(const CompiledKernel& compiled, const KernelLaunch& launch, const Collecting& collecting);
  Status setFixedArguments(const CompiledKernel& compiled, const KernelLaunch& launch);
  Status setPrivateArguments(const CompiledKernel& compiled, const KernelLaunch& launch, const Collecting& collecting);
  Status setPieceArguments(const CompiledKernel& compiled, const KernelLaunch& launch, const Piece& piece);
  Status setResultArguments(const CompiledKernel& compiled, const KernelLaunch& launch, std::size_t groups);
  Status setArgument(const CompiledKernel& compiled, const KernelCode& code, std::size_t index, std::size_t bytes,
                     const void* value);
  Status enqueue(const CompiledKernel& compiled, const Axes& group, const KernelLaunch& launch, const Command& command,
                 const Piece& piece, const Axes& groups);
  // measured: the launch, which has to follow, needs an event.
  TimingLog::Label labelFor(const KernelLaunch& launch, Lane lane, const Queues::Order& order);
  Result<Event> launchPlain(const CompiledKernel& compiled, const GroupShape& shape, const KernelLaunch& launch,
                            Lane lane, const Queues::Order& order, const std::vector<Piece>& pieces,
                            std::size_t maxGroups);
  Result<Event> launchReduction(const CompiledKernel& compiled, const KernelLaunch& launch, const Queues::Order& order);
  Result<Event> readResults(const KernelLaunch& launch, const Queues::Order& order, std::size_t groups,
                            TimingLog::Label label);
  [[nodiscard]] static ByteRange rangeOf(const ArrayArg& array, const Buffer& buffer);
  [[nodiscard]] Clock conflictsOf(const KernelLaunch& launch) const;
  void keepAccesses(const KernelLaunch& launch, Event event);
  [[nodiscard]] Lane laneFor(const KernelLaunch& launch, double iterations, const Clock& after) const;
  Result<DriverMemory*> resultMemory(const KernelCode& code, std::size_t index, std::size_t groups);
  Result<DriverMemory*> endMemory();

  std::unique_ptr<Driver> driver_;
  bool staged_;
  Staging staging_;
  Event lastDirectWrite_ = 0;  // the newest one that reads the caller's memory and was not waited for
  std::map<std::uintptr_t, std::size_t> pinned_;     // given out by pinnedMemory or pin: start and size
  std::map<const std::byte*, Driver::Rooms> rooms_;  // by where they begin
  Programs programs_;
  Queues queues_;
  std::unordered_map<BufferId, Buffer> buffers_;
  BufferId lastId_ = 0;
  std::size_t inUse_ = 0;             // bytes of all buffers
  std::uint64_t memoriesMade_ = 0;    // so far
  std::vector<Piece> pieces_;         // of a launch; kept for its memory
  std::vector<Buffer> resultMemory_;  // work-groups' partials, per result; used in one lane only, in order
  Buffer ends_;                       // ResultKind::programEnd
  bool endsAreZero_ = false;
  Buffer nothing_;  // argument for arrays that a chunk does not touch
};

Result<std::unique_ptr<ComputeDevice>> openStreamDevice(std::unique_ptr<Driver> driver, const StreamOptions& options);

}  // namespace muster::cdm
