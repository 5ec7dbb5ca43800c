// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/counts/ThreadWrites.h"

#include "analysis/code/Calls.h"
#include "analysis/code/ClauseValues.h"
#include "analysis/code/Functions.h"
#include "analysis/objects/Objects.h"
#include "analysis/teams/ThreadQueries.h"
#include "analysis/updates/Updates.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/OpenMPClause.h"
#include "source/Compat.h"

namespace muster::plugin {

using namespace clang;

const Expr* bareValue(const Expr* expr) {
  for (;;) {
    const Expr* inner = expr->IgnoreParenCasts();
    if (auto* full = dyn_cast<FullExpr>(inner))
      inner = full->getSubExpr();
    else if (auto* temporary = dyn_cast<MaterializeTemporaryExpr>(inner))
      inner = temporary->getSubExpr();
    else if (auto* bound = dyn_cast<CXXBindTemporaryExpr>(inner))
      inner = bound->getSubExpr();
    else if (auto* byDefault = dyn_cast<CXXDefaultArgExpr>(inner))
      inner = byDefault->getExpr();
    else if (auto* member = dyn_cast<CXXDefaultInitExpr>(inner))
      inner = member->getExpr();
    if (inner == expr) return expr;
    expr = inner;
  }
}

const Expr* givenTo(const Expr* use, const FunctionDecl* function, const ParmVarDecl* parameter) {
  if (auto* construct = dyn_cast<CXXConstructExpr>(use)) {
    const unsigned index = parameter ? parameter->getFunctionScopeIndex() : construct->getNumArgs();
    const bool isCalled = construct->getConstructor()->getCanonicalDecl() == function->getCanonicalDecl();
    return isCalled && index < construct->getNumArgs() ? construct->getArg(index) : nullptr;
  }
  auto* call = dyn_cast<CallExpr>(use);
  const FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || callee->getCanonicalDecl() != function->getCanonicalDecl()) return nullptr;
  if (!parameter) return objectOf(call);
  const auto arguments = argumentsOf(call);
  const unsigned index = parameter->getFunctionScopeIndex();
  return index < arguments.size() ? arguments[index] : nullptr;
}

bool ByAllVisitor::TraverseStmt(Stmt* statement) {
  if (once_.count(statement)) return true;
  auto* directive = dyn_cast_or_null<OMPExecutableDirective>(statement);
  // What is given to all threads at its end is what each of them has done.
  const bool forAll = isa_and_nonnull<OMPSingleDirective>(directive) && hasClause<OMPCopyprivateClause>(directive);
  if (!directive || forAll ||
      !(isOpenMPWorksharingDirective(directive->getDirectiveKind()) ||
        isa<OMPMasterDirective, OMPMaskedDirective>(directive)))
    return AstVisitor::TraverseStmt(statement);
  sharedOut(directive);
  return true;
}

namespace {

bool leadsToStorage(QualType type) { return type->isPointerType() || type->isReferenceType(); }

// A parameter that a function may write through.
bool isWritable(QualType type) { return leadsToStorage(type) && !type->getPointeeType().isConstQualified(); }

llvm::StringRef plainName(const FunctionDecl* function) {
  if (!function->getDeclName().isIdentifier()) return "";
  llvm::StringRef name = function->getName();
  name.consume_front("__builtin_");
  return name;
}

// Methods of the library's classes whose result is a part of the object, or leads to it.
bool givesElement(llvm::StringRef name) {
  return llvm::is_contained({"data", "begin", "end", "cbegin", "cend", "rbegin", "rend", "front", "back", "at", "get",
                             "real", "imag", "value"},
                            name);
}

bool isZero(const ASTContext& ast, const Expr* expr) {
  Expr::EvalResult value;
  return expr->EvaluateAsInt(value, ast) && value.Val.getInt() == 0;
}

}  // namespace

class OwnWriteFinder : public ByAllVisitor {
 public:
  OwnWriteFinder(const ASTContext& ast, const TeamScope& scope, OwnWrites& found, const Stmt* leftOut, bool everywhere)
      : ByAllVisitor(found.once_),
        ast_(ast),
        scope_(scope),
        found_(found),
        leftOut_(leftOut),
        everywhere_(everywhere) {}

  bool TraverseStmt(Stmt* statement) override {
    if (leftOut_ && statement == leftOut_) return true;
    return everywhere_ ? AstVisitor::TraverseStmt(statement) : ByAllVisitor::TraverseStmt(statement);
  }
  void sharedOut(const OMPExecutableDirective* directive) override {
    if (auto* loop = dyn_cast<OMPLoopDirective>(directive)) found_.loops_.push_back(loop);
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt* loop) override {
    found_.named_[loop->getLoopVariable()] = loop->getRangeInit();
    return true;
  }
  bool VisitVarDecl(VarDecl* var) override {
    if (!var->getInit() || !var->hasLocalStorage()) return true;
    if (var->getType()->isReferenceType()) {
      found_.named_.try_emplace(var, var->getInit());
      return true;
    }
    const auto range = found_.named_.find(var);
    const Expr* value = range != found_.named_.end() ? range->second : var->getInit();
    // A pointer that is an element of the range leads to anywhere.
    const bool leadsOn = range != found_.named_.end() && var->getType()->isPointerType();
    if (range != found_.named_.end()) found_.named_.erase(range);
    write({var}, {.kind = leadsOn ? OwnWrite::Unknown : OwnWrite::Assigned, .loc = var->getLocation(), .value = value});
    point(var, value);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* op) override {
    if (!op->isAssignmentOp()) return true;
    assignBy(op->getLHS(), op, op->getOpcode(), op->getRHS());
    const OwnPlace place = found_.placeOf(op->getLHS());
    if (op->getOpcode() == BO_Assign && place.path.empty()) point(place.var, op->getRHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* op) override {
    if (op->isIncrementDecrementOp() && !op->getType()->isPointerType())
      write(found_.placeOf(op->getSubExpr()), {.kind = OwnWrite::Updated, .loc = op->getBeginLoc(), .opcode = BO_Add});
    if (op->getOpcode() == UO_AddrOf && !known_.count(op))
      write(found_.placeOf(op->getSubExpr()), {.kind = OwnWrite::Unknown, .loc = op->getBeginLoc()});
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* construct) override {
    const CXXConstructorDecl* constructor = construct->getConstructor();
    for (unsigned i = 0; i < construct->getNumArgs() && i < constructor->getNumParams(); ++i)
      if (isWritable(constructor->getParamDecl(i)->getType()) && !constructor->isCopyOrMoveConstructor())
        write(found_.placeOf(construct->getArg(i)), {.kind = OwnWrite::Unknown, .loc = construct->getBeginLoc()});
    return true;
  }
  bool VisitCallExpr(CallExpr* call) override;

 private:
  void write(const OwnPlace& place, OwnWrite what) {
    if (!place.isObject && !(place.var && (scope_.privates.count(place.var) || everywhere_))) {
      if (place.var && what.value) found_.shared_[place.var].push_back(what.value);
      return;
    }
    what.path = place.path;
    found_.writes_[place.var].push_back(std::move(what));
  }
  void assignBy(const Expr* target, const Expr* use, BinaryOperatorKind opcode, const Expr* value) {
    const bool assigns = opcode == BO_Assign;
    write(found_.placeOf(target), {.kind = assigns ? OwnWrite::Assigned : OwnWrite::Updated,
                                   .loc = use->getBeginLoc(),
                                   .value = value,
                                   .opcode = assigns ? opcode : BinaryOperator::getOpForCompoundAssignment(opcode)});
  }
  // A pointer leads to another variable now.
  void point(const VarDecl* pointer, const Expr* value) {
    if (!pointer || !pointer->getType()->isPointerType()) return;
    known_.insert(bareValue(value));
    const OwnPlace place = found_.placeOf(value);
    if (place.var != pointer) write(place, {.kind = OwnWrite::SameAs, .loc = value->getBeginLoc(), .other = pointer});
  }
  void give(const CallExpr* call, const FunctionDecl* definition, const Expr* argument, const ParmVarDecl* parameter) {
    OwnWrite what{.kind = definition ? OwnWrite::Given : OwnWrite::Unknown, .loc = call->getBeginLoc()};
    what.function = definition;
    what.parameter = definition && parameter ? definition->getParamDecl(parameter->getFunctionScopeIndex()) : nullptr;
    what.call = call;
    known_.insert(bareValue(argument));
    write(found_.placeOf(argument), std::move(what));
  }
  bool readLibrary(const CallExpr* call, const FunctionDecl* function, llvm::StringRef name);
  void readMethod(const CallExpr* call, const CXXMethodDecl* method, const Expr* object);

  const ASTContext& ast_;
  const TeamScope& scope_;
  OwnWrites& found_;
  const Stmt* leftOut_;
  const bool everywhere_;
  std::set<const Expr*> known_;  // addresses, and who gets them
};

// False: nothing is known of it.
bool OwnWriteFinder::readLibrary(const CallExpr* call, const FunctionDecl* function, llvm::StringRef name) {
  const auto arguments = argumentsOf(call);
  for (const Expr* argument : arguments) known_.insert(bareValue(argument));
  const auto assign = [&](unsigned target, unsigned value) {
    write(found_.placeOf(arguments[target]),
          {.kind = OwnWrite::Assigned, .loc = call->getBeginLoc(), .value = arguments[value]});
    return true;
  };
  const std::size_t number = arguments.size();
  if (number == 3 && name == "memset" && isZero(ast_, arguments[1])) return assign(0, 1);
  if (number == 3 && (name == "memcpy" || name == "memmove")) return assign(0, 1);
  if (number == 3 && (name == "fill" || name == "fill_n")) return assign(0, 2);
  if (number == 3 && name == "copy") return assign(2, 0);
  if (number == 2 && isSwap(function)) return assign(0, 1) && assign(1, 0);
  const OverloadedOperatorKind op = function->getOverloadedOperator();
  if (number > 0 && llvm::is_contained({OO_Equal, OO_PlusEqual, OO_MinusEqual, OO_StarEqual, OO_SlashEqual}, op)) {
    const Expr* object = objectOf(call);
    assignBy(object ? object : arguments[0], call, BinaryOperator::getOverloadedOpcode(op), arguments.back());
    return true;
  }
  return isMaths(function) || givesElement(name) ||
         llvm::is_contained({"free", "printf", "fprintf", "accumulate", "move", "forward", "bzero", "size"}, name);
}

void OwnWriteFinder::readMethod(const CallExpr* call, const CXXMethodDecl* method, const Expr* object) {
  if (method->isConst() || method->isStatic()) return;
  if (!isLibrary(method)) return give(call, definitionOf(method), object, nullptr);
  const llvm::StringRef name = plainName(method);
  const auto arguments = argumentsOf(call);
  const OverloadedOperatorKind op = method->getOverloadedOperator();
  if (op == OO_Subscript || op == OO_Star || op == OO_Arrow || (givesElement(name) && arguments.empty())) return;
  if (llvm::is_contained({"clear", "reserve", "shrink_to_fit"}, name) || (name == "at" || name == "pop_back")) return;
  if (name == "resize" && (arguments.size() == 1 || isa<CXXDefaultArgExpr>(arguments[1]))) return;
  const bool sets = llvm::is_contained({"assign", "resize", "fill", "real", "imag"}, name) && arguments.size() <= 2;
  write(found_.placeOf(object), {.kind = sets ? OwnWrite::Assigned : OwnWrite::Unknown,
                                 .loc = call->getBeginLoc(),
                                 .value = sets ? arguments.back() : nullptr});
}

bool OwnWriteFinder::VisitCallExpr(CallExpr* call) {
  const FunctionDecl* function = call->getDirectCallee();
  const auto arguments = argumentsOf(call);
  if (!function) {
    for (const Expr* argument : arguments)
      if (isWritable(argument->getType())) give(call, nullptr, argument, nullptr);
    return true;
  }
  const bool system = isLibrary(function) || function->getBuiltinID() != 0;
  const bool copies = function->isTrivial() || function->isDefaulted();
  if ((system || copies) && readLibrary(call, function, plainName(function))) return true;
  auto* method = dyn_cast<CXXMethodDecl>(function);
  if (const Expr* object = method ? objectOf(call) : nullptr) readMethod(call, method, object);
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const ParmVarDecl* parameter = i < function->getNumParams() ? function->getParamDecl(i) : nullptr;
    const QualType type = parameter ? parameter->getType() : arguments[i]->getType();
    if (parameter) known_.insert(bareValue(arguments[i]));
    if (isWritable(type)) give(call, system || !parameter ? nullptr : definitionOf(function), arguments[i], parameter);
  }
  return true;
}

OwnWrites::OwnWrites(const ASTContext& ast, const TeamScope& scope) : scope_(scope) {
  const ThreadQueries queries = scope.region ? threadQueries(ast, scope.region) : threadQueries(ast, scope.function);
  once_ = queries.once;
  OwnWriteFinder(ast, scope, *this, nullptr, false).TraverseStmt(const_cast<Stmt*>(scope.code));
  followLoops();
}

OwnWrites::OwnWrites(const ASTContext& ast, const TeamScope& function, const Stmt* leftOut) : scope_(function) {
  OwnWriteFinder(ast, function, *this, leftOut, true).TraverseStmt(const_cast<Stmt*>(function.code));
}

// Values that a thread has from its iterations, perhaps through other variables.
void OwnWrites::followLoops() {
  if (scope_.function)
    for (const ParmVarDecl* parameter : scope_.function->parameters()) inLoops_.insert(parameter);
  for (const OMPLoopDirective* loop : loops_)
    for (const VarDecl* var : changedVariables(loop))
      if (scope_.privates.count(var)) inLoops_.insert(var);
  addFollowing(inLoops_);
}

void OwnWrites::addFollowing(std::set<const VarDecl*>& vars) const {
  for (bool again = true; again;) {
    again = false;
    for (const auto& [var, writes] : writes_)
      for (const OwnWrite& write : writes)
        if (var && !vars.count(var) && write.value && mentions(write.value, vars)) again |= vars.insert(var).second;
  }
}

const std::vector<OwnWrite>& OwnWrites::of(const VarDecl* var) const {
  static const std::vector<OwnWrite> none;
  const auto found = writes_.find(var);
  return found != writes_.end() ? found->second : none;
}

bool OwnWrites::dependsOnLoops(const Expr* expr) const { return mentions(expr, inLoops_); }

bool OwnWrites::dependsOn(const Expr* value, const VarDecl* var) const {
  std::set<const VarDecl*> names = {var};
  for (const auto& [name, expr] : named_)
    if (mentions(expr, {var})) names.insert(name);
  for (std::size_t before = 0; before != names.size();) {
    before = names.size();
    addFollowing(names);
    for (const auto& [shared, values] : shared_)
      if (llvm::any_of(values, [&](const Expr* from) { return mentions(from, names); })) names.insert(shared);
  }
  return mentions(value, names);
}

// Whether a pointer is a part of something: a member, an element, or what another pointer leads to.
static bool isPartPointer(const Expr* pointer) {
  pointer = bareValue(pointer);
  if (auto* op = dyn_cast<BinaryOperator>(pointer); op && op->isAdditiveOp())
    return isPartPointer(op->getLHS()->getType()->isPointerType() ? op->getLHS() : op->getRHS());
  return pointer->isGLValue() && pointer->getType()->isPointerType() && !isa<DeclRefExpr>(pointer);
}

// Objects of the library's that have their elements for themselves; others, as iterators, lead to those of others.
static bool ownsElements(const Expr* object) {
  const QualType type = object->getType()->isPointerType() ? object->getType()->getPointeeType() : object->getType();
  const CXXRecordDecl* record = type->getAsCXXRecordDecl();
  return record && record->getIdentifier() &&
         llvm::is_contained({"vector", "array", "basic_string", "deque", "list", "forward_list", "map", "unordered_map",
                             "valarray", "unique_ptr", "optional", "bitset"},
                            record->getName());
}

OwnPlace OwnWrites::behind(const Expr* pointer) const {
  OwnPlace place = placeOf(pointer);
  place.leadsOn |= isPartPointer(pointer);
  return place;
}

OwnPlace OwnWrites::placeOf(const Expr* expr) const {
  expr = bareValue(expr);
  if (isa<CXXThisExpr>(expr)) return {.isObject = true};
  if (auto* reference = dyn_cast<DeclRefExpr>(expr)) {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    const auto other = named_.find(var);
    return other != named_.end() ? placeOf(other->second) : OwnPlace{var};
  }
  if (auto* member = dyn_cast<MemberExpr>(expr)) {
    auto* field = dyn_cast<FieldDecl>(member->getMemberDecl());
    if (!field) return {dyn_cast<VarDecl>(member->getMemberDecl())};
    OwnPlace place = behind(member->getBase());
    if (place.isKnown()) place.path.push_back(field);
    place.leadsOn |= field->getType()->isReferenceType();
    return place;
  }
  if (auto* element = dyn_cast<ArraySubscriptExpr>(expr)) return behind(element->getBase());
  if (auto* section = dyn_cast<ArraySectionExpr>(expr)) return behind(section->getBase());
  if (auto* op = dyn_cast<UnaryOperator>(expr))
    return op->getOpcode() == UO_Deref || op->getOpcode() == UO_AddrOf || op->getOpcode() == UO_Real ||
                   op->getOpcode() == UO_Imag || op->isIncrementDecrementOp()
               ? (op->getOpcode() == UO_Deref ? behind(op->getSubExpr()) : placeOf(op->getSubExpr()))
               : OwnPlace();
  if (auto* op = dyn_cast<BinaryOperator>(expr)) {
    if (op->isAssignmentOp()) return placeOf(op->getLHS());
    if (!op->getType()->isPointerType()) return {};
    return placeOf(op->getLHS()->getType()->isPointerType() ? op->getLHS() : op->getRHS());
  }
  auto* call = dyn_cast<CallExpr>(expr);
  const FunctionDecl* function = call ? call->getDirectCallee() : nullptr;
  if (!function || !isLibrary(function)) return {};
  const OverloadedOperatorKind op = function->getOverloadedOperator();
  const Expr* object = objectOf(call);
  const bool isElement = op == OO_Subscript || op == OO_Star || op == OO_Arrow;
  if (!isElement && !givesElement(plainName(function)) && !isForwarding(function)) return {};
  if (!object) object = call->getNumArgs() > 0 ? call->getArg(0) : nullptr;
  if (!object) return {};
  OwnPlace place = placeOf(object);
  place.leadsOn |= !isForwarding(function) && object->getType()->getAsCXXRecordDecl() && !ownsElements(object);
  return place;
}

}  // namespace muster::plugin
