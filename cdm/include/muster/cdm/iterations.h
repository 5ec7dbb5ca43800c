// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many iterations a nest of loops has.
#pragma once

#include <cstdint>
#include <limits>

namespace muster::cdm {

// `outer` times the counts of `inner`, a range of dimensions. Three dimensions may be more than 2^63: then INT64_MAX.
template <class Dims>
[[nodiscard]] std::int64_t iterationsOf(std::int64_t outer, const Dims& inner) {
  for (const auto& dim : inner) {
    if (__builtin_mul_overflow(outer, dim.count, &outer)) return std::numeric_limits<std::int64_t>::max();
  }
  return outer;
}

}  // namespace muster::cdm
