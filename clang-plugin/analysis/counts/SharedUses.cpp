// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/counts/SharedUses.h"

#include "analysis/code/Calls.h"
#include "analysis/code/Functions.h"
#include "analysis/code/Library.h"
#include "analysis/teams/ThreadQueries.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtOpenMP.h"

namespace muster::plugin {

using namespace clang;

namespace {

// A place in what a function gets, or is called on, for the caller.
OwnPlace placeInCaller(const OwnWrites& caller, const OwnPlace& inner, const Expr* given) {
  OwnPlace place = caller.placeOf(given);
  place.leadsOn |= inner.leadsOn;
  place.path.insert(place.path.end(), inner.path.begin(), inner.path.end());
  return place;
}

// What a function gives that only names it: `double& at(int i) { return data[i]; }`.
OwnPlace placeGiven(const OwnWrites& writes, FunctionUses& functions, const Expr* expr) {
  auto* call = dyn_cast<CallExpr>(bareValue(expr));
  const FunctionDecl* function = call ? call->getDirectCallee() : nullptr;
  const FunctionDecl* definition = function && !isLibrary(function) ? definitionOf(function) : nullptr;
  const Expr* only = definition ? onlyExpression(definition) : nullptr;
  NeutralValues* values = only ? functions.functions().valuesOf(definition) : nullptr;
  if (!values) return {};
  const OwnPlace inner = values->writes().placeOf(only);
  auto* parameter = dyn_cast_or_null<ParmVarDecl>(inner.var);
  if (!parameter && !inner.isObject) return inner;
  const Expr* given = givenTo(call, definition, parameter);
  return given ? placeInCaller(writes, inner, given) : OwnPlace();
}

// Also what a pointer of the thread's leads to that is only set to one address.
OwnPlace rootOf(const OwnWrites& writes, FunctionUses& functions, const Expr* expr) {
  OwnPlace place = writes.placeOf(expr);
  if (!place.isKnown()) return placeGiven(writes, functions, expr);
  for (unsigned depth = 0; depth < 4 && place.var && place.var->getType()->isPointerType(); ++depth) {
    const auto& set = writes.of(place.var);
    if (set.size() != 1 || set.front().kind != OwnWrite::Assigned || !set.front().value) break;
    const OwnPlace other = writes.placeOf(set.front().value);
    if (!other.isKnown() || other.var == place.var) break;
    place.var = other.var;
    place.isObject = other.isObject;
    place.leadsOn |= other.leadsOn;
    place.path.insert(place.path.begin(), other.path.begin(), other.path.end());
  }
  return place;
}

bool isPlace(const OwnWrites& writes, FunctionUses& functions, const Expr* expr) {
  if (auto* reference = dyn_cast<DeclRefExpr>(expr)) return isa<VarDecl>(reference->getDecl());
  if (auto* op = dyn_cast<UnaryOperator>(expr)) return op->getOpcode() == UO_Deref;
  if (isa<MemberExpr, ArraySubscriptExpr>(expr)) return true;
  auto* call = dyn_cast<CallExpr>(expr);
  if (!call || call->getType()->isVoidType()) return false;
  return writes.placeOf(call).isKnown() || (call->isGLValue() && placeGiven(writes, functions, call).isKnown());
}

bool mayWriteThrough(QualType type) {
  return (type->isPointerType() || type->isReferenceType()) && !type->getPointeeType().isConstQualified();
}

// Functions of the library that only read what they get by this argument.
bool onlyReads(const FunctionDecl* function, unsigned argument) {
  const std::string name = nameOfCallee(function);
  const llvm::StringRef bare = name;
  if (argument < 2 && function->isInStdNamespace() && (bare.starts_with("copy") || bare == "transform")) return true;
  return bare.starts_with("find") || bare.starts_with("count") || bare.ends_with("_of") || bare.ends_with("_element") ||
         bare.ends_with("printf") ||
         llvm::is_contained(
             {"accumulate", "reduce", "inner_product", "equal", "binary_search", "lower_bound", "upper_bound",
              "distance", "is_sorted", "min", "max", "size", "strlen", "omp_set_lock", "omp_unset_lock", "puts"},
             bare);
}

bool changesObject(const CXXMethodDecl* method) {
  if (method->isConst() || method->isStatic()) return false;
  return !llvm::is_contained({"lock", "unlock", "find", "reserve", "lower_bound", "upper_bound"}, nameOfCallee(method));
}

class UseFinder {
 public:
  UseFinder(const OwnWrites& writes, FunctionUses& functions, SharedUses& found)
      : writes_(writes), functions_(functions), found_(found) {}

  void read(const Stmt* statement) {
    if (!statement || isSharedOut(writes_, statement)) return;
    if (auto* captured = dyn_cast<CapturedStmt>(statement)) return read(captured->getCapturedStmt());
    auto* expr = dyn_cast<Expr>(statement);
    if (expr) return readExpr(bareValue(expr));
    auto* result = dyn_cast<ReturnStmt>(statement);
    if (result && result->getRetValue() && result->getRetValue()->isGLValue())
      return readAddress(result->getRetValue());
    if (auto* declaration = dyn_cast<DeclStmt>(statement))
      for (const Decl* decl : declaration->decls())
        if (auto* var = dyn_cast<VarDecl>(decl); var && var->getInit() && !var->isStaticLocal()) {
          const bool refers = var->getType()->isReferenceType();
          refers ? readAddress(var->getInit()) : read(var->getInit());
        }
    if (!isa<DeclStmt>(statement))
      for (const Stmt* part : statement->children()) read(part);
  }

 private:
  void note(std::vector<SharedUse>& uses, const Expr* expr) {
    uses.push_back({rootOf(writes_, functions_, expr), expr, expr->getType().getCanonicalType().getUnqualifiedType()});
  }

  void readExpr(const Expr* expr) {
    if (isa<LambdaExpr>(expr)) return;
    auto* op = dyn_cast<BinaryOperator>(expr);
    auto* count = dyn_cast<UnaryOperator>(expr);
    if (op && op->isAssignmentOp()) {
      readAddress(op->getLHS());
      read(op->getRHS());
      return note(found_.writes, op->getLHS());
    }
    if (count && (count->isIncrementDecrementOp() || count->getOpcode() == UO_AddrOf)) {
      readAddress(count->getSubExpr());
      if (count->isIncrementDecrementOp()) note(found_.writes, count->getSubExpr());
      return;
    }
    if (isPlace(writes_, functions_, expr)) {
      note(found_.reads, expr);
      return readAddress(expr);
    }
    if (auto* call = dyn_cast<CallExpr>(expr)) return readCall(call);
    if (auto* construct = dyn_cast<CXXConstructExpr>(expr)) readFunction(construct, construct->getConstructor());
    for (const Stmt* part : expr->children()) read(part);
  }

  // What says which place it is.
  void readAddress(const Expr* place) {
    place = bareValue(place);
    if (auto* member = dyn_cast<MemberExpr>(place)) return readAddress(member->getBase());
    if (auto* element = dyn_cast<ArraySubscriptExpr>(place)) {
      readAddress(element->getBase());
      return read(element->getIdx());
    }
    if (auto* op = dyn_cast<UnaryOperator>(place); op && op->getOpcode() == UO_Deref)
      return readAddress(op->getSubExpr());
    if (auto* op = dyn_cast<BinaryOperator>(place); op && op->isAdditiveOp() && op->getType()->isPointerType()) {
      const bool isLeft = op->getLHS()->getType()->isPointerType();
      readAddress(isLeft ? op->getLHS() : op->getRHS());
      return read(isLeft ? op->getRHS() : op->getLHS());
    }
    if (auto* call = dyn_cast<CallExpr>(place); call && isPlace(writes_, functions_, call)) {
      for (const Expr* argument : argumentsOf(call)) read(argument);
      const OwnPlace given = writes_.placeOf(call).isKnown() ? OwnPlace() : placeGiven(writes_, functions_, call);
      if (!given.isKnown()) return;
      // What it reads to find the place.
      SharedUses inner;
      UseFinder(writes_, functions_, inner).readFunction(call, call->getDirectCallee());
      for (const SharedUse& use : inner.reads)
        if (!mayOverlap(use, {given, nullptr, use.type})) found_.reads.push_back(use);
      return;
    }
    if (auto* reference = dyn_cast<DeclRefExpr>(place)) {
      // A pointer of the thread's.
      auto* var = dyn_cast<VarDecl>(reference->getDecl());
      if (var && var->hasLocalStorage() && !isa<ParmVarDecl>(var) && var->getType()->isPointerType())
        found_.reads.push_back({OwnPlace{var}, reference, {}});
      return;
    }
    if (!isa<CXXThisExpr>(place)) read(place);
  }

  void readCall(const CallExpr* call) {
    const FunctionDecl* function = call->getDirectCallee();
    const auto arguments = argumentsOf(call);
    auto* op = dyn_cast<CXXOperatorCallExpr>(call);
    const bool isCopy = function && (function->isTrivial() || function->isDefaulted());
    if (op && op->isAssignmentOp() && (isCopy || isLibrary(function))) {
      readAddress(call->getArg(0));
      read(call->getArg(1));
      return note(found_.writes, call->getArg(0));
    }
    const FunctionDecl* definition = function && !isLibrary(function) ? definitionOf(function) : nullptr;
    if (definition)
      readFunction(call, definition);
    else if (auto* method = dyn_cast_or_null<CXXMethodDecl>(function); method && objectOf(call))
      note(changesObject(method) ? found_.writes : found_.reads, objectOf(call));
    for (unsigned i = 0; i < arguments.size(); ++i) {
      const bool known = function && i < function->getNumParams();
      const QualType type = known ? function->getParamDecl(i)->getType() : arguments[i]->getType();
      if (definition && (type->isPointerType() || type->isReferenceType()))
        readAddress(arguments[i]);
      else
        readArgument(arguments[i], type, definition || (function && (isMaths(function) || onlyReads(function, i))));
    }
  }

  void readArgument(const Expr* argument, QualType type, bool isKnown) {
    const CXXRecordDecl* record = type->getAsCXXRecordDecl();
    const bool isIterator = record && record->getIdentifier() && record->getName().contains("iterator") &&
                            writes_.placeOf(argument).isKnown();
    if (isKnown || !(mayWriteThrough(type) || isIterator)) return read(argument);
    readAddress(argument);
    note(found_.writes, argument);
  }

  void readFunction(const Expr* use, const FunctionDecl* function) {
    const FunctionDecl* definition = isLibrary(function) ? nullptr : definitionOf(function);
    if (!definition) return;
    const SharedUses& inner = functions_.of(definition);
    for (const SharedUse& read : inner.reads) add(found_.reads, read, use, definition);
    for (const SharedUse& write : inner.writes) add(found_.writes, write, use, definition);
  }
  void add(std::vector<SharedUse>& uses, const SharedUse& inner, const Expr* use, const FunctionDecl* definition) {
    auto* parameter = dyn_cast_or_null<ParmVarDecl>(inner.place.var);
    if (!parameter && !inner.place.isObject) return uses.push_back({inner.place, nullptr, inner.type});
    if (const Expr* given = givenTo(use, definition, parameter))
      uses.push_back({placeInCaller(writes_, inner.place, given), given, inner.type});
  }

  const OwnWrites& writes_;
  FunctionUses& functions_;
  SharedUses& found_;
};

}  // namespace

bool isSharedOut(const OwnWrites& writes, const Stmt* statement) {
  if (writes.once().count(statement)) return true;
  auto* directive = dyn_cast<OMPExecutableDirective>(statement);
  if (!directive || isa<OMPCriticalDirective, OMPAtomicDirective>(directive)) return false;
  return isOpenMPWorksharingDirective(directive->getDirectiveKind()) ||
         isOpenMPParallelDirective(directive->getDirectiveKind()) ||
         isa<OMPMasterDirective, OMPMaskedDirective>(directive) || !directive->hasAssociatedStmt();
}

bool mayOverlap(const SharedUse& first, const SharedUse& second) {
  const OwnPlace &left = first.place, &right = second.place;
  if (!left.isKnown() || !right.isKnown()) return first.type == second.type;
  if (left.var != right.var || left.isObject != right.isObject) return false;
  if (left.leadsOn || right.leadsOn) return true;
  const std::size_t common = std::min(left.path.size(), right.path.size());
  return std::equal(left.path.begin(), left.path.begin() + common, right.path.begin());
}

SharedUses sharedUses(const OwnWrites& writes, FunctionUses& functions, const Stmt* statement) {
  SharedUses found;
  UseFinder(writes, functions, found).read(statement);
  return found;
}

bool FunctionUses::mayMeet(const SharedUse& left, const SharedUse& right) {
  if (mayOverlap(left, right)) return true;
  const OwnPlace &first = left.place, &second = right.place;
  const bool isOne = first.var == second.var && first.isObject == second.isObject;
  return first.isKnown() && second.isKnown() && !isOne && names_.mayMeet(left, right);
}

const SharedUses& FunctionUses::of(const FunctionDecl* definition) {
  const auto [known, isNew] = known_.try_emplace(definition);
  NeutralValues* values = isNew ? functions_.valuesOf(definition) : nullptr;
  if (!values) return known->second;
  const TeamScope& scope = values->scope();
  SharedUses all = sharedUses(values->writes(), *this, definition->getBody());
  const auto isOwn = [&](const SharedUse& use) {
    const VarDecl* var = use.place.var;
    if (!var || !scope.privates.count(var)) return false;
    return !isa<ParmVarDecl>(var) || !(var->getType()->isPointerType() || var->getType()->isReferenceType());
  };
  llvm::erase_if(all.reads, isOwn);
  llvm::erase_if(all.writes, isOwn);
  return known_[definition] = std::move(all);
}

}  // namespace muster::plugin
