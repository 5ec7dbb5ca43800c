// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discovery: candidates of all backends, the user's selection, the devices that come of it.
#include "muster/cdm/device_manager.h"

#include <fmt/format.h>

#include "backends/cpu/cpu_device.h"
#include "backends/cuda/inventory.h"
#include "backends/opencl/installed.h"
#include "backends/opencl/inventory.h"
#include "discovery/selection.h"
#include "muster/cdm/host.h"

namespace muster::cdm {

namespace {

using Backend = Candidate::Backend;

struct Inventories {
  CudaInventory cuda;
  OpenClInventory opencl;
};

std::vector<Candidate> candidatesOf(const DeviceInfo& cpu, const Inventories& found) {
  std::vector<Candidate> candidates = {{cpu.name, DeviceKind::cpu, Backend::cpu, 0, false, ""}};
  std::size_t index = 0;
  for (const DeviceInfo& card : found.cuda.entries())
    candidates.push_back({card.name, card.kind, Backend::cuda, index++, false, card.hardwareId});
  index = 0;
  for (const auto& [info, pocl] : found.opencl.entries())
    candidates.push_back({info.name, info.kind, Backend::opencl, index++, pocl, info.hardwareId});
  return candidates;
}

std::vector<Problem> problemsOf(const Inventories& found) {
  std::vector<Problem> problems;
  if (!found.cuda.problem().empty()) problems.push_back({"CUDA", found.cuda.problem()});
  if (!found.opencl.problem().empty()) problems.push_back({"OpenCL", found.opencl.problem()});
  return problems;
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

constexpr const char* notLookedFor = "not looked for: MUSTER_DEVICES names other devices";

CudaInventory cudaFor(const Selection& selection, const DiscoveryOptions& options,
                      const std::shared_ptr<Faults>& faults) {
  if (!mayTake(selection, options.rank, Backend::cuda)) return CudaInventory::skipped(notLookedFor);
  CudaInventory found({options.cudaLibrary, options.nvrtcLibraries}, faults);
  if (found.lacksCompiler() && options.warn && options.localRank == 0)
    options.warn(fmt::format("this host's NVIDIA GPUs are used by OpenCL: {}", found.problem()));
  return found;
}

OpenClInventory openClFor(const Selection& selection, const DiscoveryOptions& options,
                          const std::shared_ptr<Faults>& faults, bool hasCuda) {
  if (!mayTake(selection, options.rank, Backend::opencl)) return OpenClInventory::skipped(notLookedFor);
  const bool isHosts = options.openclLibrary == DiscoveryOptions().openclLibrary && faults == nullptr;
  if (isHosts && isDefault(selection, options.rank) && hasOnlyCpus())
    return OpenClInventory::skipped(
        "not looked for: only POCL is installed and the host has no GPU, so that it serves the same cores as the "
        "native CPU");
  if (isHosts && hasCuda && !names(selection, options.rank, Backend::opencl) && hasOnlyCpusAndNvidias())
    return OpenClInventory::skipped("not looked for: this host's GPUs are used by CUDA");
  return OpenClInventory(options.openclLibrary, faults);
}

Inventories inventoriesFor(const Selection& selection, const DiscoveryOptions& options) {
  auto faults = std::make_shared<Faults>(options.faults, options.rank);
  if (faults->empty()) faults.reset();
  CudaInventory cuda = cudaFor(selection, options, faults);
  const bool hasCuda = !cuda.entries().empty();
  return {std::move(cuda), openClFor(selection, options, faults, hasCuda)};
}

Result<std::unique_ptr<ComputeDevice>> open(const Candidate& candidate, const Inventories& found,
                                            const DiscoveryOptions& options) {
  const StreamOptions streams{.cacheDirectory = options.cacheDirectory,
                              .failBuilds = options.failBuilds,
                              .warn = options.warn,
                              .inform = options.inform,
                              .built = options.built,
                              .kernels = options.kernels,
                              .fuse = options.fuse};
  return candidate.backend == Backend::cuda ? found.cuda.open(candidate.index, streams)
                                            : found.opencl.open(candidate.index, streams);
}

}  // namespace

bool hostHasOnlyItsCpu() { return hasOnlyCpus(); }

Result<Discovery> discoverDevices(const DiscoveryOptions& options) {
  const Result<Selection> selection = parseSelection(options.selection);
  if (!selection) return selection.status();
  warnOfMissingRanks(*selection, options);

  std::unique_ptr<ComputeDevice> cpu = makeCpuDevice(cpuThreadShare(options.localRank, options.localSize));
  const Inventories found = inventoriesFor(*selection, options);
  const std::vector<Candidate> candidates = candidatesOf(cpu->info(), found);
  const HostPeers::Place onGpus = placeOnGpus(candidates, options);
  Result<Choice> choice =
      choose(*selection, candidates, {options.rank, onGpus.rank, onGpus.size, options.sharesGpus}, problemsOf(found));
  if (!choice) return choice.status();

  Discovery discovery;
  discovery.rankOnGpus = onGpus.rank;
  if (const auto ofOwn = choose(*selection, candidates, {options.localRank, onGpus.rank, onGpus.size, true}, {})) {
    discovery.sharersOfOwn = ofOwn->sharersOfGpus;
    for (const std::size_t taken : ofOwn->taken)
      if (candidates[taken].kind != DeviceKind::cpu) discovery.gpusOfOwn.push_back(candidates[taken].name);
  }
  discovery.sharersOfGpus = choice->sharersOfGpus;
  discovery.leftOut = std::move(choice->leftOut);
  for (const std::vector<LeftOut>& failures : {found.cuda.failures(), found.opencl.failures()})
    discovery.leftOut.insert(discovery.leftOut.end(), failures.begin(), failures.end());
  for (std::size_t taken : choice->taken) {
    if (candidates[taken].backend == Backend::cpu) {
      discovery.devices.push_back(std::move(cpu));
      continue;
    }
    auto device = open(candidates[taken], found, options);
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
