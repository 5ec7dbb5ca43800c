// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begin and end of the session.
#include "session/program/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "host/interpose/foreign_calls.h"
#include "host/system/session_use.h"
#include "native/openmp.h"
#include "registry/registry.h"
#include "session/job/job_end.h"

namespace muster::rt {
namespace {

cap::ExecutorOptions executorOptions(const Job& job) {
  cap::ExecutorOptions options;
  options.loseDevices = job.config.injects(Injection::deviceLost);
  options.failOnRaces = job.config.checkRaces;
  options.directMessages = job.config.directMessages;
  options.warn = [](const std::string& text) { fmt::print(stderr, "muster: warning: {}\n", text); };
  if (job.trace != nullptr) options.trace = &job.trace->events();
  return options;
}

// Runs with the same arguments may take as long.
std::uint64_t numberOfRun(int argc, char** argv) {
  std::string arguments = "run";
  for (int i = 1; i < argc; ++i) arguments.append(1, '\0').append(argv[i]);
  return std::hash<std::string>()(arguments);
}

std::vector<cdm::ComputeDevice*> pointers(const Job& job) {
  std::vector<cdm::ComputeDevice*> devices;
  devices.reserve(job.devices.size());
  for (const auto& device : job.devices) devices.push_back(device.get());
  return devices;
}

// Most of what fails between ranks, or on a device, names its rank already.
Status ofThisRank(const Status& status, const cdm::Transport& transport) {
  const std::string who = fmt::format("rank {} on {}", transport.rank(), transport.hostName());
  return status.message().starts_with(who) ? status : status.at(who);
}

// Of a rank that serves.
std::atomic<cdm::Transport*> serving{nullptr};

// Ranks > 0: until rank 0 says that the program has ended. Nothing of the program's runs here but its loops.
[[noreturn]] void serve(Job job) {
  Node node(*job.transport, pointers(job), job.table, registry(), executorOptions(job), job.measures());
  serving.store(job.transport.get(), std::memory_order_release);
  Status status = node.executor().connect();
  if (status.ok()) status = node.serve();
  if (status.ok()) status = endJob(job, node, nullptr);
  if (status.ok()) status = job.transport->shutdown();
  if (!status.ok()) failJob(*job.transport, ofThisRank(status, *job.transport), kExitFailure);
  std::fflush(nullptr);
  leaveOpenMp();
  _exit(0);
}

}  // namespace

std::atomic<Session*> Session::current_{nullptr};
std::atomic<int> Session::foreignThreads_{0};

Session::Session(Job job, LoadedObjects started, std::unique_ptr<Session> before)
    : before_(std::move(before)),
      job_(std::move(job)),
      started_(std::move(started)),
      beganNs_(before_ != nullptr ? before_->beganNs_ : cap::traceClock()),
      hostOnly_(job_.transport->size() == 1 && job_.table.hostOnly() && !job_.config.plansOnly()),
      reporting_(job_.config.info > 0 || !job_.config.infoFile.empty() || job_.trace != nullptr),
      report_(before_ != nullptr ? before_->report_ : std::make_shared<Report>()),
      view_(hostMemory()),
      node_(*job_.transport, pointers(job_), job_.table, registry(), executorOptions(job_), job_.measures()),
      controller_(node_, *job_.transport, &view_, job_.config.spill),
      keepsArrays_(job_.config.keepArrays && mayKeepArrays()),
      parked_(mostKeptMemory()) {
  view_.attach(controller_);
  if (before_ != nullptr) inPlace_ = before_->inPlace_;
}

Session::~Session() = default;

void Session::begin(int* argc, char*** argv) {
  static std::once_flag once;
  std::call_once(once, [&] {
    const LoadedObjects before = LoadedObjects::now();
    Job job = joinJob(argc, argv);
    if (job.transport->rank() != 0) serve(std::move(job));
    auto* session = new Session(std::move(job), LoadedObjects::now().without(before));
    session->start();
    // After the drivers were loaded, so that their own exit handlers run later than this one.
    std::atexit([] { Session::end(); });
    current_.store(session, std::memory_order_release);
    // Of a program without loops nobody may have told the arguments.
    if (session->inPlace_ != nullptr && argc != nullptr) session->inPlace_->beginRun(numberOfRun(*argc, *argv));
  });
}

void Session::start() {
  if (const Status status = node_.executor().connect(); !status.ok())
    failJob(*job_.transport, ofThisRank(status, *job_.transport), kExitFailure);
  if (const Status status = controller_.setWeights(job_.weights()); !status.ok())
    failJob(*job_.transport, status, kExitConfig);
  controller_.setWeightsLater(job_.config.later, job_.config.minShare);
  report_->forgetDevices();
  describeDevices();
  if (job_.config.plansOnly()) dryRun_ = std::make_unique<DryRun>(node_.table());
  if (job_.config.fake) dryRun_->model(std::make_unique<FakeTime>(*job_.config.fake, node_.table()));
  if (dryRun_ != nullptr) controller_.planOnly(*dryRun_);
  if (job_.config.checkRaces) controller_.checkBuffers();
  if (job_.config.fuse) controller_.joinSteps();
  if (job_.balances()) controller_.claimBlocks();
  startBalancing();
  startTuning();
  startThreads();
  if (dryRun_ == nullptr && !hostOnly_) {
    if (reporting_)
      controller_.onLaunch([this](const muster_kernel& kernel, double seconds) { report_->addTime(kernel, seconds); });
    const Status status = controller_.beginStream([this](const Status& error) { fail(error); }, !job_.config.async);
    if (!status.ok()) fail(status);
  }
  if (!hostOnly_) {
    noteForeignCaller(openMpLibrary());
    for (const LoadedObjects::Segment& code : started_.segments()) noteForeignCode(code.lo, code.hi);
    const Status status = startFaultService(
        [this](HostArray& array, std::size_t offset, bool write) { return serveFault(array, offset, write); });
    if (!status.ok()) fail(status);
  }
  takeArrays();
  setArrayListener(this);
  if (before_ != nullptr) takeArrays();  // that other threads made meanwhile
}

void Session::startBalancing() {
  if (!job_.balances() && !job_.tunes()) return;
  const protocol::Weights weights = job_.weights();
  Rebalancer::Options options;
  options.adapt = job_.balances();
  options.model.minShare = weights.minShare;
  options.model.sharing = job_.sharing;
  for (const cdm::Measured& device : job_.measured) {
    if (device.bytesPerSecond > 0)
      options.model.bytesPerSecond = std::min(options.model.bytesPerSecond, device.bytesPerSecond);
  }
  if (reporting_) options.changed = [this](const WeightModel::Change& change) { noteCorrection(change); };
  rebalancer_ = std::make_unique<Rebalancer>(*job_.transport, node_, weights, std::move(options));
  controller_.balance(*rebalancer_);
}

void Session::startTuning() {
  if (!job_.config.tuneLog.empty()) {
    auto log = TuneLog::open(job_.config.tuneLog);
    if (!log.ok()) failJob(*job_.transport, log.status(), kExitConfig);
    tuneLog_ = std::move(*log);
  }
  if (job_.opensLater) startInPlace();
  if (!job_.tunes()) return;
  Tuner::Options options;
  const TuneMode mode = job_.config.tune.value_or(TuneMode::automatic);
  options.mode = mode;
  options.interval = job_.config.tuneInterval;
  const Park park = job_.park();
  if (!job_.config.deviceSet.empty()) options.fixed = *park.parse(job_.config.deviceSet);
  options.step = [this](const Tuner::Step& step) { noteStep(step); };
  options.stored = [this](std::uint64_t kernel) {
    return setStore_ != nullptr ? setStore_->find(kernel) : std::nullopt;
  };
  tuner_ = std::make_unique<Tuner>(park, controller_.tunedJob(), std::move(options));
  controller_.tune(*tuner_, job_.links());
  if (!job_.config.deviceSet.empty()) return;
  if (!job_.config.tuneStore.empty())
    setStore_ = std::make_unique<SetStore>(job_.config.tuneStore, tuner_->park(), node_.table(),
                                           [](const auto& text) { fmt::print(stderr, "muster: warning: {}\n", text); });
  const bool known = setStore_ != nullptr && !setStore_->empty();
  if (mode == TuneMode::automatic && !known && hostDevice() != cap::TraceEvent::none && dryRun_ == nullptr &&
      inPlace_ == nullptr)
    startInPlace();
}

// Devices of this rank that work by themselves, and take part. Where the program's races are looked for, all loops are
// split, since that is what shows them.
void Session::startThreads() {
  if (dryRun_ != nullptr || hostOnly_ || job_.config.checkRaces) return;
  std::vector<std::uint32_t> devices;
  for (const cap::DeviceSlot& slot : node_.table().slots(DeviceTable::Needs::opencl)) {
    const DeviceEntry& device = node_.table().devices()[slot.device];
    if (device.place.rank == job_.transport->rank() && !device.info.hostAddressable) devices.push_back(slot.device);
  }
  if (job_.config.threads == ThreadMode::off) devices.clear();
  threads_.emplace(job_.config.threads, std::move(devices));
}

std::uint32_t Session::hostDevice() const {
  const auto& devices = job_.table.devices();
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [](const auto& device) { return device.place.memory == cap::hostMemory; });
  return found == devices.end() ? cap::TraceEvent::none : static_cast<std::uint32_t>(found - devices.begin());
}

bool Session::hasOpenCl() const {
  const auto& devices = job_.table.devices();
  return std::any_of(devices.begin(), devices.end(), [](const auto& device) { return !device.info.hostAddressable; });
}

void Session::finish() {
  const double seconds = cap::secondsSince(beganNs_);
  if (!hostOnly_) {
    fetchEverything(MUSTER_READ | MUSTER_WRITE);
    setArrayListener(nullptr);
    SessionUse::await();
    stopFaultService();
    forgetForeignCode();
    for (const auto& [array, record] : arrays_) array->owner = nullptr;
  } else {
    setArrayListener(nullptr);
  }
  if (inPlace_ != nullptr) inPlace_->remember(controller_.waitedSeconds(), threads_ && threads_->areSeveral());
  Status status = controller_.shutdown();
  if (status.ok()) status = endJob(job_, node_, report_.get());
  if (status.ok()) status = job_.transport->shutdown();
  if (!status.ok()) fail(status);
  report_->endProgram(seconds);
  report_->notePlans(node_.plans().misses(), node_.plans().hits());
  if (threads_) report_->noteThreads(threads_->counts());
  if (setStore_ != nullptr) {
    if (const Status written = setStore_->write(tuner_->found()); !written.ok()) fail(written);
  }
  if (tuneLog_ != nullptr) {
    if (const Status written = tuneLog_->close(); !written.ok()) fail(written);
  }
  writeReport();
}

void Session::finishLaunches() {
  Session* session = current();
  if (session == nullptr || session->runsInPlace() || session->insideChunk() || session->controller().runsOnHost())
    return;
  if (const Status status = session->controller().finishDevices(); !status.ok()) session->fail(status);
}

bool Session::computesChunk() {
  Session* session = current();
  return serving.load(std::memory_order_acquire) != nullptr || (session != nullptr && session->insideChunk());
}

void Session::exitInsideChunk(int code) {
  if (cdm::Transport* transport = serving.load(std::memory_order_acquire); transport != nullptr)
    endAtOnce(*transport, code);
  if (Session* session = current(); session != nullptr && session->insideChunk())
    endAtOnce(*session->job_.transport, code);
}

void Session::end() {
  if (Session* const session = current(); session != nullptr && session->inPlace_ != nullptr) session->inPlace_->end();
  Session* session = current_.exchange(nullptr);
  if (session == nullptr) return;
  // The program's other threads may be in the middle of a parallel loop.
  const bool isAlone = openMpLevels().active == 0;
  SessionUse::await();
  session->finish();
  // Threads of drivers may still be about to let go of what has just ended: the system takes their devices.
  static auto& devices = *new std::vector<std::unique_ptr<cdm::ComputeDevice>>;
  devices = std::move(session->job_.devices);
  if (isAlone) delete session;
}

}  // namespace muster::rt
