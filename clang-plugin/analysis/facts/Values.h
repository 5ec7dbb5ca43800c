// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the walk over a body knows about values: the few affine forms that an integer can have, the few places that a
// pointer can point to. Empty means that nothing is known.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "analysis/facts/Affine.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace muster::plugin {

// Stands for an unnamed part of a local aggregate.
inline constexpr unsigned localArray = ~0u;

// A pointer into an array parameter, or to (a part of) a variable of the iteration itself.
struct Pointer {
  const clang::VarDecl* local = nullptr;
  unsigned array = 0;
  std::optional<AffineExpr> offset = {};  // in innermost elements; none: anywhere in the array
  // Into a part of a struct that is the element: how many objects of the pointer's type lie before it and from it on,
  // within a member that is an array.
  bool inside = false;
  std::int64_t before = 0, ahead = 1;
  const clang::FieldDecl* field = nullptr;  // `local` is an object, and the pointer leads to this member, a pointer
};

// An integer has one of the `forms` (if there are any); besides, it is not below any of `atLeast` and not above any
// of `atMost`, as a number (a single form is its own bound).
struct Value {
  std::vector<AffineExpr> forms = {};
  std::vector<Pointer> pointers = {};
  std::vector<AffineExpr> atLeast = {}, atMost = {};
  // Of an object of the iteration's own: its members that are pointers, as far as they are known.
  std::map<const clang::FieldDecl*, Value> members = {};

  static Value unknown() { return {}; }
  static Value of(AffineExpr form) { return {{std::move(form)}, {}}; }
  const std::vector<AffineExpr>& lowBounds() const { return forms.size() == 1 ? forms : atLeast; }
  const std::vector<AffineExpr>& highBounds() const { return forms.size() == 1 ? forms : atMost; }
};

// What an lvalue denotes: a whole tracked variable, elements of arrays, rows of vectors of vectors (their first
// elements), or a part of a local aggregate (nothing set).
struct Place {
  const clang::VarDecl* variable = nullptr;
  std::vector<Pointer> elements = {};
  std::vector<Pointer> rows = {};
};

// More alternatives than this are not worth an access each.
inline constexpr std::size_t mostAlternatives = 6;

// Either value; unknown if one of them is, or if there are too many forms.
Value unite(const Value& left, const Value& right);
bool samePointer(const Pointer& left, const Pointer& right);

// A variable of a loop around an access, or a bracket: an expression of which only bounds are known.
struct LoopVariable {
  const clang::VarDecl* var = nullptr;  // nullptr: a bracket
  const clang::ForStmt* loop = nullptr;
  std::string name;
  bool bounded = false;        // smallest and largest are known
  bool exact = false;          // it takes all values between them; a bracket: they are one value
  bool surelyRuns = false;     // the loop has an iteration for constant bounds
  bool strictlyBelow = false;  // counts up with `<`: variable + 1 fits in its type
  bool followsSplit = false;   // its bounds depend on the variable of the loop that is split over the devices
  AffineExpr smallest, largest;
  Polynomial divisor = {{Monomial{}, 1}};        // of both, rounded down; beyond 1 only of brackets
  std::optional<std::int64_t> minimum, maximum;  // constants, where known
  // What proofs may use: bounds that hold in every iteration. Also for the directive's loops, which have no smallest
  // and largest here.
  std::optional<AffineExpr> least, most;
  // How many iterations came before this one, for a loop that counts by one from a known value.
  std::optional<AffineExpr> passed;
  // A loop whose step is not 1: its variable is first + k * step for all k in [0, last].
  struct Stride {
    Polynomial first, step, last;
  };
  std::optional<Stride> stride;
};

// What a form is at most (`upper`), or at least, whatever the variables of loops are: from the innermost one on, each
// has a bound in its place, by whether the form grows with it. None: that is not known, or a bound is right under a
// guard only, which all that follows from it would need.
using Grows = llvm::function_ref<std::optional<bool>(const LoopVariable& variable, const Polynomial& factor)>;
std::optional<Polynomial> extremeOf(AffineExpr form, bool upper, const std::vector<LoopVariable>& variables,
                                    Grows grows);

}  // namespace muster::plugin
