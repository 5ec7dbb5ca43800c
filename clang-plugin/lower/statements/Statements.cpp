// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements as those of the IR.
#include "lower/statements/Statements.h"

#include "analysis/loops/CanonicalLoop.h"
#include "analysis/loops/SimdLoops.h"
#include "analysis/records/Locks.h"
#include "analysis/records/Records.h"
#include "analysis/updates/Updates.h"
#include "clang/AST/OpenMPClause.h"
#include "print/Print.h"
#include "source/ElementTypes.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

void Statements::VisitStmt(const clang::Stmt* node) {
  refuse(node, say::KindWithoutCounterpart(node->getStmtClassName()));
}

// The statement expression that a statement is, for whose value nobody asks: macros of several statements are such.
static const clang::StmtExpr* unusedBlock(const clang::Expr* expr) {
  expr = expr->IgnoreParens();
  if (const auto* full = llvm::dyn_cast<clang::FullExpr>(expr)) return unusedBlock(full->getSubExpr());
  const auto* cast = llvm::dyn_cast<clang::CastExpr>(expr);
  if (cast && cast->getCastKind() == clang::CK_ToVoid) return unusedBlock(cast->getSubExpr());
  return llvm::dyn_cast<clang::StmtExpr>(expr);
}

void Statements::VisitExpr(const clang::Expr* expr) {
  if (const clang::StmtExpr* block = unusedBlock(expr)) return Visit(block->getSubStmt());
  if (lowerAtomicCall(expr) || isLockCall(program_.facts, expr)) return;
  if (const UpdateFact* update = sharedUpdate(expr)) return lowerUpdate(*update);
  if (lowerEnd(expr)) return;
  evaluate(expressions_.effect(expr));
}

ir::Statements Statements::collect(llvm::function_ref<void()> lower) {
  ir::Statements around;
  std::swap(around, out_);
  lower();
  std::swap(around, out_);
  return around;
}

void Statements::lowerInside(const clang::Stmt* statement) {
  const auto* block = llvm::dyn_cast<clang::CompoundStmt>(statement);
  if (!block) return Visit(statement);
  for (const clang::Stmt* child : block->body()) Visit(child);
}

void Statements::loopBody(const clang::Stmt* body) {
  ++loops_;
  lowerInside(body);
  --loops_;
}

void Statements::VisitCompoundStmt(const clang::CompoundStmt* compound) {
  block([&] { lowerInside(compound); });
}

void Statements::VisitDeclStmt(const clang::DeclStmt* statement) {
  for (const clang::Decl* decl : statement->decls()) {
    const auto* bound = llvm::dyn_cast<clang::VarDecl>(decl);
    if (bound && scope_.spaces.bindings().knows(bound)) continue;
    if (bound && isAtomicReference(bound->getType())) continue;  // updates name the element itself
    if (const auto* decomposed = llvm::dyn_cast<clang::DecompositionDecl>(decl)) {
      define(decomposed);
      for (const clang::BindingDecl* binding : decomposed->bindings())
        if (binding->getHoldingVar()) define(binding->getHoldingVar());
      continue;
    }
    if (const auto* var = llvm::dyn_cast<clang::VarDecl>(decl)) {
      define(var);
    } else if (!llvm::isa<clang::TypeDecl, clang::StaticAssertDecl, clang::UsingDecl, clang::UsingDirectiveDecl,
                          clang::UsingEnumDecl, clang::EmptyDecl, clang::NamespaceAliasDecl>(decl))
      refuse(statement, say::DeclaresKind(decl->getDeclKindName()));
  }
}

ir::Statement Statements::definition(const clang::VarDecl* var, const clang::Expr* init) {
  const clang::QualType type = var->getType();
  if (rowBehind(var, *program_.facts.objects, scope_.spaces.bindings())) {
    const Expression first = expressions_.firstOfRow(init);
    clang::QualType element = vectorElement(type);
    if (type.getNonReferenceType().isConstQualified()) element.addConst();
    return ir::define(program_.types.declare(program_.context.getPointerType(element), scope_.declare(var),
                                             Space::Global, var->getLocation()),
                      first);
  }
  // The initialiser comes first: in C++ as in C the new name is visible in it, but only its old meaning can be meant.
  Expression value;
  if (init && type->isReferenceType())
    value = expressions_.address(init);
  else if (const auto* construct = llvm::dyn_cast_or_null<clang::CXXConstructExpr>(init);
           construct && construct->getConstructor()->isTrivial() && construct->getConstructor()->isDefaultConstructor())
    value = construct->requiresZeroInitialization() ? ir::braces({ir::literal("0")}) : Expression();
  else if (init)
    value = expressions_.initialiser(init);
  const std::string name = scope_.declare(var);
  return ir::define(program_.types.declare(type, name, scope_.spaces.ofVariable(var), var->getLocation()), value, name);
}

void Statements::define(const clang::VarDecl* var) {
  // A dimension of the launch has its value already.
  if (llvm::any_of(program_.facts.dims, [&](const DimFact& dim) { return dim.var == var; })) return;
  // Printed at program scope, or as their values where they are used.
  if (!program_.table(var).empty()) return;
  if (var->isStaticLocal() && program_.foldedVariable(var)) return;
  if (var->hasGlobalStorage()) {
    if (!var->hasExternalStorage()) program_.refusals.add(var->getLocation(), say::HasStaticVariable(var->getName()));
    return;
  }
  if (program_.isClosure(var->getType())) {
    for (const clang::VarDecl* made : expressions_.makeClosure(var->getInit())) define(made);
    return;
  }
  addWhatMayEnd(var->getInit(), [&] { return definition(var); });
}

// With all that stands behind `else`.
ir::Statement Statements::choice(const clang::IfStmt* statement) {
  ir::Statement chosen = ir::choice(expressions_.condition(statement->getCond()), collect([&] {
                                      lowerInside(statement->getThen());
                                      if (const auto record = recordOf(program_.facts, statement)) noteChoice(*record);
                                    }));
  const clang::Stmt* otherwise = statement->getElse();
  if (!otherwise) return chosen;
  const auto* next = llvm::dyn_cast<clang::IfStmt>(otherwise);
  chosen.isChained = next && !sharedUpdate(next) && !isChoice(program_.facts, next) && !next->getInit() &&
                     !next->getConditionVariable() && !next->isConstexpr();
  chosen.otherwise = chosen.isChained ? ir::Statements{choice(next)} : inside(otherwise);
  return chosen;
}

void Statements::VisitIfStmt(const clang::IfStmt* statement) {
  if (const UpdateFact* update = sharedUpdate(statement)) return lowerUpdate(*update);
  if (statement->isConsteval()) return refuse(statement, say::IfConsteval);
  blockIf(statement->getInit() || statement->getConditionVariable(), [&] {
    if (statement->getInit()) Visit(statement->getInit());
    if (statement->getConditionVariable()) define(statement->getConditionVariable());
    const auto chosen = statement->getNondiscardedCase(program_.context);
    if (!statement->isConstexpr() || !chosen)
      add(choice(statement));
    else if (*chosen)
      block([&] { lowerInside(*chosen); });
  });
}

// What the choice has made of the record's variables.
void Statements::noteChoice(unsigned number) {
  const RecordFact& record = program_.facts.records[number];
  const std::string name = "muster_record" + std::to_string(number);
  for (std::size_t v = 0; v < record.vars.size(); ++v)
    evaluate(ir::assign(ir::member(ir::name(name), "muster_" + std::to_string(v)),
                        ir::name(scope_.variable(record.vars[v]))));
  evaluate(ir::assign(ir::member(ir::name(name), "muster_order"), ir::name("muster_iteration")));
}

void Statements::leaveUnless(const clang::Expr* condition) {
  add(ir::choice(ir::prefix("!", expressions_.condition(condition)), {ir::jump("break")}));
}

template <class Loop>
ir::Statements Statements::bodyOf(const Loop* loop) {
  return collect([&] {
    if (loop->getConditionVariable()) {
      define(loop->getConditionVariable());
      leaveUnless(loop->getCond());
    }
    loopBody(loop->getBody());
  });
}

void Statements::VisitForStmt(const clang::ForStmt* loop) {
  const auto* declaration = llvm::dyn_cast_or_null<clang::DeclStmt>(loop->getInit());
  const auto* single = declaration && declaration->isSingleDecl()
                           ? llvm::dyn_cast<clang::VarDecl>(declaration->getSingleDecl())
                           : nullptr;
  const bool hasScope = declaration && !(single && single->hasLocalStorage() && program_.table(single).empty());
  blockIf(hasScope, [&] {
    ir::Statement lowered{ir::StatementKind::For};
    for (const GroupLoopFact& fact : program_.facts.groupLoops)
      if (fact.loop == loop) lowered.groupLoop = &fact - program_.facts.groupLoops.data() + 1;
    if (hasScope)
      Visit(declaration);
    else if (single)
      lowered.first.push_back(definition(single));
    else if (const auto* init = llvm::dyn_cast_or_null<clang::Expr>(loop->getInit()))
      lowered.first.push_back(ir::evaluate(expressions_.effect(init)));
    if (loop->getCond() && !loop->getConditionVariable()) lowered.value = expressions_.condition(loop->getCond());
    if (loop->getInc()) lowered.next = expressions_.effect(loop->getInc());
    lowered.body = bodyOf(loop);
    add(std::move(lowered));
  });
}

void Statements::VisitWhileStmt(const clang::WhileStmt* loop) {
  ir::Statement lowered{ir::StatementKind::While};
  lowered.value = loop->getConditionVariable() ? ir::literal("1") : expressions_.condition(loop->getCond());
  lowered.body = bodyOf(loop);
  add(std::move(lowered));
}

void Statements::VisitDoStmt(const clang::DoStmt* loop) {
  ir::Statement lowered{ir::StatementKind::DoWhile};
  lowered.body = collect([&] { loopBody(loop->getBody()); });
  lowered.value = expressions_.condition(loop->getCond());
  add(std::move(lowered));
}

void Statements::VisitCXXForRangeStmt(const clang::CXXForRangeStmt* loop) {
  block([&] {
    if (loop->getInit()) Visit(loop->getInit());
    const clang::Expr* range = loop->getRangeInit();
    if (!vectorElement(range->getType()).isNull()) {
      const auto [first, last] = edgesOf(program_.context, range);
      define(llvm::cast<clang::VarDecl>(loop->getBeginStmt()->getSingleDecl()), first);
      define(llvm::cast<clang::VarDecl>(loop->getEndStmt()->getSingleDecl()), last);
    } else {
      Visit(loop->getRangeStmt());
      Visit(loop->getBeginStmt());
      Visit(loop->getEndStmt());
    }
    ir::Statement lowered{ir::StatementKind::For};
    lowered.value = expressions_.condition(loop->getCond());
    lowered.next = expressions_.value(loop->getInc());
    lowered.body = collect([&] {
      ++loops_;
      Visit(loop->getLoopVarStmt());
      lowerInside(loop->getBody());
      --loops_;
    });
    add(std::move(lowered));
  });
}

void Statements::VisitSwitchStmt(const clang::SwitchStmt* statement) {
  block([&] {
    if (statement->getInit()) Visit(statement->getInit());
    if (statement->getConditionVariable()) define(statement->getConditionVariable());
    ir::Statement lowered{ir::StatementKind::Switch};
    lowered.value = expressions_.value(statement->getCond());
    lowered.body = inside(statement->getBody());
    add(std::move(lowered));
  });
}

void Statements::labelled(const std::string& label, const clang::Stmt* statement) {
  add({ir::StatementKind::Label, label});
  Visit(statement);
}

const std::string& Statements::nameOf(const clang::LabelDecl* label) {
  std::string& name = labels_[label];
  if (name.empty()) name = program_.names.unique(label->getName());
  return name;
}

void Statements::VisitCaseStmt(const clang::CaseStmt* label) {
  if (label->caseStmtIsGNURange()) return refuse(label, say::CaseRange);
  clang::Expr::EvalResult value;  // of an enum class, too
  [[maybe_unused]] const bool isKnown = label->getLHS()->EvaluateAsInt(value, program_.context);
  assert(isKnown && "clang wants constants");
  const Expression constant = integerText(value.Val.getInt(), scalarOf(program_.context, label->getLHS()->getType()));
  labelled("case " + print::text(constant), label->getSubStmt());
}

void Statements::VisitDefaultStmt(const clang::DefaultStmt* label) { labelled("default", label->getSubStmt()); }

void Statements::VisitContinueStmt(const clang::ContinueStmt* statement) {
  add(loops_ == 0 && outerContinue_ ? *outerContinue_ : ir::jump("continue"));
}

void Statements::VisitReturnStmt(const clang::ReturnStmt* statement) {
  assert(!outerContinue_ && "clang lets no body of a loop return");
  const clang::Expr* value = statement->getRetValue();
  if (!value) return add(ir::giveBack());
  if (value->getType()->isVoidType()) {
    VisitExpr(value);
    return add(ir::giveBack());
  }
  // The caller asks.
  expressions_.setMayEnd(value);
  add(ir::giveBack(value->isGLValue() ? expressions_.address(value) : expressions_.converted(value)));
  expressions_.setMayEnd(nullptr);
}

// Sums are rounded as native code rounds them.
void Statements::VisitOMPTileDirective(const clang::OMPTileDirective* directive) {
  if (changesOrder(directive)) return refuse(directive, say::TileChangesOrder);
  Visit(directive->getRawStmt());
}

// Lanes that run one after the other are a right execution. Variables of which they have copies keep their values.
void Statements::VisitOMPSimdDirective(const clang::OMPSimdDirective* directive) {
  const clang::Expr* condition = conditionOf(directive);
  if (!followingVariables(directive).empty() || (condition && condition->HasSideEffects(program_.context)))
    return refuse(directive, say::SimdChangesVariable);
  const std::vector<const clang::VarDecl*> own = ownVariables(directive);
  for (const clang::VarDecl* var : own) {
    const clang::QualType type = var->getType();
    if (scope_.isReference(var) || !(isScalarType(type) || type->isPointerType()))
      return refuse(directive, say::SimdCopiesMoreThanNumbers);
  }
  blockIf(!own.empty(), [&] {
    ir::Statements restored;
    for (const clang::VarDecl* var : own) {
      const std::string name = scope_.variable(var), kept = program_.names.unique(name + "_kept");
      add(ir::define(program_.types.declare(var->getType().getUnqualifiedType(), kept, scope_.spaces.ofVariable(var),
                                            var->getLocation()),
                     ir::name(name)));
      restored.push_back(ir::evaluate(ir::assign(ir::name(name), ir::name(kept))));
    }
    Visit(directive->getRawStmt());
    for (ir::Statement& statement : restored) add(std::move(statement));
  });
}

}  // namespace muster::plugin::lower
