// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/job/job_end.h"

#include <fmt/format.h>

#include <algorithm>

#include "registry/registry.h"
#include "trace/exchange.h"

namespace muster::rt {
namespace {

// Sums may name only what rank 0 knows; anything else would be printed as nonsense.
Status check(const Job& job, const protocol::RankTotals& totals, int rank) {
  const auto& devices = job.table.devices();
  if (job.config.plansOnly()) return {};  // one process speaks for all
  const bool own = std::all_of(totals.times.begin(), totals.times.end(), [&](const protocol::KernelTime& time) {
    return time.device < devices.size() && devices[time.device].place.rank == rank;
  });
  return own ? Status() : Status(Errc::protocol, fmt::format("rank {} reports on devices that are not its own", rank));
}

Status collectTotals(Job& job, Node& node, Report* report) {
  return collect(*job.transport, protocol::encode(node.totals()), [&](int rank, const cdm::Bytes& bytes) -> Status {
    const auto totals = protocol::decodeRankTotals(bytes);
    if (!totals.ok()) return totals.status().at(fmt::format("rank {}", rank));
    MUSTER_TRY(check(job, *totals, rank));
    for (const protocol::KernelTime& time : totals->times) {
      if (const KernelEntry* kernel = registry().find(time.kernel); kernel != nullptr)
        report->countDevice(*kernel->descriptor, time);
    }
    for (const auto& merges : totals->merges) {
      if (const KernelEntry* kernel = registry().find(merges.kernel); kernel != nullptr)
        report->countMerges(*kernel->descriptor, merges);
    }
    return {};
  });
}

TraceNames namesOf(const Job& job) {
  TraceNames names;
  names.kernel = [](std::uint64_t id) -> TraceNames::Kernel {
    const KernelEntry* kernel = registry().find(id);
    if (kernel == nullptr) return {fmt::format("kernel {:#x}", id), "?"};
    return {kernel->code.name, kernel->code.location};
  };
  for (const DeviceEntry& device : job.table.devices())
    names.devices.push_back({device.place.rank, fmt::format("{}, {}", device.info.backend, device.info.name)});
  names.hosts = job.hosts;
  if (job.isOwn) names.firstRank = job.place.rank;
  return names;
}

}  // namespace

Status endJob(Job& job, Node& node, Report* report) {
  for (const auto& device : job.devices) device->keepSavings();
  if (job.measures()) MUSTER_TRY(collectTotals(job, node, report));
  if (job.trace == nullptr) return {};
  node.executor().harvestTimings();
  return job.trace->end(*job.transport, namesOf(job),
                        [](const std::string& text) { fmt::print(stderr, "muster: warning: {}\n", text); });
}

}  // namespace muster::rt
