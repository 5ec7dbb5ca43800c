// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Controller: rank 0's side of the job. Turns what the program does into commands, posts them to the other ranks and
// applies them to its own node.
//
// The calling thread plans and posts; the command stream (engine/controller/command_stream.h) carries out. A launch
// comes back once it is queued, unless the program needs its results at once. Until a queued command is done the
// program cannot touch the host memory that it uses: pages are protected before it is queued, and hostAccess and
// releaseArray wait for it.
//
// Thread-safety: any thread. Locks, in this order: launches_ (one launch at a time, but for launchOn, held while a
// whole loop runs on the host), mutex_ (planned states, uses of host memory, the order of commands: who posts holds
// it), the stream's own. Nobody waits for the stream while holding mutex_, and what the stream runs takes neither of
// both. mutex_ may be held while other ranks answer (flow control); they need the stream's progress for that, never
// mutex_.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "balance/rebalancer.h"
#include "config/config.h"
#include "engine/arrays/buffers_in_flight.h"
#include "engine/arrays/host_uses.h"
#include "engine/controller/command_stream.h"
#include "engine/controller/time_steps.h"
#include "engine/model/dry_run.h"
#include "muster/cap/residency.h"
#include "node/node.h"
#include "tuner/search/launch_cost.h"
#include "tuner/sets/tuner.h"

namespace muster::rt {

// Hears of new states of arrays before anything moves or computes; called under the controller's lock.
class StateObserver {
 public:
  virtual ~StateObserver() = default;
  virtual Status stateChanges(std::uint32_t array, const cap::ArrayState& before, const cap::ArrayState& after) = 0;
  // A command is about to be queued that uses host memory: the program must not write it (`use.write`: nor read it)
  // without hostAccess.
  virtual Status hostUse(const HostUse& use) = 0;
};

// What placement needs to know of an array.
struct ArrayTraits {
  std::uint32_t block = 0;  // allocation block, 0: none
  bool replicated = false;
};

struct LaunchOutcome {
  cap::PlanRef plan;  // of the last pass, with the copies of all passes
  const KernelEntry* kernel = nullptr;
  std::string note;        // what was done because memories are small; "" if nothing
  std::string hostReason;  // why it ran on the host; "" if the plan says so, or it did not
  // So many launches of the loop are one, the last of which had to come first; 0: it waits for others, with a plan that
  // is empty.
  std::uint32_t steps = 1;
};

// What a launch's caller knows of it.
struct LaunchTraits {
  bool mayWait = true;  // for others, to become one with them
  bool uneven = false;  // its iterations may cost unequally
};

class Controller final : private TunedJob {
 public:
  // observer may be nullptr. All must outlive the controller.
  // spill: what has no room on a device may leave it (MUSTER_SPILL).
  Controller(Node& node, cdm::Transport& transport, StateObserver* observer, bool spill = true)
      : node_(node), transport_(transport), observer_(observer), residency_(node.table().limitedMemories(), spill) {}

  // From now on weights follow what is measured; it must outlive the controller's last launch.
  void balance(Rebalancer& rebalancer) { rebalancer_ = &rebalancer; }

  // From now on the device set follows what launches take; needs balance(). It must outlive the controller's last
  // launch.
  void tune(Tuner& tuner, const Links& links) {
    tuner_ = &tuner;
    links_ = links;
  }
  [[nodiscard]] TunedJob& tunedJob() { return *this; }
  // Needs balance(). Not from inside of a launch.
  Status drainBetweenLaunches();

  // From now on a launch that gets in the way of buffers in flight is an error.
  void checkBuffers() { checksBuffers_ = true; }
  // Another library reads or fills these elements until land(). 0: it may not fill the host's memory (atAlias), which
  // lacks some of them, or which loops got in the way of before. Commands that use it are done.
  Result<std::uint64_t> fly(BuffersInFlight::Buffer buffer);
  void land(std::uint64_t number) { inFlight_.end(number); }

  // From now on launches that are steps of time may become one (time_steps.h).
  void joinSteps() { joinsSteps_ = true; }

  // From now on devices claim blocks of loops whose iterations may cost unequally, while they run; needs beginStream().
  void claimBlocks() { claimsBlocks_ = true; }

  // From now on launches are planned and nothing is computed or moved; it must outlive the controller.
  void planOnly(DryRun& dryRun) { dryRun_ = &dryRun; }

  // `host`: the array's bytes, `pages`: what is known of them. The id is not used again for another array.
  Result<std::uint32_t> createArray(std::uint32_t elemSize, std::int64_t count, std::string name, std::byte* host,
                                    const ArrayTraits& traits = {}, cap::HostPages pages = {});
  Status releaseArray(std::uint32_t id);
  // Nobody needs what the array holds, until the next command that uses it. What was launched before goes on.
  Status discardContents(std::uint32_t id);
  [[nodiscard]] bool isUndefined(std::uint32_t id);
  // Whatever is launched, all arrays fit into the memories of the devices.
  [[nodiscard]] bool roomy();

  // Launches come back before they are done from now on, unless waitAlways. onError hears of what fails later; it may
  // end the process.
  Status beginStream(CommandStream::OnError onError, bool waitAlways = false);
  // Hears how long this rank worked for a launch that nobody waited for and that launch() did not carry out itself, in
  // the thread that did. Before beginStream.
  using OnLaunch = std::function<void(const muster_kernel& kernel, double seconds)>;
  void onLaunch(OnLaunch hears) { onLaunch_ = std::move(hears); }

  // Gives elements to the host. Bytes moved; 0 and no command where all is so already.
  Result<std::int64_t> hostAccess(std::uint32_t id, const cap::IntervalSet& elements, cap::HostMode mode);
  // The same, then `then` with the new state while nothing can change it. readOnly: a queued command reads elements.
  using Then = std::function<Status(const cap::ArrayState&, bool readOnly)>;
  Result<std::int64_t> hostAccess(std::uint32_t id, const cap::IntervalSet& elements, cap::HostMode mode,
                                  const Then& then);
  // Waits for queued commands that use these elements of the host's memory; whose they are does not change.
  Status settle(std::uint32_t id, const cap::IntervalSet& elements);

  // For another library that takes addresses of devices' memory (muster/buffers.h): memory of the device that has all
  // of these parts, for them one behind the other. `filled`: only if the host has none of them, and they are there.
  // nullptr: no device lends any. Then take: the device has what the library left there; or giveBack.
  Result<std::byte*> lend(std::uint32_t id, std::vector<cap::Interval> parts, bool filled);
  Status takeLent(std::byte* lent, std::uint32_t id, std::vector<cap::Interval> parts);
  Status giveBack(std::byte* lent);
  // As Executor::tryMessages.
  Result<std::optional<std::size_t>> tryMessages(cdm::Transport& processes);

  // A launch that is done, to be filled anew for the next one: most come again, and need the same memory for it.
  [[nodiscard]] protocol::Launch spareCommand();
  // hostArrays: per array parameter its address on the host, for loops that run there. Results are combined into
  // results[i] before it returns. Must not be called with an empty loop.
  Result<LaunchOutcome> launch(protocol::Launch command, std::span<void* const> hostArrays,
                               std::span<void* const> results, LaunchTraits traits = {});

  // The same, all of it on this device, which is one of this rank with memory of its own. Any thread, beside other
  // launches. nullopt: it cannot run there as things are, and nothing happened.
  Result<std::optional<LaunchOutcome>> launchOn(std::uint32_t device, protocol::Launch command,
                                                std::span<void* const> results);

  Status setWeights(const protocol::Weights& weights);
  // Weights that hold from later launches on, in their order; before the first launch.
  void setWeightsLater(std::vector<WeightStep> steps, double minShare);
  // Waits for all devices and ends the other ranks' service.
  Status shutdown();

  // By the program, for the runtime, but for a launch or an access that goes on; counted where a tuner is.
  [[nodiscard]] double waitedSeconds() const { return static_cast<double>(waitedNs_.load()) * 1e-9; }
  // A whole loop runs on the host: another launch started now may come from inside it.
  [[nodiscard]] bool runsOnHost() const { return runsOnHost_.load(std::memory_order_acquire); }
  // The calling thread works for a chunk of this rank: its loops and arrays are the chunk's own.
  [[nodiscard]] bool insideChunk() const { return stream_.insideNative(); }
  // Waits for all commands and for all devices of this rank.
  [[nodiscard]] Status finishDevices();

 private:
  using Lock = std::unique_lock<std::mutex>;
  template <class Command>
  Status post(const Command& command);
  Status keepWindow();
  // A command that uses these elements of host memory and is not done.
  [[nodiscard]] std::optional<HostUses::Pending> pendingUse(std::uint32_t id, const cap::Interval& elements,
                                                            bool write) const;
  Status waitFor(const HostUses::Pending& use);
  // Until no command uses these elements of the host's memory. The lock is held before and after.
  Status settle(Lock& lock, std::uint32_t id, const cap::Interval& elements);
  // controller_lending.cpp
  [[nodiscard]] std::optional<cap::MemoryId> lenderOf(const cap::ArrayState& state, const cap::IntervalSet& elements,
                                                      bool filled) const;
  // The lock is given up.
  Status runAndWait(Lock& lock, CommandStream::Task task);
  [[nodiscard]] Rebalancer::Post poster();
  [[nodiscard]] Rebalancer::InOrder inOrder();
  Status announce(const cap::Plan& plan, const std::vector<cap::ArrayUse>& arrays);
  // `overtakes`: the running chunk, or more than that. Of a command that was announced.
  Result<CommandStream::Number> move(cap::Plan plan, bool waitedFor,
                                     CommandStream::Overtakes overtakes = CommandStream::Overtakes::nothing,
                                     CommandStream::Number after = 0);
  [[nodiscard]] bool comesFromThisRank(const cap::Plan& plan) const;
  // TunedJob (controller_tuning.cpp)
  [[nodiscard]] std::size_t groupOf(std::uint64_t kernel) override;
  [[nodiscard]] Clock clock() const override;
  Status drain() override;
  Status restrict(std::uint64_t kernel, const std::vector<bool>& members) override;
  [[nodiscard]] bool ranEverywhere(std::uint64_t kernel) const override;
  Status probe(std::uint64_t kernel) override;
  Result<bool> reweigh(std::uint64_t kernel) override;
  void hold(bool on) override;
  [[nodiscard]] Forecast forecast(std::uint64_t kernel, std::span<const protocol::Command> commands,
                                  const std::vector<bool>& members) override;
  // Counts for the tuner how long the program waits for the runtime while it lives.
  class Waiting {
   public:
    explicit Waiting(Controller& controller)
        : controller_(controller),
          beganNs_(controller.tuner_ != nullptr && !controller.runsOnHost() ? cap::traceClock() : 0) {}
    ~Waiting() {
      if (beganNs_ != 0) controller_.waitedNs_ += cap::traceClock() - beganNs_;
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    [[nodiscard]] std::int64_t beganNs() const { return beganNs_; }

   private:
    Controller& controller_;
    std::int64_t beganNs_;
  };
  Status adapt(const protocol::Launch& launch);
  // controller_launch.cpp
  struct Run;
  Status runDry(PlannedLaunch& launch);
  Status makeWay(std::shared_ptr<PlannedLaunch>& launch);
  Status runOnHost(PlannedLaunch& launch, Lock& lock, std::span<void* const> hostArrays,
                   std::span<void* const> results);
  // `isLast`: the lock may be given up early. `isAlone`: other threads' launches go on while this one is waited for.
  Status runChunks(const std::shared_ptr<PlannedLaunch>& launch, Lock& lock, std::span<void* const> results,
                   bool isLast, bool isAlone = false);
  // In the order of the stream, beside what computes natively.
  Status runBeside(std::function<Status()> task);
  // Whether its device is done with a launch that stays open, and then its results.
  Result<bool> isComplete(const Run& run);
  Status takeOpen(Run& run);
  Status takeResults(Run& run);
  Status lookAtOnce(Run& run);
  Status finishOpen(Run& run);
  // The launch may become another one, for the host.
  Status run(std::shared_ptr<PlannedLaunch>& launch, Lock& lock, std::span<void* const> hostArrays,
             std::span<void* const> results, bool isLast = true);
  // Of a launch that is planned and announced: the last command that was posted.
  [[nodiscard]] std::shared_ptr<Run> newRun(const std::shared_ptr<PlannedLaunch>& launch, bool native);
  Result<CommandStream::Number> queue(const std::shared_ptr<Run>& run,
                                      CommandStream::Overtakes overtakes = CommandStream::Overtakes::nothing);
  // controller_claims.cpp
  class ClaimedLaunch;
  struct Brief {
    unsigned launches = 0, left = 0;
  };
  // Not worth asking; asks for this launch.
  [[nodiscard]] bool isBrief(const protocol::Launch& launch);
  [[nodiscard]] Brief& briefOf(const protocol::Launch& launch);
  void noteClaims(const protocol::Launch& launch, bool areWorthIt);
  // Of a launch with nothing but its command, which is planned.
  Result<bool> mayClaim(PlannedLaunch& launch);
  Result<LaunchOutcome> launchInClaims(const PlannedLaunch& whole, Lock& lock, std::span<void* const> results);
  // controller_steps.cpp
  [[nodiscard]] bool joinsSteps() const;
  Result<LaunchOutcome> runSteps(Lock& lock);
  // Until nothing waits to become one launch with others. Under mutex_.
  Status runWaiting();
  // The same, and what the host has of arrays may change.
  Status endWaiting();
  [[nodiscard]] bool sparesHost(const cap::Plan& plan) const;
  void noteSteps(const PlannedLaunch& launch);
  [[nodiscard]] TimeSteps::Loop loopOf(const PlannedLaunch& launch) const;
  Status execute(Run& run);
  [[nodiscard]] bool computesNatively(const cap::Plan& plan) const;
  [[nodiscard]] bool usesOwnDevices(const cap::Plan& plan) const;
  // Under their own names, in native code.
  [[nodiscard]] static bool readsGlobals(const muster_kernel& kernel);
  // controller_pressure.cpp
  Result<LaunchOutcome> launchUnderPressure(const protocol::Launch& command, Lock& lock,
                                            std::span<void* const> hostArrays, std::span<void* const> results);
  Result<cap::Placement> place(const protocol::Launch& command);
  Status makeRoom(const protocol::Launch& command, std::vector<cap::Copy>& copies);

  Node& node_;
  cdm::Transport& transport_;
  StateObserver* observer_;
  Rebalancer* rebalancer_ = nullptr;
  Tuner* tuner_ = nullptr;
  Links links_;
  std::atomic<std::int64_t> waitedNs_{0};  // for the runtime, by the program; counted for the tuner
  BuffersInFlight inFlight_;
  bool checksBuffers_ = false;
  bool joinsSteps_ = false;
  bool claimsBlocks_ = false;
  bool claiming_ = false;  // under mutex_: blocks of a loop are given out
  DryRun* dryRun_ = nullptr;
  bool waitAlways_ = false;
  OnLaunch onLaunch_;
  std::mutex launches_;
  std::mutex mutex_;
  std::atomic<bool> runsOnHost_{false};
  // Under launches_:
  std::uint64_t launched_ = 0;
  // By kernel and order of size: launches that are too short to be claimed, or cannot be, and so many more that are not
  // asked whether that is still so.
  std::map<std::pair<std::uint64_t, int>, Brief> brief_;
  std::int64_t launchBeganNs_ = 0;
  std::vector<WeightStep> later_;  // the next one is the last
  double laterMinShare_ = 0;
  // Under mutex_:
  std::uint64_t sequence_ = 0;
  std::vector<cdm::RequestPtr> answers_;  // of the window before
  std::uint32_t nextArray_ = 0;
  cap::Residency residency_;
  TimeSteps steps_{[this](std::uint64_t first, std::uint64_t second) { return node_.findPair(first, second); }};
  HostUses uses_;
  std::unordered_map<const std::byte*, cap::MemoryId> lent_;
  std::unordered_set<std::uint32_t> undefined_;                      // arrays whose contents nobody needs
  std::unordered_map<std::uint32_t, CommandStream::Number> newest_;  // by array, the last task that concerns it
  // Commands that are done, for spareCommand().
  class Spares {
   public:
    [[nodiscard]] protocol::Launch take();
    void give(protocol::Launch command);

   private:
    static constexpr std::size_t kMost = 64;  // more than are queued
    std::mutex mutex_;
    std::vector<protocol::Launch> commands_;
  };
  Spares spares_;
  CommandStream stream_;  // the last one: its tasks use the others
};

}  // namespace muster::rt
