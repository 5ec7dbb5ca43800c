// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of a kernel's code, between the program's syntax tree (lower/) and a device's language (print/): C's
// operators on names, literals and calls. Handles of nodes that nothing changes, so that parts may stand in several
// places.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace muster::plugin::ir {

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

enum class ExpressionKind {
  Name,         // text: of a variable, or of a macro
  Literal,      // text; `prec` is that of a sign or of a sum, which a literal may need
  Prefix,       // text: the operator; its operand
  Postfix,      // the same
  Binary,       // text: the operator; two operands
  Assign,       // text: `=`, `+=` and so on; target, value
  Conditional,  // condition, and the two values
  Comma,        // two or more parts
  Cast,         // text: the type
  Call,         // text: the function; its arguments
  Subscript,    // pointer, index
  Member,       // text: `.name` or `->name`; the object, or its pointer
  Braces,       // text: the type of a compound literal, or empty: an initialiser; its parts
  Designated,   // text: `.name`; what an initialiser gives it
  Parentheses   // which C does not ask for
};

class Expression {
 public:
  Expression() = default;  // none
  Expression(ExpressionKind kind, std::string text, std::vector<Expression> parts, Prec prec);

  explicit operator bool() const { return node_ != nullptr; }
  inline ExpressionKind kind() const;
  inline const std::string& text() const;
  inline Prec prec() const;
  inline llvm::ArrayRef<Expression> parts() const;
  const Expression& part(unsigned number) const { return parts()[number]; }
  bool is(ExpressionKind kind, llvm::StringRef text) const { return this->kind() == kind && this->text() == text; }

 private:
  struct Node;
  std::shared_ptr<const Node> node_;
};

struct Expression::Node {
  ExpressionKind kind;
  Prec prec;
  std::string text;
  std::vector<Expression> parts;
};

ExpressionKind Expression::kind() const { return node_->kind; }
const std::string& Expression::text() const { return node_->text; }
Prec Expression::prec() const { return node_->prec; }
llvm::ArrayRef<Expression> Expression::parts() const { return node_->parts; }

bool operator==(const Expression& left, const Expression& right);

Expression name(std::string text);
Expression literal(std::string text, Prec prec = Prec::Primary);
Expression prefix(const char* op, Expression operand);
Expression postfix(Expression operand, const char* op);
Expression binary(llvm::StringRef op, Expression left, Expression right);
Expression assign(Expression target, Expression value, llvm::StringRef op = "=");
Expression conditional(Expression condition, Expression yes, Expression no);
// Of one part: that part.
Expression comma(std::vector<Expression> parts);
Expression cast(std::string type, Expression operand);
Expression call(std::string function, std::vector<Expression> arguments);
Expression subscript(Expression pointer, Expression index);
Expression member(Expression object, const std::string& name);
Expression arrow(Expression pointer, const std::string& name);
Expression braces(std::vector<Expression> parts, std::string type = "");
// What makes a value of the elements behind it, in parentheses for a vector, in braces for a struct. OpenCL C has the
// type in parentheses there, which in C++ would be a cast of the last element.
std::string maker(const std::string& type);
inline constexpr const char* makerName = "MUSTER_MAKE";
Expression designated(const std::string& name, Expression value);
Expression parentheses(Expression inner);

// What a pointer leads to, and the address of an object; `&*p` is p, and `*&x` is x.
Expression target(Expression pointer);
Expression addressOf(Expression object);

}  // namespace muster::plugin::ir
