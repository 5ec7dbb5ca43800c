// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with which the copies of an array that several devices wrote become one again (docs/architecture.md, Writes
// that are not exact, and merges). Ordinary kernels, for every device.
//
// The contested elements of a copy are numbered: position p of [0, n). `table` tells where they lie: per interval the
// position and the index of its first element, as two uint32; ascending, the first position is 0. Elements are moved as
// `words` units of 1, 2, 4 or 8 bytes, so that structs are served too, and compared bit by bit.
//
// Where devices reach each other's memory, they exchange contested elements as they are. `values` has those of another
// copy then, at the same indexes. `pairs` is such a table for the elements that both copies have, with a third uint32:
// the position of the interval's first element in this copy, which is where the twin has it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "muster/cdm/device.h"

namespace muster::cdm {

// What they do, with their arrays | scalars (32-bit unless said otherwise), and the count of dims[0].
enum class MergeKernel : std::uint8_t {
  fill,       // a[p] = value: a, table | intervals, value (a unit)                              count n, one unit only
  find,       // bit p = a[p] != twin[p]: a, twin, table, bitmap | intervals, words, n           count n in whole tiles
  findValue,  // bit p = a[p] != value: a, table, bitmap | intervals, n, value (a unit)          count n in whole tiles
  count,      // counts[t] = bits of tile t: bitmap, counts                                      count tiles; unit 4
  gather,     // the k-th set bit: positions[k - first] = p, values[k - first] = a[p], where offsets[t] are set before
              // tile t: a, table, bitmap, offsets, positions, values | intervals, words, first  count n in whole tiles
  apply,      // a[positions[k]] = values[k]: a, positions, values | words                       count k
  join,       // a[p] = values[p] where that is not twin[p] and, unless `over` is set, a[p] still is: a, twin, values,
              // pairs | intervals, words, over                                                  count n
  clash,      // found[0] += a[p], values[p] and twin[p] are three, found[1] = least such element: a, twin, values,
              // pairs, found | intervals, words                                                 count n
};
inline constexpr std::int64_t mergeTile = 256;  // positions; chunks of `find` and `gather` begin and end at one
// The largest unit that divides an element.
[[nodiscard]] std::size_t mergeUnit(std::size_t elemSize);
[[nodiscard]] const KernelCode& mergeKernel(MergeKernel kernel, std::size_t unit);

// a[positions[k]] = a[positions[k]] OP values[k] in `type`: a, positions, values | op, by the order of ResultKind.
// nullptr for ScalarType::other. Bitwise operations on floating point do nothing.
[[nodiscard]] const KernelCode* mergeUpdateKernel(ScalarType type);

// a[p] = a[p] OP values[p] in `type` where values[p] is not the identity: a, values, pairs | intervals, op, identity
// (an element). Count n. The same is true of types and operations.
[[nodiscard]] const KernelCode* mergeCombineKernel(ScalarType type);

// The value that changes nothing when `op` combines it. Errc::unsupported where there is none.
Status writeUpdateIdentity(ResultKind op, ScalarType type, void* to);

}  // namespace muster::cdm
