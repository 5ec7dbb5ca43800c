// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole numbers that are made of numbers, by C's rules: `7 / 3 - 1` is `1`, `1U - 2L` is `-1L`.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/Expression.h"

namespace muster::plugin::ir {

struct Number {
  std::int64_t value = 0;
  bool isLong = false, isUnsigned = false;
};

// Of a decimal literal. None: it is no whole number, or beyond 63 bits.
std::optional<Number> numberOf(const Expression& value);
Expression literalOf(const Number& number);

// The expression with its parts that are numbers as literals. What overflows stays as it is.
Expression folded(const Expression& expression);

}  // namespace muster::plugin::ir
