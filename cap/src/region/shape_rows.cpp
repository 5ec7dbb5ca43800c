// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From shapes to the intervals of their rows.
#include <algorithm>
#include <utility>

#include "region/shape.h"

namespace muster::cap {

namespace {

bool uses(const AffineForm& form, std::size_t variable) {
  return variable < form.coefficients.size() && form.coefficients[variable] != 0;
}

// Sorted rows inside the array; `clamped` is set if some were not.
IntervalSet clampedRows(std::vector<Interval> rows, const Interval& bounds, bool& clamped) {
  for (Interval& row : rows) {
    const Interval inside = row.intersect(bounds);
    clamped = clamped || inside.size() < row.size();
    row = inside;
  }
  return IntervalSet::of(std::move(rows));
}

}  // namespace

void appendRows(const Shape& shape, std::vector<Interval>& rows) {
  const std::size_t first = rows.size();
  rows.reserve(first + static_cast<std::size_t>(shape.rowCount));
  rows.push_back({static_cast<std::int64_t>(shape.base), static_cast<std::int64_t>(shape.base + shape.rowLength)});
  for (const Repetition& r : shape.repetitions) {
    const std::size_t end = rows.size();
    for (Wide k = 1; k < r.count; ++k) {
      const auto distance = static_cast<std::int64_t>(k * r.stride);
      for (std::size_t i = first; i < end; ++i) rows.push_back({rows[i].lo + distance, rows[i].hi + distance});
    }
  }
}

AccessRegion expand(const Shape& shape, std::int64_t count, std::size_t maxIntervals) {
  if (shape.isInterval(maxIntervals)) return {IntervalSet(shape.hull), shape.exactInterval()};
  if (shape.repetitions.size() == 1 && !shape.clamped && !shape.varying) {
    const Interval row{static_cast<std::int64_t>(shape.base), static_cast<std::int64_t>(shape.base + shape.rowLength)};
    const Repetition& r = shape.repetitions.front();
    return {IntervalSet::repeated(row, static_cast<std::int64_t>(r.stride), static_cast<std::int64_t>(r.count)),
            shape.exact};
  }
  std::vector<Interval> rows;
  appendRows(shape, rows);
  bool clamped = false;
  return {clampedRows(std::move(rows), shape.hull.intersect({0, count}), clamped), shape.exact && !shape.clamped};
}

// Gives each variable that bounds use (a driver) all its values in turn, so that the other loops are rectangular.
class ShapeSolver::RowWalk {
 public:
  RowWalk(ShapeSolver& solver, const Access& access, const IterationSpace& space, std::int64_t offset,
          std::size_t maxRows)
      : solver_(solver), access_(access), space_(space), offset_(offset), maxRows_(maxRows), stepsLeft_(4 * maxRows) {
    for (std::size_t v = 0; v < solver.ranges_.size(); ++v) drivers_.push_back(isDriver(v));
  }

  // False: too many rows.
  bool run(std::vector<Interval>& rows) {
    rows_ = &rows;
    return descend(0) && !solver_.arithmetic_.overflowed();
  }

 private:
  [[nodiscard]] bool isDriver(std::size_t v) const {
    for (std::size_t i = 0; i < space_.inner.size(); ++i) {
      const InnerVariable& variable = space_.inner[i];
      const Range& range = solver_.ranges_[space_.dims.size() + i];
      if (!range.used || range.settled) continue;
      if (uses(variable.smallest, v) || uses(variable.largest, v)) return true;
    }
    return false;
  }

  bool descend(std::size_t v) {
    if (stepsLeft_ == 0) return false;
    --stepsLeft_;
    if (v == solver_.ranges_.size()) return touch();
    const Range saved = solver_.ranges_[v];
    if (!saved.used) return descend(v + 1);
    Range range = saved;
    if (v >= space_.dims.size() && !saved.settled) {
      // All that the bounds use has one value now.
      const InnerVariable& variable = space_.inner[v - space_.dims.size()];
      range.smallest = floorDivide(solver_.boundsOf(variable.smallest, 0).smallest, variable.divisor);
      range.largest = floorDivide(solver_.boundsOf(variable.largest, 0).smallest, variable.divisor);
      if (solver_.arithmetic_.overflowed()) return false;
      range.count = range.largest - range.smallest + 1;
      if (range.count <= 0) return true;
    }
    const bool fits = drivers_[v] ? forEachValue(v, range) : withRange(v, range);
    solver_.ranges_[v] = saved;
    return fits;
  }

  bool withRange(std::size_t v, const Range& range) {
    solver_.ranges_[v] = range;
    return descend(v + 1);
  }

  bool forEachValue(std::size_t v, const Range& range) {
    if (range.count > static_cast<Wide>(stepsLeft_)) return false;
    Range one = range;
    one.count = 1;
    for (Wide value = range.smallest; value <= range.largest; value += range.step) {
      one.smallest = one.largest = value;
      if (!withRange(v, one)) return false;
    }
    return true;
  }

  bool touch() {
    solver_.shape_.repetitions.clear();
    solver_.findRows(access_, offset_);
    const Shape& shape = solver_.shape_;
    (void)solver_.rowsEnd();  // does it fit into 64 bits?
    if (solver_.arithmetic_.overflowed() || shape.rowCount > static_cast<Wide>(maxRows_ - rows_->size())) return false;
    appendRows(shape, *rows_);
    return true;
  }

  ShapeSolver& solver_;
  const Access& access_;
  const IterationSpace& space_;
  const std::int64_t offset_;
  const std::size_t maxRows_;
  std::size_t stepsLeft_;
  std::vector<bool> drivers_;
  std::vector<Interval>* rows_ = nullptr;
};

std::optional<AccessRegion> ShapeSolver::rowByRow(const Access& access, const IterationSpace& space,
                                                  std::int64_t offset, std::int64_t count, std::size_t maxRows) {
  if (!shape_.varying || shape_.kind != Shape::Kind::rows) return std::nullopt;
  const Access& of = straightened_ ? access_ : access;
  const bool certain = !of.conditional && std::all_of(ranges_.begin(), ranges_.end(), [](const Range& r) {
    return r.known && (r.used || r.neverEmpty);
  });
  const Shape bounding = shape_;
  std::vector<Interval> rows;
  const bool fits = RowWalk(*this, of, straightened_ ? space_ : space, offset, maxRows).run(rows);
  shape_ = bounding;
  arithmetic_.clear();
  if (!fits) return std::nullopt;
  AccessRegion region;
  bool clamped = false;
  region.elements = clampedRows(std::move(rows), {0, count}, clamped);
  region.exact = certain && !clamped;
  return region;
}

}  // namespace muster::cap
