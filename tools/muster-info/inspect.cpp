// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one rank finds on its host.
#include "inspect.h"

#include <dlfcn.h>
#include <omp.h>

#include <algorithm>
#include <filesystem>

#include "muster/cdm/host.h"

namespace muster::info {
namespace {

// This rank among those of its host.
struct Place {
  int localRank = 0, localSize = 1, largestHost = 1;
  std::string selection;  // rank 0's
};

// A host name, a zero byte, and the rank's selection.
Result<Place> findPlace(cdm::Transport& transport, const std::string& selection) {
  const std::string mine = transport.hostName() + '\0' + selection;
  const Result<std::vector<cdm::Bytes>> all = transport.allGather(std::as_bytes(std::span(mine)));
  if (!all) return all.status();
  const auto hostOf = [&](int rank) {
    const cdm::Bytes& bytes = (*all)[static_cast<std::size_t>(rank)];
    return std::string(reinterpret_cast<const char*>(bytes.data()));
  };
  Place place;
  const cdm::Bytes& first = all->front();
  place.selection = std::string(reinterpret_cast<const char*>(first.data()), first.size()).substr(hostOf(0).size() + 1);
  for (int rank = 0; rank < transport.size(); ++rank) {
    int before = 0, together = 0;
    for (int other = 0; other < transport.size(); ++other) {
      if (hostOf(other) != hostOf(rank)) continue;
      ++together;
      if (other < rank) ++before;
    }
    place.largestHost = std::max(place.largestHost, together);
    if (rank == transport.rank()) place.localRank = before, place.localSize = together;
  }
  return place;
}

std::string openmpLibrary() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void*>(&omp_get_max_threads), &info) == 0 || info.dli_fname == nullptr) return "unknown";
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, error);
  return error ? info.dli_fname : file.string();
}

void measureDevices(Inspection& inspection, const std::filesystem::path& cache) {
  for (std::size_t i = 0; i < inspection.devices.size(); ++i) {
    DeviceReport& report = inspection.report.devices[i];
    const Result<cdm::Measured> measured = cdm::measure(*inspection.devices[i], cache);
    if (measured) report.measured = *measured;
    report.error = measured.status().message();
  }
}

}  // namespace

Result<Inspection> inspect(cdm::Transport& transport, const InspectOptions& options) {
  const Result<Place> place = findPlace(transport, options.selection);
  if (!place) return place.status();
  Inspection inspection;
  RankReport& report = inspection.report;
  report.rank = transport.rank();
  report.host = transport.hostName();
  report.openmp = openmpLibrary();
  report.cpuThreads = cdm::cpuThreadShare(place->localRank, place->localSize);
  omp_set_num_threads(static_cast<int>(report.cpuThreads));

  cdm::DiscoveryOptions discovery;
  discovery.selection = place->selection;
  discovery.rank = transport.rank();
  discovery.size = transport.size();
  discovery.localRank = place->localRank;
  discovery.localSize = place->localSize;
  std::optional<cdm::HostPeers> peers;
  if (place->localSize > 1) {
    peers.emplace(cdm::LaunchedPlace{transport.rank(), transport.size(), place->localRank, place->localSize},
                  cdm::HostPeers::launchName());
    discovery.peers = &*peers;
    discovery.patience = std::chrono::seconds(2);
  }
  // Shared: devices keep the function for as long as they live.
  const auto warnings = std::make_shared<std::vector<std::string>>();
  discovery.warn = [warnings](const std::string& text) { warnings->push_back(text); };
  if (options.usesCache) discovery.cacheDirectory = cdm::cacheDirectory(discovery.warn);
  Result<cdm::Discovery> found = cdm::discoverDevices(discovery);
  report.error = found.status().message();
  if (found) {
    report.leftOut = std::move(found->leftOut);
    report.gpusOfOwn = std::move(found->gpusOfOwn);
    report.sharersOfOwn = found->sharersOfOwn;
    inspection.devices = std::move(found->devices);
  }
  for (const auto& device : inspection.devices) report.devices.push_back({device->info(), {}, {}, ""});
  for (int turn = 0; turn < place->largestHost && options.measures; ++turn) {
    if (turn == place->localRank) measureDevices(inspection, discovery.cacheDirectory);
    MUSTER_TRY(transport.barrier());
  }
  report.warnings = *warnings;
  return inspection;
}

Result<std::vector<RankReport>> gatherReports(cdm::Transport& transport, const RankReport& mine) {
  const Result<std::vector<cdm::Bytes>> all = transport.allGather(encode(mine));
  if (!all) return all.status();
  std::vector<RankReport> reports;
  for (const cdm::Bytes& bytes : *all) {
    Result<RankReport> report = decodeRankReport(bytes);
    if (!report) return report.status().at("rank " + std::to_string(reports.size()));
    reports.push_back(std::move(*report));
  }
  return reports;
}

}  // namespace muster::info
