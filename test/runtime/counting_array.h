// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in which element i is i.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>

#include "muster/abi.h"

namespace muster::test {

inline const muster_array_site countingSite = {{"prog.cpp", 12, 3}, "u", "long", 8, MUSTER_TYPE_I64,
                                               MUSTER_PARTITIONED,  0,   ""};

inline std::int64_t* countingArray(std::size_t count) {
  auto* array = static_cast<std::int64_t*>(muster_array_create(&countingSite, count));
  std::iota(array, array + count, 0);
  return array;
}

}  // namespace muster::test
