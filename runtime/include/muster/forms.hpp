// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The affine forms of a launch (muster_launch.forms) as rewritten code computes them: 64-bit arithmetic that remembers
// whether it overflowed. C++11, header-only. Pure.
#ifndef MUSTER_FORMS_HPP
#define MUSTER_FORMS_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace muster {

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

}  // namespace muster

#endif  // MUSTER_FORMS_HPP
