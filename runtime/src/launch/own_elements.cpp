// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/own_elements.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "host/memory/host_memory.h"
#include "launch/launch_forms.h"
#include "muster/cap/planner.h"

namespace muster::rt {
namespace {

// Parameters with several names for one array count as the first of them; empty: two of them begin apart or have
// elements of different sizes, or one is written of which nothing is known.
std::vector<std::uint16_t> namesOf(const muster_launch& launch) {
  const muster_kernel& kernel = *launch.kernel;
  std::vector<const HostArray*> arrays;
  std::vector<std::uint16_t> names;
  for (unsigned a = 0; a < kernel.n_arrays; ++a) {
    arrays.push_back(hostMemory().find(launch.arrays[a]));
    if (arrays[a] == nullptr && kernel.arrays[a].mode != MUSTER_READ) return {};
    const auto first = arrays[a] == nullptr ? arrays.end() - 1 : std::find(arrays.begin(), arrays.end() - 1, arrays[a]);
    const auto name = static_cast<std::size_t>(first - arrays.begin());
    if (launch.arrays[name] != launch.arrays[a] || kernel.arrays[name].elem_size != kernel.arrays[a].elem_size)
      return {};
    names.push_back(static_cast<std::uint16_t>(name));
  }
  return names;
}

cap::LaunchSpec specOf(const muster_launch& launch, const std::vector<std::uint16_t>& names) {
  cap::LaunchSpec spec;
  spec.arrays.resize(names.size());
  for (unsigned a = 0; a < names.size(); ++a) {
    auto [space, accesses] = accessesOf(launch, a);
    spec.space = std::move(space);
    for (cap::Access& access : accesses) {
      access.array = names[a];
      spec.accesses.push_back(std::move(access));
    }
  }
  return spec;
}

}  // namespace

bool haveOwnElements(const muster_launch& launch) {
  if ((launch.flags & MUSTER_LAUNCH_HOST) != 0) return false;  // its forms may be wrong
  const muster_kernel& kernel = *launch.kernel;
  const std::vector<std::uint16_t> names = namesOf(launch);
  if (names.empty()) return false;
  const auto own = cap::ownElements(specOf(launch, names));
  for (unsigned a = 0; a < kernel.n_arrays; ++a) {
    if (kernel.arrays[a].mode != MUSTER_READ && !own[names[a]]) return false;
  }
  return true;
}

}  // namespace muster::rt
