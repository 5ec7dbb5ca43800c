// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work-group sizes, group counts, and cuts.
#include "stream/launch_shape.h"

#include <algorithm>

namespace muster::cdm {

namespace {

constexpr std::size_t maxGroupsOnAxis0 = (std::size_t{1} << 31) - 1, maxGroupsOnOthers = 65535;

// Of a layer: what neighbouring layers share is in the cache still. Measured: decision 43.
constexpr std::int64_t bytesOfStrip = 2 << 20;

constexpr std::size_t product(const Axes& axes) { return axes[0] * axes[1] * axes[2]; }

}  // namespace

bool shrink(Axes& group) {
  // The outer axes first: the innermost one is what makes accesses contiguous.
  for (std::size_t axis : {2, 1, 0})
    if (group[axis] > 1) {
      group[axis] /= 2;
      return true;
    }
  return false;
}

Axes groupSize(std::uint32_t dimensions, const GroupLimits& limits) {
  return fitting(dimensions == 1 ? Axes{256, 1, 1} : dimensions == 2 ? Axes{64, 4, 1} : Axes{32, 4, 2}, limits);
}

Axes fitting(Axes group, const GroupLimits& limits) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    while (group[axis] > 1 && group[axis] > limits.perAxis[axis]) group[axis] /= 2;
  while (product(group) > limits.total && shrink(group)) {
  }
  return group;
}

Axes shiftOf(const muster_blocks& blocks) {
  Axes shift = {0, 0, 0};
  for (std::size_t axis = 0; axis < shift.size(); ++axis)
    if ((blocks.wide >> axis & 1) != 0)
      shift[axis] = (blocks.lanes[axis] == 1 ? MUSTER_SCHEDULE_LINE : std::size_t{blocks.lanes[axis]}) - 1;
  return shift;
}

namespace {

// Rows are cut evenly, and between groups.
std::int64_t rowsOfStrip(std::int64_t rows, std::int64_t bytesOfRow, std::int64_t group) {
  const std::int64_t most = std::max<std::int64_t>(1, bytesOfStrip / bytesOfRow), strips = (rows + most - 1) / most,
                     each = (rows + strips - 1) / strips;
  return (each + group - 1) / group * group;
}

}  // namespace

std::vector<Piece> cutIntoPieces(std::span<const muster_dim> dims, std::int64_t lo, std::int64_t hi, const Axes& group,
                                 const Schedule& schedule, const Axes& shift, std::size_t bytesOfLayers,
                                 std::vector<Piece> pieces) {
  pieces.clear();
  Piece whole;
  std::array<std::int64_t, 3> step = {1, 1, 1};
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const std::size_t d = schedule.dimension(dims.size(), axis);
    whole.lo[d] = d == 0 ? lo : 0;
    whole.hi[d] = d == 0 ? hi : dims[d].count;
    if (whole.lo[d] >= whole.hi[d]) return pieces;
    step[d] = static_cast<std::int64_t>((axis == 0 ? maxGroupsOnAxis0 : maxGroupsOnOthers) * group[axis] - shift[axis]);
  }
  if (bytesOfLayers != 0 && dims.size() == 3) {
    const auto countAlong = [&](std::size_t axis) {
      const std::size_t d = schedule.dimension(dims.size(), axis);
      return whole.hi[d] - whole.lo[d];
    };
    std::int64_t& along = step[schedule.dimension(dims.size(), 1)];
    along = std::min(along, rowsOfStrip(countAlong(1), countAlong(0) * static_cast<std::int64_t>(bytesOfLayers),
                                        static_cast<std::int64_t>(group[1])));
  }
  Piece piece = whole;
  for (piece.lo[0] = whole.lo[0]; piece.lo[0] < whole.hi[0]; piece.lo[0] += step[0])
    for (piece.lo[1] = whole.lo[1]; piece.lo[1] < whole.hi[1]; piece.lo[1] += step[1])
      for (piece.lo[2] = whole.lo[2]; piece.lo[2] < whole.hi[2]; piece.lo[2] += step[2]) {
        for (std::size_t d = 0; d < 3; ++d) piece.hi[d] = std::min(whole.hi[d], piece.lo[d] + step[d]);
        pieces.push_back(piece);
      }
  return pieces;
}

Axes groupsFor(std::uint32_t dimensions, const Piece& piece, const Axes& group, std::size_t maxGroups,
               const Schedule& schedule, const Axes& shift) {
  Axes groups = {1, 1, 1};
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    const std::size_t d = schedule.dimension(dimensions, axis);
    const std::size_t iterations = static_cast<std::size_t>(piece.hi[d] - piece.lo[d]) + shift[axis];
    groups[axis] = (iterations + group[axis] - 1) / group[axis];
  }
  if (maxGroups == 0) return groups;
  for (std::size_t& count : groups) count = std::min(count, maxGroups);
  for (std::size_t axis = dimensions; axis-- > 0;) {
    const std::size_t others = product(groups) / groups[axis];
    groups[axis] = std::min(groups[axis], std::max<std::size_t>(1, maxGroups / others));
  }
  return groups;
}

}  // namespace muster::cdm
