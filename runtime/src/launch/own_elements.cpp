// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/own_elements.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/memory/host_memory.h"
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
  const muster_kernel& kernel = *launch.kernel;
  const std::size_t variables = kernel.n_dims + kernel.n_inner;
  cap::LaunchSpec spec;
  for (unsigned d = 0; d < kernel.n_dims; ++d)
    spec.space.dims.push_back({launch.dims[d].first, launch.dims[d].step, launch.dims[d].count});
  spec.arrays.resize(kernel.n_arrays);
  const std::int64_t* form = launch.forms + kernel.n_inner * MUSTER_INNER_VALUES(variables);
  for (unsigned a = 0; a < kernel.n_accesses; ++a, form += variables + 1) {
    const muster_access& access = kernel.accesses[a];
    if (form[variables] == MUSTER_NO_ACCESS) continue;
    cap::Access& known = spec.accesses.emplace_back();
    known.array = names[access.array];
    known.mode = access.mode == MUSTER_READ    ? cap::AccessMode::read
                 : access.mode == MUSTER_WRITE ? cap::AccessMode::write
                                               : cap::AccessMode::update;
    known.unbounded = (access.flags & MUSTER_ACCESS_UNBOUNDED) != 0;
    known.atomic = (access.flags & MUSTER_ACCESS_ATOMIC) != 0;
    known.index.coefficients.assign(form, form + variables);
    known.index.constant = form[variables];
  }
  return spec;
}

}  // namespace

bool haveOwnElements(const muster_launch& launch) {
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
