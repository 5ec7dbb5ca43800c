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
      return left != right;
  }
  return false;
}

inline std::int64_t saturate(std::uint64_t count) {
  const std::uint64_t most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(count < most ? count : most);
}

// The distance from `from` to `to` when counting with ++ (or --, for `down`) in arithmetic of `bits` bits.
inline std::uint64_t modularDistance(std::uint64_t from, std::uint64_t to, int bits, bool down) {
  const std::uint64_t distance = down ? from - to : to - from;
  return bits >= 64 ? distance : distance & ((std::uint64_t(1) << bits) - 1);
}

// Iterations of a `!=` loop that starts with lower != bound and steps by magnitude * (down ? -1 : 1).
template <class Var, class C>
std::uint64_t notEqualCount(Var lower, C bound, std::uint64_t magnitude, bool down) {
  // An unsigned variable wraps in its own width, which is narrower than C after promotion; a signed one may not wrap,
  // but what it is compared with does if C is unsigned.
  if (std::is_unsigned<Var>::value) {
    if (static_cast<C>(static_cast<Var>(bound)) != bound) return 0;  // never equal: not a canonical loop
    return modularDistance(static_cast<std::uint64_t>(lower), static_cast<std::uint64_t>(bound),
                           std::numeric_limits<Var>::digits, down) /
           magnitude;
  }
  const C from = static_cast<C>(lower);
  if (std::is_signed<C>::value && (down ? from < bound : bound < from)) return 0;  // moves away from the bound
  return modularDistance(static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(bound),
                         std::numeric_limits<C>::digits + (std::is_signed<C>::value ? 1 : 0), down) /
         magnitude;
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
// iteration is counted as if it did not.
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
  if (magnitude == 0 || !detail::holds(from, to, relation)) return 0;
  if (relation == Relation::notEqual)
    return detail::saturate(detail::notEqualCount<Var, C>(lower, to, magnitude, down));
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
