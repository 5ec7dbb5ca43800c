// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lvalues denote, and the effect of reading and writing them.
#include "analysis/facts/Context.h"
#include "analysis/loops/Iterators.h"
#include "analysis/objects/Objects.h"
#include "analysis/walk/BodyWalker.h"
#include "llvm/ADT/SetOperations.h"
#include "source/LibraryTypes.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

Place BodyWalker::place(const Expr* expr) {
  if (!expr || context_.refused()) return {};
  expr = expr->IgnoreParens();
  if (auto* reference = dyn_cast<DeclRefExpr>(expr)) return placeOfReference(reference);
  if (isa<MemberExpr>(expr) || (isa<ArraySubscriptExpr, UnaryOperator>(expr) && expr->getType()->isPointerType()) ||
      isSmartArray(expr->getType()))
    if (const VarDecl* var = context_.objects().member(expr, bindings_)) return placeOfVariable(var);
  if (!context_.objects().elements(expr, bindings_).empty()) {
    context_.refuse(expr->getExprLoc(),
                    "uses '" + sourceText(context_.ast, expr) +
                        "', one of several pointers, for something else than elements of its array");
    return {};
  }
  if (auto* subscript = dyn_cast<ArraySubscriptExpr>(expr)) return placeOfSubscript(subscript);
  if (auto* op = dyn_cast<UnaryOperator>(expr)) {
    if (op->getOpcode() == UO_Deref) return placeBehind(evaluate(op->getSubExpr()), expr);
    if (op->isIncrementDecrementOp()) return placeOfCount(op);
    if (op->getOpcode() == UO_Real || op->getOpcode() == UO_Imag) return partOf(place(op->getSubExpr()), 1);
    return place(op->getSubExpr());
  }
  if (auto* op = dyn_cast<BinaryOperator>(expr)) {
    if (op->isAssignmentOp()) return placeOfAssignment(op);
    evaluate(op->getLHS());
    return place(op->getRHS());
  }
  if (auto* op = dyn_cast<ConditionalOperator>(expr)) {
    evaluate(op->getCond());
    Place yes, no;
    maybe([&] { yes = place(op->getTrueExpr()); });
    maybe([&] { no = place(op->getFalseExpr()); });
    if (yes.variable || no.variable || yes.elements.empty() != no.elements.empty() || !yes.rows.empty() ||
        !no.rows.empty())
      context_.refuse(expr->getBeginLoc(), "refers to one of several variables");
    yes.elements.insert(yes.elements.end(), no.elements.begin(), no.elements.end());
    return yes;
  }
  if (auto* member = dyn_cast<MemberExpr>(expr)) return placeOfMember(member);
  if (const Expr* translated = withPointers(context_.ast, expr); translated && translated->isGLValue())
    return place(translated);
  if (auto* call = dyn_cast<CallExpr>(expr)) return this->call(call).place;
  if (auto* full = dyn_cast<FullExpr>(expr)) return place(full->getSubExpr());
  if (auto* temporary = dyn_cast<MaterializeTemporaryExpr>(expr)) {
    Value value = evaluate(temporary->getSubExpr());
    if (value.members.empty()) return {};
    Place object;
    object.variable = this->temporary(expr);
    state_.values[object.variable] = std::move(value);
    return object;
  }
  if (auto* cast = dyn_cast<CastExpr>(expr)) {
    if (cast->getCastKind() == CK_DerivedToBase || cast->getCastKind() == CK_UncheckedDerivedToBase)
      return partOf(place(cast->getSubExpr()), 1);
    if (cast->getCastKind() != CK_NoOp && cast->getCastKind() != CK_ConstructorConversion)
      context_.refuse(expr->getBeginLoc(), "reinterprets a variable as one of another type");
    return place(cast->getSubExpr());
  }
  if (isa<StringLiteral>(expr)) return {};
  if (isa<CompoundLiteralExpr, InitListExpr>(expr)) {
    evaluateChildren(expr);
    return {};
  }
  if (isa<CXXConstructExpr>(expr)) {
    evaluate(expr);
    return {};
  }
  // The elements of an array, one after the other.
  if (isa<OpaqueValueExpr>(expr))
    context_.refuse(expr->getBeginLoc(),
                    "copies an array to bind names to its elements; bind them by 'auto &', or read them one by one");
  context_.refuse(expr->getBeginLoc(), std::string("contains an expression of kind ") + expr->getStmtClassName());
  return {};
}

static std::int64_t objectsIn(const ASTContext& ast, QualType type) {
  auto* array = ast.getAsConstantArrayType(type);
  return array ? static_cast<std::int64_t>(ast.getConstantArrayElementCount(array)) : 1;
}

// A part of a struct, of `count` objects: elements of arrays are still what they are.
Place BodyWalker::partOf(Place whole, std::int64_t count) {
  whole.variable = nullptr;
  for (Pointer& pointer : whole.elements) pointer.inside = true, pointer.before = 0, pointer.ahead = count;
  return whole;
}

Place BodyWalker::placeOfMember(const MemberExpr* member) {
  const Expr* base = member->getBase();
  if (!isa<FieldDecl>(member->getMemberDecl())) {
    if (!member->isArrow() && base->isGLValue()) place(base);
    Place result;
    result.variable = dyn_cast<VarDecl>(member->getMemberDecl());
    return result;
  }
  // An object of the iteration's own may refer to any variable or element. (Constant ones are read where it is made.)
  const QualType memberType = member->getMemberDecl()->getType();
  if (memberType->isReferenceType() && !memberType->getPointeeType().isConstQualified()) {
    const Place whole = member->isArrow() ? placeBehind(evaluate(base), member) : place(base);
    const VarDecl* object = ownObject(whole);
    return placeBehind(
        object ? ownValue({.local = object, .field = cast<FieldDecl>(member->getMemberDecl())}) : Value::unknown(),
        member);
  }
  if (!member->isArrow() && !base->isGLValue()) {
    evaluate(base);
    return {};
  }
  Place whole = member->isArrow() ? placeBehind(evaluate(base), member) : place(base);
  if (memberType->isPointerType())
    if (const VarDecl* object = ownObject(whole)) {
      Place part;
      part.elements.push_back({.local = object, .inside = true, .field = cast<FieldDecl>(member->getMemberDecl())});
      return part;
    }
  return partOf(std::move(whole), objectsIn(context_.ast, member->getType()));
}

Place BodyWalker::placeOfSubscript(const ArraySubscriptExpr* subscript) {
  Value base = evaluate(subscript->getBase());
  Value index = evaluate(subscript->getIdx());
  // An index of an array is within it, wherever it is; one of a pointer has to be shown.
  const bool ofArray = subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType();
  Value moved;
  for (const Pointer& pointer : base.pointers) {
    if (!pointer.inside || !ofArray) {
      const Value one = movePointer({{}, {pointer}}, index, subscript->getType(), false);
      moved.pointers.insert(moved.pointers.end(), one.pointers.begin(), one.pointers.end());
      continue;
    }
    moved.pointers.push_back(pointer);
    moved.pointers.back().before = 0, moved.pointers.back().ahead = objectsIn(context_.ast, subscript->getType());
  }
  return placeBehind(moved, subscript);
}

Place BodyWalker::placeOfReference(const DeclRefExpr* reference) {
  if (auto* binding = dyn_cast<BindingDecl>(reference->getDecl())) return place(binding->getBinding());
  auto* var = dyn_cast<VarDecl>(reference->getDecl());
  if (!var) return {};
  if (const VarDecl* copy = Objects::copyNamed(reference, bindings_)) return placeOfVariable(copy);
  if (const VarDecl* captured = context_.objects().variable(reference, bindings_)) return placeOfVariable(captured);
  if (auto bound = state_.references.find(var); bound != state_.references.end()) return bound->second;
  return placeOfVariable(var);
}

Place BodyWalker::placeOfVariable(const VarDecl* var) const {
  auto array = context_.arrayOf.find(var);
  Place result;
  if (array != context_.arrayOf.end() && var->getType().getNonReferenceType()->isArrayType())
    result.elements.push_back({nullptr, array->second, constantForm(0)});
  else
    result.variable = var;
  return result;
}

Place BodyWalker::placeBehind(const Value& pointer, const Expr* expr) {
  if (pointer.pointers.empty()) {
    context_.refuse(expr->getExprLoc(),
                    "uses '" + sourceText(context_.ast, expr) +
                        "' through a pointer that the analysis cannot follow; use an index of the array instead");
    return {};
  }
  Place result;
  result.elements = pointer.pointers;
  return result;
}

Place BodyWalker::placeOfAssignment(const BinaryOperator* op) {
  const Expr* left = op->getLHS();
  if (op->getOpcode() == BO_Assign) {
    Value value = evaluate(op->getRHS());
    Place target = place(left);
    store(target, value, left);
    return target;
  }
  Value right = evaluate(op->getRHS());
  Place target = place(left);
  Value old = load(target, left);
  const auto opcode = BinaryOperator::getOpForCompoundAssignment(op->getOpcode());
  Value value;
  if (left->getType()->isPointerType()) {
    value = movePointer(old, right, left->getType()->getPointeeType(), opcode == BO_Sub);
  } else if (auto* compound = dyn_cast<CompoundAssignOperator>(op); compound && left->getType()->isIntegerType()) {
    QualType computation = compound->getComputationResultType();
    value = arithmetic(opcode, convert(old, left->getType(), compound->getComputationLHSType()), right, computation);
    if (computation->isIntegerType()) value = convert(value, computation, left->getType());
  }
  store(target, value, left);
  return target;
}

Place BodyWalker::placeOfCount(const UnaryOperator* op) {
  const Expr* operand = op->getSubExpr();
  Place target = place(operand);
  Value old = load(target, operand);
  const Value one = Value::of(constantForm(1));
  Value value;
  if (operand->getType()->isPointerType())
    value = movePointer(old, one, operand->getType()->getPointeeType(), op->isDecrementOp());
  else
    value = arithmetic(op->isDecrementOp() ? BO_Sub : BO_Add, old, one, operand->getType());
  store(target, value, operand);
  return target;
}

// The object of the iteration's own that a place is the whole of.
const VarDecl* BodyWalker::ownObject(const Place& place) const {
  const VarDecl* var = place.variable;
  if (!var && place.elements.size() == 1 && !place.elements.front().inside) var = place.elements.front().local;
  const QualType type = var ? var->getType().getNonReferenceType() : QualType();
  const bool isOwn = var && Objects::isRecord(type) && !type->isUnionType();
  return isOwn && !context_.roles.count(var) ? var : nullptr;
}

// Where a value without a name is kept while something points to it.
const VarDecl* BodyWalker::temporary(const Expr* expr) {
  const VarDecl*& var = temporaries_[expr];
  if (!var)
    var = VarDecl::Create(context_.ast, const_cast<FunctionDecl*>(context_.facts.function), expr->getBeginLoc(),
                          expr->getBeginLoc(), nullptr, expr->getType(), nullptr, SC_Auto);
  madeIn_[var] = left_.size();
  return var;
}

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
    context_.refuse(expr->getExprLoc(), "assigns to '" + sourceText(context_.ast, expr) +
                                            "', the pointer of a table to one of its rows, something else than a "
                                            "pointer into an array that has a name");
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
    context_.refuse(expr->getExprLoc(), "reads '" + sourceText(context_.ast, expr) +
                                            "', an entry of a table whose entries it assigns; do that in a loop of its "
                                            "own");
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
    context_.refuse(expr->getExprLoc(), "changes its loop variable " + name);
  else if (role->second == Role::Array)
    context_.refuse(expr->getExprLoc(), "assigns to the shared pointer " + name);
  else if (role->second != Role::Private && role->second != Role::Firstprivate)
    context_.refuse(expr->getExprLoc(), "writes the shared variable " + name + " without a reduction");
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
    context_.refuse(expr->getExprLoc(), "contains a loop that changes pointers in an object without a name; name it");
}

void BodyWalker::record(const Pointer& pointer, AccessMode mode, bool alternative, const Expr* expr) {
  if (pointer.local || pointer.array == localArray || !checkSection(pointer, mode, expr)) return;
  if (isEntry(pointer) && (mode.write || mode.update)) {
    context_.refuse(expr->getExprLoc(),
                    "assigns to '" + sourceText(context_.ast, expr) + "', the pointer of a table to one of its rows");
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
  if (!pointer.offset)
    access.reason = "the index of '" + sourceText(context_.ast, expr) + "' is not an affine form of the loop variables";
  access.onlyIf = conditions();
  Doubt doubt;
  std::set<unsigned> variables;
  if (access.index) addVariables(*access.index, variables);
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
    if (!access.conditional && (known.conditional || doubt.size() < context_.doubts[i].size()))
      context_.doubts[i] = doubt;
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
