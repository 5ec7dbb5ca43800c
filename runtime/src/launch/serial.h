// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that OpenMP gives to one thread, all of their iterations or chunks of several, one by one: values that one
// iteration leaves for the next are legal there (docs/decisions/0017-loops-that-openmp-makes-serial.md).
#pragma once

#include "muster/abi.h"

namespace muster::rt {

// Whether elements that a launch with these arrays writes may have another name in it.
[[nodiscard]] bool mayShareElements(const muster_kernel& kernel, void* const* arrays);
// The same, and whether one iteration may touch an element that another one writes so.
[[nodiscard]] bool mayShareElements(const muster_launch& launch);
// Why the launch's iterations have to be run in their order, by one thread; nullptr: they need not.
[[nodiscard]] const char* whySerial(const muster_launch& launch);
// Whether the program may count on which iterations each thread of its team gets.
[[nodiscard]] bool hasThreadParts(const muster_launch& launch);
// Whether its schedule says that iterations may cost unequally: dynamic or guided.
[[nodiscard]] bool isUneven(const muster_launch& launch);
// How many threads the team has, of a loop in a region that one thread runs in its place; 0: as many as any region of
// the calling thread, or what the loop's own clause says.
[[nodiscard]] int threadsOfRegion(const muster_launch& launch);
// Why they have to be run by rank 0's threads, with the schedule of the program; nullptr: they need not.
[[nodiscard]] const char* whyInChunks(const muster_launch& launch, bool hasParts);

}  // namespace muster::rt
