// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The count of allocations, and the error; how much there is.
#include "muster/cdm/host_allocation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace muster::cdm {

namespace {

std::shared_ptr<Faults> injected;

}  // namespace

void injectHostFaults(const std::vector<Fault>& faults, int rank) {
  auto counted = std::make_shared<Faults>(faults, rank);
  injected = counted->empty() ? nullptr : std::move(counted);
}

Status noHostMemory(std::size_t bytes, const char* purpose) {
  return {Errc::outOfMemory, fmt::format("the host has no {} bytes of memory left for {}; use smaller arrays, or more "
                                         "hosts with fewer ranks each",
                                         bytes, purpose)};
}

Status countHostAllocation(HostAllocation kind, std::size_t bytes, const char* purpose) {
  if (injected == nullptr || !injected->fails("host", kind == HostAllocation::memory ? "hostMemory" : "hostView"))
    return {};
  Status status = noHostMemory(bytes, purpose);
  return {status.code(), status.message() + " (MUSTER_INJECT)"};
}

// Containers see their own control group as the root; version 2, or 1.
std::uint64_t hostMemoryBytes() {
  static const std::uint64_t bytes = [] {
    auto least =
        static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
      if (std::uint64_t limit = 0; std::ifstream(file) >> limit && limit > 0) least = std::min(least, limit);
    return least;
  }();
  return bytes;
}

Result<PinnedMemory> allocateHost(std::size_t bytes, const char* purpose) {
  MUSTER_TRY(countHostAllocation(HostAllocation::memory, bytes, purpose));
  auto* const memory = new (std::nothrow) std::byte[bytes];
  if (memory == nullptr) return noHostMemory(bytes, purpose);
  return PinnedMemory(memory);
}

}  // namespace muster::cdm
