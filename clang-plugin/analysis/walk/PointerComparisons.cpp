// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the body learns from addresses: differences, comparisons, numbers. A device has a copy of a part of an array at
// an address of its own, so that only pointers into one array are to each other as they are in the program.
#include "analysis/walk/BodyWalker.h"
#include "source/RefusalTexts.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

// As a function object compares them: as numbers.
static const Expr* withoutNumber(const Expr* expr) {
  expr = expr->IgnoreParenImpCasts();
  auto* cast = dyn_cast<ExplicitCastExpr>(expr);
  return cast && cast->getCastKind() == CK_PointerToIntegral ? cast->getSubExpr() : expr;
}

static bool isDataPointer(const Expr* expr) {
  return expr->getType()->isPointerType() && !expr->getType()->isFunctionPointerType();
}

std::optional<ComparedPointers> comparedPointers(const BinaryOperator* op) {
  if (op->isAssignmentOp()) return std::nullopt;
  if (op->getOpcode() == BO_Sub && isDataPointer(op->getLHS()) && isDataPointer(op->getRHS()))
    return std::pair(op->getLHS(), op->getRHS());
  if (!op->isComparisonOp()) return std::nullopt;
  if (isDataPointer(op->getLHS()) && isDataPointer(op->getRHS())) return std::pair(op->getLHS(), op->getRHS());
  const Expr *left = withoutNumber(op->getLHS()), *right = withoutNumber(op->getRHS());
  return isDataPointer(left) && isDataPointer(right) ? std::optional(std::pair(left, right)) : std::nullopt;
}

static bool isNull(const ASTContext& ast, const Expr* expr) {
  return expr->IgnoreParenImpCasts()->isNullPointerConstant(const_cast<ASTContext&>(ast),
                                                            Expr::NPC_ValueDependentIsNotNull) != Expr::NPCK_NotNull;
}

Value BodyWalker::comparison(const BinaryOperator* op, ComparedPointers pointers) {
  const auto [left, right] = pointers;
  const Value first = valueOf(left), second = valueOf(right);
  if (isNull(context_.ast, left) || isNull(context_.ast, right)) return {};
  for (const auto& [expr, value] : {std::pair(left, &first), std::pair(right, &second)})
    if (value->pointers.empty()) {
      auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts());
      if (reference && reference->getDecl()->isImplicit())
        context_.refuse(expr->getExprLoc(), say::RangeForOverUnnamed);
      else
        context_.refuse(expr->getExprLoc(), say::ComparesUnfollowedPointer(sourceText(context_.ast, expr)));
      return {};
    }
  for (const Pointer& one : first.pointers)
    for (const Pointer& other : second.pointers) comparePointers(one, other, op);
  return op->getOpcode() == BO_Sub ? distance(first, second, op->getType()) : Value();
}

// The row that starts where the pointer is.
static const RowFact* startingAt(const Pointer& pointer, const LoopFacts& facts, const AffineExpr& length) {
  for (const RowFact& row : facts.rows) {
    if (row.array != pointer.array || !pointer.offset) continue;
    const auto start = multiply(row.row, length);
    if (start && sameForm(*start, *pointer.offset)) return &row;
  }
  return nullptr;
}

// `p < a[i + 1]`: a row that ends where another one starts is no row of a common length. Where rows are computed, a
// common length is of no use.
void BodyWalker::compareRows(const Pointer& left, const Pointer& right, const BinaryOperator* op) {
  const ArrayFact& array = context_.facts.arrays[left.array];
  if (array.form != ArrayForm::Rows || array.extents.size() != 1) return;
  const AffineExpr length = lengthOf(left.array, 0);
  const RowFact *first = startingAt(left, context_.facts, length), *second = startingAt(right, context_.facts, length);
  bool areTwo = first && second && first != second;
  if (areTwo && op->isEqualityOp()) {  // `row != a[0]` tells rows apart
    const auto between = subtract(first->row, second->row);
    areTwo = between && between->factors.empty();
  }
  const bool isEnd = op->getOpcode() != BO_Sub && ((first && !right.offset) || (second && !left.offset));
  if (areTwo || isEnd || !array.anyRow.empty()) context_.tables = std::max(context_.tables, TableUse::Ends);
}

void BodyWalker::comparePointers(const Pointer& left, const Pointer& right, const BinaryOperator* op) {
  const bool ownLeft = left.local || left.array == localArray, ownRight = right.local || right.array == localArray;
  std::vector<ArrayFact>& arrays = context_.facts.arrays;
  if (!ownLeft && !ownRight && left.array == right.array) compareRows(left, right, op);
  if ((ownLeft && ownRight) || (!ownLeft && !ownRight && left.array == right.array)) return;
  const bool hasRows = !ownLeft && !ownRight && (arrays[left.array].isTable() || arrays[right.array].isTable());
  if (ownLeft != ownRight || hasRows) {
    context_.refuse(op->getOperatorLoc(), say::ComparesDifferentThings(sourceText(context_.ast, op)));
    return;
  }
  const unsigned known = arrays[left.array].compared, other = arrays[right.array].compared;
  const unsigned number = known ? known : other ? other : left.array + 1;
  bool ordered = !op->isEqualityOp();
  for (unsigned i = 0; i < arrays.size(); ++i) {
    const bool joined = i == left.array || i == right.array ||
                        (arrays[i].compared && (arrays[i].compared == known || arrays[i].compared == other));
    if (!joined) continue;
    arrays[i].compared = number;
    ordered |= arrays[i].ordered;
  }
  for (ArrayFact& array : arrays)
    if (array.compared == number) array.ordered = ordered;
}

// Of two pointers into one array of single elements.
Value BodyWalker::distance(const Value& left, const Value& right, QualType type) {
  if (left.pointers.size() != 1 || right.pointers.size() != 1) return {};
  const Pointer &end = left.pointers.front(), &start = right.pointers.front();
  const bool known = !end.local && !start.local && !end.inside && !start.inside && end.offset && start.offset;
  if (!known || end.array != start.array || end.array == localArray) return {};
  if (!context_.facts.arrays[end.array].extents.empty()) return {};
  return linear(BO_Sub, Value::of(*end.offset), Value::of(*start.offset), type);
}

// Every device, and every rank, has another one.
Value BodyWalker::addressAsNumber(const Expr* pointer) {
  const Value value = valueOf(pointer);
  const bool isOwn = !value.pointers.empty() && llvm::all_of(value.pointers, [](const Pointer& place) {
    return place.local || place.array == localArray;
  });
  if (!isOwn && !isNull(context_.ast, pointer))
    context_.refuse(pointer->getExprLoc(), say::AddressAsNumber(sourceText(context_.ast, pointer)));
  return {};
}

}  // namespace muster::plugin
