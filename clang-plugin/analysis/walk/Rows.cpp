// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of rows in the walk over a body.
#include "analysis/code/Calls.h"
#include "analysis/objects/RowLengths.h"
#include "analysis/walk/BodyWalker.h"
#include "source/RefusalTexts.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

// That the launch has to look at a row.
void BodyWalker::noteRow(unsigned array, const AffineExpr& row, unsigned level) {
  const bool known = llvm::any_of(context_.facts.rows, [&](const RowFact& other) {
    return other.array == array && other.level == level && sameForm(other.row, row) && other.row.guards == row.guards;
  });
  if (!known) context_.facts.rows.push_back({array, row, level});
}

// What an entry of a table of form Starts points to. Every memory has the whole table, of which native code makes one
// of pointers.
Value BodyWalker::entryOf(Pointer entry, const Expr* expr) {
  ArrayFact& table = context_.facts.arrays[entry.array];
  if (entry.offset)
    noteRow(entry.array, *entry.offset, 0);
  else
    table.anyRow.insert(0);
  entry.offset = std::nullopt;
  record(entry, {}, false, expr);
  return {{}, {Pointer{nullptr, elementsBehind(context_.facts, table.var), std::nullopt}}};
}

// A pointer to the row's first element; that the row is used is recorded.
Value BodyWalker::rowOf(const RowUse& use, const Expr* expr) {
  const unsigned array = context_.arrayOf.at(use.table);
  if (context_.facts.arrays[array].form == ArrayForm::Starts) {
    Value entry{{}, {Pointer{nullptr, array, constantForm(0)}}}, result;
    const QualType row = context_.facts.arrays[elementsBehind(context_.facts, use.table)].var->getType();
    if (const Expr* index = use.indexes.front()) entry = movePointer(entry, evaluate(index), row, false);
    for (const Pointer& pointer : entry.pointers) {
      const Value leads = entryOf(pointer, expr);
      result.pointers.insert(result.pointers.end(), leads.pointers.begin(), leads.pointers.end());
    }
    return result;
  }
  std::vector<std::optional<AffineExpr>> offsets = {constantForm(0)};
  for (unsigned level = 0; level < use.indexes.size(); ++level) {
    const Expr* expr = use.indexes[level];
    const Value index = expr ? evaluate(expr) : Value::of(constantForm(0));
    if (index.forms.empty()) context_.facts.arrays[array].anyRow.insert(level);  // the launch asks how many there are
    for (const AffineExpr& row : index.forms) noteRow(array, row, level);
    std::vector<std::optional<AffineExpr>> moved;
    const AffineExpr scale = lengthOf(array, level);
    for (const auto& offset : offsets)
      for (const AffineExpr& row : index.forms) {
        const auto sum = offset ? add(*offset, row) : std::nullopt;
        moved.push_back(sum ? multiply(*sum, scale) : std::nullopt);
      }
    if (moved.empty() || moved.size() > mostAlternatives) moved = {std::nullopt};
    offsets = std::move(moved);
  }
  Value result;
  for (const auto& offset : offsets) result.pointers.push_back({nullptr, array, offset});
  return result;
}

// How many rows, or elements, lie between the rows of one entry of a table and those of the next.
AffineExpr BodyWalker::lengthOf(unsigned array, unsigned level) {
  const ArrayFact& fact = context_.facts.arrays[array];
  const VarDecl* length = context_.facts.scalars[*rowLength(context_.facts, fact, level)].var;
  return symbol(nullptr, rowLengthText(context_.facts, length),
                fact.var->getNameAsString() + (level + 1 == fact.extents.size() ? "_length" : "_rows"));
}

// A member of a row, which is a vector.
BodyWalker::Returned BodyWalker::callRow(const CallExpr* call, const Expr* index, const std::vector<Pointer>& rows) {
  const llvm::StringRef name = memberName(call);
  const ArrayFact& array = context_.facts.arrays[rows.front().array];
  const auto size = [&] {
    const ObjectMember* member = context_.objects().find(array.var);
    return symbol(nullptr, rowSizeText(context_.objects(), array.var),
                  (member ? array.var->getNameAsString() : array.var->getName().str()) + "[].size()");
  };
  const Value first{{}, rows};
  const auto at = [&](const Value& position) {
    return placeBehind(movePointer(first, position, array.element, false), call);
  };
  Returned result;
  result.any = true;
  if (name == "size") {
    result.value = Value::of(size());
  } else if (name == "data") {
    result.value = first;
  } else if (index) {
    result.place = at(evaluate(index));
  } else if (name == "front") {
    result.place.elements = rows;
  } else if (name == "back") {
    const auto last = add(size(), constantForm(-1));
    result.place = at(last ? Value::of(*last) : Value::unknown());
  } else if (name != "empty") {
    context_.refuse(call->getBeginLoc(), say::CallsMethod(name));
  }
  return result;
}

// False: it is a whole row.
bool BodyWalker::isElement(const Place& place, const Expr* expr) {
  if (place.rows.empty()) return true;
  context_.refuse(expr->getExprLoc(), say::RowForMoreThanElements(sourceText(context_.ast, expr)));
  return false;
}

}  // namespace muster::plugin
