// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discovery: candidates of all backends, the user's selection, the devices that come of it.
#include "muster/cdm/device_manager.h"

#include <fmt/format.h>

#include "backends/cpu/cpu_device.h"
#include "backends/opencl/installed.h"
#include "backends/opencl/inventory.h"
#include "discovery/selection.h"
#include "muster/cdm/host.h"

namespace muster::cdm {

namespace {

std::vector<Candidate> candidatesOf(const DeviceInfo& cpu, const OpenClInventory& opencl) {
  std::vector<Candidate> candidates;
  candidates.push_back({cpu.name, DeviceKind::cpu, true, 0, false, ""});
  for (std::size_t i = 0; i < opencl.entries().size(); ++i) {
    const OpenClInventory::Entry& entry = opencl.entries()[i];
    candidates.push_back({entry.info.name, entry.info.kind, false, i, entry.pocl, entry.info.hardwareId});
  }
  return candidates;
}

// An entry for a rank that the job does not have is more likely a slip than a wish.
void warnOfMissingRanks(const Selection& selection, const DiscoveryOptions& options) {
  if (!options.warn || options.rank != 0) return;
  for (const auto& [rank, words] : selection.ranks)
    if (rank >= options.size)
      options.warn(fmt::format("MUSTER_DEVICES: there is no rank {} in this job of {} ranks", rank, options.size));
}

// Among the ranks of this host that see the same GPUs.
HostPeers::Place placeOnGpus(const std::vector<Candidate>& candidates, const DiscoveryOptions& options) {
  std::string gpus;
  for (const Candidate& candidate : candidates)
    if (candidate.kind != DeviceKind::cpu) gpus += candidate.hardwareId + ",";
  if (options.peers == nullptr) return {options.localRank, options.localSize};
  if (gpus.empty()) return options.peers->amongThoseWith("none", std::chrono::milliseconds(0));
  return options.peers->amongThoseWith(gpus, options.patience);
}

OpenClInventory inventoryFor(const Selection& selection, const DiscoveryOptions& options) {
  auto faults = std::make_shared<Faults>(options.faults, options.rank);
  if (faults->empty()) faults.reset();
  if (!mayTakeOpenCl(selection, options.rank))
    return OpenClInventory::skipped("not looked for: MUSTER_DEVICES names the native CPU only");
  const bool isHosts = options.openclLibrary == DiscoveryOptions().openclLibrary && faults == nullptr;
  if (isHosts && isDefault(selection, options.rank) && hasOnlyCpus())
    return OpenClInventory::skipped(
        "not looked for: only POCL is installed and the host has no GPU, so that it serves the same cores as the "
        "native "
        "CPU");
  return OpenClInventory(options.openclLibrary, std::move(faults));
}

}  // namespace

bool hostHasOnlyItsCpu() { return hasOnlyCpus(); }

Result<Discovery> discoverDevices(const DiscoveryOptions& options) {
  const Result<Selection> selection = parseSelection(options.selection);
  if (!selection) return selection.status();
  warnOfMissingRanks(*selection, options);

  std::unique_ptr<ComputeDevice> cpu = makeCpuDevice(cpuThreadShare(options.localRank, options.localSize));
  const OpenClInventory opencl = inventoryFor(*selection, options);
  const std::vector<Candidate> candidates = candidatesOf(cpu->info(), opencl);
  const HostPeers::Place onGpus = placeOnGpus(candidates, options);
  Result<Choice> choice =
      choose(*selection, candidates, {options.rank, onGpus.rank, onGpus.size, options.sharesGpus}, opencl.problem());
  if (!choice) return choice.status();

  Discovery discovery;
  discovery.rankOnGpus = onGpus.rank;
  if (const auto ofOwn = choose(*selection, candidates, {options.localRank, onGpus.rank, onGpus.size, true}, "")) {
    discovery.sharersOfOwn = ofOwn->sharersOfGpus;
    for (const std::size_t taken : ofOwn->taken)
      if (candidates[taken].kind != DeviceKind::cpu) discovery.gpusOfOwn.push_back(candidates[taken].name);
  }
  discovery.sharersOfGpus = choice->sharersOfGpus;
  discovery.leftOut = std::move(choice->leftOut);
  discovery.leftOut.insert(discovery.leftOut.end(), opencl.failures().begin(), opencl.failures().end());
  for (std::size_t taken : choice->taken) {
    if (candidates[taken].native) {
      discovery.devices.push_back(std::move(cpu));
      continue;
    }
    const StreamOptions openclOptions{.cacheDirectory = options.cacheDirectory,
                                      .failBuilds = options.failBuilds,
                                      .warn = options.warn,
                                      .inform = options.inform,
                                      .built = options.built,
                                      .kernels = options.kernels,
                                      .fuse = options.fuse};
    auto device = opencl.open(candidates[taken].openclIndex, openclOptions);
    if (device)
      discovery.devices.push_back(std::move(*device));
    else if (choice->explicitly)
      return device.status().at("MUSTER_DEVICES asks for a device that does not start");
    else
      discovery.leftOut.push_back({candidates[taken].name, device.status().message()});
  }
  return discovery;
}

}  // namespace muster::cdm
