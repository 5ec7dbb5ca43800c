// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start of a job: the transport, the check that all ranks are one build, every rank's devices with their speeds.
// Collective; every rank ends up with the same tables.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "balance/core_sharing.h"
#include "config/config.h"
#include "devices/device_table.h"
#include "muster/cdm/device_manager.h"
#include "muster/cdm/launcher.h"
#include "muster/cdm/transport.h"
#include "protocol/protocol.h"
#include "trace/job_trace.h"
#include "tuner/search/device_set.h"
#include "tuner/search/launch_cost.h"

namespace muster::rt {

// Exit codes of a job that Muster ends.
inline constexpr int kExitConfig = 2;    // a MUSTER_* variable, or a device that does not exist
inline constexpr int kExitMismatch = 3;  // parts of different builds
inline constexpr int kExitFailure = 4;   // a device, a rank or the runtime failed

struct Job {
  std::unique_ptr<cdm::Transport> transport;
  Config config;
  // MUSTER_RANKS=own: this process is a job of one rank to Muster, and in this place among the program's processes.
  bool isOwn = false;
  cdm::LaunchedPlace place;
  std::shared_ptr<cdm::HostPeers> peers;  // of several such processes on this host
  // Of one process: only its CPU is known so far, until openJob().
  bool opensLater = false;
  bool reopened = false;  // by openJob(): the program may have chosen its threads meanwhile
  std::vector<std::unique_ptr<cdm::ComputeDevice>> devices;  // this rank's
  DeviceTable table;
  // Of each device of the table, as measured; of each rank: CPU threads, and devices that were left out.
  std::vector<cdm::Measured> measured;
  std::vector<unsigned> threads;
  int sharers = 1;  // of a GPU: programs of their own that use it, with this one
  CoreSharing sharing;
  std::vector<std::string> hosts;  // of each rank
  std::vector<std::vector<std::pair<std::string, std::string>>> leftOut;

  std::unique_ptr<JobTrace> trace;  // nullptr: nobody asked

  [[nodiscard]] protocol::Weights weights() const;
  // Weights follow what is measured: nobody gave others, and launches have several devices to choose from.
  [[nodiscard]] bool balances() const;
  // The device set is searched for, or fixed.
  [[nodiscard]] bool tunes() const;
  [[nodiscard]] Park park() const { return Park::of(table, weights().weights); }
  // As measured at the start, as far as they were.
  [[nodiscard]] Links links() const;
  // Every rank sums up how long its devices compute.
  [[nodiscard]] bool measures() const;
};

// Does not return when the job cannot start: rank 0 prints why, all ranks end with the same exit code.
[[nodiscard]] Job joinJob(int* argc, char*** argv);
// The same process with all its devices.
[[nodiscard]] Job openJob(const Job& before);

// In front of messages: "rank 1 on host: " where there are several, be they of one job or programs of their own.
[[nodiscard]] std::string whoSpeaks(const cdm::Transport& transport);

// Prints "muster: error: ..." and ends the whole job.
[[noreturn]] void failJob(cdm::Transport& transport, const Status& status, int code);
// The same without a message, also by the program's own wish. Of several ranks none ends with 0.
[[noreturn]] void endAtOnce(cdm::Transport& transport, int code);

}  // namespace muster::rt
