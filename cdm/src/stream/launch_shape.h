// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a launch's dimensions to work-groups of a device (docs/architecture.md, OpenCL kernel signature). Pure maths.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "muster/cdm/device.h"
#include "muster/chunk.h"

namespace muster::cdm {

using Axes = std::array<std::size_t, 3>;

struct GroupShape {
  Axes group = {1, 1, 1};  // work-items
  Axes tile = {1, 1, 1};   // the iterations that they cover, per axis
};

struct GroupLimits {
  std::size_t total = 1;  // work-items of a group
  Axes perAxis = {1, 1, 1};
};

// Work-group size per axis: 256, 64x4 or 32x4x2, halved until the device can do it. Powers of two.
[[nodiscard]] Axes groupSize(std::uint32_t dimensions, const GroupLimits& limits);
[[nodiscard]] Axes fitting(Axes group, const GroupLimits& limits);
// The next smaller one; false if it cannot shrink any more.
[[nodiscard]] bool shrink(Axes& group);

// So many iterations at most begins a block in front of the first one, on each axis.
[[nodiscard]] Axes shiftOf(const muster_blocks& blocks);

// One launch of the driver's: the logical iterations [lo, hi) of each loop dimension, dimension 0 outermost.
struct Piece {
  std::array<std::int64_t, 3> lo = {0, 0, 0}, hi = {1, 1, 1};
  bool operator==(const Piece&) const = default;
};

// Cuts the chunk [lo, hi) of dims into pieces whose number of groups a device takes (65535 on axes 1 and 2 is
// what CUDA devices have). Empty if the chunk has no iteration. `shift`: of blocks. `bytesOfLayers`, if not 0:
// work-items have several layers of three dimensions, of such elements. Pieces are strips of rows then, whose layers
// the cache holds. `room`: memory that the pieces may have.
[[nodiscard]] std::vector<Piece> cutIntoPieces(std::span<const muster_dim> dims, std::int64_t lo, std::int64_t hi,
                                               const Axes& group, const Schedule& schedule,
                                               const Axes& shift = {0, 0, 0}, std::size_t bytesOfLayers = 0,
                                               std::vector<Piece> room = {});

// Work-groups per axis for one piece; at most `maxGroups` in all (the outermost axis gives way first), 0: as many
// as it takes.
[[nodiscard]] Axes groupsFor(std::uint32_t dimensions, const Piece& piece, const Axes& group, std::size_t maxGroups,
                             const Schedule& schedule, const Axes& shift = {0, 0, 0});

}  // namespace muster::cdm
