// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over the file.
#include "pragma/Collector.h"

#include "pragma/Allocation.h"

namespace muster::plugin {

using clang::SourceLocation;

const clang::DeclaratorDecl* namedBy(const clang::Expr* expr) {
  expr = expr->IgnoreParenImpCasts();
  const clang::ValueDecl* decl = nullptr;
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expr))
    decl = reference->getDecl();
  else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(expr))
    decl = member->getMemberDecl();
  if (!decl || !(llvm::isa<clang::VarDecl>(decl) || llvm::isa<clang::FieldDecl>(decl))) return nullptr;
  return llvm::cast<clang::DeclaratorDecl>(decl->getCanonicalDecl());
}

const clang::DeclaratorDecl* leadingTo(const clang::Expr* expr) {
  expr = expr->IgnoreParenImpCasts();
  if (const auto* deref = llvm::dyn_cast<clang::UnaryOperator>(expr); deref && deref->getOpcode() == clang::UO_Deref)
    return leadingTo(deref->getSubExpr());
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(expr)) return leadingTo(subscript->getBase());
  return namedBy(expr);
}

std::pair<const clang::Expr*, unsigned> withoutFirst(const clang::Expr& place, unsigned most) {
  const clang::Expr* expr = place.IgnoreParenImpCasts();
  unsigned count = 0;
  for (; count < most; ++count) {
    const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(expr);
    const auto* deref = llvm::dyn_cast<clang::UnaryOperator>(expr);
    const auto* index =
        subscript ? llvm::dyn_cast<clang::IntegerLiteral>(subscript->getIdx()->IgnoreParenImpCasts()) : nullptr;
    if (index && index->getValue() == 0)
      expr = subscript->getBase()->IgnoreParenImpCasts();
    else if (deref && deref->getOpcode() == clang::UO_Deref &&
             !llvm::isa<clang::BinaryOperator>(deref->getSubExpr()->IgnoreParenImpCasts()))
      expr = deref->getSubExpr()->IgnoreParenImpCasts();
    else
      break;
  }
  return {expr, count};
}

void Collector::add(SourceLocation begin, Anchor anchor) {
  begin = sources_.getExpansionLoc(begin);  // what a macro makes stands where it is invoked
  anchor.begin = begin;
  anchors_.emplace(sources_.getDecomposedLoc(begin), std::move(anchor));
}

void Collector::assign(const clang::Expr* place, const clang::Expr* value) {
  const clang::DeclaratorDecl* target = leadingTo(place);
  if (target)
    assignments_.push_back({target, namedBy(place) == nullptr, place, value});
  else if (place->isTypeDependent())
    dependentPlaces_.push_back(place);
}

bool Collector::VisitDeclStmt(clang::DeclStmt* statement) {
  Anchor anchor;
  for (const clang::Decl* decl : statement->decls())
    if (const auto* var = llvm::dyn_cast<clang::VarDecl>(decl)) anchor.declared.push_back(var);
  add(statement->getBeginLoc(), std::move(anchor));
  return true;
}

bool Collector::VisitVarDecl(clang::VarDecl* var) {
  if (llvm::isa<clang::ParmVarDecl>(var)) return true;
  if (const clang::Expr* init = var->getInit())
    assignments_.push_back({llvm::cast<clang::DeclaratorDecl>(var->getCanonicalDecl()), false, nullptr, init});
  if (var->isLocalVarDeclOrParm() && !var->isStaticLocal()) return true;
  if (!var->isFileVarDecl()) return true;
  add(var->getBeginLoc(), {{}, {var}, nullptr});
  return true;
}

bool Collector::VisitFieldDecl(clang::FieldDecl* field) {
  if (const clang::Expr* init = field->getInClassInitializer()) assignments_.push_back({field, false, nullptr, init});
  add(field->getBeginLoc(), {{}, {field}, nullptr});
  return true;
}

bool Collector::VisitCXXConstructorDecl(clang::CXXConstructorDecl* constructor) {
  for (const clang::CXXCtorInitializer* init : constructor->inits())
    if (init->isMemberInitializer() && init->isWritten())
      assignments_.push_back({init->getMember()->getCanonicalDecl(), false, nullptr, init->getInit()});
  return true;
}

bool Collector::VisitBinaryOperator(clang::BinaryOperator* operation) {
  if (operation->getOpcode() != clang::BO_Assign) return true;
  add(operation->getBeginLoc(), {{}, {}, operation});
  assign(operation->getLHS(), operation->getRHS());
  return true;
}

bool Collector::VisitCallExpr(clang::CallExpr* call) {
  const auto* oper = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call);
  if (oper && oper->getOperator() == clang::OO_Equal) assign(oper->getArg(0), call);
  const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(call);
  if (member && !member->getImplicitObjectArgument()->getType()->isPointerType())
    assign(member->getImplicitObjectArgument(), call);
  for (const clang::Expr* argument : outParameters(*call)) assign(argument, call);
  // Of the whole: CallExpr::getBeginLoc names the operator from Clang 20 on.
  const SourceLocation begin = call->getSourceRange().getBegin();
  if (!oper || oper->getOperator() == clang::OO_Equal) add(begin, {{}, {}, call});
  return true;
}

bool Collector::VisitIfStmt(clang::IfStmt* statement) {
  add(statement->getBeginLoc(), {{}, {}, statement});
  return true;
}

bool Collector::VisitCompoundStmt(clang::CompoundStmt* block) {
  if (block->getLBracLoc().isFileID()) blocks_.push_back(block);
  return true;
}

bool Collector::isInsideStatement(const clang::CompoundStmt* block, SourceLocation loc) const {
  for (const clang::Stmt* statement : block->body())
    if (sources_.isBeforeInTranslationUnit(sources_.getFileLoc(statement->getBeginLoc()), loc) &&
        sources_.isBeforeInTranslationUnit(loc, sources_.getFileLoc(statement->getEndLoc())))
      return true;
  return false;
}

const clang::CompoundStmt* Collector::blockAround(SourceLocation loc) const {
  const clang::CompoundStmt* innermost = nullptr;
  for (const clang::CompoundStmt* block : blocks_)
    if (sources_.isBeforeInTranslationUnit(block->getLBracLoc(), loc) &&
        sources_.isBeforeInTranslationUnit(loc, block->getRBracLoc()) &&
        (!innermost || sources_.isBeforeInTranslationUnit(innermost->getLBracLoc(), block->getLBracLoc())))
      innermost = block;
  return innermost;
}

}  // namespace muster::plugin
