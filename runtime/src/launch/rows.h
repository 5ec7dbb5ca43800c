// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tables of rows, and tables of such tables, have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "muster/abi.h"
#include "muster/cdm/status.h"

namespace muster::rt {

// Where loops always run as they stand, and tables are not looked at.
bool insideChunk();
// Notes for the report why a launch over the rows of an array is the plain loop.
void noteUnevenRows(const muster_kernel& kernel, unsigned parameter, const std::string& why,
                    const char* wanted = "evenly spaced");

// A table of what `fill` gives for the rows [first, last], as malloc's memory: where entry 0 would be.
template <class Entry, class Fill>
void* makeEntries(std::int64_t first, std::int64_t last, Fill fill) {
  const auto count = static_cast<std::size_t>(last - first + 1);
  auto* entries = static_cast<Entry*>(std::malloc(count * sizeof(Entry)));
  if (entries == nullptr) panic("no memory for a table of " + std::to_string(count) + " rows");
  for (std::size_t i = 0; i < count; ++i) entries[i] = fill(first + static_cast<std::int64_t>(i));
  return entries - first;
}

}  // namespace muster::rt
