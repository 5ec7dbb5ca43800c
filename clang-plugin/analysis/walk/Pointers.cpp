// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a pointer points to when it moves.
#include "analysis/code/Functions.h"
#include "analysis/objects/RowLengths.h"
#include "analysis/walk/BodyWalker.h"
#include "analysis/walk/WalkBody.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

static std::int64_t elementsIn(const ASTContext& ast, QualType type) {
  std::int64_t count = 1;
  while (auto* array = ast.getAsConstantArrayType(type)) {
    count *= static_cast<std::int64_t>(array->getZExtSize());
    type = array->getElementType();
  }
  return count;
}

// The variable of the launch site that a length of rows is, if it never changes.
static const Expr* unchangedLength(const LoopContext& context, const VariableArrayType* type) {
  const Expr* size = type->getSizeExpr()->IgnoreParenImpCasts();
  auto* reference = dyn_cast<DeclRefExpr>(size);
  auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  const bool same = var && var->hasLocalStorage() && !var->getType()->isReferenceType() && isInvariant(context, size) &&
                    !changedVariables(context.facts.function->getBody()).count(var);
  return same ? size : nullptr;
}

// Within a member that is an array a pointer stays in its element; beyond, it may be anywhere in the array.
Pointer BodyWalker::moveInside(const Pointer& pointer, const Value& index, bool back) const {
  Pointer moved = pointer;
  std::optional<std::int64_t> low, high;
  for (std::size_t i = 0; i < index.forms.size(); ++i) {
    auto [least, most] = rangeOf(index.forms[i]);
    if (!least || !most || *least < -INT32_MAX || *most > INT32_MAX) {
      low = high = std::nullopt;
      break;
    }
    low = i == 0 ? *least : std::min(*low, *least);
    high = i == 0 ? *most : std::max(*high, *most);
  }
  if (low && high && back) {
    std::swap(low, high);
    low = -*low, high = -*high;
  }
  if (low && high && *low >= -pointer.before && *high < pointer.ahead) {
    moved.before += *low, moved.ahead -= *high;
    return moved;
  }
  moved.offset = std::nullopt;
  moved.before = 0, moved.ahead = 1;
  return moved;
}

Value BodyWalker::movePointer(const Value& pointer, const Value& index, QualType pointee, bool back) {
  // From one member to another.
  if (llvm::any_of(pointer.pointers, [](const Pointer& place) { return place.field != nullptr; })) return {};
  Value result;
  // How many elements `pointee` has, a row of the array or of a part of it.
  auto elementsOf = [&](const Pointer& base) -> std::optional<AffineExpr> {
    if (!pointee->isVariablyModifiedType()) return constantForm(elementsIn(context_.ast, pointee));
    if (base.local || base.array == localArray) return std::nullopt;
    const ArrayFact array = context_.facts.arrays[base.array];
    if (!hasUnknownLengths(array)) return std::nullopt;
    QualType row = firstOf(array.var);
    unsigned level = 0;
    auto enter = [&] { row = context_.ast.getAsArrayType(row)->getElementType(), ++level; };
    while (level < array.extents.size() && !context_.ast.hasSameUnqualifiedType(row, pointee)) enter();
    if (level == array.extents.size()) return std::nullopt;
    std::optional<AffineExpr> count = constantForm(1);
    for (; level < array.extents.size() && count; enter()) {
      AffineExpr extent = constantForm(array.extents[level]);
      if (auto length = rowLength(context_.facts, array, level)) {
        auto* type = cast<VariableArrayType>(context_.ast.getAsArrayType(row));
        const Expr* user = unchangedLength(context_, type);
        extent = user ? symbolOf(user)
                      : symbol(nullptr, rowLengthText(context_.facts, context_.facts.scalars[*length].var),
                               sourceText(context_.ast, type->getSizeExpr()));
      }
      count = multiply(*count, extent);
    }
    return count;
  };
  for (const Pointer& base : pointer.pointers) {
    Pointer moved = base;
    if (base.inside) {
      // How many rows lie ahead is not counted.
      result.pointers.push_back(moveInside(base, pointee->isArrayType() ? Value::unknown() : index, back));
      continue;
    }
    moved.offset = std::nullopt;
    std::optional<AffineExpr> scale = elementsOf(base);
    if (scale && back) scale = multiply(*scale, constantForm(-1));
    if (index.forms.empty() || !base.offset || !scale) {
      result.pointers.push_back(moved);
      continue;
    }
    for (const AffineExpr& form : index.forms) {
      auto distance = multiply(form, *scale);
      moved.offset = distance ? add(*base.offset, *distance) : std::nullopt;
      result.pointers.push_back(moved);
    }
  }
  if (result.pointers.size() > mostAlternatives) {
    for (Pointer& moved : result.pointers) moved.offset = std::nullopt;
    result = unite({{}, {result.pointers.front()}}, result);
  }
  return result;
}

}  // namespace muster::plugin
