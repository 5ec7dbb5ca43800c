// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/stale_scalars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <set>
#include <utility>

#include "host/memory/host_memory.h"
#include "launch/launch_forms.h"
#include "registry/registry.h"

namespace muster::rt {
namespace {

// Whether the loop may write bytes [first, last) of the array through this parameter, which points to `offset`.
bool mayWrite(const muster_launch& launch, unsigned parameter, std::ptrdiff_t offset, std::ptrdiff_t bytes,
              std::ptrdiff_t first, std::ptrdiff_t last) {
  const std::ptrdiff_t size = launch.kernel->arrays[parameter].elem_size;
  const cap::IntervalSet elements({first / size, (last + size - 1) / size});
  const auto [space, accesses] = accessesOf(launch, parameter);
  return std::any_of(accesses.begin(), accesses.end(), [&, &space = space](const cap::Access& access) {
    return access.mode != cap::AccessMode::read &&
           cap::regionOf(access, space, 0, space.dims[0].count, offset / size, bytes / size)
               .elements.overlaps(elements);
  });
}

void warnOnce(const muster_kernel& kernel, unsigned scalar, unsigned parameter) {
  static std::mutex mutex;
  static std::set<std::pair<const muster_kernel*, unsigned>> said;
  const std::lock_guard lock(mutex);
  if (!said.insert({&kernel, scalar}).second) return;
  const char* name = kernel.scalars[scalar].name;
  fmt::print(stderr,
             "muster: warning: {}: '{}' lies in array '{}' where this loop may write it: all iterations see its value "
             "from before the loop; pass '{}' by value, or name the element by its index\n",
             location(kernel.loc), name, kernel.arrays[parameter].name, name);
}

}  // namespace

void warnOfStaleScalars(const muster_launch& launch) {
  const muster_kernel& kernel = *launch.kernel;
  for (unsigned s = 0; s < kernel.n_scalars; ++s) {
    const std::optional<ArrayExtent> array = hostMemory().extentOf(launch.scalars[s]);
    if (!array) continue;
    const auto bytes = static_cast<std::ptrdiff_t>(array->bytes);
    const std::ptrdiff_t first = static_cast<const std::byte*>(launch.scalars[s]) - array->begin;
    for (unsigned p = 0; p < kernel.n_arrays; ++p) {
      if ((kernel.arrays[p].mode & (MUSTER_WRITE | MUSTER_UPDATE)) == 0) continue;
      if (hostMemory().extentOf(launch.arrays[p]) != array) continue;
      const std::ptrdiff_t offset = static_cast<const std::byte*>(launch.arrays[p]) - array->begin;
      if (mayWrite(launch, p, offset, bytes, first, first + kernel.scalars[s].size)) warnOnce(kernel, s, p);
    }
  }
}

}  // namespace muster::rt
