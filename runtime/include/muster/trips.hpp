// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many iterations a loop has, as rewritten code asks before a launch. C++11, header-only; any thread.
#ifndef MUSTER_TRIPS_HPP
#define MUSTER_TRIPS_HPP

#include <cstdint>
#include <limits>
#include <type_traits>

namespace muster {

// The relation in the condition of a loop, with the loop variable on its left.
enum class Relation { less, lessEqual, greater, greaterEqual, notEqual };

namespace detail {

template <class C>
bool holds(C left, C right, Relation relation) {
  switch (relation) {
    case Relation::less:
      return left < right;
    case Relation::lessEqual:
      return left <= right;
    case Relation::greater:
      return left > right;
    case Relation::greaterEqual:
      return left >= right;
    case Relation::notEqual:
      break;  // one of the others stands for it
  }
  return false;
}

inline std::int64_t saturate(std::uint64_t count) {
  const std::uint64_t most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(count < most ? count : most);
}

}  // namespace detail

// Number of iterations of the canonical OpenMP loop
//
//     for (Var i = lower; i RELATION bound; i += step)        down == false
//     for (Var i = lower; i RELATION bound; i -= step)        down == true
//
// with the comparison that C++ makes between a Var and a Bound: both are promoted and converted to their common type,
// so that `int i < unsigned n` compares as unsigned. `step` may be negative where the loop's own increment is. Exact
// for all integer types of up to 64 bits; a count beyond INT64_MAX gives INT64_MAX. Loops that OpenMP does not allow
// (step 0, moving away from the bound) give 0; one whose variable would pass the limits of its type after the last
// iteration is counted as if it did not. `!=` counts as `<`, or `>` for steps down, as compilers count it.
template <class Var, class Bound>
std::int64_t tripCount(Var lower, Bound bound, std::int64_t step, Relation relation, bool down) {
  static_assert(std::is_integral<Var>::value && std::is_integral<Bound>::value, "integer types only");
  static_assert(sizeof(Var) <= 8 && sizeof(Bound) <= 8, "integer types of up to 64 bits only");
  typedef decltype(true ? +lower : +bound) C;  // the type in which C++ compares them
  if (step < 0) down = !down;
  const std::uint64_t magnitude =
      step < 0 ? std::uint64_t(0) - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  const C from = static_cast<C>(lower);
  const C to = static_cast<C>(bound);
  if (relation == Relation::notEqual) relation = down ? Relation::greater : Relation::less;
  if (magnitude == 0 || !detail::holds(from, to, relation)) return 0;
  const bool upwards = relation == Relation::less || relation == Relation::lessEqual;
  if (upwards == down) return 0;
  // Sign extension to 64 bits keeps the order of C, so this difference is exact.
  const std::uint64_t distance = upwards ? static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from)
                                         : static_cast<std::uint64_t>(from) - static_cast<std::uint64_t>(to);
  const bool inclusive = relation == Relation::lessEqual || relation == Relation::greaterEqual;
  const std::uint64_t last = (inclusive ? distance : distance - 1) / magnitude;  // number of the last iteration
  return last == std::numeric_limits<std::uint64_t>::max() ? std::numeric_limits<std::int64_t>::max()
                                                           : detail::saturate(last + 1);
}

}  // namespace muster

#endif  // MUSTER_TRIPS_HPP
