// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an access touches, as rows that are not written out yet: equal rows of consecutive elements, repeated
// with strides. The planner looks at a shape's density before it pays for the intervals.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "muster/cap/access.h"
#include "region/wide.h"

namespace muster::cap {

struct Repetition {
  Wide stride = 0;  // elements, > 0
  Wide count = 0;   // > 1
};

struct Shape {
  enum class Kind : std::uint8_t {
    nothing,  // surely no element
    rows,     // [base, base + rowLength), repeated
    whole     // nothing better is known than the whole array
  };
  Kind kind = Kind::whole;
  bool exact = false;    // the rows, before clamping, are touched in every execution, each element
  bool clamped = false;  // some of the rows lie outside the array
  bool varying = false;  // loops get longer or shorter with other variables: ShapeSolver::rowByRow() knows more
  Wide base = 0, rowLength = 0, rowCount = 0;  // rowCount saturates
  std::vector<Repetition> repetitions;         // by ascending stride, each longer than a row
  Wide first = 0, end = 0;                     // the hull before clamping
  Interval hull;                               // inside the array; for a triangular nest smaller than the rows'

  // Joins repeated rows into one, gaps included, wherever at least half of what comes out is rows. Inexact then. True
  // if some gap is not much smaller than the rows, so that a good part of the result is gaps.
  bool fillSmallGaps();

  // The elements are `hull`: there is one row, nothing better is known, or rows are too many to be kept apart.
  [[nodiscard]] bool isInterval(std::size_t maxIntervals) const;
  // Of the elements of an interval.
  [[nodiscard]] bool exactInterval() const { return kind == Kind::nothing || (exact && !clamped && rowCount == 1); }
  // Sets hull and clamped from first and end, for an array of `count` elements.
  void clampTo(std::int64_t count);
};

// Computes shapes; one object for many calls saves allocations.
class ShapeSolver {
 public:
  // The result is valid until the next call; the caller may change it. `width`: elements that one iteration touches,
  // from the index on.
  Shape& solve(const Access& access, const IterationSpace& space, std::int64_t lo, std::int64_t hi, std::int64_t offset,
               std::int64_t count, std::int64_t width = 1);

  // The same for the iterations and width of the last solve() and an access that differs from that one's in nothing but
  // its array, its constant, and whether it is conditional: loops over stencils have many. nullptr: it takes a solve()
  // of its own.
  Shape* solveAlike(const Access& access, std::int64_t offset, std::int64_t count);

  // The elements of the last solve() for the same arguments, exactly, found by walking the variables on which the
  // bounds of others depend. Nothing if that takes more than `maxRows` rows (or many more steps).
  std::optional<AccessRegion> rowByRow(const Access& access, const IterationSpace& space, std::int64_t offset,
                                       std::int64_t count, std::size_t maxRows);

  // The smallest value over the whole space of the index (with its constant) less dims[0]'s term. False: unbounded,
  // malformed, out of range, or the access surely never happens.
  bool smallestRest(const Access& access, const IterationSpace& space, Wide& rest);

 private:
  struct Range {
    Wide smallest = 0, largest = 0;  // of the variable's values
    Wide step = 1, count = 1;
    bool rectangular = true;  // the bounds do not change with other variables
    bool neverEmpty = true;
    bool known = true;  // false: overflow, or bounds that use later variables
    bool used = false;  // by the index, or by the bounds of a used variable
    // A quotient that is all that needs the variables in it: smallest, step and count are those of its own values.
    bool settled = false;
    [[nodiscard]] bool surelyEmpty() const { return smallest > largest; }
  };
  struct Bounds {
    Wide smallest = 0, largest = 0;
  };
  enum class Nest : std::uint8_t { some, none, unknown };
  class RowWalk;

  Shape& solveStraight(const Access& access, const IterationSpace& space, std::int64_t lo, std::int64_t hi,
                       std::int64_t offset, std::int64_t count);

  Nest findRanges(const Access& access, const IterationSpace& space, std::int64_t lo, std::int64_t hi);
  void dimRanges(const IterationSpace& space, std::int64_t lo, std::int64_t hi);
  void innerRange(const InnerVariable& variable);
  void markUsed(const Access& access, const IterationSpace& space);
  void settleQuotients(const Access& access, const IterationSpace& space);
  void settle(const InnerVariable& quotient, Range& range);
  [[nodiscard]] Bounds boundsOf(const AffineForm& form, std::size_t from);
  [[nodiscard]] std::optional<Wide> eliminated(const Access& access, const IterationSpace& space, std::int64_t offset,
                                               bool largest);
  void findRows(const Access& access, std::int64_t offset);
  [[nodiscard]] Wide rowsEnd();  // of the last row

  Arithmetic arithmetic_;
  std::vector<Range> ranges_;  // dims, then inner variables
  std::vector<Wide> form_;
  Shape shape_;
  Shape rows_;                 // of the last solve(), as they were before the caller changed them
  Wide width_ = 1;             // of the last solve()
  Wide origin_ = 0;            // the constant of its index, with the offset
  bool certain_ = false;       // exact, but for a condition
  bool straightened_ = false;  // the last solve() was for these instead
  Access access_;
  IterationSpace space_;
};

// Appends the shape's rows, not clamped, in no order.
void appendRows(const Shape& shape, std::vector<Interval>& rows);

// The elements of a shape: its rows while there are at most `maxIntervals`, then its hull.
[[nodiscard]] AccessRegion expand(const Shape& shape, std::int64_t count, std::size_t maxIntervals);

}  // namespace muster::cap
