// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Address spaces of pointers and references, as a fixed point over declarations and assignments.
#include "lower/types/Spaces.h"

#include "analysis/loops/Iterators.h"
#include "lower/program/Program.h"
#include "source/AstVisitor.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

namespace {

bool isPointerLike(clang::QualType type) {
  return type->isPointerType() || type->isReferenceType() || !iteratorPointee(type).isNull();
}

// Nodes that stand for their one operand.
const clang::Expr* withoutWrapping(const clang::Expr* expr) {
  for (;;) {
    if (const auto* wrapper = llvm::dyn_cast<clang::FullExpr>(expr))
      expr = wrapper->getSubExpr();
    else if (const auto* paren = llvm::dyn_cast<clang::ParenExpr>(expr))
      expr = paren->getSubExpr();
    else if (const auto* selection = llvm::dyn_cast<clang::GenericSelectionExpr>(expr))
      expr = selection->getResultExpr();
    else if (const auto* argument = llvm::dyn_cast<clang::CXXDefaultArgExpr>(expr))
      expr = argument->getExpr();
    else if (const auto* member = llvm::dyn_cast<clang::CXXDefaultInitExpr>(expr))
      expr = member->getExpr();
    else if (const auto* parameter = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(expr))
      expr = parameter->getReplacement();
    else if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(expr);
             list && list->getNumInits() == 1 && (list->isGLValue() || list->getType()->isPointerType()))
      expr = list->getInit(0);
    else
      return expr;
  }
}

// All places where a pointer or reference variable gets a value.
class Flows : public AstVisitor {
 public:
  std::vector<Spaces::Flow> all;
  std::vector<const clang::VarDecl*> declared;

  bool shouldVisitImplicitCode() const override { return true; }  // the variables of range-based loops
  bool VisitVarDecl(clang::VarDecl* var) override {
    declared.push_back(var);
    if (isPointerLike(var->getType()) && var->getInit()) all.emplace_back(var, var->getInit());
    return true;
  }
  bool VisitBindingDecl(clang::BindingDecl* binding) override {  // of a pair or tuple: a variable behind each name
    return !binding->getHoldingVar() || TraverseVarDecl(binding->getHoldingVar());
  }
  bool VisitBinaryOperator(clang::BinaryOperator* op) override {
    if (op->getOpcode() == clang::BO_Assign && op->getType()->isPointerType()) add(op->getLHS(), op->getRHS());
    return true;
  }
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) override {
    if (call->getOperator() == clang::OO_Equal && !iteratorPointee(call->getArg(0)->getType()).isNull())
      add(call->getArg(0), call->getArg(1));
    return true;
  }

 private:
  void add(const clang::Expr* to, const clang::Expr* value) {
    if (const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(to->IgnoreParens()))
      if (const auto* var = llvm::dyn_cast<clang::VarDecl>(ref->getDecl())) all.emplace_back(var, value);
  }
};

class Returns : public AstVisitor {
 public:
  std::vector<const clang::Expr*> values;
  bool TraverseLambdaExpr(clang::LambdaExpr*) override { return true; }  // returns from itself
  bool VisitReturnStmt(clang::ReturnStmt* statement) override {
    if (statement->getRetValue()) values.push_back(statement->getRetValue());
    return true;
  }
};

}  // namespace

void Spaces::infer(const std::vector<const clang::Stmt*>& code, const std::vector<Flow>& given) {
  Flows flows;
  for (const Flow& flow : given)
    if (isPointerLike(flow.first->getType())) flows.all.push_back(flow);
  for (const clang::Stmt* statement : code) flows.TraverseStmt(const_cast<clang::Stmt*>(statement));
  for (const clang::VarDecl* var : flows.declared) program_.facts.objects->bindLocal(var, bindings_);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [var, value] : flows.all) {
      if (bindings_.knows(var)) continue;
      const Space from = var->getType()->isReferenceType() ? ofObject(value) : ofPointee(value);
      const Space before = ofVariable(var);
      const Space after = join(before, from);
      if (after == before) continue;
      set(var, after);
      changed = true;
      if (after == Space::Mixed) program_.refusals.add(var->getLocation(), say::PointsToTwoKinds(var->getName()));
    }
  }
}

Space Spaces::ofVariable(const clang::VarDecl* var) const {
  if (program_.isArray(var)) return Space::Global;
  if (const auto known = vars_.find(var->getCanonicalDecl()); known != vars_.end()) return known->second;
  const auto around = program_.outerSpaces().find(var->getCanonicalDecl());
  return around == program_.outerSpaces().end() ? Space::Any : around->second;
}

Space Spaces::ofReferred(const clang::VarDecl* var) const {
  if (program_.isArray(var) || var->getType()->isReferenceType()) return ofVariable(var);
  return program_.table(var).empty() ? Space::Private : Space::Constant;
}

Space Spaces::ofObject(const clang::Expr* expr) const {
  expr = withoutWrapping(expr);
  if (const clang::Expr* translated = withPointers(program_.context, expr)) expr = translated;
  if (const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(expr)) {
    if (const clang::VarDecl* var = variableOf(program_, *this, ref)) return ofReferred(var);
    if (const auto* binding = llvm::dyn_cast<clang::BindingDecl>(ref->getDecl()))
      return ofObject(binding->getBinding());
    return Space::Private;
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expr))
    return unary->getOpcode() == clang::UO_Deref ? ofPointee(unary->getSubExpr()) : ofObject(unary->getSubExpr());
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(expr)) {
    if (isMemberText(expr))
      if (const clang::VarDecl* var = program_.facts.objects->member(expr, bindings_)) return ofReferred(var);
    return ofPointee(subscript->getBase());
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(expr)) {
    if (const clang::VarDecl* var = program_.facts.objects->member(expr, bindings_)) return ofReferred(var);
    if (const auto* var = llvm::dyn_cast<clang::VarDecl>(member->getMemberDecl())) return ofReferred(var);
    if (member->isArrow()) return ofPointee(member->getBase());
    return member->getBase()->isGLValue() ? ofObject(member->getBase()) : Space::Private;
  }
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expr))
    return cast->getSubExpr()->isGLValue() ? ofObject(cast->getSubExpr()) : Space::Private;
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(expr))
    return join(ofObject(choice->getTrueExpr()), ofObject(choice->getFalseExpr()));
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expr))
    return ofObject(binary->getOpcode() == clang::BO_Comma ? binary->getRHS() : binary->getLHS());
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(expr)) return ofCall(call);
  return Space::Private;
}

Space Spaces::ofPointee(const clang::Expr* expr) const {
  expr = withoutWrapping(expr);
  if (!iteratorPointee(expr->getType()).isNull())
    if (const clang::Expr* pointer = pointerOf(program_.context, expr)) expr = pointer;
  if (const clang::Expr* translated = withPointers(program_.context, expr)) expr = translated;
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expr)) {
    if (cast->getCastKind() == clang::CK_NullToPointer) return Space::Any;
    if (cast->getCastKind() == clang::CK_ArrayToPointerDecay) return ofObject(cast->getSubExpr());
    if (cast->getCastKind() == clang::CK_LValueToRValue) return ofPointerIn(cast->getSubExpr());
    return ofPointee(cast->getSubExpr());
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expr)) {
    if (unary->getOpcode() == clang::UO_AddrOf) return ofObject(unary->getSubExpr());
    if (unary->isIncrementDecrementOp()) return ofPointerIn(unary->getSubExpr());
    return Space::Any;
  }
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expr)) {
    if (binary->isAdditiveOp() && binary->getLHS()->getType()->isPointerType()) return ofPointee(binary->getLHS());
    return ofPointee(binary->getRHS());
  }
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(expr))
    return join(ofPointee(choice->getTrueExpr()), ofPointee(choice->getFalseExpr()));
  if (llvm::isa<clang::CXXThisExpr>(expr)) return this_;
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(expr)) return ofCall(call);
  return expr->isGLValue() ? ofPointerIn(expr) : Space::Any;
}

Space Spaces::ofPointerIn(const clang::Expr* expr) const {
  expr = withoutWrapping(expr);
  if (const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(expr)) {
    const clang::VarDecl* var = variableOf(program_, *this, ref);
    return var ? ofVariable(var) : Space::Any;
  }
  if (isMemberText(expr))
    if (const clang::VarDecl* var = program_.facts.objects->member(expr, bindings_)) return ofVariable(var);
  if (!program_.facts.objects->elements(expr, bindings_).empty()) return Space::Global;
  // The pointers of a table of rows.
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(expr)) return ofPointee(subscript->getBase());
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expr); unary && unary->getOpcode() == clang::UO_Deref)
    return ofPointee(unary->getSubExpr());
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expr); unary && unary->isIncrementDecrementOp())
    return ofPointerIn(unary->getSubExpr());
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(expr))
    return join(ofPointerIn(choice->getTrueExpr()), ofPointerIn(choice->getFalseExpr()));
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expr))
    return ofPointerIn(binary->getOpcode() == clang::BO_Comma ? binary->getRHS() : binary->getLHS());
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expr)) return ofPointerIn(cast->getSubExpr());
  return Space::Any;
}

Space Spaces::ofCall(const clang::CallExpr* call) const {
  const CallShape shape = shapeOf(call);
  if (!shape.callee) return Space::Any;
  if (isIdentity(shape.callee)) return ofObject(shape.arguments.front());
  if (vectorOperation(shape) != VectorOperation::None || isSmartPointer(shape)) return Space::Global;
  const ObjectBindings inside = program_.bindingsOf(shape, bindings_);
  const clang::FunctionDecl* definition = nullptr;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(shape.callee);
  if (!method || !program_.isLambda(method) || !method->hasBody(definition))
    return program_.returnedSpace(shape.callee, ofArguments(shape), inside);
  // It sees this function's pointers.
  Spaces own = *this;
  own.setBindings(inside);
  unsigned next = 1;
  const std::vector<Space> given = ofArguments(shape);
  for (const clang::ParmVarDecl* parameter : definition->parameters())
    if (next < given.size()) own.set(parameter, given[next++]);
  own.infer({definition->getBody()});
  return lower::returnedSpace(definition->getBody(), own);
}

std::vector<Space> Spaces::ofArguments(const CallShape& call) const {
  std::vector<Space> spaces;
  const auto add = [&](Space space) { spaces.push_back(space == Space::Any ? Space::Private : space); };
  if (call.object) add(call.objectIsPointer ? ofPointee(call.object) : ofObject(call.object));
  for (unsigned i = 0; i < call.callee->getNumParams() && i < call.arguments.size(); ++i) {
    const clang::QualType type = call.callee->getParamDecl(i)->getType();
    if (type->isReferenceType())
      add(ofObject(call.arguments[i]));
    else if (type->isPointerType())
      add(ofPointee(call.arguments[i]));
    else
      spaces.push_back(Space::Any);
  }
  return spaces;
}

Space returnedSpace(const clang::Stmt* code, const Spaces& spaces) {
  Returns returns;
  returns.TraverseStmt(const_cast<clang::Stmt*>(code));
  Space space = Space::Any;
  for (const clang::Expr* value : returns.values)
    space = join(space, value->isGLValue() ? spaces.ofObject(value) : spaces.ofPointee(value));
  return space;
}

}  // namespace muster::plugin::lower
