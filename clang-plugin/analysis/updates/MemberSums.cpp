// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/updates/MemberSums.h"

#include "analysis/code/Calls.h"
#include "analysis/code/Functions.h"
#include "analysis/code/UpdateParts.h"
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/objects/Objects.h"
#include "analysis/updates/Updates.h"
#include "clang/AST/ExprCXX.h"
#include "muster/abi.h"
#include "source/AstVisitor.h"
#include "source/ElementTypes.h"

namespace muster::plugin {

using namespace clang;

namespace {

// Native code declares one, gives its members their first values and combines two of them.
bool canBeSummed(const ASTContext& ast, QualType type) {
  const RecordDecl* record = type->getAsRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (!record || record->isUnion() || record->field_empty() || type.isVolatileQualified() || type.isConstQualified() ||
      !isCopiedByBytes(type) || ast.getTypeSizeInChars(type).getQuantity() > 4096 || ast.getTypeAlign(type) > 128)
    return false;
  auto* inCxx = dyn_cast<CXXRecordDecl>(record);
  if (inCxx && (inCxx->getNumBases() > 0 || !inCxx->hasDefaultConstructor() || inCxx->isInStdNamespace())) return false;
  return llvm::all_of(record->fields(), [&](const FieldDecl* field) {
    const QualType member = field->getType();
    const bool isPublic = field->getAccess() == AS_public || field->getAccess() == AS_none;
    return isPublic && !field->isBitField() && field->getIdentifier() && member->isArithmeticType() &&
           !member.isVolatileQualified() && !member.isConstQualified() && canBeMerged(ast, member);
  });
}

// What makes a new value of the struct: `(T){...}`, `T{...}`, a call.
const Expr* makerOf(const Expr* value) {
  while (true) {
    value = bareExpr(value);
    if (auto* cast = dyn_cast<CastExpr>(value); cast && !isa<CallExpr>(value))
      value = cast->getSubExpr();
    else if (auto* literal = dyn_cast<CompoundLiteralExpr>(value))
      value = literal->getInitializer();
    else if (auto* copy = dyn_cast<CXXConstructExpr>(value); copy && copy->getConstructor()->isCopyOrMoveConstructor())
      value = copy->getArg(0);
    else
      return value;
  }
}

// In the code of the body and of functions that get the struct: there it is a parameter, or *this.
class MemberUpdates {
 public:
  MemberUpdates(const ASTContext& ast, const VarDecl* var)
      : ast_(ast), name_(var), record_(var->getType()->getAsRecordDecl()->getDefinition()) {
    kinds_.assign(std::distance(record_->field_begin(), record_->field_end()), untouchedMember);
  }

  std::vector<unsigned> check(const Stmt* body) {
    visit(body, true);
    const bool any = llvm::any_of(kinds_, [](unsigned kind) { return kind != untouchedMember; });
    return any && !other_ ? kinds_ : std::vector<unsigned>();
  }

 private:
  class NameFinder;
  bool names(const Stmt* statement) const;
  bool isObject(const Expr* expr) const;
  std::optional<unsigned> memberOf(const Expr* expr) const;
  void note(unsigned member, const UpdateFact& update);
  void visit(const Stmt* statement, bool isStatement);
  bool visitEffect(const Expr* expr);
  bool visitUpdate(const Stmt* statement);
  bool visitNewValue(const Expr* value);
  bool visitMember(unsigned member, const Expr* value);
  bool visitCall(const CallExpr* call, bool isValue);

  const ASTContext& ast_;
  const VarDecl* name_;  // nullptr: *this
  const RecordDecl* record_;
  std::vector<unsigned> kinds_;
  bool other_ = false;
  unsigned depth_ = 0;  // of calls
};

class MemberUpdates::NameFinder : public AstVisitor {
 public:
  explicit NameFinder(const VarDecl* name) : name_(name) {}
  bool shouldVisitImplicitCode() const override { return true; }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override { return !name_ || reference->getDecl() != name_; }
  bool VisitCXXThisExpr(CXXThisExpr*) override { return name_ != nullptr; }

 private:
  const VarDecl* name_;
};

bool MemberUpdates::names(const Stmt* statement) const {
  return statement && !NameFinder(name_).TraverseStmt(const_cast<Stmt*>(statement));
}

bool MemberUpdates::isObject(const Expr* expr) const {
  expr = bareExpr(expr);
  if (auto* copy = dyn_cast<CXXConstructExpr>(expr); copy && copy->getConstructor()->isCopyOrMoveConstructor())
    expr = bareExpr(copy->getArg(0));
  if (auto* reference = dyn_cast<DeclRefExpr>(expr)) return name_ && reference->getDecl() == name_;
  auto* op = dyn_cast<UnaryOperator>(expr);
  return !name_ && op && op->getOpcode() == UO_Deref && isa<CXXThisExpr>(bareExpr(op->getSubExpr()));
}

std::optional<unsigned> MemberUpdates::memberOf(const Expr* expr) const {
  auto* member = dyn_cast<MemberExpr>(bareExpr(expr));
  auto* field = member ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
  if (!field || field->getParent()->getDefinition() != record_) return std::nullopt;
  const Expr* base = bareExpr(member->getBase());
  const bool isOfIt = member->isArrow() ? !name_ && isa<CXXThisExpr>(base) : isObject(base);
  return isOfIt ? std::optional(field->getFieldIndex()) : std::nullopt;
}

void MemberUpdates::note(unsigned member, const UpdateFact& update) {
  const bool isExtremum = update.kind == MUSTER_REDUCE_MIN || update.kind == MUSTER_REDUCE_MAX;
  const bool isFloating = update.target->getType()->isRealFloatingType();
  // Its first value is an infinity.
  other_ |= isFloating && isExtremum && (!update.keepsNan || ast_.getLangOpts().NoHonorInfs);
  other_ |=
      !update.commutes || names(update.value) || (kinds_[member] != untouchedMember && kinds_[member] != update.kind);
  kinds_[member] = update.kind;
}

bool MemberUpdates::visitUpdate(const Stmt* statement) {
  const auto update = updateForm(ast_, statement);
  const auto member = update ? memberOf(update->target) : std::nullopt;
  if (member) note(*member, *update);
  return member.has_value();
}

// The value of a member that the struct is given as a whole.
bool MemberUpdates::visitMember(unsigned member, const Expr* value) {
  value = bareExpr(value);
  if (memberOf(value) == member) return true;
  auto* op = dyn_cast<BinaryOperator>(value);
  if (!op || !llvm::is_contained({BO_Add, BO_Sub, BO_Mul, BO_And, BO_Or, BO_Xor}, op->getOpcode())) return false;
  const bool isFirst = memberOf(op->getLHS()) == member;
  if (!isFirst && (op->getOpcode() == BO_Sub || memberOf(op->getRHS()) != member)) return false;
  const Expr *target = isFirst ? op->getLHS() : op->getRHS(), *other = isFirst ? op->getRHS() : op->getLHS();
  note(member, updateBy(ast_, bareExpr(target), other, op->getOpcode()));
  return true;
}

bool MemberUpdates::visitNewValue(const Expr* value) {
  value = makerOf(value);
  if (auto* call = dyn_cast<CallExpr>(value)) return visitCall(call, /*isValue=*/true);
  auto* list = dyn_cast<InitListExpr>(value);
  if (list && list->isSyntacticForm() && list->getSemanticForm()) list = list->getSemanticForm();
  if (!list || list->getNumInits() != kinds_.size()) return false;
  for (unsigned i = 0; i < kinds_.size(); ++i)
    if (!visitMember(i, list->getInit(i))) return false;
  return true;
}

// A function that gets the struct, and nothing else of it. isValue: what it returns becomes the struct.
bool MemberUpdates::visitCall(const CallExpr* call, bool isValue) {
  const FunctionDecl* function = call->getDirectCallee();
  const FunctionDecl* definition = function ? definitionOf(function) : nullptr;
  auto* method = dyn_cast_or_null<CXXMethodDecl>(definition);
  if (!definition || !definition->getBody() || (method && method->isVirtual()) || depth_ > 3) return false;
  const Expr* object = objectOf(call);
  unsigned found = object && isObject(object);
  const VarDecl* name = nullptr;
  const auto arguments = argumentsOf(call);
  if (arguments.size() != definition->getNumParams() || (object && !found && names(object))) return false;
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const ParmVarDecl* parameter = definition->getParamDecl(i);
    if (!isObject(arguments[i]) && !names(arguments[i])) continue;
    if (!isObject(arguments[i]) || !(isValue || parameter->getType()->isReferenceType())) return false;
    name = parameter;
    ++found;
  }
  const Expr* only = isValue ? onlyExpression(definition) : nullptr;
  if (found != 1 || (isValue && !only)) return false;
  std::swap(name_, name);
  ++depth_;
  bool understood = true;
  if (isValue)
    understood = visitNewValue(only);
  else
    visit(definition->getBody(), true);
  --depth_;
  std::swap(name_, name);
  return understood;
}

// An expression whose value nobody asks for.
bool MemberUpdates::visitEffect(const Expr* expr) {
  if (visitUpdate(expr)) return true;
  expr = bareExpr(expr);
  if (auto* cast = dyn_cast<CastExpr>(expr); cast && cast->getCastKind() == CK_ToVoid)
    return visitEffect(cast->getSubExpr());
  auto* op = dyn_cast<BinaryOperator>(expr);
  if (op && op->getOpcode() == BO_Comma) {
    visit(op->getLHS(), true);
    visit(op->getRHS(), true);
    return true;
  }
  if (op && op->getOpcode() == BO_Assign && isObject(op->getLHS())) return visitNewValue(op->getRHS());
  auto* call = dyn_cast<CallExpr>(expr);
  auto* method = call ? dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee()) : nullptr;
  if (method && method->isInstance() && method->isTrivial() && isObject(objectOf(call)))
    return argumentsOf(call).size() == 1 && visitNewValue(argumentsOf(call).front());
  return call && names(call) && visitCall(call, /*isValue=*/false);
}

void MemberUpdates::visit(const Stmt* statement, bool isStatement) {
  if (!statement || other_ || !names(statement)) return;
  auto* expr = dyn_cast<Expr>(statement);
  if (isStatement && (expr ? visitEffect(expr) : isa<IfStmt>(statement) && visitUpdate(statement))) return;
  auto* result = dyn_cast<ReturnStmt>(statement);
  if (result && depth_ > 0 && result->getRetValue() && isObject(result->getRetValue())) return;
  // A declaration may make another name of it.
  if (expr || result || isa<OMPExecutableDirective, DeclStmt>(statement)) {
    other_ = true;
    return;
  }
  for (const Stmt* child : statement->children()) visit(child, isStatementOf(statement, child));
}

}  // namespace

std::vector<unsigned> memberSums(const ASTContext& ast, const Stmt* body, const VarDecl* var) {
  // Native code of a template does not compile with such a reduction.
  const DeclContext* around = var->getDeclContext();
  while (around && !around->isFunctionOrMethod()) around = around->getParent();
  while (around && isa<CapturedDecl, BlockDecl>(around)) around = around->getParent();
  auto* function = dyn_cast_or_null<FunctionDecl>(around);
  if (!function || function->getTemplateInstantiationPattern() || !canBeSummed(ast, var->getType())) return {};
  return MemberUpdates(ast, var).check(body);
}

}  // namespace muster::plugin
