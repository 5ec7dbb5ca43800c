// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands around loops in rewritten code: the affine forms of a launch (muster_launch.forms), 64-bit arithmetic
// that remembers whether it overflowed, and the teams of regions. C++11, header-only. Pure, but for Team.
#ifndef MUSTER_FORMS_HPP
#define MUSTER_FORMS_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "muster/abi.h"

namespace muster {

// Lives around a parallel region that one thread runs; see muster_team_begin.
class Team {
 public:
  Team(int threads, int condition, const muster_calls* calls) { muster_team_begin(threads, condition, calls); }
  ~Team() { muster_team_end(); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
};

// A coefficient or constant. Not exact: the true value does not fit in 64 bits; the value is then meaningless.
class Coefficient {
 public:
  template <class T, class = typename std::enable_if<std::is_integral<T>::value || std::is_enum<T>::value>::type>
  Coefficient(T value)  // implicit: forms are written as lists of numbers
      : value_(static_cast<std::int64_t>(value)), exact_((value_ < 0) == (value < static_cast<T>(0))) {}

  std::int64_t value() const { return value_; }
  bool exact() const { return exact_; }

  friend Coefficient operator+(Coefficient left, Coefficient right) {
    std::int64_t sum;
    const bool fits = !__builtin_add_overflow(left.value_, right.value_, &sum);
    return Coefficient(sum, fits && left.exact_ && right.exact_);
  }
  friend Coefficient operator*(Coefficient left, Coefficient right) {
    std::int64_t product;
    const bool fits = !__builtin_mul_overflow(left.value_, right.value_, &product);
    return Coefficient(product, fits && left.exact_ && right.exact_);
  }
  friend Coefficient operator-(Coefficient left, Coefficient right) {
    std::int64_t difference;
    const bool fits = !__builtin_sub_overflow(left.value_, right.value_, &difference);
    return Coefficient(difference, fits && left.exact_ && right.exact_);
  }
  Coefficient operator-() const { return Coefficient(0) - *this; }
  // Rounded down.
  Coefficient dividedBy(std::int64_t divisor) const {
    if (divisor < 1) return Coefficient(0, false);
    return Coefficient(value_ / divisor - (value_ % divisor < 0 ? 1 : 0), exact_);
  }

 private:
  Coefficient(std::int64_t value, bool exact) : value_(value), exact_(exact) {}
  std::int64_t value_;
  bool exact_;
};

// All forms of a launch in a row. A launch whose forms are not exact has to run on the host.
template <std::size_t N>
class Forms {
 public:
  explicit Forms(const Coefficient (&coefficients)[N]) : exact_(true) {
    for (std::size_t i = 0; i < N; ++i) {
      values_[i] = coefficients[i].value();
      exact_ = exact_ && coefficients[i].exact();
    }
  }
  const std::int64_t* data() const { return values_; }
  bool exact() const { return exact_; }

 private:
  std::int64_t values_[N];
  bool exact_;
};

// The values that a form has to have for its machine arithmetic not to wrap.
using Range = muster_range;

namespace detail {

// Smallest and largest value; `never` if there is no iteration.
struct Interval {
  Interval() : low(0), high(0), never(true) {}
  Interval(Coefficient least, Coefficient most, bool none) : low(least), high(most), never(none) {}
  Coefficient low, high;
  bool never;
};

inline Interval valuesOf(const std::int64_t* form, const Interval* variables, std::size_t count) {
  Interval sum = {form[count], form[count], false};
  for (std::size_t i = 0; i < count; ++i) {
    if (form[i] == 0) continue;
    const Coefficient factor(form[i]);
    sum.low = sum.low + factor * (form[i] < 0 ? variables[i].high : variables[i].low);
    sum.high = sum.high + factor * (form[i] < 0 ? variables[i].low : variables[i].high);
    sum.never = sum.never || variables[i].never;
  }
  return sum;
}

// One for each variable. (A std::vector, without its header.)
class Intervals {
 public:
  explicit Intervals(std::size_t count) : values_(new Interval[count]) {}
  ~Intervals() { delete[] values_; }
  Intervals(const Intervals&) = delete;
  Intervals& operator=(const Intervals&) = delete;
  Interval& operator[](std::size_t i) { return values_[i]; }
  const Interval* data() const { return values_; }

 private:
  Interval* values_;
};

// The values of the launch's variables, all of which are `never` before; false if there is no iteration. `forms` is
// laid out as in muster_launch.
template <std::size_t Dims>
bool variablesOf(Intervals& values, const std::int64_t* forms, const muster_dim (&dims)[Dims], std::size_t inner) {
  const std::size_t variables = Dims + inner;
  for (std::size_t i = 0; i < Dims; ++i) {
    if (dims[i].count <= 0) return false;
    const Coefficient first(dims[i].first), last = first + Coefficient(dims[i].count - 1) * Coefficient(dims[i].step);
    values[i].never = false;
    values[i].low = dims[i].step < 0 ? last : first;
    values[i].high = dims[i].step < 0 ? first : last;
  }
  for (std::size_t i = 0; i < inner; ++i, forms += MUSTER_INNER_VALUES(variables)) {
    const Interval least = valuesOf(forms, values.data(), variables);
    const Interval most = valuesOf(forms + variables + 1, values.data(), variables);
    const std::int64_t divisor = forms[2 * (variables + 1)];
    Interval& value = values[Dims + i];
    value.low = least.low.dividedBy(divisor);
    value.high = most.high.dividedBy(divisor);
    value.never = least.never || most.never ||
                  (value.low.exact() && value.high.exact() && value.high.value() < value.low.value());
  }
  return true;
}

}  // namespace detail

// Whether the forms that follow those of the accesses stay in their ranges in all iterations of a launch. `forms` is
// laid out as in muster_launch, with these at the end.
template <std::size_t Ranges, std::size_t Dims>
bool staysWithin(const Range (&ranges)[Ranges], const std::int64_t* forms, const muster_dim (&dims)[Dims],
                 std::size_t inner, std::size_t accesses) {
  const std::size_t variables = Dims + inner;
  detail::Intervals values(variables);
  if (!detail::variablesOf(values, forms, dims, inner)) return true;
  const std::int64_t* form = forms + inner * MUSTER_INNER_VALUES(variables) + accesses * (variables + 1);
  for (std::size_t i = 0; i < Ranges; ++i, form += variables + 1) {
    const detail::Interval value = detail::valuesOf(form, values.data(), variables);
    if (value.never) continue;
    if (!value.low.exact() || !value.high.exact()) return false;
    if (value.low.value() < ranges[i].low || value.high.value() > ranges[i].high) return false;
  }
  return true;
}

// The smallest and largest value that `count` forms, from the `first` after the inner variables on, have in a launch.
// False if they have none, or it is not known.
template <std::size_t Dims>
bool spanOf(Range& span, const std::int64_t* forms, const muster_dim (&dims)[Dims], std::size_t inner,
            std::size_t first, std::size_t count) {
  const std::size_t variables = Dims + inner;
  detail::Intervals values(variables);
  if (!detail::variablesOf(values, forms, dims, inner)) return false;
  bool any = false;
  const std::int64_t* others = forms + inner * MUSTER_INNER_VALUES(variables);
  for (std::size_t i = first; i < first + count; ++i) {
    const detail::Interval value = detail::valuesOf(others + i * (variables + 1), values.data(), variables);
    if (value.never) continue;
    if (!value.low.exact() || !value.high.exact()) return false;
    span.low = any && span.low < value.low.value() ? span.low : value.low.value();
    span.high = any && span.high > value.high.value() ? span.high : value.high.value();
    any = true;
  }
  return any;
}

}  // namespace muster

#endif  // MUSTER_FORMS_HPP
