// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report as a table.
#include "print.h"

#include <fmt/format.h>

namespace muster::info {
namespace {

std::string gigabytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1u << 30));
}

template <class Rate>
std::string rate(const std::optional<Rate>& rate) {
  if (!rate) return fmt::format("{:>10} {:>10}", "-", "-");
  return fmt::format("{:>10.2f} {:>10.1f}", rate->bytesPerSecond * 1e-9, rate->latencySeconds * 1e6);
}

std::string header() {
  return fmt::format("  {:<44} {:>7} {:>10} {:>21} {:>21}\n", "device", "weight", "10^6 upd/s", "copy to it: GB/s, us",
                     "from rank 0: GB/s, us");
}

std::string line(const DeviceReport& device, double slowest) {
  const cdm::DeviceInfo& info = device.info;
  const std::string name = fmt::format("{}: {}", info.selector, info.name);
  const std::string weight = device.measured ? fmt::format("{:.2f}", device.measured->speed / slowest) : "-";
  const std::string speed = device.measured ? fmt::format("{:.0f}", device.measured->speed * 1e-6) : "-";
  std::string text =
      fmt::format("  {:<44} {:>7} {:>10} {} {}\n", name, weight, speed, rate(device.measured), rate(device.fromRank0));
  text += fmt::format("      {}, {} compute units, {}, driver {}{}{}\n", cdm::toString(info.kind), info.computeUnits,
                      gigabytes(info.memoryBytes), info.driver, info.fp64 ? "" : ", no double precision",
                      device.measured && device.measured->fromCache ? ", speed from the cache" : "");
  if (!device.error.empty()) text += fmt::format("      ERROR: {}\n", device.error);
  return text;
}

// The devices listed are those of a job; a program that calls MPI itself may have others on each rank.
std::string ofOwn(const RankReport& rank) {
  std::string gpus;
  for (const std::string& gpu : rank.gpusOfOwn) gpus += (gpus.empty() ? "" : ", ") + gpu;
  if (gpus.empty()) gpus = "no GPU";
  if (rank.sharersOfOwn > 1) gpus += fmt::format(", which {} ranks share", rank.sharersOfOwn);
  return fmt::format("  with MUSTER_RANKS=own, as MPI programs run: {}, {} CPU threads\n", gpus, rank.cpuThreads);
}

std::string section(const RankReport& rank, double slowest, bool severalRanks) {
  std::string text = fmt::format("\nrank {} on {}, {} CPU threads\n", rank.rank, rank.host, rank.cpuThreads);
  if (!rank.error.empty()) text += fmt::format("  ERROR: {}\n", rank.error);
  if (!rank.devices.empty()) text += header();
  for (const DeviceReport& device : rank.devices) text += line(device, slowest);
  if (severalRanks && rank.error.empty()) text += ofOwn(rank);
  for (const cdm::LeftOut& left : rank.leftOut) text += fmt::format("  left out: {}: {}\n", left.device, left.reason);
  for (const std::string& warning : rank.warnings) text += fmt::format("  warning: {}\n", warning);
  return text;
}

}  // namespace

std::string toText(const JobReport& report) {
  std::string text = fmt::format("Muster {}, ABI {}\n", report.version, report.abi);
  text += report.mpi.empty() ? "MPI: not used, one process\n"
                             : fmt::format("MPI: {}, {} ranks\n", report.mpi, report.ranks.size());
  text += fmt::format("OpenMP: {}\n", report.ranks.empty() ? "unknown" : report.ranks.front().openmp);
  for (const RankReport& rank : report.ranks) text += section(rank, report.slowest(), report.ranks.size() > 1);
  return text;
}

}  // namespace muster::info
