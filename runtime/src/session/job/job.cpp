// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps that all ranks take together before the program runs.
#include "session/job/job.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "balance/weight_model.h"
#include "engine/model/fake_time.h"
#include "muster/abi.h"
#include "muster/cdm/host.h"
#include "muster/cdm/host_allocation.h"
#include "muster/cdm/launcher.h"
#include "muster/cdm/transports.h"
#include "native/openmp.h"
#include "registry/registry.h"
#include "report/patience.h"
#include "session/job/build_id.h"
#include "session/job/copies.h"
#include "session/job/mpi_program.h"

namespace muster::rt {
namespace {

// Of this process among programs of their own (Job::place); -1: it is none, or the only one.
int ownRank = -1;

// For other ranks of this host to say which GPUs they see. All look for them at their start, but go to them when they
// like.
constexpr std::chrono::milliseconds kPatienceAtStart{2000}, kPatienceWithMovers{100};

void warn(const cdm::Transport& transport, const std::string& text) {
  fmt::print(stderr, "muster: warning: {}{}\n", whoSpeaks(transport), text);
}

// An error that every rank sees alike: rank 0 speaks, all end.
[[noreturn]] void failTogether(cdm::Transport& transport, const Status& status, int code) {
  if (transport.rank() == 0 || transport.size() == 1) failJob(transport, status, code);
  (void)transport.barrier();  // rank 0 ends the job meanwhile
  transport.abort(code);
}

template <class Value>
std::vector<Value> gather(cdm::Transport& transport, const Value& mine,
                          Result<Value> (*decode)(std::span<const std::byte>)) {
  const auto all = transport.allGather(protocol::encode(mine));
  if (!all.ok()) failJob(transport, all.status(), kExitFailure);
  std::vector<Value> values;
  for (const cdm::Bytes& bytes : *all) {
    Result<Value> value = decode(bytes);
    if (!value.ok()) failTogether(transport, value.status(), kExitMismatch);
    values.push_back(std::move(*value));
  }
  return values;
}

std::unique_ptr<cdm::Transport> makeTransport(int* argc, char*** argv, const Config& own) {
  if (!cdm::underMpiLauncher()) return cdm::makeLocalTransport();
  auto transport = cdm::makeMpiTransport(argc, argv, {own.heartbeat, own.sharedMemory});
  if (!transport.ok()) {
    fmt::print(stderr, "muster: error: {}\n", transport.status().message());
    std::exit(kExitFailure);
  }
  return std::move(*transport);
}

// What makes managed arrays ready for MPI stands in front of MPI's own functions.
bool seesCallsOfMpi() {
  void* const marker = dlsym(RTLD_DEFAULT, "muster_mpi_calls");
  Dl_info ours = {}, first = {};
  return marker != nullptr && dladdr(marker, &ours) != 0 && dladdr(dlsym(RTLD_DEFAULT, "MPI_Send"), &first) != 0 &&
         ours.dli_fbase == first.dli_fbase;
}

void joinPeers(Job& job) {
  if (job.place.localSize > 1) job.peers = std::make_shared<cdm::HostPeers>(job.place, cdm::HostPeers::launchName());
}

// Each rank is a program of its own, and names the files that it writes by its rank.
void becomeOwn(Job& job, bool callsMpi) {
  job.isOwn = true;
  job.place = cdm::launchedPlace();
  if (job.place.size > 1) ownRank = job.place.rank;
  joinPeers(job);
  if (callsMpi && !seesCallsOfMpi()) {
    fmt::print(stderr,
               "muster: error: this program calls MPI, and libmuster-mpi-calls.so does not come before MPI and its "
               "tools. Link it with muster++ or musterc, with MPI's libraries in the command; or start it with "
               "LD_PRELOAD=libmuster-mpi-calls.so\n");
    std::_Exit(kExitMismatch);
  }
  if (job.place.rank == 0 && job.place.size > 1 && !callsMpi)
    fmt::print(
        stderr,
        "muster: warning: MUSTER_RANKS=own, and this program does not call MPI: each of the {} ranks runs all of "
        "it\n",
        job.place.size);
}

void nameFilesByRank(Config& config, const cdm::LaunchedPlace& place) {
  if (place.size == 1) return;
  for (std::string* file : {&config.infoFile, &config.traceFile, &config.tuneLog, &config.tuneStore})
    if (!file->empty()) *file += fmt::format(".{}", place.rank);
}

std::vector<protocol::Hello> greet(cdm::Transport& transport) {
  const protocol::Hello mine{MUSTER_ABI_VERSION, runtimeBuildId(), executableBuildId(), transport.hostName(),
                             environmentAssignments()};
  auto hellos = gather(transport, mine, protocol::decodeHello);
  const protocol::Hello& first = hellos.front();
  for (std::size_t rank = 1; rank < hellos.size(); ++rank) {
    const protocol::Hello& other = hellos[rank];
    const auto refuse = [&](const char* what, const std::string& ours, const std::string& theirs) {
      failTogether(transport,
                   {Errc::protocol, fmt::format("rank 0 on {} and rank {} on {} run different builds of {}: {} and {}. "
                                                "Install the same files on all hosts",
                                                first.hostName, rank, other.hostName, what, ours, theirs)},
                   kExitMismatch);
    };
    if (first.runtimeBuild != other.runtimeBuild) refuse("libmuster.so", first.runtimeBuild, other.runtimeBuild);
    if (first.executableBuild != other.executableBuild)
      refuse("the program", first.executableBuild, other.executableBuild);
    if (first.abiVersion != other.abiVersion)
      refuse("the ABI", std::to_string(first.abiVersion), std::to_string(other.abiVersion));
  }
  return hellos;
}

cdm::LaunchedPlace placeAmong(const std::vector<protocol::Hello>& hellos, int rank) {
  cdm::LaunchedPlace place{rank, static_cast<int>(hellos.size()), 0, 0};
  for (std::size_t i = 0; i < hellos.size(); ++i) {
    if (hellos[i].hostName != hellos[static_cast<std::size_t>(rank)].hostName) continue;
    if (static_cast<int>(i) < rank) ++place.localRank;
    ++place.localSize;
  }
  return place;
}

// Devices outlive this call, and keep the observer.
cdm::BuildObserver announcesLongBuilds(const Config& config, int rank) {
  return [patience = std::shared_ptr<Patience>(new Patience(Patience::atTerminal(config, rank)))](
             double seconds, const std::filesystem::path& keptIn) {
    patience->strain(seconds, [&] {
      const std::string next = keptIn.empty() ? "" : fmt::format("; the next run finds them in {}", keptIn.string());
      return fmt::format("building kernels takes a while, for {} loops at most{}", registry().size(), next);
    });
  };
}

// Nothing runs on them.
void makeFakeDevices(Job& job) {
  for (std::size_t i = 0; i < job.config.fake->machines.front().size(); ++i)
    job.devices.push_back(cdm::makeHostMemory());
}

protocol::RankDevices findDevices(Job& job) {
  protocol::RankDevices mine;
  cdm::Transport& transport = *job.transport;
  if (job.config.fake) {
    makeFakeDevices(job);
    return mine;
  }
  const cdm::LaunchedPlace& place = job.place;
  mine.threads = cdm::cpuThreadShare(place.localRank, place.localSize);
  mine.cores = cdm::allowedCores();
  // A process alone keeps what its OpenMP runtime chose.
  if (!job.reopened && (place.localSize > 1 || transport.rank() > 0)) setOpenMpThreads(mine.threads);
  cdm::DiscoveryOptions options;
  options.selection = job.opensLater ? "cpu" : job.config.devices;
  options.rank = job.isOwn ? place.localRank : transport.rank();
  options.size = job.isOwn ? place.localSize : transport.size();
  options.localRank = place.localRank;
  options.localSize = place.localSize;
  options.sharesGpus = job.isOwn;
  options.peers = job.opensLater ? nullptr : job.peers.get();
  options.patience = job.reopened ? kPatienceWithMovers : kPatienceAtStart;
  options.failBuilds = job.config.injects(Injection::buildFailure);
  options.kernels = job.config.kernels;
  options.fuse = job.config.fuse;
  options.faults = job.config.faults;
  options.warn = [&transport](const std::string& text) { warn(transport, text); };
  if (job.config.info >= 2)
    options.inform = [&transport](const std::string& text) {
      fmt::print(stderr, "muster: {}{}\n", whoSpeaks(transport), text);
    };
  options.built = announcesLongBuilds(job.config, transport.rank());
  options.cacheDirectory = cdm::cacheDirectory(options.warn);
  auto found = cdm::discoverDevices(options);
  if (!found.ok()) {
    mine.error = found.status().message();
    return mine;
  }
  job.devices = std::move(found->devices);
  job.sharers = found->sharersOfGpus;
  if (job.sharers > 1 && found->rankOnGpus == 0)
    fmt::print(stderr, "muster: on {}, {} ranks share a GPU, and each may use its part of the memory\n",
               transport.hostName(), job.sharers);
  for (const auto& out : found->leftOut) mine.leftOut.emplace_back(out.device, out.reason);
  const bool alone = transport.size() == 1 && job.devices.size() == 1;
  for (const auto& device : job.devices) {
    protocol::RankDevices::Device entry{device->info(), 1, 0, 0};
    if (!alone && job.config.weights.empty() && job.config.dryRun == 0) {
      const auto measured = cdm::measure(*device, options.cacheDirectory);
      if (!measured.ok()) {
        mine.error = fmt::format("{}: {}", device->info().name, measured.status().message());
        return mine;
      }
      entry.speed = measured->speed;
      entry.bytesPerSecond = measured->bytesPerSecond;
      entry.latencySeconds = measured->latencySeconds;
    }
    mine.devices.push_back(std::move(entry));
  }
  return mine;
}

// A dry run plans for many ranks that are all like this process, or for those of a park that does not exist.
void replicate(Job& job, std::vector<protocol::Hello>& hellos, std::vector<protocol::RankDevices>& ranks) {
  if (job.transport->size() > 1)
    failTogether(*job.transport,
                 {Errc::invalidArgument,
                  "MUSTER_DRY_RUN and MUSTER_FAKE_DEVICES plan for ranks that do not exist: start "
                  "the program without a launcher"},
                 kExitConfig);
  if (job.config.fake && job.config.dryRun > 0)
    failTogether(
        *job.transport,
        {Errc::invalidArgument, "MUSTER_FAKE_DEVICES and MUSTER_DRY_RUN are both given; each says for what to plan"},
        kExitConfig);
  const std::size_t count =
      job.config.fake ? job.config.fake->machines.size() : static_cast<std::size_t>(job.config.dryRun);
  hellos.resize(count, hellos.front());
  ranks.resize(count, ranks.front());
  if (!job.config.fake) return;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const DeviceTable::RankList list = fakeDevices(*job.config.fake, rank);
    hellos[rank].hostName = list.host;
    ranks[rank].devices.clear();
    for (std::size_t i = 0; i < list.devices.size(); ++i)
      ranks[rank].devices.push_back({list.devices[i], job.config.fake->machines[rank][i].speed, 0, 0});
  }
}

CoreSharing sharingOf(const DeviceTable& table, const std::vector<protocol::Hello>& hellos,
                      const std::vector<protocol::RankDevices>& ranks) {
  std::map<std::string, std::set<std::uint32_t>> cores;  // by host
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    cores[hellos[rank].hostName].insert(ranks[rank].cores.begin(), ranks[rank].cores.end());
  std::vector<CoreSharing::Host> hosts;
  hosts.reserve(cores.size());
  for (const auto& [name, its] : cores) hosts.push_back({name, static_cast<std::uint32_t>(its.size())});
  std::vector<CoreSharing::Device> devices;
  devices.reserve(table.devices().size());
  for (const DeviceEntry& device : table.devices())
    devices.push_back({device.host, device.info.kind == cdm::DeviceKind::cpu ? device.info.computeUnits : 0});
  return {devices, hosts};
}

void buildTable(Job& job, const std::vector<protocol::Hello>& hellos, const std::vector<protocol::RankDevices>& ranks) {
  std::vector<DeviceTable::RankList> lists;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (!ranks[rank].error.empty()) {
      const std::string who = ranks.size() > 1 ? fmt::format("rank {} on {}: ", rank, hellos[rank].hostName) : "";
      failTogether(*job.transport, {Errc::notFound, who + ranks[rank].error}, kExitConfig);
    }
    DeviceTable::RankList& list = lists.emplace_back();
    list.host = hellos[rank].hostName;
    job.hosts.push_back(list.host);
    for (const auto& device : ranks[rank].devices) {
      list.devices.push_back(device.info);
      job.measured.push_back({device.speed, device.bytesPerSecond, device.latencySeconds, false});
    }
    job.threads.push_back(ranks[rank].threads);
    job.leftOut.push_back(ranks[rank].leftOut);
  }
  job.table = DeviceTable::fromRanks(lists, job.config.limitMemory, job.sharers);
  job.sharing = sharingOf(job.table, hellos, ranks);
}

}  // namespace

std::string whoSpeaks(const cdm::Transport& transport) {
  const int rank = ownRank >= 0 ? ownRank : transport.rank();
  return transport.size() > 1 || ownRank >= 0 ? fmt::format("rank {} on {}: ", rank, transport.hostName()) : "";
}

void failJob(cdm::Transport& transport, const Status& status, int code) {
  fmt::print(stderr, "muster: error: {}{}\n", ownRank >= 0 ? whoSpeaks(transport) : "", status.message());
  endAtOnce(transport, code);
}

void endAtOnce(cdm::Transport& transport, int code) {
  std::fflush(nullptr);
  leaveOpenMp();
  if (transport.size() == 1) std::_Exit(code);
  transport.abort(code != 0 ? code : kExitFailure);
}

protocol::Weights Job::weights() const {
  protocol::Weights weights{config.weights, config.minShare, {}};
  if (weights.weights.empty()) {
    for (const cdm::Measured& device : measured) weights.weights.push_back(device.speed);
  }
  return weights;
}

bool Job::balances() const {
  if (!config.balance || !config.weights.empty() || config.dryRun > 0) return false;
  DeviceTable trial = table;
  const protocol::Weights start = weights();
  // Devices that take no part at the start are tried later.
  const double least = start.minShare * WeightModel::Options().leastTried;
  if (!trial.setSpeeds(start.weights, least).ok()) return false;
  using Needs = DeviceTable::Needs;
  return trial.slots(Needs::opencl).size() > 1 || trial.slots(Needs::openclFp64).size() > 1 ||
         trial.slots(Needs::native).size() > 1;
}

bool Job::tunes() const {
  const Park all = park();
  if (config.dryRun > 0 || all.memberCount(all.full()) < 2) return false;
  if (!config.deviceSet.empty()) return true;
  // Without spilling, a smaller set may be one that the data does not fit.
  return config.tune ? *config.tune != TuneMode::off : balances() && config.spill;
}

Links Job::links() const {
  if (config.fake) return linksOf(*config.fake);
  Links links;
  double slowest = std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < measured.size(); ++d) {
    if (table.devices()[d].info.hostAddressable || measured[d].bytesPerSecond <= 0) continue;
    slowest = std::min(slowest, measured[d].bytesPerSecond);
    links.busLatency = std::max(links.busLatency, measured[d].latencySeconds);
  }
  if (std::isfinite(slowest)) links.busBytesPerSecond = slowest;
  return links;
}

bool Job::measures() const { return balances() || tunes() || config.info > 0 || !config.infoFile.empty(); }

namespace {

// Nothing that was asked for needs to know the devices before the program begins.
bool mayOpenLater(const Config& config) {
  const bool searches = config.tune.value_or(TuneMode::automatic) == TuneMode::automatic && config.balance &&
                        config.spill && config.weights.empty() && config.deviceSet.empty() && config.tuneStore.empty();
  // Devices that are named are looked for at once, so that a name that is wrong is told before anything runs, unless
  // the search is asked for, too.
  const bool hasCpu =
      config.devices.find("cpu") != std::string::npos || config.devices.find("all") != std::string::npos;
  if (config.devices.empty() && cdm::hostHasOnlyItsCpu()) return false;
  const bool names = !config.devices.empty() && !(config.tune && hasCpu);
  return searches && !names && !config.plansOnly() && config.traceFile.empty() && config.limitMemory == 0 &&
         !config.injects(Injection::buildFailure) && !config.injects(Injection::deviceLost) && config.faults.empty() &&
         !config.checkRaces && config.info < 2;
}

Job withDevices(Job job, std::vector<protocol::Hello> hellos) {
  if (const Status status = registry().status(); !status.ok()) failTogether(*job.transport, status, kExitMismatch);
  if (!job.isOwn) {
    job.place = placeAmong(hellos, job.transport->rank());
    joinPeers(job);
  }
  auto ranks = gather(*job.transport, findDevices(job), protocol::decodeRankDevices);
  if (job.config.plansOnly()) replicate(job, hellos, ranks);
  buildTable(job, hellos, ranks);
  // Rank 0 sends the weights later; wrong ones are told before anybody serves.
  DeviceTable trial = job.table;
  if (const Status status = trial.setSpeeds(job.weights().weights, job.config.minShare); !status.ok())
    failTogether(*job.transport, status, kExitConfig);
  for (const WeightStep& step : job.config.later) {
    if (const Status status = trial.setSpeeds(step.weights, job.config.minShare); !status.ok())
      failTogether(*job.transport, status, kExitConfig);
  }
  if (!job.config.deviceSet.empty()) {
    if (const auto set = job.park().parse(job.config.deviceSet); !set.ok())
      failTogether(*job.transport, set.status().at("MUSTER_DEVICE_SET"), kExitConfig);
  }
  if (!job.config.traceFile.empty()) {
    auto trace = JobTrace::begin(*job.transport, job.config.traceFile);
    // Only rank 0 has a file; where it fails, the others wait for its clock until it ends them.
    if (!trace.ok()) failJob(*job.transport, trace.status(), kExitConfig);
    job.trace = std::move(*trace);
  }
  return job;
}

}  // namespace

Job joinJob(int* argc, char*** argv) {
  Job job;
  if (const std::string other = otherCopyOfLibrary(); !other.empty()) {
    fmt::print(stderr,
               "muster: error: this process has two copies of Muster's library, and the second one is {}. Start "
               "the program with one: look at LD_PRELOAD, and at what its libraries are linked with\n",
               other);
    std::_Exit(kExitMismatch);
  }
  // Rank 0's variables count later on; some are needed before ranks can talk. A wrong value is reported there.
  const auto early = parseConfig(environmentAssignments());
  const Config own = early.ok() ? *early : Config();
  const bool isMpiProgram = callsMpi();
  if (own.ranks.value_or(isMpiProgram ? Ranks::own : Ranks::shared) == Ranks::own) becomeOwn(job, isMpiProgram);
  job.transport = job.isOwn ? cdm::makeLocalTransport() : makeTransport(argc, argv, own);
  auto hellos = greet(*job.transport);
  auto config = parseConfig(hellos.front().environment);
  if (!config.ok()) failTogether(*job.transport, config.status(), kExitConfig);
  job.config = std::move(*config);
  nameFilesByRank(job.config, job.place);
  const bool alone = job.isOwn || !cdm::underMpiLauncher();
  job.opensLater = mayOpenLater(job.config) && job.transport->size() == 1 && alone;
  cdm::injectHostFaults(job.config.faults, job.isOwn ? job.place.rank : job.transport->rank());
  job.transport = cdm::withFaults(std::move(job.transport), job.config.faults);
  return withDevices(std::move(job), std::move(hellos));
}

Job openJob(const Job& before) {
  Job job;
  job.transport = cdm::makeLocalTransport();
  job.config = before.config;
  job.reopened = true;
  job.isOwn = before.isOwn;
  job.place = before.place;
  job.peers = before.peers;
  auto hellos = greet(*job.transport);
  return withDevices(std::move(job), std::move(hellos));
}

}  // namespace muster::rt
