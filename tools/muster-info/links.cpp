// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank 0 measures the devices of other ranks through the remote backend: what the network adds.
#include "inspect.h"
#include "muster/cdm/benchmark_kernel.h"
#include "muster/cdm/remote.h"

namespace muster::info {
namespace {

const cdm::KernelCode* lookup(std::uint64_t id) {
  return id == cdm::benchmarkKernelId ? &cdm::benchmarkKernel() : nullptr;
}

// Until rank 0 sends an empty command.
Status serve(cdm::Transport& transport, const Inspection& mine) {
  std::vector<cdm::ComputeDevice*> devices;
  for (const auto& device : mine.devices) devices.push_back(device.get());
  for (;;) {
    const Result<cdm::Bytes> command = transport.nextCommand();
    if (!command) return command.status();
    if (command->empty()) return {};
    MUSTER_TRY(cdm::serveRemoteCall(transport, devices, lookup, *command));
  }
}

}  // namespace

Status measureLinks(cdm::Transport& transport, const Inspection& mine, std::vector<RankReport>& reports) {
  if (transport.size() == 1) return {};
  if (transport.rank() != 0) return serve(transport, mine);
  const auto post = [&](std::span<const std::byte> call) { return transport.postCommand(call); };
  for (RankReport& report : reports) {
    for (std::size_t i = 0; i < report.devices.size() && report.rank != 0; ++i) {
      DeviceReport& device = report.devices[i];
      if (!device.measured) continue;  // it does not even work for its own rank
      const std::unique_ptr<cdm::ComputeDevice> remote =
          cdm::makeRemoteDevice(transport, post, report.rank, static_cast<std::uint32_t>(i), device.info);
      const Result<cdm::Measured> measured = cdm::measure(*remote, {});
      if (measured) device.fromRank0 = *measured;
      device.error = measured.status().message();
    }
  }
  return transport.postCommand({});
}

}  // namespace muster::info
