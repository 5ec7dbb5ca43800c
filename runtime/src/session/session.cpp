// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begin and end of the session, and what it does for arrays.
#include "session/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "engine/blocks.h"
#include "host/interpose/foreign_calls.h"
#include "native/openmp.h"
#include "registry/registry.h"
#include "session/job_end.h"

namespace muster::rt {
namespace {

cap::ExecutorOptions executorOptions(const Job& job) {
  cap::ExecutorOptions options;
  options.loseDevices = job.config.injects(Injection::deviceLost);
  options.failOnRaces = job.config.checkRaces;
  options.warn = [](const std::string& text) { fmt::print(stderr, "muster: warning: {}\n", text); };
  if (job.trace != nullptr) options.trace = &job.trace->events();
  return options;
}

// The controller has done with the array before its memory goes (aboutToRelease).
cap::UntouchedBytes untouchedBytesOf(const HostArray& array) {
  return [&array](const cap::Interval& bytes, std::int64_t least) {
    std::vector<cap::Interval> found;
    for (const ByteRange& range : array.untouched(static_cast<std::size_t>(bytes.lo),
                                                  static_cast<std::size_t>(bytes.hi), static_cast<std::size_t>(least)))
      found.push_back({static_cast<std::int64_t>(range.lo), static_cast<std::int64_t>(range.hi)});
    return found;
  };
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
  Status status = node.serve();
  if (status.ok()) status = endJob(job, node, nullptr);
  if (status.ok()) status = job.transport->shutdown();
  if (!status.ok()) failJob(*job.transport, ofThisRank(status, *job.transport), kExitFailure);
  std::fflush(nullptr);
  _exit(0);
}

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const { return static_cast<double>(cap::traceClock() - beganNs_) * 1e-9; }

 private:
  const std::int64_t beganNs_ = cap::traceClock();
};

std::string arrayName(const muster_array_site* site) {
  return site == nullptr ? "(unnamed)" : fmt::format("{} ({})", site->name, location(site->loc));
}

}  // namespace

std::atomic<Session*> Session::current_{nullptr};

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
  });
}

void Session::start() {
  if (const Status status = controller_.setWeights(job_.weights()); !status.ok())
    failJob(*job_.transport, status, kExitConfig);
  controller_.setWeightsLater(job_.config.later, job_.config.minShare);
  report_->forgetDevices();
  describeDevices();
  if (job_.config.plansOnly()) dryRun_ = std::make_unique<DryRun>(node_.table());
  if (job_.config.fake) dryRun_->model(std::make_unique<FakeTime>(*job_.config.fake, node_.table()));
  if (dryRun_ != nullptr) controller_.planOnly(*dryRun_);
  startBalancing();
  startTuning();
  if (dryRun_ == nullptr && !hostOnly_) {
    if (reporting_)
      controller_.onLaunch([this](const muster_kernel& kernel, double seconds) { report_->addTime(kernel, seconds); });
    const Status status = controller_.beginStream([this](const Status& error) { fail(error); }, !job_.config.async);
    if (!status.ok()) fail(status);
  }
  if (!hostOnly_) {
    noteForeignCaller(openMpLibrary());
    const Status status = startFaultService(
        [this](HostArray& array, std::size_t offset, bool write) { return serveFault(array, offset, write); });
    if (!status.ok()) fail(status);
  }
  takeArrays();
  setArrayListener(this);
  if (before_ != nullptr) takeArrays();  // that other threads made meanwhile
}

void Session::takeArrays() {
  forEachArray([this](HostArray& array, const muster_array_site* site) {
    if (array.owner != nullptr) return;
    if (!hostOnly_ && !array.mirrored()) {
      if (const Status status = hostMemory().mirror(array); !status.ok()) fail(status.at("array " + arrayName(site)));
    }
    if (before_ == nullptr) createdPrivate(site, array.bytes());  // else it is counted
    if (!hostOnly_) take(array, site, array.bytes());
  });
}

void Session::describeDevices() {
  if (!reporting_) return;
  const auto& slots = node_.table().slots(DeviceTable::Needs::opencl);
  for (std::size_t i = 0; i < node_.table().devices().size(); ++i) {
    const DeviceEntry& device = node_.table().devices()[i];
    DeviceReport entry{device.place.rank,
                       device.host,
                       device.info.name,
                       device.info.backend,
                       cdm::toString(device.info.kind),
                       0,
                       job_.measured[i].bytesPerSecond,
                       job_.measured[i].latencySeconds,
                       device.info.hostAddressable ? device.info.computeUnits : 0};
    for (const cap::DeviceSlot& slot : slots) {
      if (slot.device == i) entry.weight = slot.weight;
    }
    report_->addDevice(std::move(entry));
  }
  for (std::size_t rank = 0; rank < job_.leftOut.size(); ++rank) {
    for (const auto& [device, reason] : job_.leftOut[rank]) report_->addLeftOut(static_cast<int>(rank), device, reason);
  }
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

// Trials may be slow, and there may be many of them: then the next one is announced.
void Session::noteTrial(const Tuner::Step& step) {
  const bool tries = step.decision.starts_with("try ") || step.decision == "probe";
  if (tries && triesSince_) {
    trialPatience_.strain(step.elapsed - *triesSince_, [this] {
      const std::string& store = job_.config.tuneStore;
      return "looking for the fastest devices takes a while; " +
             (store.empty() ? std::string("MUSTER_TUNE_STORE=FILE keeps for the next run what is found")
                            : "the next run finds the result in " + store);
    });
  }
  triesSince_ = tries ? std::optional(step.elapsed) : std::nullopt;
}

void Session::noteStep(const Tuner::Step& step) {
  noteTrial(step);
  const KernelEntry* kernel = registry().find(step.kernel);
  const std::string loop = kernel == nullptr ? "?" : location(kernel->descriptor->loc);
  if (tuneLog_ != nullptr) tuneLog_->write(step, loop);
  if (job_.config.info < 2) return;
  fmt::print(stderr, "muster: {}: {}\n", loop, describe(step));
}

void Session::noteCorrection(const WeightModel::Change& change) {
  std::string loops;
  for (const std::uint64_t id : change.kernels) {
    const KernelEntry* kernel = registry().find(id);
    if (kernel == nullptr) continue;
    if (change.reason == WeightModel::Change::Reason::gain) report_->countCorrection(*kernel->descriptor);
    loops += (loops.empty() ? "" : ", ") + location(kernel->descriptor->loc);
  }
  if (job_.config.info < 2) return;
  fmt::print(stderr, "muster: {}: weights are now {:.3f}", loops, fmt::join(change.speeds, " "));
  if (change.reason == WeightModel::Change::Reason::trial)
    fmt::print(stderr, ", to try a device that was too slow to take part");
  if (change.gain > 0) fmt::print(stderr, ", which should save {:.0f} % of the time", 100 * change.gain);
  fmt::print(stderr, "\n");
}

std::uint32_t Session::hostDevice() const {
  const auto& devices = job_.table.devices();
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [](const auto& device) { return device.place.memory == cap::hostMemory; });
  return found == devices.end() ? cap::TraceEvent::none : static_cast<std::uint32_t>(found - devices.begin());
}

void Session::noteNative(const muster_launch& launch, std::int64_t beganNs) {
  cap::TraceEvent event;
  event.kernel = launch.kernel->id;
  event.beginNs = beganNs;
  event.endNs = cap::traceClock();
  event.device = hostDevice();
  report_->countNative(*launch.kernel, static_cast<double>(event.endNs - beganNs) * 1e-9, event.device);
  if (job_.trace == nullptr) return;
  cap::TraceEvent whole = event;
  whole.device = cap::TraceEvent::none;
  job_.trace->events().record(whole);
  event.kind = cap::TraceEvent::Kind::chunk;
  event.hi = launch.dims[0].count;
  event.amount = 1;
  for (unsigned d = 0; d < launch.kernel->n_dims; ++d) event.amount *= static_cast<std::uint64_t>(launch.dims[d].count);
  job_.trace->events().record(event);
}

bool Session::hasOpenCl() const {
  const auto& devices = job_.table.devices();
  return std::any_of(devices.begin(), devices.end(), [](const auto& device) { return !device.info.hostAddressable; });
}

void Session::createdPrivate(const muster_array_site* site, std::size_t bytes) {
  if (reporting_) report_->countArray(site, bytes, currentBlock().number);
}

void Session::created(HostArray& array, const muster_array_site* site, std::size_t bytes) {
  const Stopwatch allocating;
  if (reporting_) report_->countArray(site, bytes, currentBlock().number);
  take(array, site, bytes);
  if (reporting_) report_->countAllocationTime(site, allocating.seconds());
}

void Session::take(HostArray& array, const muster_array_site* site, std::size_t bytes) {
  auto record = std::make_unique<ArrayRecord>();
  record->elemSize = site != nullptr && site->elem_size > 0 ? site->elem_size : 1;
  record->array = &array;
  record->site = site;
  record->block = currentBlock().number;
  const auto count = static_cast<std::int64_t>(bytes / record->elemSize);
  const ArrayTraits traits{record->block, site != nullptr && site->array_class == MUSTER_REPLICATED};
  const auto id =
      controller_.createArray(record->elemSize, count, arrayName(site), array.alias(), traits, untouchedBytesOf(array));
  if (!id.ok()) fail(id.status());
  record->id = *id;
  if (reporting_) report_->nameArray(*id, site);
  if (job_.trace != nullptr) job_.trace->nameArray(*id, site == nullptr ? "(unnamed)" : site->name);
  view_.add(*id, array, record->elemSize, count);
  const std::lock_guard lock(arraysMutex_);
  array.owner = record.get();
  parked_.noteCreated(kindOf(*record));
  arrays_[&array] = std::move(record);
}

void Session::aboutToRelease(HostArray& array) {
  const auto* record = static_cast<const ArrayRecord*>(array.owner);
  if (record == nullptr) return;
  const Stopwatch releasing;
  if (const Status status = controller_.releaseArray(record->id); !status.ok()) fail(status);
  view_.remove(record->id);
  array.owner = nullptr;
  const std::lock_guard lock(arraysMutex_);
  if (!record->parked) parked_.noteReleased(kindOf(*record));
  if (reporting_) report_->countAllocationTime(record->site, releasing.seconds());
  arrays_.erase(&array);
}

void Session::hostAccess(HostArray& array, std::size_t offset, std::size_t bytes, int mode) {
  const auto* record = static_cast<const ArrayRecord*>(array.owner);
  if (record == nullptr) return;
  const Stopwatch waited;
  const auto moved = view_.acquire(record->id, offset, offset + bytes, (mode & MUSTER_WRITE) != 0);
  if (!moved.ok()) fail(moved.status());
  if (reporting_) report_->countFetch(record->site, static_cast<std::uint64_t>(*moved), waited.seconds());
}

bool Session::serveFault(HostArray& array, std::size_t offset, bool write) {
  const auto* record = static_cast<const ArrayRecord*>(array.owner);
  if (record == nullptr) return false;
  const Stopwatch waited;
  const auto moved = view_.fault(record->id, offset, write);
  if (!moved.ok()) fail(moved.status());
  if (reporting_) report_->countFetch(record->site, static_cast<std::uint64_t>(*moved), waited.seconds());
  return true;
}

// What runs after the session (destructors of static objects) still sees its arrays.
void Session::fetchEverything(int mode) {
  std::vector<HostArray*> arrays;
  {
    const std::lock_guard lock(arraysMutex_);
    for (const auto& [array, record] : arrays_) {
      if (!record->parked) arrays.push_back(array);
    }
  }
  for (HostArray* array : arrays) hostAccess(*array, 0, array->bytes(), mode);
}

void Session::finish() {
  const double seconds = static_cast<double>(cap::traceClock() - beganNs_) * 1e-9;
  if (!hostOnly_) {
    fetchEverything(MUSTER_READ | MUSTER_WRITE);
    setArrayListener(nullptr);
    stopFaultService();
    for (const auto& [array, record] : arrays_) array->owner = nullptr;
  } else {
    setArrayListener(nullptr);
  }
  Status status = controller_.shutdown();
  if (status.ok()) status = endJob(job_, node_, report_.get());
  if (status.ok()) status = job_.transport->shutdown();
  if (!status.ok()) fail(status);
  report_->endProgram(seconds);
  report_->notePlans(node_.plans().misses(), node_.plans().hits());
  if (setStore_ != nullptr) {
    if (const Status written = setStore_->write(tuner_->found()); !written.ok()) fail(written);
  }
  if (tuneLog_ != nullptr) {
    if (const Status written = tuneLog_->close(); !written.ok()) fail(written);
  }
  writeReport();
}

std::string Session::deviceSets() const {
  std::string text;
  for (const Tuner::Found& found : tuner_->found()) {
    std::string loops;
    for (const std::uint64_t id : found.kernels) {
      const KernelEntry* kernel = registry().find(id);
      if (kernel != nullptr) loops += (loops.empty() ? "" : ", ") + location(kernel->descriptor->loc);
    }
    text += fmt::format("muster: device set {} for {}", tuner_->park().text(found.set), loops);
    text += found.tried > 0 ? fmt::format(", the fastest of {} that were timed\n", found.tried) : "\n";
  }
  return text;
}

void Session::writeReport() const {
  if (dryRun_ != nullptr) {
    std::fflush(stdout);
    fmt::print(stderr, "{}", dryRun_->text(node_.plans()));
  }
  if (job_.config.info > 0) {
    std::fflush(stdout);
    fmt::print(stderr, "{}", report_->text());
    if (tuner_ != nullptr) fmt::print(stderr, "{}", deviceSets());
  }
  if (job_.config.infoFile.empty()) return;
  std::ofstream out(job_.config.infoFile);
  out << report_->json();
  out.close();
  if (!out) fmt::print(stderr, "muster: warning: cannot write MUSTER_INFO_FILE {}\n", job_.config.infoFile);
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
  if (cdm::Transport* transport = serving.load(std::memory_order_acquire); transport != nullptr) {
    std::fflush(nullptr);
    transport->abort(code != 0 ? code : kExitFailure);
  }
  Session* session = current();
  if (session == nullptr || !session->insideChunk()) return;
  std::fflush(nullptr);
  if (session->job_.transport->size() == 1) std::_Exit(code);
  session->job_.transport->abort(code != 0 ? code : kExitFailure);
}

void Session::end() {
  if (Session* const session = current(); session != nullptr && session->inPlace_ != nullptr) session->inPlace_->end();
  Session* session = current_.exchange(nullptr);
  if (session == nullptr) return;
  session->finish();
  delete session;
}

}  // namespace muster::rt
