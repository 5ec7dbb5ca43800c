// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which expressions are neutral: sums of neutral values, products with one, what a thread's variables start with.
#include "analysis/counts/NeutralValues.h"

#include "analysis/code/Functions.h"
#include "clang/AST/ExprCXX.h"
#include "muster/abi.h"

namespace muster::plugin {

using namespace clang;

static constexpr unsigned kMaxDepth = 40;

NeutralValues::NeutralValues(const ASTContext& ast, TeamScope scope, NeutralFunctions& functions)
    : ast_(ast), scope_(std::move(scope)), functions_(functions), writes_(std::make_unique<OwnWrites>(ast, scope_)) {}

bool NeutralValues::isNeutral(const Expr* value, unsigned kind, const MemberPath& path) {
  kind_ = kind;
  known_.clear();
  needs.clear();
  return value && neutral(value, path);
}

bool NeutralValues::staysNeutral(const VarDecl* var, unsigned kind, const MemberPath& path) {
  kind_ = kind;
  known_.clear();
  needs.clear();
  known_[{var, path}] = true;
  return neutralWrites(var, path);
}

static bool isConstant(const APValue& value, int number) {
  const auto same = [&](const llvm::APFloat& part, int expected) {
    return part.compare(llvm::APFloat(part.getSemantics(), expected)) == llvm::APFloat::cmpEqual;
  };
  if (value.isInt()) return value.getInt() == number;
  if (value.isFloat()) return same(value.getFloat(), number);
  if (value.isComplexInt()) return value.getComplexIntReal() == number && value.getComplexIntImag() == 0;
  if (value.isComplexFloat()) return same(value.getComplexFloatReal(), number) && same(value.getComplexFloatImag(), 0);
  return value.isLValue() && value.isNullPointer() && number == 0;
}

bool NeutralValues::isIdentity(const Expr* value) const {
  Expr::EvalResult result;
  if (value->isValueDependent() || value->isGLValue() || !value->getType()->isScalarType()) return false;
  return value->EvaluateAsRValue(result, ast_) && !result.HasSideEffects &&
         isConstant(result.Val, kind_ == MUSTER_REDUCE_MUL ? 1 : 0);
}

bool NeutralValues::neutral(const Expr* value, const MemberPath& path) {
  if (depth_ > kMaxDepth) return false;
  if (isIdentity(value)) return true;
  ++depth_;
  const auto check = [&] {
    value = bareValue(value);
    if (isIdentity(value)) return true;
    if (isa<ImplicitValueInitExpr, CXXScalarValueInitExpr>(value)) return kind_ != MUSTER_REDUCE_MUL;
    if (auto* list = dyn_cast<InitListExpr>(value)) return neutralList(list, path);
    if (auto* literal = dyn_cast<CompoundLiteralExpr>(value)) return neutral(literal->getInitializer(), path);
    if (auto* construct = dyn_cast<CXXConstructExpr>(value)) return neutralObject(construct, path);
    if (auto* made = dyn_cast<CXXNewExpr>(value))
      return !made->getInitializer() || neutral(made->getInitializer(), path);
    if (auto* parens = dyn_cast<ParenListExpr>(value))
      return llvm::all_of(const_cast<ParenListExpr*>(parens)->exprs(),
                          [&](const Expr* part) { return neutral(part, path); });
    if (auto* choice = dyn_cast<ConditionalOperator>(value))
      return !dependsOnLoops(choice->getCond()) && neutral(choice->getTrueExpr(), path) &&
             neutral(choice->getFalseExpr(), path);
    if (auto* op = dyn_cast<BinaryOperator>(value); op && !op->getType()->isPointerType()) {
      if (op->getOpcode() == BO_Assign || op->isCommaOp()) return neutral(op->getRHS(), path);
      return neutralOperation(op->getOpcode(), op->getLHS(), op->getRHS());
    }
    if (auto* op = dyn_cast<UnaryOperator>(value); op && (op->getOpcode() == UO_Plus || op->getOpcode() == UO_Minus ||
                                                          op->getOpcode() == UO_Real || op->getOpcode() == UO_Imag))
      return (op->getOpcode() == UO_Plus || kind_ == MUSTER_REDUCE_ADD) && neutral(op->getSubExpr(), path);
    auto* call = dyn_cast<CallExpr>(value);
    return call ? neutralCall(call, path) : neutralPlace(value, path);
  };
  const bool result = check();
  --depth_;
  return result;
}

bool NeutralValues::neutralPlace(const Expr* value, const MemberPath& path) {
  OwnPlace place = writes_->placeOf(value);
  if (!place.isKnown()) return false;
  place.path.insert(place.path.end(), path.begin(), path.end());
  if (const auto given = given_.find(place.var); place.var && given != given_.end()) {
    const Expr* outer = given->second;
    return outer && neutral(outer, place.path);
  }
  return neutralVariable(place);
}

bool NeutralValues::neutralList(const InitListExpr* list, const MemberPath& path) {
  if (InitListExpr* full = list->getSemanticForm()) list = full;
  const auto all = [&](const MemberPath& rest) {
    return llvm::all_of(list->inits(), [&](const Expr* part) { return neutral(part, rest); }) &&
           (!list->hasArrayFiller() || neutral(list->getArrayFiller(), rest));
  };
  const RecordDecl* record = list->getType()->getAsRecordDecl();
  if (!record || path.empty()) return all(record ? MemberPath() : path);
  auto* inCxx = dyn_cast<CXXRecordDecl>(record);
  if (record->isUnion() || (inCxx && inCxx->getNumBases() > 0) || path.front()->getParent() != record) return all({});
  unsigned index = 0;
  for (const FieldDecl* field : record->fields()) {
    if (field->isUnnamedBitField()) continue;
    if (field == path.front()) break;
    ++index;
  }
  if (index >= list->getNumInits()) return kind_ != MUSTER_REDUCE_MUL;
  return neutral(list->getInit(index), MemberPath(path.begin() + 1, path.end()));
}

// The number of elements that a container gets is none of their values.
static bool isLength(const CXXConstructExpr* construct, unsigned index) {
  const CXXRecordDecl* record = construct->getConstructor()->getParent();
  return index == 0 && record->getIdentifier() &&
         llvm::is_contained({"vector", "deque", "list", "forward_list"}, record->getName()) &&
         construct->getArg(0)->getType().getNonReferenceType()->isIntegerType();
}

static bool isAllocator(const Expr* argument) {
  const CXXRecordDecl* record = argument->getType().getNonReferenceType()->getAsCXXRecordDecl();
  return record && record->getIdentifier() && record->getName().contains("alloc");
}

bool NeutralValues::neutralObject(const CXXConstructExpr* construct, const MemberPath& path) {
  const CXXConstructorDecl* constructor = construct->getConstructor();
  if (constructor->isTrivial() && construct->getNumArgs() == 0) return kind_ != MUSTER_REDUCE_MUL;
  if (constructor->isCopyOrMoveConstructor() && construct->getNumArgs() > 0) return neutral(construct->getArg(0), path);
  if (isLibrary(constructor)) {
    for (unsigned i = 0; i < construct->getNumArgs(); ++i) {
      const Expr* argument = construct->getArg(i);
      if (!isLength(construct, i) && !isAllocator(argument) && !neutral(argument, {})) return false;
    }
    return kind_ != MUSTER_REDUCE_MUL || construct->getNumArgs() > 0;
  }
  const FunctionDecl* definition = nullptr;
  if (!constructor->hasBody(definition)) return false;
  auto* defined = cast<CXXConstructorDecl>(definition);
  auto given = given_;
  for (const ParmVarDecl* parameter : defined->parameters()) {
    const unsigned index = parameter->getFunctionScopeIndex();
    given_[parameter] = index < construct->getNumArgs() ? construct->getArg(index) : nullptr;
  }
  const bool result = neutralMembers(defined, path);
  given_ = std::move(given);
  return result;
}

bool NeutralValues::neutralMembers(const CXXConstructorDecl* constructor, const MemberPath& path) {
  for (const CXXCtorInitializer* part : constructor->inits()) {
    const FieldDecl* field = part->getMember();
    if (field && !path.empty() && field != path.front()) continue;
    const bool isPart = field && !path.empty();
    if (!neutral(part->getInit(), isPart ? MemberPath(path.begin() + 1, path.end()) : MemberPath())) return false;
  }
  auto* body = dyn_cast_or_null<CompoundStmt>(constructor->getBody());
  return body && llvm::all_of(body->body(), [&](const Stmt* statement) {
           auto* expr = dyn_cast<Expr>(statement);
           auto* op = expr ? dyn_cast<BinaryOperator>(expr->IgnoreParenImpCasts()) : nullptr;
           if (!op || op->getOpcode() != BO_Assign) return false;
           const OwnPlace place = writes_->placeOf(op->getLHS());
           const bool isOther = !path.empty() && !place.path.empty() && path.front() != place.path.front();
           return place.isObject && (isOther || neutral(op->getRHS(), {}));
         });
}

bool NeutralValues::dependsOnLoops(const Expr* expr) const {
  return writes_->dependsOnLoops(expr) || llvm::any_of(given_, [&](const auto& given) {
           return given.second && writes_->dependsOnLoops(given.second) && mentions(expr, {given.first});
         });
}

// Where one factor is what iterations have added up, the other must be the same for all threads.
bool NeutralValues::neutralOperation(BinaryOperatorKind opcode, const Expr* left, const Expr* right) {
  const bool multiplies = kind_ == MUSTER_REDUCE_MUL, adds = kind_ == MUSTER_REDUCE_ADD;
  switch (opcode) {
    case BO_Add:
    case BO_Sub:
      return adds && neutral(left, {}) && neutral(right, {});
    case BO_Mul:
      if (multiplies) return neutral(left, {}) && neutral(right, {});
      if (dependsOnLoops(left) && dependsOnLoops(right)) return false;
      return adds && (neutral(left, {}) || neutral(right, {}));
    case BO_Div:
      if (multiplies) return neutral(left, {}) && neutral(right, {});
      return adds && !dependsOnLoops(right) && neutral(left, {});
    case BO_Xor:
      return kind_ == MUSTER_REDUCE_XOR && neutral(left, {}) && neutral(right, {});
    case BO_Shl:
      return !multiplies && !dependsOnLoops(right) && neutral(left, {});
    default:
      return false;
  }
}

bool NeutralValues::lookInto(const CallExpr* call, llvm::function_ref<bool(const Expr* only)> check) {
  const FunctionDecl* function = call->getDirectCallee();
  const FunctionDecl* definition = function && !isLibrary(function) ? definitionOf(function) : nullptr;
  auto* method = dyn_cast_or_null<CXXMethodDecl>(definition);
  const Expr* only = definition && !(method && method->isInstance()) ? onlyExpression(definition) : nullptr;
  if (!only || depth_ > kMaxDepth) return false;
  auto given = given_;
  for (const ParmVarDecl* parameter : definition->parameters()) {
    const Expr* argument = givenTo(call, definition, parameter);
    const Expr* outer = argument ? argumentFor(argument) : nullptr;
    given[parameter] = outer ? outer : argument;
  }
  std::swap(given, given_);
  ++depth_;
  const bool result = check(only);
  --depth_;
  given_ = std::move(given);
  return result;
}

const Expr* NeutralValues::argumentFor(const Expr* value) const {
  auto* reference = dyn_cast<DeclRefExpr>(bareValue(value));
  const auto found = given_.find(reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr);
  return found != given_.end() ? found->second : nullptr;
}

bool NeutralValues::neutralCall(const CallExpr* call, const MemberPath& path) {
  const FunctionDecl* function = call->getDirectCallee();
  if (!function) return false;
  if (lookInto(call, [&](const Expr* only) { return neutral(only, path); })) return true;
  if (auto* op = dyn_cast<CXXOperatorCallExpr>(call)) {
    const OverloadedOperatorKind kind = op->getOperator();
    if (op->getNumArgs() == 2 && llvm::is_contained({OO_Plus, OO_Minus, OO_Star, OO_Slash}, kind))
      return neutralOperation(BinaryOperator::getOverloadedOpcode(kind), op->getArg(0), op->getArg(1));
    if (op->getNumArgs() == 1 && kind == OO_Minus) return kind_ == MUSTER_REDUCE_ADD && neutral(op->getArg(0), path);
    if (kind == OO_Equal) return neutral(op->getArg(1), path);
  }
  if (isLibrary(function) || function->getBuiltinID() != 0) {
    const std::string name = nameOfCallee(function);
    const llvm::StringRef bare =
        llvm::StringRef(name).starts_with("__builtin_") ? llvm::StringRef(name).drop_front(10) : llvm::StringRef(name);
    if (llvm::is_contained({"malloc", "calloc", "aligned_alloc", "alloca", "memalign", "_mm_malloc"}, bare))
      return kind_ != MUSTER_REDUCE_MUL;
    if (llvm::is_contained({"creal", "cimag", "conj", "crealf", "cimagf", "conjf", "real", "imag"}, bare) &&
        call->getNumArgs() == 1)
      return kind_ == MUSTER_REDUCE_ADD && neutral(call->getArg(0), {});
  }
  return neutralPlace(call, path);
}

bool NeutralValues::needsMet(const std::set<NeutralNeed>& inside, const Expr* call, const FunctionDecl* function) {
  return llvm::all_of(inside, [&](const NeutralNeed& need) {
    const Expr* argument = givenTo(call, function, need.parameter);
    return need.kind == kind_ && argument && neutral(argument, need.path);
  });
}

NeutralValues* NeutralFunctions::valuesOf(const FunctionDecl* definition) {
  if (!definition || !definition->getBody()) return nullptr;
  auto& values = values_[definition];
  if (!values) values = std::make_unique<NeutralValues>(ast_, scopeOf(definition), *this);
  return values.get();
}

bool NeutralFunctions::staysNeutral(const FunctionDecl* definition, const ParmVarDecl* parameter, unsigned kind,
                                    const MemberPath& path, std::set<NeutralNeed>& needs) {
  NeutralValues* values = valuesOf(definition);
  if (!values || !active_.insert(definition).second) return false;
  const bool result = values->staysNeutral(parameter, kind, path);
  needs = values->needs;
  active_.erase(definition);
  return result;
}

bool NeutralValues::givenNeutral(const OwnWrite& write, const MemberPath& path) {
  std::set<NeutralNeed> inside;
  return functions_.staysNeutral(write.function, write.parameter, kind_, path, inside) &&
         needsMet(inside, write.call, write.function);
}

}  // namespace muster::plugin
