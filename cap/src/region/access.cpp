// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access maps: the elements that one access touches (see shape.cpp for how they are found).
#include "muster/cap/access.h"

#include "region/shape.h"

namespace muster::cap {

AccessRegion regionOf(const Access& access, const IterationSpace& space, std::int64_t lo, std::int64_t hi,
                      std::int64_t offset, std::int64_t count, std::size_t maxIntervals) {
  ShapeSolver solver;
  const Shape& shape = solver.solve(access, space, lo, hi, offset, count);
  if (std::optional<AccessRegion> rows = solver.rowByRow(access, space, offset, count, maxIntervals)) return *rows;
  return expand(shape, count, maxIntervals);
}

}  // namespace muster::cap
