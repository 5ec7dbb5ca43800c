// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an affine index over a loop nest to rows of elements (see shape.h).
//
// An inner variable that the index does not use, directly or through another variable's bounds, may belong to a
// loop beside the access: it never makes the access disappear, but if it may be empty, nothing is exact.
#include "region/shape.h"

#include <algorithm>
#include <cstddef>

#include "region/straighten.h"

namespace muster::cap {

namespace {

constexpr Wide manyRows = Wide{1} << 40;  // where the number of rows saturates

// One repetition instead of two where the steps of the longer one are whole steps of the shorter one and leave no gap:
// a[2 * i + 4 * j] with i in [0, 3) is a[2 * k].
void joinRepetitions(std::vector<Repetition>& repetitions) {
  std::size_t kept = 0;
  for (const Repetition& r : repetitions) {
    const auto end = repetitions.begin() + static_cast<std::ptrdiff_t>(kept);
    const auto fits = [&r](const Repetition& shorter) {
      return r.stride % shorter.stride == 0 && r.stride / shorter.stride <= shorter.count;
    };
    const auto shorter = std::find_if(repetitions.begin(), end, fits);
    if (shorter == end) {
      repetitions[kept++] = r;
    } else {
      shorter->count += r.stride / shorter->stride * (r.count - 1);
    }
  }
  repetitions.resize(kept);
}

}  // namespace

Shape& ShapeSolver::solve(const Access& access, const IterationSpace& space, std::int64_t lo, std::int64_t hi,
                          std::int64_t offset, std::int64_t count, std::int64_t width) {
  straightened_ = false;
  width_ = width;
  rows_.kind = Shape::Kind::whole;
  if (isSlanted(space)) {
    access_ = access;
    space_ = space;
    straightened_ = straighten(access_, space_);
  }
  return straightened_ ? solveStraight(access_, space_, lo, hi, offset, count)
                       : solveStraight(access, space, lo, hi, offset, count);
}

Shape& ShapeSolver::solveStraight(const Access& access, const IterationSpace& space, std::int64_t lo, std::int64_t hi,
                                  std::int64_t offset, std::int64_t count) {
  shape_.kind = Shape::Kind::whole;
  shape_.exact = shape_.clamped = shape_.varying = false;
  shape_.base = shape_.rowLength = shape_.rowCount = 0;
  shape_.repetitions.clear();
  shape_.hull = {0, std::max<std::int64_t>(count, 0)};

  const Nest nest = findRanges(access, space, lo, hi);
  if (nest == Nest::none) {
    shape_.kind = Shape::Kind::nothing;
    shape_.exact = true;
    shape_.hull = {};
    return shape_;
  }
  if (nest == Nest::unknown) return shape_;

  const bool rectangular = std::all_of(ranges_.begin(), ranges_.end(),
                                       [](const Range& r) { return !r.used || (r.rectangular && r.neverEmpty); });
  certain_ = rectangular &&
             std::all_of(ranges_.begin(), ranges_.end(), [](const Range& r) { return r.known && r.neverEmpty; });
  shape_.exact = certain_ && !access.conditional;
  findRows(access, offset);
  shape_.first = shape_.base;
  shape_.end = rowsEnd();
  if (arithmetic_.overflowed()) {
    shape_.exact = false;
    return shape_;
  }
  if (!rectangular) {
    if (const auto least = eliminated(access, space, offset, false)) shape_.first = std::max(shape_.first, *least);
    if (const auto most = eliminated(access, space, offset, true)) shape_.end = std::min(shape_.end, *most + width_);
  }
  shape_.varying = !rectangular;
  shape_.clampTo(count);
  if (rectangular && !straightened_) {
    rows_ = shape_;
    origin_ = Wide{access.index.constant} + offset;
  }
  return shape_;
}

Shape* ShapeSolver::solveAlike(const Access& access, std::int64_t offset, std::int64_t count) {
  if (rows_.kind != Shape::Kind::rows) return nullptr;
  shape_ = rows_;
  shape_.base = arithmetic_.add(rows_.base, Wide{access.index.constant} + offset - origin_);
  shape_.first = shape_.base;
  shape_.end = rowsEnd();
  if (arithmetic_.overflowed()) {
    arithmetic_.clear();
    return nullptr;
  }
  shape_.exact = certain_ && !access.conditional;
  shape_.clampTo(count);
  return &shape_;
}

bool ShapeSolver::smallestRest(const Access& access, const IterationSpace& space, Wide& rest) {
  if (space.dims.empty() || findRanges(access, space, 0, space.dims[0].count) != Nest::some) return false;
  rest = boundsOf(access.index, 1).smallest;
  return !arithmetic_.overflowed();
}

// Ranges of all variables for dims[0] in [lo, hi), and what they say about the access as a whole.
ShapeSolver::Nest ShapeSolver::findRanges(const Access& access, const IterationSpace& space, std::int64_t lo,
                                          std::int64_t hi) {
  arithmetic_.clear();
  ranges_.clear();
  if (space.dims.empty()) return Nest::unknown;
  lo = std::max<std::int64_t>(lo, 0);
  hi = std::min(hi, space.dims[0].count);
  if (lo >= hi) return Nest::none;
  for (const Dim& dim : space.dims) {
    if (dim.count <= 0) return Nest::none;
  }
  if (access.unbounded || access.index.coefficients.size() > space.dims.size() + space.inner.size()) {
    return Nest::unknown;
  }
  dimRanges(space, lo, hi);
  if (arithmetic_.overflowed()) return Nest::unknown;
  for (const InnerVariable& variable : space.inner) innerRange(variable);
  markUsed(access, space);
  settleQuotients(access, space);
  Nest nest = Nest::some;
  for (const Range& range : ranges_) {
    if (!range.used) continue;
    if (!range.known) nest = Nest::unknown;
    if (range.known && range.surelyEmpty()) return Nest::none;
  }
  return nest;
}

void ShapeSolver::dimRanges(const IterationSpace& space, std::int64_t lo, std::int64_t hi) {
  for (std::size_t d = 0; d < space.dims.size(); ++d) {
    const Dim& dim = space.dims[d];
    const Wide from = d == 0 ? lo : 0;
    const Wide to = d == 0 ? hi : dim.count;
    const Wide a = arithmetic_.add(dim.first, arithmetic_.multiply(dim.step, from));
    const Wide b = arithmetic_.add(dim.first, arithmetic_.multiply(dim.step, to - 1));
    Range range;
    range.smallest = std::min(a, b);
    range.largest = std::max(a, b);
    range.step = dim.step < 0 ? -Wide{dim.step} : Wide{dim.step};
    range.count = to - from;
    ranges_.push_back(range);
  }
}

void ShapeSolver::innerRange(const InnerVariable& variable) {
  Range range;
  const Bounds low = boundsOf(variable.smallest, 0);
  const Bounds high = boundsOf(variable.largest, 0);
  const auto usesLater = [this](const AffineForm& form) {
    for (std::size_t v = 0; v < form.coefficients.size(); ++v) {
      if (form.coefficients[v] != 0 && (v >= ranges_.size() || !ranges_[v].known)) return true;
    }
    return false;
  };
  range.known = !arithmetic_.overflowed() && variable.divisor >= 1 && !usesLater(variable.smallest) &&
                !usesLater(variable.largest);
  arithmetic_.clear();
  const Wide divisor = std::max<Wide>(variable.divisor, 1);
  range.smallest = floorDivide(low.smallest, divisor);
  range.largest = floorDivide(high.largest, divisor);
  range.count = range.largest - range.smallest + 1;
  range.rectangular =
      range.smallest == floorDivide(low.largest, divisor) && range.largest == floorDivide(high.smallest, divisor);
  range.neverEmpty =
      variable.smallest == variable.largest || floorDivide(low.largest, divisor) <= floorDivide(high.smallest, divisor);
  ranges_.push_back(range);
}

void ShapeSolver::markUsed(const Access& access, const IterationSpace& space) {
  const auto mark = [this](const AffineForm& form, std::size_t variables) {
    for (std::size_t v = 0; v < std::min(form.coefficients.size(), variables); ++v) {
      if (form.coefficients[v] != 0) ranges_[v].used = true;
    }
  };
  mark(access.index, ranges_.size());
  for (std::size_t i = space.inner.size(); i-- > 0;) {
    const std::size_t variable = space.dims.size() + i;
    if (!ranges_[variable].used) continue;
    mark(space.inner[i].smallest, variable);
    mark(space.inner[i].largest, variable);
  }
}

// A quotient whose variables nothing else needs takes its values whatever the other variables are.
void ShapeSolver::settleQuotients(const Access& access, const IterationSpace& space) {
  const auto uses = [](const AffineForm& form, std::size_t v) {
    return v < form.coefficients.size() && form.coefficients[v] != 0;
  };
  for (std::size_t i = 0; i < space.inner.size(); ++i) {
    const InnerVariable& quotient = space.inner[i];
    Range& range = ranges_[space.dims.size() + i];
    if (quotient.divisor < 2 || !range.used || !range.known || range.rectangular) continue;
    const auto isShared = [&](std::size_t v) {
      if (uses(access.index, v) || !ranges_[v].rectangular || !ranges_[v].neverEmpty) return true;
      for (std::size_t other = 0; other < space.inner.size(); ++other) {
        const InnerVariable& user = space.inner[other];
        const bool needed = other != i && ranges_[space.dims.size() + other].used;
        if (needed && (uses(user.smallest, v) || uses(user.largest, v))) return true;
      }
      return false;
    };
    bool alone = quotient.smallest == quotient.largest;
    for (std::size_t v = 0; alone && v < quotient.smallest.coefficients.size(); ++v)
      alone = !uses(quotient.smallest, v) || !isShared(v);
    if (alone) settle(quotient, range);
  }
}

// x / n takes all values between its smallest and its largest if x makes no step beyond n, and every k-th if x makes
// steps of k * n.
void ShapeSolver::settle(const InnerVariable& quotient, Range& range) {
  std::vector<Repetition> steps;
  for (std::size_t v = 0; v < std::min(quotient.smallest.coefficients.size(), ranges_.size()); ++v) {
    const Wide c = quotient.smallest.coefficients[v];
    const Wide stride = arithmetic_.multiply(c < 0 ? -c : c, ranges_[v].step);
    if (c != 0 && ranges_[v].count > 1) steps.push_back({stride, ranges_[v].count});
  }
  std::sort(steps.begin(), steps.end(), [](const Repetition& a, const Repetition& b) { return a.stride < b.stride; });
  Wide extent = 0;  // of values without a larger gap
  bool dense = true;
  for (const Repetition& r : steps) {
    dense = dense && r.stride <= extent + quotient.divisor;
    extent = arithmetic_.add(extent, arithmetic_.multiply(r.stride, r.count - 1));
  }
  const bool even = steps.size() == 1 && steps.front().stride % quotient.divisor == 0;
  if (arithmetic_.overflowed() || (!dense && !even)) {
    arithmetic_.clear();
    return;
  }
  if (!dense) {
    range.step = steps.front().stride / quotient.divisor;
    range.count = steps.front().count;
  }
  range.rectangular = range.settled = true;
}

// Smallest and largest value of a form, its variables from number `from` on each taken for itself.
ShapeSolver::Bounds ShapeSolver::boundsOf(const AffineForm& form, std::size_t from) {
  Bounds bounds{form.constant, form.constant};
  for (std::size_t v = from; v < std::min(form.coefficients.size(), ranges_.size()); ++v) {
    const Wide c = form.coefficients[v];
    if (c == 0) continue;
    const Wide a = arithmetic_.multiply(c, ranges_[v].smallest);
    const Wide b = arithmetic_.multiply(c, ranges_[v].largest);
    bounds.smallest = arithmetic_.add(bounds.smallest, std::min(a, b));
    bounds.largest = arithmetic_.add(bounds.largest, std::max(a, b));
  }
  return bounds;
}

// The index's smallest or largest value with each inner variable, innermost first, replaced by the bound that
// counts for the sign of its coefficient; then the dims each for itself. Never too small, never too large. A quotient's
// bounds are fractions: the sum is kept as a multiple of its value. Nothing if numbers get too large.
std::optional<Wide> ShapeSolver::eliminated(const Access& access, const IterationSpace& space, std::int64_t offset,
                                            bool largest) {
  form_.assign(ranges_.size(), 0);
  for (std::size_t v = 0; v < access.index.coefficients.size(); ++v) form_[v] = access.index.coefficients[v];
  Wide value = arithmetic_.add(access.index.constant, offset), multiple = 1;
  for (std::size_t i = space.inner.size(); i-- > 0;) {
    const std::size_t variable = space.dims.size() + i;
    const Wide c = form_[variable], divisor = space.inner[i].divisor;
    if (c == 0) continue;
    const bool upper = (c > 0) == largest;
    const AffineForm& bound = upper ? space.inner[i].largest : space.inner[i].smallest;
    if (divisor > 1) {
      for (Wide& factor : form_) factor = arithmetic_.multiply(factor, divisor);
      value = arithmetic_.multiply(value, divisor);
      multiple = arithmetic_.multiply(multiple, divisor);
    }
    const Wide constant = arithmetic_.add(bound.constant, upper ? 0 : 1 - divisor);
    value = arithmetic_.add(value, arithmetic_.multiply(c, constant));
    for (std::size_t v = 0; v < std::min(bound.coefficients.size(), variable); ++v) {
      form_[v] = arithmetic_.add(form_[v], arithmetic_.multiply(c, bound.coefficients[v]));
    }
  }
  for (std::size_t v = 0; v < space.dims.size(); ++v) {
    const Range& range = ranges_[v];
    value = arithmetic_.add(value,
                            arithmetic_.multiply(form_[v], (form_[v] > 0) == largest ? range.largest : range.smallest));
  }
  const bool fits = !arithmetic_.overflowed();
  arithmetic_.clear();
  if (!fits) return std::nullopt;
  return largest ? floorDivide(value, multiple) : ceilDivide(value, multiple);
}

// Each used variable repeats what the variables with smaller strides make. Where it repeats without a gap, the
// row grows; otherwise the row is repeated.
void ShapeSolver::findRows(const Access& access, std::int64_t offset) {
  std::vector<Repetition>& repetitions = shape_.repetitions;
  Wide base = arithmetic_.add(access.index.constant, offset);
  for (std::size_t v = 0; v < access.index.coefficients.size(); ++v) {
    const Wide c = access.index.coefficients[v];
    if (c == 0) continue;
    const Range& range = ranges_[v];
    base = arithmetic_.add(base, arithmetic_.multiply(c, c > 0 ? range.smallest : range.largest));
    if (range.count > 1) repetitions.push_back({arithmetic_.multiply(c < 0 ? -c : c, range.step), range.count});
  }
  std::sort(repetitions.begin(), repetitions.end(),
            [](const Repetition& a, const Repetition& b) { return a.stride < b.stride; });
  Wide length = width_;
  Wide rows = 1;
  std::size_t merged = 0;
  for (; merged < repetitions.size() && repetitions[merged].stride <= length; ++merged) {
    const Repetition& r = repetitions[merged];
    length = arithmetic_.add(length, arithmetic_.multiply(r.stride, r.count - 1));
  }
  repetitions.erase(repetitions.begin(), repetitions.begin() + static_cast<std::ptrdiff_t>(merged));
  joinRepetitions(repetitions);
  for (const Repetition& r : repetitions) rows = std::min(manyRows, rows * std::min(manyRows, r.count));
  shape_.base = base;
  shape_.rowLength = length;
  shape_.rowCount = rows;
}

Wide ShapeSolver::rowsEnd() {
  Wide end = arithmetic_.add(shape_.base, shape_.rowLength);
  for (const Repetition& r : shape_.repetitions) {
    end = arithmetic_.add(end, arithmetic_.multiply(r.stride, arithmetic_.add(r.count, -1)));
  }
  return end;
}

void Shape::clampTo(std::int64_t count) {
  kind = Kind::rows;
  clamped = first < 0 || end > count;
  hull = Interval{static_cast<std::int64_t>(first), static_cast<std::int64_t>(end)}.intersect({0, count});
  if (first >= end) {  // the bounds contradict each other for every value of the outer variables
    kind = Kind::nothing;
    clamped = false;
    exact = true;
  }
}

bool Shape::isInterval(std::size_t maxIntervals) const {
  return kind != Kind::rows || hull.empty() || rowCount == 1 || rowCount > static_cast<Wide>(maxIntervals);
}

bool Shape::fillSmallGaps() {
  std::size_t kept = 0;
  bool loose = false;
  rowCount = 1;
  for (const Repetition& r : repetitions) {
    if (r.stride <= 2 * rowLength) {
      loose = loose || 8 * (r.stride - rowLength) > rowLength;
      rowLength += r.stride * (r.count - 1);
      exact = false;
    } else {
      rowCount = std::min(manyRows, rowCount * std::min(manyRows, r.count));
      repetitions[kept++] = r;
    }
  }
  repetitions.resize(kept);
  return loose;
}

}  // namespace muster::cap
