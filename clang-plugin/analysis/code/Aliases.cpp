// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/code/Aliases.h"

#include "analysis/code/Functions.h"
#include "analysis/code/Instances.h"
#include "clang/AST/ExprCXX.h"
#include "pragma/ManagedTypes.h"
#include "source/AstVisitor.h"
#include "source/LibraryTypes.h"
#include "source/UserFiles.h"

namespace muster::plugin {

using namespace clang;

namespace {

bool holdsElements(QualType type) {
  type = type.getNonReferenceType();
  return type->isPointerType() || type->isArrayType() || !vectorElement(type).isNull() ||
         !stdArrayElement(type).isNull();
}

// A parameter through which a function can change which buffer its caller's variable names: `T *&`, `T **`.
bool isReassignable(QualType type) {
  if (type->isReferenceType()) return !type->getPointeeType().isConstQualified();
  return type->isPointerType() && type->getPointeeType()->isPointerType();
}

// A variable or member that is no array, but whose address is taken.
void addNamed(const Expr* expr, std::vector<const ValueDecl*>& roots) {
  expr = expr->IgnoreParens();
  const ValueDecl* decl = nullptr;
  if (auto* reference = dyn_cast<DeclRefExpr>(expr)) decl = dyn_cast<VarDecl>(reference->getDecl());
  if (auto* member = dyn_cast<MemberExpr>(expr)) decl = dyn_cast<FieldDecl>(member->getMemberDecl());
  if (decl && !holdsElements(decl->getType())) roots.push_back(decl);
}

// The variables and members whose buffer an expression may point into. A member stands for those of all objects.
void addRoots(const Expr* expr, std::vector<const ValueDecl*>& roots) {
  expr = expr->IgnoreParenCasts();
  if (auto* reference = dyn_cast<DeclRefExpr>(expr)) {
    if (auto* var = dyn_cast<VarDecl>(reference->getDecl()); var && holdsElements(var->getType())) roots.push_back(var);
  } else if (auto* member = dyn_cast<MemberExpr>(expr)) {
    if (auto* field = dyn_cast<FieldDecl>(member->getMemberDecl()); field && holdsElements(field->getType()))
      roots.push_back(field);
  } else if (auto* conditional = dyn_cast<ConditionalOperator>(expr)) {
    addRoots(conditional->getTrueExpr(), roots);
    addRoots(conditional->getFalseExpr(), roots);
  } else if (auto* op = dyn_cast<BinaryOperator>(expr)) {
    if (op->isAdditiveOp() && op->getLHS()->getType()->isPointerType()) addRoots(op->getLHS(), roots);
    if (op->isAssignmentOp()) addRoots(op->getLHS(), roots);
  } else if (auto* unary = dyn_cast<UnaryOperator>(expr)) {
    if (unary->getOpcode() == UO_AddrOf) addNamed(unary->getSubExpr(), roots);
    addRoots(unary->getSubExpr(), roots);
  } else if (auto* subscript = dyn_cast<ArraySubscriptExpr>(expr)) {
    addRoots(subscript->getBase(), roots);
  } else if (auto* call = dyn_cast<CXXMemberCallExpr>(expr)) {
    addRoots(call->getImplicitObjectArgument(), roots);
  } else if (auto* call = dyn_cast<CXXOperatorCallExpr>(expr)) {
    if (call->getNumArgs() > 0) addRoots(call->getArg(0), roots);
  } else if (auto* temporary = dyn_cast<MaterializeTemporaryExpr>(expr)) {
    addRoots(temporary->getSubExpr(), roots);
  } else if (auto* construct = dyn_cast<CXXConstructExpr>(expr)) {
    if (construct->getNumArgs() == 1) addRoots(construct->getArg(0), roots);
  }
}

class Visitor : public AstVisitor {
 public:
  explicit Visitor(Aliases& aliases) : aliases_(aliases) {}

  bool shouldVisitTemplateInstantiations() const override { return true; }

  bool VisitVarDecl(VarDecl* var) override {
    if (var->getInit()) flows(var->getInit(), var);
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt* loop) override {
    flows(loop->getRangeInit(), loop->getLoopVariable());
    return true;
  }
  bool VisitCXXConstructorDecl(CXXConstructorDecl* constructor) override {
    for (const CXXCtorInitializer* init : constructor->inits())
      if (init->isMemberInitializer()) flows(init->getInit(), init->getMember());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* op) override {
    if (op->getOpcode() == BO_Assign && op->getType()->isPointerType()) flows(op->getRHS(), op->getLHS());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* call) override {
    if (call->getOperator() == OO_Equal && call->getNumArgs() == 2) flows(call->getArg(1), call->getArg(0));
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr* call) override {
    auto* method = call->getMethodDecl();
    if (method && method->getDeclName().isIdentifier() && method->getName() == "swap" && call->getNumArgs() == 1)
      exchange(call->getImplicitObjectArgument(), call->getArg(0));
    return true;
  }
  bool VisitCallExpr(CallExpr* call) override {
    const FunctionDecl* function = call->getDirectCallee();
    if (!function || isa<CXXOperatorCallExpr>(call)) return true;
    if (isSwap(function)) {
      exchange(call->getArg(0), call->getArg(1));
      return true;
    }
    const FunctionDecl* definition = definitionOf(function);
    if (!definition) return true;
    for (unsigned i = 0; i < call->getNumArgs() && i < definition->getNumParams(); ++i)
      flows(call->getArg(i), definition->getParamDecl(i), Aliases::Way::Passed);
    return true;
  }

 private:
  static std::vector<const ValueDecl*> rootsOf(const Expr* expr) {
    std::vector<const ValueDecl*> roots;
    addRoots(expr, roots);
    return roots;
  }
  void flows(const Expr* from, const ValueDecl* to, Aliases::Way way = Aliases::Way::Assigned) {
    const bool isReference = to->getType()->isReferenceType();
    if (!holdsElements(to->getType()) && !isReference) return;
    for (const ValueDecl* root : rootsOf(from)) {
      aliases_.addFlow(root, to, way);
      // What the callee stores in the caller's variable comes back.
      if (holdsElements(to->getType()) && isReassignable(to->getType())) aliases_.addFlow(to, root, way);
    }
    // A reference to a single value.
    std::vector<const ValueDecl*> named;
    if (isReference) addNamed(from, named);
    for (const ValueDecl* value : named) aliases_.addFlow(value, to, way);
  }
  void flows(const Expr* from, const Expr* to) {
    for (const ValueDecl* target : rootsOf(to))
      for (const ValueDecl* source : rootsOf(from)) aliases_.addFlow(source, target, Aliases::Way::Assigned);
  }
  void exchange(const Expr* left, const Expr* right) {
    flows(left, right);
    flows(right, left);
  }

  Aliases& aliases_;
};

}  // namespace

Aliases::Aliases(ASTContext& context) {
  const SourceManager& sources = context.getSourceManager();
  Visitor visitor(*this);
  for (Decl* decl : context.getTranslationUnitDecl()->decls())
    if (isUserCode(sources, decl->getLocation())) visitor.TraverseDecl(decl);
}

static const ValueDecl* canonical(const ValueDecl* decl) {
  if (auto* field = dyn_cast<FieldDecl>(decl)) return patternOf(field);
  return cast<ValueDecl>(decl->getCanonicalDecl());
}

void Aliases::addFlow(const ValueDecl* from, const ValueDecl* to, Way way) {
  flows_[canonical(from)].insert(canonical(to));
  if (way == Way::Assigned) sources_[canonical(to)].insert(canonical(from));
}

std::set<const ValueDecl*> Aliases::reachable(const Flows& flows, const ValueDecl* start) {
  std::set<const ValueDecl*> seen = {start};
  std::vector<const ValueDecl*> open = {start};
  while (!open.empty()) {
    const auto next = flows.find(open.back());
    open.pop_back();
    if (next == flows.end()) continue;
    for (const ValueDecl* target : next->second)
      if (seen.insert(target).second) open.push_back(target);
  }
  return seen;
}

bool Aliases::mayName(const ValueDecl* name, const ValueDecl* owner) const {
  return reachable(flows_, canonical(owner)).count(canonical(name)) != 0;
}

bool Aliases::mayShare(const ValueDecl* left, const ValueDecl* right) const {
  const std::set<const ValueDecl*> others = reachable(sources_, canonical(right));
  return llvm::any_of(reachable(sources_, canonical(left)),
                      [&](const ValueDecl* source) { return others.count(source) != 0; });
}

}  // namespace muster::plugin
