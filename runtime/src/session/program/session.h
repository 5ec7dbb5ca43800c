// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Session: everything that one run of a program owns on rank 0, between muster_session_begin and muster_session_end.
// The extern "C" entry points find it through one pointer; before and after, loops run natively and arrays are plain
// memory.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>

#include "balance/rebalancer.h"
#include "balance/thread_devices.h"
#include "engine/arrays/parked_arrays.h"
#include "engine/controller/controller.h"
#include "engine/model/dry_run.h"
#include "host/memory/host_memory.h"
#include "hostview/host_view.h"
#include "muster/abi.h"
#include "muster/buffers.h"
#include "report/patience.h"
#include "report/report.h"
#include "session/job/job.h"
#include "session/job/loaded_objects.h"
#include "tuner/in_place/earlier_runs.h"
#include "tuner/in_place/in_place.h"
#include "tuner/in_place/kernel_builder.h"
#include "tuner/sets/set_store.h"
#include "tuner/sets/tune_log.h"
#include "tuner/sets/tuner.h"

namespace muster::rt {

// A managed array, as its HostArray::owner knows it.
struct ArrayRecord {
  std::uint32_t id = 0;
  std::uint32_t elemSize = 0;
  HostArray* array = nullptr;
  const muster_array_site* site = nullptr;
  std::uint32_t block = 0;  // allocation block, 0: none
  bool parked = false;      // freed by the program, and kept
};

class Session final : public ArrayListener {
 public:
  // before: the session of the same program that knew only its CPU, and ends here; nullptr: there was none.
  Session(Job job, LoadedObjects started, std::unique_ptr<Session> before = nullptr);
  ~Session() override;

  // The program's session; nullptr before it begins and after it ends, and on ranks that serve.
  [[nodiscard]] static Session* current() { return current_.load(std::memory_order_acquire); }
  // Rank 0 comes back, the others serve their devices and exit. Once per process.
  static void begin(int* argc, char*** argv);
  static void end();
  // Waits until rank 0 has carried out its part of all launches, unless the calling thread computes one of them.
  static void finishLaunches();
  // exit() inside a chunk: the job ends at once, because the session waits for the chunk.
  static void exitInsideChunk(int code);
  // Whether the calling thread computes a chunk, on any rank, which rank 0 has results from.
  static bool computesChunk();

  // Before the program forks: what it sees is valid on the host.
  void beforeFork() { fetchEverything(MUSTER_READ); }
  // In the child: there is no session, and nothing of it is used any more. What builds kernels ends with its parent.
  static void forget() {
    Session* const session = current_.exchange(nullptr);
    if (session != nullptr && session->builder_ != nullptr) session->builder_->stop();
  }
  // The code at this address came with a driver or MPI, when the session began.
  [[nodiscard]] bool startedObject(const void* code) const { return started_.holds(code); }

  // One process with its CPU only, for good: nothing is ever moved.
  [[nodiscard]] bool hostOnly() const { return hostOnly_ && !inPlace_; }
  [[nodiscard]] int ranks() const { return job_.transport->size(); }
  // Each rank runs the program (MUSTER_RANKS=own).
  [[nodiscard]] bool isOwn() const { return job_.isOwn; }
  // Some device of the job needs a kernel's OpenCL text.
  [[nodiscard]] bool hasOpenCl() const;
  // nullptr: MUSTER_TRACE is not set.
  [[nodiscard]] JobTrace* trace() const { return job_.trace.get(); }
  // Somebody wants to know what happens: MUSTER_INFO, MUSTER_INFO_FILE or MUSTER_TRACE.
  [[nodiscard]] bool reporting() const { return reporting_; }
  [[nodiscard]] const Config& config() const { return job_.config; }
  [[nodiscard]] Report& report() { return *report_; }
  [[nodiscard]] Controller& controller() { return controller_; }
  // nullptr: the program never runs on rank 0's CPU alone, or always (hostOnly).
  [[nodiscard]] InPlace* inPlace() { return inPlace_; }
  // nullptr: the program has its CPU only.
  [[nodiscard]] ThreadDevices* threads() { return threads_ ? &*threads_ : nullptr; }
  [[nodiscard]] bool runsInPlace() const { return hostOnly_ || (inPlace_ != nullptr && inPlace_->isHere()); }
  // A whole launch ran in place on rank 0's CPU since `beganNs`.
  void noteNative(const muster_launch& launch, std::int64_t beganNs);
  // Prints and ends the job.
  [[noreturn]] void fail(const Status& status) const { failJob(*job_.transport, status, kExitFailure); }

  // The same, of a program that is used in a way that cannot work.
  [[noreturn]] void failUse(const char* what) const {
    failJob(*job_.transport, {Errc::invalidArgument, what}, kExitConfig);
  }

  // ArrayListener
  bool wantsMirrored() override { return !hostOnly_; }
  bool mayMirrorLater() override { return hostOnly_ && inPlace_ != nullptr && inPlace_->mayLeave(); }
  bool insideChunk() override { return !hostOnly_ && controller_.insideChunk(); }
  void created(HostArray& array, const muster_array_site* site, std::size_t bytes) override;
  void createdPrivate(const muster_array_site* site, std::size_t bytes) override;
  void aboutToRelease(HostArray& array) override;
  bool parks(HostArray& array) override;
  void park(HostArray& array) override;
  HostArray* unpark(const muster_array_site* site, std::size_t bytes, std::size_t alignment) override;
  std::vector<HostArray*> surplus() override;
  std::vector<HostArray*> unparkAll() override;
  void hostAccess(HostArray& array, std::size_t offset, std::size_t bytes, int mode) override;

  // muster/buffers.h, of a mirrored array. settle and own: elements that the parts touch; no page changes its access.
  enum class BufferUse : std::uint8_t { fetch, settle, own };
  void useBuffer(HostArray& array, std::span<const muster_part> parts, BufferUse use);
  // how: MUSTER_FLIGHT_...
  std::uint64_t beginFlight(HostArray& array, std::span<const muster_part> parts, const char* call, int how);
  void endFlight(std::uint64_t number) { controller_.land(number); }
  // Of whole elements. nullptr: no device lends memory for them.
  std::byte* lendBuffer(HostArray& array, std::span<const muster_part> parts, bool filled);
  void takeLent(HostArray& array, std::span<const muster_part> parts, std::byte* lent);
  void giveBackLent(std::byte* lent);
  // From so many bytes on messages between devices of the program's processes are faster without host memory. nullptr:
  // all are to go so.
  std::optional<std::size_t> tryMessages(const muster_processes* processes);
  // Threads of another library that touch arrays only as told there.
  static void noteThreads(int count) { foreignThreads_ = count; }

 private:
  void start();
  void takeArrays();
  void take(HostArray& array, const muster_array_site* site, std::size_t bytes);
  void finish();
  // Numbers of the devices that this one sends to past the host.
  [[nodiscard]] std::vector<std::size_t> directFrom(std::size_t device);
  void describeDevices();
  void startBalancing();
  void startTuning();
  void startThreads();
  // session_in_place.cpp
  void startInPlace();
  [[nodiscard]] static bool openDevices();
  [[nodiscard]] TrialCost trialCost(std::size_t unbuilt);
  void noteAdvice(const muster_kernel& kernel, PlainGuard::Advice advice, std::string_view reason, double elapsed,
                  double took);
  void noteStep(const Tuner::Step& step);
  void noteCorrection(const WeightModel::Change& change);
  [[nodiscard]] std::uint32_t hostDevice() const;
  // After an access that began then: an error ends the job.
  void noteFetch(const ArrayRecord& record, const Result<std::int64_t>& moved, std::int64_t beganNs);
  bool serveFault(HostArray& array, std::size_t offset, bool write);
  void fetchEverything(int mode);
  [[nodiscard]] static bool mayKeepArrays();
  [[nodiscard]] static ParkedArrays::Kind kindOf(const ArrayRecord& record);
  void writeReport() const;
  void noteTrial(const Tuner::Step& step);
  [[nodiscard]] std::string deviceSets() const;

  static std::atomic<Session*> current_;
  static std::atomic<int> foreignThreads_;

  std::unique_ptr<Session> before_;  // another thread of the program may still look at it
  Job job_;
  LoadedObjects started_;
  std::int64_t beganNs_;  // when the program's first session did
  bool hostOnly_;
  bool reporting_;
  std::shared_ptr<Report> report_;
  HostView view_;
  Node node_;
  Controller controller_;
  std::unique_ptr<Rebalancer> rebalancer_;
  std::unique_ptr<TuneLog> tuneLog_;
  std::unique_ptr<SetStore> setStore_;
  std::unique_ptr<Tuner> tuner_;
  std::optional<ThreadDevices> threads_;
  Patience trialPatience_ = Patience::atTerminal(job_.config, job_.transport->rank());
  std::optional<double> triesSince_;  // seconds since the start
  KernelBuilder* builder();
  [[nodiscard]] KernelBuilder::Progress buildKernels(const UnbuiltLoops& loops);
  void stopBuilding();
  [[nodiscard]] static std::filesystem::path cacheDirectory();
  // team: of the threads that loops have in place.
  [[nodiscard]] EarlierRuns earlierRuns(const std::string& team) const;
  InPlace* inPlace_ = nullptr;  // outlives all sessions, since other threads may be in it when they end
  std::unique_ptr<DryRun> dryRun_;
  bool keepsArrays_;
  std::mutex arraysMutex_;
  std::unordered_map<HostArray*, std::unique_ptr<ArrayRecord>> arrays_;
  ParkedArrays parked_;
  std::unique_ptr<KernelBuilder> builder_;
  std::int64_t buildsSinceNs_ = 0;  // 0: it does not
};

}  // namespace muster::rt
