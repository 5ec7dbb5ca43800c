// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the walk over a body knows about values: the few affine forms that an integer can have, the few places that a
// pointer can point to. Empty means that nothing is known.
#pragma once

#include <optional>
#include <vector>

#include "analysis/Affine.h"

namespace muster::plugin {

// Stands for an unnamed part of a local aggregate.
inline constexpr unsigned localArray = ~0u;

// A pointer into an array parameter, or to (a part of) a variable of the iteration itself.
struct Pointer {
  const clang::VarDecl* local = nullptr;
  unsigned array = 0;
  std::optional<AffineExpr> offset;  // in innermost elements; none: anywhere in the array
};

struct Value {
  std::vector<AffineExpr> forms;
  std::vector<Pointer> pointers;

  static Value unknown() { return {}; }
  static Value of(AffineExpr form) { return {{std::move(form)}, {}}; }
};

// What an lvalue denotes: a whole tracked variable, elements of arrays, or a part of a local aggregate (nothing set).
struct Place {
  const clang::VarDecl* variable = nullptr;
  std::vector<Pointer> elements;
};

// More alternatives than this are not worth an access each.
inline constexpr std::size_t mostAlternatives = 6;

// Either value; unknown if one of them is, or if there are too many forms.
Value unite(const Value& left, const Value& right);
bool samePointer(const Pointer& left, const Pointer& right);

// A variable of a loop around an access.
struct LoopVariable {
  const clang::VarDecl* var = nullptr;
  const clang::ForStmt* loop = nullptr;
  bool bounded = false;        // smallest and largest are known
  bool exact = false;          // it takes all values between them
  bool surelyRuns = false;     // the loop has an iteration for constant bounds
  bool strictlyBelow = false;  // counts up with `<`: variable + 1 fits in its type
  AffineExpr smallest, largest;
  std::optional<std::int64_t> minimum, maximum;  // constants, where known
};

}  // namespace muster::plugin
