// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of MUSTER_* variables and its parser.
#include "config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "muster/cdm/text.h"

extern char** environ;

namespace muster::rt {
namespace {

constexpr std::string_view kPrefix = "MUSTER_";

Status invalid(std::string message) { return {Errc::invalidArgument, std::move(message)}; }

std::vector<std::string_view> splitList(std::string_view text) {
  std::vector<std::string_view> items;
  while (true) {
    const auto comma = text.find(',');
    items.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

template <std::string Config::* Field>
Status setText(Config& config, std::string_view value) {
  config.*Field = value;
  return {};
}

template <bool Config::* Field>
Status setSwitch(Config& config, std::string_view value) {
  if (value != "on" && value != "off") return invalid("it is neither on nor off");
  config.*Field = value == "on";
  return {};
}

Status applyInfo(Config& config, std::string_view value) {
  int level = 0;
  if (!cdm::parseNumber(value, level) || level < 0 || level > 3) return invalid("it is not one of 0, 1, 2, 3");
  config.info = level;
  config.notices = level > 0;
  return {};
}

Result<std::vector<double>> parseWeights(std::string_view value) {
  std::vector<double> weights;
  for (const auto item : splitList(value)) {
    double weight = 0;
    if (!cdm::parseNumber(item, weight) || !std::isfinite(weight) || weight < 0)
      return invalid(fmt::format("'{}' is not a number of 0 or more", item));
    weights.push_back(weight);
  }
  if (std::none_of(weights.begin(), weights.end(), [](double weight) { return weight > 0; }))
    return invalid("at least one weight must be above 0");
  return weights;
}

// "1,1,0;5:0,1,1;20:1,1,1"
Status applyWeights(Config& config, std::string_view value) {
  std::uint64_t last = 1;
  for (bool first = true; first || !value.empty(); first = false) {
    const std::string_view step = value.substr(0, value.find(';'));
    value.remove_prefix(std::min(value.size(), step.size() + 1));
    const std::size_t colon = first ? std::string_view::npos : step.find(':');
    auto weights = parseWeights(colon == std::string_view::npos ? step : step.substr(colon + 1));
    if (!weights.ok()) return weights.status();
    if (first) {
      config.weights = std::move(*weights);
      continue;
    }
    std::uint64_t launch = 0;
    if (colon == std::string_view::npos || !cdm::parseNumber(step.substr(0, colon), launch) || launch <= last)
      return invalid(fmt::format("'{}' does not begin with the number of a later launch and a colon", step));
    config.later.push_back({last = launch, std::move(*weights)});
  }
  return {};
}

Status applyMinShare(Config& config, std::string_view value) {
  double share = 0;
  if (!cdm::parseNumber(value, share) || !(share >= 0 && share <= 1)) return invalid("it is not a number from 0 to 1");
  config.minShare = share;
  return {};
}

Status applyLimitMemory(Config& config, std::string_view value) {
  std::string_view digits = value;
  int shift = 0;
  if (!digits.empty()) {
    const auto suffix = std::string_view("KMGT").find(digits.back());
    if (suffix != std::string_view::npos) {
      shift = 10 * (static_cast<int>(suffix) + 1);
      digits.remove_suffix(1);
    }
  }
  std::uint64_t bytes = 0;
  if (!cdm::parseNumber(digits, bytes) || bytes == 0 || bytes > (UINT64_MAX >> shift))
    return invalid("it is not a size above 0, such as 4096, 64M or 2G");
  config.limitMemory = bytes << shift;
  return {};
}

Status applyInject(Config& config, std::string_view value) {
  std::vector<Injection> inject;
  std::vector<cdm::Fault> faults;
  for (const auto item : splitList(value)) {
    if (item == "build-failure") {
      inject.push_back(Injection::buildFailure);
    } else if (item == "device-lost") {
      inject.push_back(Injection::deviceLost);
    } else if (item == "cheap-trials") {
      inject.push_back(Injection::cheapTrials);
    } else if (item.find(':') != std::string_view::npos) {
      const Result<cdm::Fault> fault = cdm::parseFault(item);
      if (!fault) return fault.status();
      faults.push_back(*fault);
    } else {
      return invalid(fmt::format("'{}' is not a fault that can be injected", item));
    }
  }
  config.inject = std::move(inject);
  config.faults = std::move(faults);
  return {};
}

Status applyCheck(Config& config, std::string_view value) {
  if (value != "races") return invalid("there is no such check");
  config.checkRaces = true;
  return {};
}

Status applyHeartbeat(Config& config, std::string_view value) {
  double seconds = 0;
  if (!cdm::parseNumber(value, seconds) || !(seconds >= 0 && seconds <= 3600))
    return invalid("it is not a number of seconds from 0 to 3600");
  config.heartbeat = seconds;
  return {};
}

// Read by muster++, not by programs; known here so that a program does not refuse it.
Status ignoreCompiler(Config&, std::string_view) { return {}; }

Status applyDryRun(Config& config, std::string_view value) {
  int ranks = 0;
  if (!cdm::parseNumber(value, ranks) || ranks < 1 || ranks > 65536) return invalid("it is not a number of ranks");
  config.dryRun = ranks;
  return {};
}

Status applyFakeDevices(Config& config, std::string_view value) {
  auto park = parseFakePark(value);
  if (!park.ok()) return park.status();
  config.fake = std::move(*park);
  return {};
}

Status applyTune(Config& config, std::string_view value) {
  constexpr std::pair<std::string_view, TuneMode> modes[] = {
      {"off", TuneMode::off}, {"grow", TuneMode::grow}, {"shrink", TuneMode::shrink}, {"auto", TuneMode::automatic}};
  const auto* mode = std::find_if(std::begin(modes), std::end(modes), [&](const auto& m) { return m.first == value; });
  if (mode == std::end(modes)) return invalid("there is no such way to search");
  config.tune = mode->second;
  return {};
}

Status applyThreads(Config& config, std::string_view value) {
  if (value != "donate" && value != "static" && value != "off") return invalid("it is none of donate, static and off");
  config.threads = value == "donate" ? ThreadMode::donate : value == "static" ? ThreadMode::fixed : ThreadMode::off;
  return {};
}

Status applyTuneInterval(Config& config, std::string_view value) {
  std::uint32_t launches = 0;
  if (!cdm::parseNumber(value, launches) || launches < 1 || launches > 1'000'000)
    return invalid("it is not a number of launches");
  config.tuneInterval = launches;
  return {};
}

Status applyRanks(Config& config, std::string_view value) {
  if (value != "shared" && value != "own") return invalid("it is neither shared nor own");
  config.ranks = value == "own" ? Ranks::own : Ranks::shared;
  return {};
}

Status applyFuse(Config& config, std::string_view value) {
  if (value != "auto" && value != "off") return invalid("it is neither auto nor off");
  config.fuse = value == "auto";
  return {};
}

Status applyGpuAwareMpi(Config& config, std::string_view value) {
  using enum cdm::DirectMessages;
  if (value != "auto" && value != "on" && value != "off") return invalid("it is none of auto, on and off");
  config.directMessages = value == "on" ? always : value == "off" ? never : measured;
  return {};
}

Status applyKernels(Config& config, std::string_view value) {
  if (value != "auto" && value != "first" && value != "plain") return invalid("it is none of auto, first and plain");
  config.kernels = value == "first"   ? cdm::KernelForms::first
                   : value == "plain" ? cdm::KernelForms::plain
                                      : cdm::KernelForms::automatic;
  return {};
}

constexpr ConfigVariable kVariables[] = {
    {"MUSTER_ASYNC", "on or off", "on",
     "on: a launch comes back once it is queued, unless it has results; off: when rank 0 has done its part.",
     setSwitch<&Config::async>},
    {"MUSTER_BALANCE", "on or off", "on",
     "on: weights follow what launches take; off: those of the start stay, as with MUSTER_WEIGHTS.",
     setSwitch<&Config::balance>},
    {"MUSTER_CACHE_DIR", "a folder", "$XDG_CACHE_HOME/muster, else ~/.cache/muster",
     "Where built kernels and measurements are kept, created with mode 0700. Each rank's own value counts.",
     setText<&Config::cacheDirectory>},
    {"MUSTER_CHECK", "races", "none",
     "races: devices that change one element to different values end the job, which says where; so do loops that get "
     "in the way of MPI's messages.",
     applyCheck},
    {"MUSTER_CXX", "a command", "clang++-19", "The compiler that the wrapper muster++ runs. Programs do not read it.",
     ignoreCompiler},
    {"MUSTER_DEVICES", "a selection of devices", "the CPU and every GPU",
     "Which devices take part, by kind, backend and index, per rank if wanted.", setText<&Config::devices>},
    {"MUSTER_DEVICE_SET", "RANKS:KINDS, such as 4:gpu or 2:gpu+cpu", "searched for",
     "The device set for all loops: of so many ranks, all devices of these kinds (gpu, cpu, opencl). No search.",
     setText<&Config::deviceSet>},
    {"MUSTER_DRY_RUN", "a number of ranks, 1 to 65536", "none",
     "Plans all launches for so many ranks like this process, computes and moves nothing, and reports at the end.",
     applyDryRun},
    {"MUSTER_EARLIER_RUNS", "on or off", "on",
     "on: MUSTER_TUNE=auto knows from earlier runs of the program, in the cache directory, whether all devices are "
     "faster.",
     setSwitch<&Config::earlierRuns>},
    {"MUSTER_FAKE_DEVICES", "machines, such as 8*(2*gpu:20,cpu), and properties of links and loops", "none",
     "Plans all launches for devices that do not exist, computes and moves nothing, and models the time.",
     applyFakeDevices},
    {"MUSTER_FUSE", "auto or off", "auto",
     "auto: several launches run at once, those that are steps of time and, on GPUs, those over the same iterations "
     "that "
     "come one behind the other; off: one after the other.",
     applyFuse},
    {"MUSTER_GPU_AWARE_MPI", "auto, on or off", "auto",
     "auto: messages between GPUs of different hosts go to MPI from there, if it takes addresses of GPUs and is "
     "measured to be faster; on: without measuring; off: through the host.",
     applyGpuAwareMpi},
    {"MUSTER_HEARTBEAT", "seconds, 0 to 3600", "5",
     "A rank that is silent for so long is taken for dead and the job ends; 0: never.", applyHeartbeat},
    {"MUSTER_INFO", "0, 1, 2 or 3", "0",
     "1: a report on stderr at the end; 2: also each launch, and which forms of kernels were fastest; 3: also each "
     "plan "
     "with its copies.",
     applyInfo},
    {"MUSTER_INFO_FILE", "a path", "none", "Writes the report as JSON to this file at the end.",
     setText<&Config::infoFile>},
    {"MUSTER_INJECT", "a comma list of build-failure, device-lost, cheap-trials, CALL:N, CALL:N@RANK", "none",
     "Faults for tests: OpenCL devices refuse to build kernels, or are lost at the first launch; the N-th call fails; "
     "trying all devices is expected to cost nothing.",
     applyInject},
    {"MUSTER_KEEP_ARRAYS", "on or off", "on",
     "on: arrays that are freed are kept for the next ones of their size; off: their memory goes at once.",
     setSwitch<&Config::keepArrays>},
    {"MUSTER_KERNELS", "auto, first or plain", "auto",
     "auto: OpenCL devices run the form of a kernel that fits the launch. In long runs forms are timed, and the "
     "fastest "
     "one stays. first: the one made for large launches, also on CPUs; plain: an iteration for each work-item, and no "
     "updates in local memory.",
     applyKernels},
    {"MUSTER_LIMIT_MEM", "bytes, or a number with K, M, G or T", "none",
     "Memory that each OpenCL device may use for arrays, if it has no less.", applyLimitMemory},
    {"MUSTER_MIN_SHARE", "0 to 1", "0.1", "Devices with at most this fraction of the fastest one's speed take no part.",
     applyMinShare},
    {"MUSTER_RANKS", "shared or own", "own for programs that call MPI, else shared",
     "shared: rank 0 runs the program, with the devices of all ranks; own: each rank runs it, with devices of its own. "
     "Each rank's own value counts.",
     applyRanks},
    {"MUSTER_SHARED_MEMORY", "on or off", "on",
     "on: large messages between ranks of one host go through memory that both share; off: through MPI.",
     setSwitch<&Config::sharedMemory>},
    {"MUSTER_SPILL", "on or off", "on",
     "on: data that has no room on a device leaves it, and loops that do not fit run in passes; off: both are errors.",
     setSwitch<&Config::spill>},
    {"MUSTER_THREADS", "donate, static or off", "donate",
     "Loops that several threads of the program launch at once run on a core or a device each. donate: the threads "
     "with the most work have devices; static: those that come first; off: none.",
     applyThreads},
    {"MUSTER_TRACE", "a path", "none",
     "Writes what all ranks did and when, as a Chrome trace, to this file at the end.", setText<&Config::traceFile>},
    {"MUSTER_TUNE", "off, grow, shrink or auto", "auto; off if MUSTER_WEIGHTS or MUSTER_BALANCE=off is given",
     "How the fastest device set is searched for while the program runs.", applyTune},
    {"MUSTER_TUNE_INTERVAL", "a number of launches, 1 to 1000000", "10", "For so many launches a device set is timed.",
     applyTuneInterval},
    {"MUSTER_TUNE_LOG", "a path", "none", "Writes each step of the search to this file: set, time, cost, reason.",
     setText<&Config::tuneLog>},
    {"MUSTER_TUNE_STORE", "a path", "none",
     "Device sets that were found are kept in this file, and taken from it at the next start.",
     setText<&Config::tuneStore>},
    {"MUSTER_WEIGHTS", "a comma list of numbers, one per device of the job; more lists may follow as ;LAUNCH:LIST",
     "measured",
     "Relative speeds in the order of the report; 0 leaves a device out. 1,0;9:1,1: both devices from the 9th launch "
     "on.",
     applyWeights},
};

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitute, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

const ConfigVariable& nearest(std::string_view name) {
  return *std::min_element(std::begin(kVariables), std::end(kVariables), [&](const auto& a, const auto& b) {
    return editDistance(name, a.name) < editDistance(name, b.name);
  });
}

}  // namespace

bool Config::injects(Injection fault) const { return std::find(inject.begin(), inject.end(), fault) != inject.end(); }

std::span<const ConfigVariable> configVariables() { return kVariables; }

std::vector<Assignment> environmentAssignments() {
  std::vector<Assignment> found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (!text.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    found.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<Config> parseConfig(std::span<const Assignment> assignments) {
  Config config;
  for (const auto& [name, value] : assignments) {
    const auto* variable =
        std::find_if(std::begin(kVariables), std::end(kVariables), [&](const auto& v) { return name == v.name; });
    if (variable == std::end(kVariables))
      return invalid(fmt::format(
          "the environment variable {} is not known to Muster; did you mean {}? docs/configuration.md lists them all",
          name, nearest(name).name));
    if (value.empty()) continue;  // set to nothing: as if not set
    if (const Status status = variable->apply(config, value); !status.ok())
      return invalid(fmt::format("{}={}: {}. It takes {}.", name, value, status.message(), variable->values));
  }
  return config;
}

}  // namespace muster::rt
