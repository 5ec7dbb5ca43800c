// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printed C with the precedence of its outermost operator, so that parentheses appear where they are needed.
#pragma once

#include <string>
#include <utility>

namespace muster::plugin::opencl {

// C's precedence levels, weakest first.
enum class Prec {
  Comma,
  Assignment,
  Conditional,
  LogicalOr,
  LogicalAnd,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relational,
  Shift,
  Additive,
  Multiplicative,
  Unary,
  Postfix,
  Primary
};

struct Text {
  std::string text;
  Prec prec = Prec::Primary;

  Text() = default;
  explicit Text(std::string text, Prec prec = Prec::Primary) : text(std::move(text)), prec(prec) {}

  // For an operand position that binds with `least`.
  std::string at(Prec least) const { return prec < least ? "(" + text + ")" : text; }
};

}  // namespace muster::plugin::opencl
