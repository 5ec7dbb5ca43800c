// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effect of reading and writing places.
#include "analysis/walk/BodyWalker.h"
#include "llvm/ADT/SetOperations.h"
#include "source/RefusalTexts.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

bool BodyWalker::isEntry(const Pointer& pointer) const {
  return !pointer.local && pointer.array != localArray &&
         context_.facts.arrays[pointer.array].form == ArrayForm::Starts;
}

bool BodyWalker::isAddress(const Place& place) const {
  return llvm::any_of(place.elements, [&](const Pointer& pointer) {
    return !pointer.local && pointer.array != localArray && context_.facts.arrays[pointer.array].addresses;
  });
}

// Native code knows elements by the program's addresses where all of its arrays are the program's; not what stands in
// for an object, or for a table.
void BodyWalker::checkAddress(const Value& value, const Expr* expr) {
  const auto isOfProgram = [&](const Pointer& pointer) {
    if (pointer.local || pointer.array == localArray) return false;
    const ArrayFact& array = context_.facts.arrays[pointer.array];
    const bool isReduced = llvm::any_of(context_.facts.sections,
                                        [&](const SectionFact& section) { return section.array == pointer.array; });
    return (array.form == ArrayForm::Pointer || array.form == ArrayForm::Vector) && !array.embedded &&
           !array.addresses && !array.table && !isReduced;
  };
  if (value.pointers.empty() || !llvm::all_of(value.pointers, isOfProgram))
    context_.refuse(expr->getExprLoc(), say::AssignsNoNamedArray(sourceText(context_.ast, expr)));
}

// What is known of an object of the iteration's own, or of a pointer that is a member of it.
Value BodyWalker::ownValue(const Pointer& pointer) const {
  const auto object = state_.values.find(pointer.local);
  if (object == state_.values.end() || (pointer.inside && !pointer.field)) return {};
  const auto& members = object->second.members;
  if (!pointer.field) return {.members = members};
  const auto member = members.find(pointer.field);
  return member == members.end() ? Value() : member->second;
}

Value BodyWalker::load(const Place& place, const Expr* expr) {
  if (!isElement(place, expr)) return {};
  if (isAddress(place)) {
    context_.refuse(expr->getExprLoc(), say::ReadsAssignedEntry(sourceText(context_.ast, expr)));
    return {};
  }
  Value entries;
  bool onlyEntries = true;
  for (const Pointer& pointer : place.elements)
    if (isEntry(pointer)) {
      entries = entries.pointers.empty() ? entryOf(pointer, expr) : unite(entries, entryOf(pointer, expr));
    } else {
      onlyEntries = false;
      record(pointer, {}, place.elements.size() > 1, expr);
    }
  if (!entries.pointers.empty()) return onlyEntries ? entries : Value();
  if (place.elements.size() == 1 && place.elements.front().local) return ownValue(place.elements.front());
  if (!place.variable || context_.objects().isManifold(place.variable)) return {};
  auto known = state_.values.find(place.variable);
  if (known != state_.values.end()) return known->second;
  return initialValue(place.variable, expr);
}

// A variable of the launch site that an iteration may not change for others to see.
void BodyWalker::checkStore(const VarDecl* var, const Expr* expr) {
  auto role = context_.roles.find(var);
  if (role == context_.roles.end() || context_.declaredInside.count(var)) return;
  const std::string name = "'" + var->getNameAsString() + "'";
  if (role->second == Role::Loop)
    context_.refuse(expr->getExprLoc(), say::ChangesLoopVariable(name));
  else if (role->second == Role::Array)
    context_.refuse(expr->getExprLoc(), say::AssignsToSharedPointer(name));
  else if (role->second != Role::Private && role->second != Role::Firstprivate)
    context_.refuse(expr->getExprLoc(), say::WritesSharedVariable(name));
}

// What is stored cannot change a pointer that a member of an object is.
static bool isNumberOf(const Place& place, const Pointer& pointer, const Expr* expr) {
  return place.elements.size() == 1 && pointer.inside && !pointer.field && expr->getType()->isArithmeticType();
}

// What an lvalue is a member, a part or a base of; nullptr: of nothing.
static const Expr* wholeOf(const Expr* expr) {
  if (auto* member = dyn_cast<MemberExpr>(expr)) return member->isArrow() ? nullptr : member->getBase();
  if (auto* cast = dyn_cast<CastExpr>(expr)) return cast->getSubExpr();
  auto* op = dyn_cast<UnaryOperator>(expr);
  return op && (op->getOpcode() == UO_Real || op->getOpcode() == UO_Imag) ? op->getSubExpr() : nullptr;
}

void BodyWalker::store(const Place& place, const Value& value, const Expr* expr) {
  if (!isElement(place, expr)) return;
  // Of a variable's part that has no name of its own, as bit-fields have none.
  const bool isPart = !place.variable && place.elements.empty();
  for (const Expr* whole = isPart ? wholeOf(expr->IgnoreParens()) : nullptr; whole; whole = wholeOf(whole)) {
    whole = whole->IgnoreParens();
    const VarDecl* var = isa<MemberExpr>(whole) ? context_.objects().member(whole, bindings_) : nullptr;
    if (auto* reference = dyn_cast<DeclRefExpr>(whole)) var = placeOfReference(reference).variable;
    if (var) checkStore(var, expr);
  }
  if (isAddress(place)) checkAddress(value, expr);
  for (const Pointer& pointer : place.elements) {
    record(pointer, {.write = true}, place.elements.size() > 1, expr);
    if (!pointer.local) continue;
    checkStore(pointer.local, expr);
    auto& members = state_.values[pointer.local].members;
    if (isNumberOf(place, pointer, expr)) {
      state_.values[pointer.local] = {.members = std::move(members)};
      continue;
    }
    checkTemporary(pointer.local, expr);
    if (pointer.field && place.elements.size() == 1)
      members[pointer.field] = value;
    else
      state_.values[pointer.local] = Value::unknown();
  }
  if (!place.variable) return;
  checkStore(place.variable, expr);
  checkTemporary(place.variable, expr);
  state_.values[place.variable] = value;
}

// Loops are not searched for what they change in objects that have no name.
void BodyWalker::checkTemporary(const VarDecl* var, const Expr* expr) {
  const auto made = madeIn_.find(var);
  if (made != madeIn_.end() && left_.size() > made->second)
    context_.refuse(expr->getExprLoc(), say::ChangesPointersOfUnnamed);
}

void BodyWalker::record(const Pointer& pointer, AccessMode mode, bool alternative, const Expr* expr) {
  if (pointer.local || pointer.array == localArray || !checkSection(pointer, mode, expr)) return;
  if (isEntry(pointer) && (mode.write || mode.update)) {
    context_.refuse(expr->getExprLoc(), say::AssignsToRowPointer(sourceText(context_.ast, expr)));
    return;
  }
  if (pointer.inside && mode.update) {  // merges know whole elements only
    record(pointer, {.ordered = true}, alternative, expr);
    record(pointer, {.write = true, .ordered = true}, alternative, expr);
    return;
  }
  if (held_) lockedUses_.push_back({held_, pointer.array, mode, expr->getExprLoc()});
  AccessFact access;
  static_cast<AccessMode&>(access) = mode;
  access.partial = pointer.inside && mode.write;
  access.array = pointer.array;
  access.loc = expr->getExprLoc();
  if (pointer.offset) access.index = recombined(*pointer.offset);
  access.conditional = alternative || conditional_ > 0 || exited_ || jumped_ || access.partial;
  if (!pointer.offset) access.reason = say::IndexNotAffine(sourceText(context_.ast, expr));
  access.onlyIf = conditions();
  Doubt doubt;
  std::set<unsigned> variables;
  if (access.index) addVariables(*access.index, variables);
  doubt.around.insert(enclosing_.begin(), enclosing_.end());
  for (unsigned number : enclosing_) {
    const LoopVariable& loop = context_.variables[number];
    const bool used = variables.count(number);
    if (used && !loop.exact) doubt.values.insert(number);
    if (!used && !loop.surelyRuns) doubt.runs.insert(number);
  }
  // The index of one iteration is one of the values of a bracket, not all.
  access.conditional |= access.index && !isOneValue(*access.index);
  ArrayFact& array = context_.facts.arrays[pointer.array];
  (mode.update ? array.updated : mode.write ? array.written : array.read) = true;
  for (std::size_t i = 0; i < context_.facts.accesses.size(); ++i) {
    AccessFact& known = context_.facts.accesses[i];
    if (known.array != access.array || static_cast<const AccessMode&>(known) != mode ||
        known.index.has_value() != access.index.has_value())
      continue;
    if (access.index && !sameForm(*known.index, *access.index)) continue;
    Doubt& before = context_.doubts[i];
    doubt.around.insert(before.around.begin(), before.around.end());
    before.around = doubt.around;
    if (!access.conditional && (known.conditional || doubt.size() < before.size())) before = doubt;
    known.conditional &= access.conditional;
    llvm::set_intersect(known.onlyIf, access.onlyIf);
    if (known.index) known.index->guards.insert(access.index->guards.begin(), access.index->guards.end());
    known.partial |= access.partial;
    return;
  }
  context_.doubts[context_.facts.accesses.size()] = std::move(doubt);
  context_.facts.accesses.push_back(std::move(access));
}

}  // namespace muster::plugin
