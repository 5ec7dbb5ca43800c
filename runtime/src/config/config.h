// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Config: every MUSTER_* environment variable as one validated value, parsed once at the start of the session.
// Under a launcher rank 0's environment counts for all ranks. docs/configuration.md is checked against the table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/fake_park.h"
#include "muster/cdm/device.h"
#include "muster/cdm/faults.h"
#include "muster/cdm/status.h"
#include "muster/cdm/transport.h"

namespace muster::rt {

// Faults that tests ask for with MUSTER_INJECT.
// cheapTrials: trying all devices is expected to cost nothing.
enum class Injection : std::uint8_t { buildFailure, deviceLost, cheapTrials };

// How the device set is searched for (tuner/sets/tuner.h).
enum class TuneMode : std::uint8_t { off, grow, shrink, automatic };

// Who runs the program's main(): rank 0, with the devices of all ranks, or each rank its own, as in an MPI program.
enum class Ranks : std::uint8_t { shared, own };

// Loops that several threads of the program launch at once: devices go to the threads with the most work, stay with
// those that came first, or have none of these loops.
enum class ThreadMode : std::uint8_t { donate, fixed, off };

// From this launch of the job on (the first is 1), devices have these weights.
struct WeightStep {
  std::uint64_t launch = 0;
  std::vector<double> weights;
  bool operator==(const WeightStep&) const = default;
};

struct Config {
  std::string devices;             // MUSTER_DEVICES, grammar in docs/configuration.md; empty: the default choice
  int info = 0;                    // MUSTER_INFO
  bool notices = true;             // on a terminal, of what takes long; false: MUSTER_INFO=0 was given
  std::string infoFile;            // MUSTER_INFO_FILE, empty: none
  std::string cacheDirectory;      // MUSTER_CACHE_DIR, empty: $XDG_CACHE_HOME/muster or ~/.cache/muster
  std::vector<double> weights;     // MUSTER_WEIGHTS in global device order, empty: measured
  std::vector<WeightStep> later;   // MUSTER_WEIGHTS: what holds from later launches on, in their order
  double minShare = 0.1;           // MUSTER_MIN_SHARE
  bool balance = true;             // MUSTER_BALANCE
  std::string traceFile;           // MUSTER_TRACE, empty: none
  std::uint64_t limitMemory = 0;   // MUSTER_LIMIT_MEM in bytes per device, 0: what the device has
  bool spill = true;               // MUSTER_SPILL
  bool async = true;               // MUSTER_ASYNC
  std::vector<Injection> inject;   // MUSTER_INJECT
  std::vector<cdm::Fault> faults;  // MUSTER_INJECT: calls that fail
  double heartbeat = 5;            // MUSTER_HEARTBEAT in seconds, 0: never
  bool keepArrays = true;          // MUSTER_KEEP_ARRAYS
  cdm::KernelForms kernels = cdm::KernelForms::automatic;              // MUSTER_KERNELS
  bool fuse = true;                                                    // MUSTER_FUSE
  bool earlierRuns = true;                                             // MUSTER_EARLIER_RUNS
  bool checkRaces = false;                                             // MUSTER_CHECK=races
  bool sharedMemory = true;                                            // MUSTER_SHARED_MEMORY
  cdm::DirectMessages directMessages = cdm::DirectMessages::measured;  // MUSTER_GPU_AWARE_MPI
  ThreadMode threads = ThreadMode::donate;                             // MUSTER_THREADS
  std::optional<Ranks> ranks;       // MUSTER_RANKS; not set: own for programs that call MPI, else shared
  int dryRun = 0;                   // MUSTER_DRY_RUN: ranks to plan for, 0: no dry run
  std::optional<TuneMode> tune;     // MUSTER_TUNE; not set: auto, unless weights are given or stay
  std::uint32_t tuneInterval = 10;  // MUSTER_TUNE_INTERVAL in launches
  std::string tuneLog;              // MUSTER_TUNE_LOG, empty: none
  std::string tuneStore;            // MUSTER_TUNE_STORE, empty: none
  std::string deviceSet;            // MUSTER_DEVICE_SET, empty: searched for

  std::optional<FakePark> fake;  // MUSTER_FAKE_DEVICES: a dry run for these

  [[nodiscard]] bool injects(Injection fault) const;
  [[nodiscard]] bool plansOnly() const { return dryRun > 0 || fake.has_value(); }
};

// "MUSTER_INFO", "2"
using Assignment = std::pair<std::string, std::string>;

// One row of the documentation and of the parser.
struct ConfigVariable {
  const char* name;
  const char* values;        // what it takes, for the documentation and for messages
  const char* defaultValue;  // as text; "" where there is none
  const char* summary;
  Status (*apply)(Config& config, std::string_view value);
};
[[nodiscard]] std::span<const ConfigVariable> configVariables();

// The MUSTER_* variables of this process's environment, in the order of the names.
[[nodiscard]] std::vector<Assignment> environmentAssignments();

// Errc::invalidArgument for an unknown variable (names the nearest known one) or a bad value (says what it takes).
[[nodiscard]] Result<Config> parseConfig(std::span<const Assignment> assignments);

}  // namespace muster::rt
