// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch's dims and forms (layout: muster_launch in abi.h) as the access maps that cap computes regions from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "muster/abi.h"
#include "muster/cap/access.h"

namespace muster::rt {

struct ParameterAccesses {
  cap::IterationSpace space;
  std::vector<cap::Access> accesses;  // of one array parameter; only mode, index and what makes the order count are set
};

inline ParameterAccesses accessesOf(const muster_launch& launch, unsigned parameter) {
  const muster_kernel& kernel = *launch.kernel;
  const std::size_t variables = std::size_t{kernel.n_dims} + kernel.n_inner;
  ParameterAccesses result;
  for (unsigned d = 0; d < kernel.n_dims; ++d)
    result.space.dims.push_back({launch.dims[d].first, launch.dims[d].step, launch.dims[d].count});
  const std::int64_t* form = launch.forms;
  const auto next = [&] {
    cap::AffineForm affine{{form, form + variables}, form[variables]};
    form += variables + 1;
    return affine;
  };
  for (unsigned i = 0; i < kernel.n_inner; ++i) {
    cap::AffineForm smallest = next();
    cap::AffineForm largest = next();
    result.space.inner.push_back({std::move(smallest), std::move(largest), *form++});
  }
  for (unsigned i = 0; i < kernel.n_accesses; ++i) {
    cap::Access access;
    access.index = next();
    if (kernel.accesses[i].array != parameter || access.index.constant == MUSTER_NO_ACCESS) continue;
    access.mode = kernel.accesses[i].mode == MUSTER_READ    ? cap::AccessMode::read
                  : kernel.accesses[i].mode == MUSTER_WRITE ? cap::AccessMode::write
                                                            : cap::AccessMode::update;
    access.unbounded = (kernel.accesses[i].flags & MUSTER_ACCESS_UNBOUNDED) != 0;
    access.atomic = (kernel.accesses[i].flags & MUSTER_ACCESS_ATOMIC) != 0;
    access.ordered = (kernel.accesses[i].flags & MUSTER_ACCESS_ORDERED) != 0;
    result.accesses.push_back(std::move(access));
  }
  return result;
}

// The kernel has accesses to the array, and this launch has none of them: what it points to does not matter.
inline bool leavesAlone(const muster_launch& launch, unsigned parameter) {
  const muster_kernel& kernel = *launch.kernel;
  const bool touches = std::any_of(kernel.accesses, kernel.accesses + kernel.n_accesses,
                                   [&](const auto& access) { return access.array == parameter; });
  return touches && MUSTER_ARRAY_GROUP_OF(kernel.arrays[parameter].flags) == 0 &&
         accessesOf(launch, parameter).accesses.empty();
}

}  // namespace muster::rt
