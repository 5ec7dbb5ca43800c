// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements as OpenCL C.
#include "opencl/statements/Statements.h"

#include "analysis/loops/CanonicalLoop.h"
#include "analysis/loops/SimdLoops.h"
#include "analysis/records/Locks.h"
#include "analysis/records/Records.h"
#include "analysis/updates/Updates.h"
#include "clang/AST/OpenMPClause.h"
#include "source/ElementTypes.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::opencl {

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
  if (printAtomicCall(expr) || isLockCall(program_.facts, expr)) return;
  if (const UpdateFact* update = sharedUpdate(expr)) return printUpdate(*update);
  if (printEnd(expr)) return;
  line(expressions_.effect(expr).text + ";");
}

void Statements::open(const std::string& head) {
  line(head.empty() ? "{" : head + " {");
  ++depth_;
}

void Statements::close(const std::string& tail) {
  --depth_;
  line("}" + tail);
}

void Statements::printInside(const clang::Stmt* statement) {
  const auto* block = llvm::dyn_cast<clang::CompoundStmt>(statement);
  if (!block) return Visit(statement);
  for (const clang::Stmt* child : block->body()) Visit(child);
}

void Statements::loopBody(const clang::Stmt* body) {
  ++loops_;
  printInside(body);
  --loops_;
}

void Statements::VisitCompoundStmt(const clang::CompoundStmt* block) {
  open("");
  printInside(block);
  close();
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

std::string Statements::definition(const clang::VarDecl* var, const clang::Expr* init) {
  const clang::QualType type = var->getType();
  if (rowBehind(var, *program_.facts.objects, scope_.spaces.bindings())) {
    const std::string first = expressions_.firstOfRow(init).at(Prec::Assignment);
    clang::QualType element = vectorElement(type);
    if (type.getNonReferenceType().isConstQualified()) element.addConst();
    return program_.types.declare(program_.context.getPointerType(element), scope_.declare(var), Space::Global,
                                  var->getLocation()) +
           " = " + first;
  }
  // The initialiser comes first: in C++ as in C the new name is visible in it, but only its old meaning can be meant.
  std::string value;
  if (init && type->isReferenceType())
    value = expressions_.address(init).at(Prec::Assignment);
  else if (const auto* construct = llvm::dyn_cast_or_null<clang::CXXConstructExpr>(init);
           construct && construct->getConstructor()->isTrivial() && construct->getConstructor()->isDefaultConstructor())
    value = construct->requiresZeroInitialization() ? "{0}" : "";
  else if (init)
    value = expressions_.initialiser(init);
  std::string text =
      program_.types.declare(type, scope_.declare(var), scope_.spaces.ofVariable(var), var->getLocation());
  return value.empty() ? text : text + " = " + value;
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
  lineThatMayEnd(var->getInit(), [&] { return definition(var) + ";"; });
}

void Statements::elseBranch(const clang::Stmt* statement) {
  const auto* next = llvm::dyn_cast<clang::IfStmt>(statement);
  if (next && !sharedUpdate(next) && !isChoice(program_.facts, next) && !next->getInit() &&
      !next->getConditionVariable() && !next->isConstexpr()) {
    --depth_;
    line("} else if (" + expressions_.condition(next->getCond()).text + ") {");
    ++depth_;
    printInside(next->getThen());
    if (next->getElse()) elseBranch(next->getElse());
    return;
  }
  --depth_;
  line("} else {");
  ++depth_;
  printInside(statement);
}

void Statements::VisitIfStmt(const clang::IfStmt* statement) {
  if (const UpdateFact* update = sharedUpdate(statement)) return printUpdate(*update);
  if (statement->isConsteval()) return refuse(statement, say::IfConsteval);
  const bool hasScope = statement->getInit() || statement->getConditionVariable();
  if (hasScope) open("");
  if (statement->getInit()) Visit(statement->getInit());
  if (statement->getConditionVariable()) define(statement->getConditionVariable());
  const auto chosen = statement->getNondiscardedCase(program_.context);
  if (statement->isConstexpr() && chosen) {
    if (*chosen) {
      open("");
      printInside(*chosen);
      close();
    }
  } else {
    open("if (" + expressions_.condition(statement->getCond()).text + ")");
    printInside(statement->getThen());
    if (const auto record = recordOf(program_.facts, statement)) noteChoice(*record);
    if (statement->getElse()) elseBranch(statement->getElse());
    close();
  }
  if (hasScope) close();
}

// What the choice has made of the record's variables.
void Statements::noteChoice(unsigned number) {
  const RecordFact& record = program_.facts.records[number];
  const std::string name = "muster_record" + std::to_string(number);
  for (std::size_t v = 0; v < record.vars.size(); ++v)
    line(name + ".muster_" + std::to_string(v) + " = " + scope_.variable(record.vars[v]) + ";");
  line(name + ".muster_order = muster_iteration;");
}

void Statements::leaveUnless(const clang::Expr* condition) {
  line("if (!" + expressions_.condition(condition).at(Prec::Unary) + ") break;");
}

void Statements::VisitForStmt(const clang::ForStmt* loop) {
  std::string first;
  const auto* declaration = llvm::dyn_cast_or_null<clang::DeclStmt>(loop->getInit());
  const auto* single = declaration && declaration->isSingleDecl()
                           ? llvm::dyn_cast<clang::VarDecl>(declaration->getSingleDecl())
                           : nullptr;
  const bool hasScope = declaration && !(single && single->hasLocalStorage() && program_.table(single).empty());
  if (hasScope) {
    open("");
    Visit(declaration);
  } else if (single) {
    first = definition(single);
  } else if (const auto* init = llvm::dyn_cast_or_null<clang::Expr>(loop->getInit())) {
    first = expressions_.effect(init).text;
  }
  const bool declares = loop->getConditionVariable() != nullptr;
  const std::string condition = loop->getCond() && !declares ? " " + expressions_.condition(loop->getCond()).text : "";
  const std::string next = loop->getInc() ? " " + expressions_.effect(loop->getInc()).text : "";
  open("for (" + first + ";" + condition + ";" + next + ")");
  if (declares) {
    define(loop->getConditionVariable());
    leaveUnless(loop->getCond());
  }
  loopBody(loop->getBody());
  close();
  if (hasScope) close();
}

void Statements::VisitWhileStmt(const clang::WhileStmt* loop) {
  const bool declares = loop->getConditionVariable() != nullptr;
  open(declares ? "while (1)" : "while (" + expressions_.condition(loop->getCond()).text + ")");
  if (declares) {
    define(loop->getConditionVariable());
    leaveUnless(loop->getCond());
  }
  loopBody(loop->getBody());
  close();
}

void Statements::VisitDoStmt(const clang::DoStmt* loop) {
  open("do");
  loopBody(loop->getBody());
  close(" while (" + expressions_.condition(loop->getCond()).text + ");");
}

void Statements::VisitCXXForRangeStmt(const clang::CXXForRangeStmt* loop) {
  open("");
  if (loop->getInit()) Visit(loop->getInit());
  const clang::Expr* range = loop->getRangeInit();
  if (!vectorElement(range->getType()).isNull()) {
    const auto [first, last] = edgesOf(program_.context, range);
    line(definition(llvm::cast<clang::VarDecl>(loop->getBeginStmt()->getSingleDecl()), first) + ";");
    line(definition(llvm::cast<clang::VarDecl>(loop->getEndStmt()->getSingleDecl()), last) + ";");
  } else {
    Visit(loop->getRangeStmt());
    Visit(loop->getBeginStmt());
    Visit(loop->getEndStmt());
  }
  open("for (; " + expressions_.condition(loop->getCond()).text + "; " + expressions_.value(loop->getInc()).text + ")");
  ++loops_;
  Visit(loop->getLoopVarStmt());
  printInside(loop->getBody());
  --loops_;
  close();
  close();
}

void Statements::VisitSwitchStmt(const clang::SwitchStmt* statement) {
  open("");
  if (statement->getInit()) Visit(statement->getInit());
  if (statement->getConditionVariable()) define(statement->getConditionVariable());
  open("switch (" + expressions_.value(statement->getCond()).text + ")");
  printInside(statement->getBody());
  close();
  close();
}

void Statements::labelled(const std::string& label, const clang::Stmt* statement) {
  // C's labels stand before statements only, which a definition is not.
  --depth_;
  line(label + (llvm::isa<clang::DeclStmt>(statement) ? ":;" : ":"));
  ++depth_;
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
  labelled("case " + integerText(value.Val.getInt(), scalarOf(program_.context, label->getLHS()->getType())).text,
           label->getSubStmt());
}

void Statements::VisitDefaultStmt(const clang::DefaultStmt* label) { labelled("default", label->getSubStmt()); }

void Statements::VisitContinueStmt(const clang::ContinueStmt* statement) {
  line(loops_ == 0 && !outerContinue_.empty() ? outerContinue_ : "continue;");
}

void Statements::VisitReturnStmt(const clang::ReturnStmt* statement) {
  assert(outerContinue_.empty() && "clang lets no body of a loop return");
  const clang::Expr* value = statement->getRetValue();
  if (!value) return line("return;");
  if (value->getType()->isVoidType()) {
    VisitExpr(value);
    return line("return;");
  }
  // The caller asks.
  expressions_.setMayEnd(value);
  line("return " + (value->isGLValue() ? expressions_.address(value) : expressions_.converted(value)).text + ";");
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
  std::vector<std::string> restored;
  if (!own.empty()) open("");
  for (const clang::VarDecl* var : own) {
    const clang::QualType type = var->getType();
    if (scope_.isReference(var) || !(isScalarType(type) || type->isPointerType()))
      return refuse(directive, say::SimdCopiesMoreThanNumbers);
    const std::string name = scope_.variable(var), kept = program_.names.unique(name + "_kept");
    line(program_.types.declare(type.getUnqualifiedType(), kept, scope_.spaces.ofVariable(var), var->getLocation()) +
         " = " + name + ";");
    restored.push_back(name + " = " + kept + ";");
  }
  Visit(directive->getRawStmt());
  for (const std::string& statement : restored) line(statement);
  if (!own.empty()) close();
}

}  // namespace muster::plugin::opencl
