// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a launch is cut. Integers throughout, apart from one division per weight: all ranks get the same cut.
#include <algorithm>
#include <cmath>

#include "muster/cap/planner.h"
#include "plan/row_cut.h"
#include "region/shape.h"

namespace muster::cap {

namespace {

constexpr std::int64_t largestAlignment = 64;
constexpr std::int64_t unitsPerDevice = 8;

bool takesPart(const DeviceSlot& slot) { return slot.weight > 0 && std::isfinite(slot.weight); }

// Rows of the array that [0, count) covers, from its first to its last.
Wide rowsCovered(const RowMap& map, std::int64_t count) {
  const Wide a = map.rowOf(0);
  const Wide b = map.rowOf(count - 1);
  const Wide first = std::max<Wide>(std::min(a, b), 0);
  const Wide last = std::min<Wide>(std::max(a, b), map.rows - 1);
  return last - first + 1;
}

bool followed(const RowMap& map, std::int64_t count) {
  return map.rows > 0 && 4 * rowsCovered(map, count) >= 3 * Wide{map.rows};
}

std::optional<RowMap> rowMapOf(const LaunchSpec& spec, const Access& access, ShapeSolver& solver) {
  if (access.unbounded || access.index.coefficients.empty()) return std::nullopt;
  const Wide c = access.index.coefficients.front();
  Wide rest = 0;
  if (c == 0 || !solver.smallestRest(access, spec.space, rest)) return std::nullopt;

  const Dim& dim = spec.space.dims.front();
  const ArrayUse& use = spec.arrays.at(access.array);
  Arithmetic arithmetic;
  RowMap map;
  map.start = arithmetic.add(arithmetic.multiply(c, dim.first), arithmetic.add(rest, use.offset));
  map.stride = arithmetic.multiply(c, dim.step);
  map.rowLength = c < 0 ? -c : c;
  map.rows = static_cast<std::int64_t>(use.count / map.rowLength);
  const Wide last = arithmetic.add(map.start, arithmetic.multiply(map.stride, dim.count));
  if (arithmetic.overflowed() || floorDivide(last, map.rowLength) > INT64_MAX) return std::nullopt;
  return followed(map, dim.count) ? std::optional(map) : std::nullopt;
}

// The loop variable's values, from 0 to the largest, as rows: `1 .. n-1` and `0 .. n` are cut (nearly) alike even where
// the array's rows do not tell, as in f[q * n + i].
std::optional<RowMap> valueMapOf(const Dim& dim) {
  Arithmetic arithmetic;
  const Wide last = arithmetic.add(dim.first, arithmetic.multiply(dim.step, Wide{dim.count} - 1));
  const Wide rows = std::max<Wide>(dim.first, last) + 1;
  if (arithmetic.overflowed() || rows > INT64_MAX) return std::nullopt;
  const RowMap map{dim.first, dim.step, 1, static_cast<std::int64_t>(rows)};
  return followed(map, dim.count) ? std::optional(map) : std::nullopt;
}

}  // namespace

std::vector<std::int64_t> scaledWeights(const std::vector<DeviceSlot>& devices) {
  double largest = 0;
  for (const DeviceSlot& slot : devices) {
    if (takesPart(slot)) largest = std::max(largest, slot.weight);
  }
  std::vector<std::int64_t> weights;
  weights.reserve(devices.size());
  constexpr double scale = 1 << 30;
  for (const DeviceSlot& slot : devices) {
    const std::int64_t scaled = takesPart(slot) ? std::llround(slot.weight / largest * scale) : 0;
    weights.push_back(takesPart(slot) ? std::max<std::int64_t>(scaled, 1) : 0);
  }
  return weights;
}

std::vector<std::int64_t> cutRows(std::int64_t rows, const std::vector<std::int64_t>& weights) {
  Wide total = 0;
  Wide smallest = 0;
  for (const std::int64_t weight : weights) {
    total += weight;
    if (weight > 0 && (smallest == 0 || weight < smallest)) smallest = weight;
  }
  std::vector<std::int64_t> boundaries(weights.size() + 1, 0);
  if (total == 0) return boundaries;

  std::int64_t unit = largestAlignment;
  while (unit > 1 && Wide{rows} * smallest < Wide{unit} * unitsPerDevice * total) unit /= 2;
  Wide before = 0;
  for (std::size_t d = 0; d < weights.size(); ++d) {
    before += weights[d];
    const Wide units = (2 * Wide{rows} * before + total * unit) / (2 * total * unit);  // to the nearest
    boundaries[d + 1] = before == total ? rows : static_cast<std::int64_t>(std::min<Wide>(units * unit, rows));
  }
  return boundaries;
}

std::int64_t RowMap::iterationsBefore(std::int64_t row, std::int64_t count) const {
  // Elements before the row's first one belong to earlier rows.
  const Wide element = Wide{row} * rowLength;
  const Wide iterations =
      stride > 0 ? ceilDivide(element - start, stride) : count - (floorDivide(start - element, -stride) + 1);
  return static_cast<std::int64_t>(std::clamp<Wide>(iterations, 0, count));
}

std::optional<RowMap> findAnchor(const LaunchSpec& spec) {
  if (spec.space.dims.empty() || spec.space.dims.front().count <= 0) return std::nullopt;
  ShapeSolver solver;
  for (const AccessMode mode : {AccessMode::write, AccessMode::update, AccessMode::read}) {
    for (const Access& access : spec.accesses) {
      if (access.mode != mode) continue;
      if (const std::optional<RowMap> map = rowMapOf(spec, access, solver)) return map;
    }
  }
  return valueMapOf(spec.space.dims.front());
}

std::vector<Interval> split(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices) {
  const std::int64_t count = spec.space.dims.empty() ? 0 : std::max<std::int64_t>(spec.space.dims.front().count, 0);
  const std::vector<std::int64_t> weights = scaledWeights(devices);
  const std::optional<RowMap> anchor = findAnchor(spec);
  const std::vector<std::int64_t> rows = cutRows(anchor ? anchor->rows : count, weights);

  // Iterations outside the array's rows go to the first and the last device that take part.
  std::vector<Interval> ranges(devices.size());
  std::int64_t remaining = std::count_if(weights.begin(), weights.end(), [](std::int64_t w) { return w > 0; });
  std::int64_t lo = 0;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (weights[d] == 0) continue;
    std::int64_t hi = rows[d + 1];
    if (--remaining == 0) {
      hi = count;
    } else if (anchor) {
      hi = anchor->iterationsBefore(hi, count);
    }
    const bool descending = anchor && anchor->stride < 0;
    if (lo < hi) ranges[d] = descending ? Interval{count - hi, count - lo} : Interval{lo, hi};
    lo = std::max(lo, hi);
  }
  return ranges;
}

}  // namespace muster::cap
