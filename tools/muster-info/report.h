// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What muster-info knows of a job, as values: every rank fills in its own part, rank 0 gets all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "muster/cdm/device_manager.h"
#include "muster/cdm/transport.h"

namespace muster::info {

// From rank 0's memory into a device's of another rank.
struct Link {
  double bytesPerSecond = 0, latencySeconds = 0;
};

struct DeviceReport {
  cdm::DeviceInfo info;
  std::optional<cdm::Measured> measured;  // by its own rank
  std::optional<Link> fromRank0;          // not for devices of rank 0
  std::string error;                      // why there is no measurement, "" otherwise
};

struct RankReport {
  int rank = 0;
  std::string host;
  std::string openmp;  // the library's file
  unsigned cpuThreads = 0;
  std::vector<DeviceReport> devices;
  std::vector<cdm::LeftOut> leftOut;
  std::vector<std::string> gpusOfOwn;  // of an MPI program of its own on this rank, and by how many each is taken
  int sharersOfOwn = 1;
  std::vector<std::string> warnings;
  std::string error;  // why this rank has no devices, "" otherwise
};

struct JobReport {
  std::string version, transport, mpi;  // mpi is "" where there is none
  unsigned abi = 0;
  std::vector<RankReport> ranks;

  bool failed() const;
  // Speed of the slowest measured device, 0 if none was measured: weights are relative to it.
  double slowest() const;
};

// One rank's part as bytes, for the other ranks.
cdm::Bytes encode(const RankReport& report);
Result<RankReport> decodeRankReport(std::span<const std::byte> bytes);

// The whole report for programs (muster-info --json).
std::string toJson(const JobReport& report);

}  // namespace muster::info
