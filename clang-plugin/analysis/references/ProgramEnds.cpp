// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/references/ProgramEnds.h"

#include "clang/AST/ParentMapContext.h"
#include "clang/Lex/Lexer.h"
#include "muster/abi.h"
#include "source/AstVisitor.h"

namespace muster::plugin {

using namespace clang;

static bool isNamed(const FunctionDecl* function, std::initializer_list<llvm::StringRef> names) {
  return function && function->getDeclName().isIdentifier() && isLibrary(function) && !isa<CXXMethodDecl>(function) &&
         llvm::is_contained(names, function->getName());
}

// Its header is none of the system's.
static bool isMpiAbort(const FunctionDecl* function) {
  return function && function->isExternC() && !function->hasBody() && function->getNumParams() == 2 &&
         function->getDeclName().isIdentifier() && function->getName() == "MPI_Abort";
}

// The communicator of all processes: others may be those of a part of the program.
static bool isWorld(const Expr* communicator, const ASTContext& ast) {
  const SourceManager& sources = ast.getSourceManager();
  const SourceLocation name = sources.getExpansionLoc(communicator->getBeginLoc());
  llvm::SmallString<32> room;
  return Lexer::getSpelling(name, room, sources, ast.getLangOpts()) == "MPI_COMM_WORLD";
}

int endingOf(const FunctionDecl* function) {
  if (isMpiAbort(function)) return MUSTER_END_MPI_ABORT;
  if (isNamed(function, {"exit"})) return MUSTER_END_EXIT;
  if (isNamed(function, {"_exit", "_Exit"})) return MUSTER_END_AT_ONCE;
  if (isNamed(function, {"quick_exit"})) return MUSTER_END_QUICKLY;
  if (isNamed(function, {"abort", "__builtin_abort"})) return MUSTER_END_ABORT;
  return isNamed(function, {"terminate"}) ? MUSTER_END_TERMINATE : MUSTER_END_NONE;
}

static bool isStream(const Expr* expr, std::initializer_list<llvm::StringRef> names) {
  auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts());
  auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return var && var->hasExternalStorage() && llvm::is_contained(names, var->getName());
}

static bool isStderr(const Expr* expr) { return isStream(expr, {"stderr"}); }

static const Expr* streamOf(const CallExpr* call) {
  const FunctionDecl* function = call->getDirectCallee();
  const unsigned count = call->getNumArgs();
  if (isNamed(function, {"fprintf"}) && count > 1) return call->getArg(0);
  return isNamed(function, {"fputs", "fputc", "putc"}) && count == 2 ? call->getArg(1) : nullptr;
}

// What `std::cout << ... << ...` writes, without manipulators that are functions; nullopt: another call.
static std::optional<std::vector<const Expr*>> writtenTo(const Expr* expr) {
  expr = expr->IgnoreParenImpCasts();
  if (isStream(expr, {"cout", "cerr"})) return std::vector<const Expr*>();
  auto* call = dyn_cast<CXXOperatorCallExpr>(expr);
  if (!call || call->getOperator() != OO_LessLess || !isLibrary(call->getDirectCallee())) return std::nullopt;
  auto values = writtenTo(call->getArg(0));
  auto* function = dyn_cast<DeclRefExpr>(call->getArg(1)->IgnoreParenImpCasts());
  if (!values || (function && isa<FunctionDecl>(function->getDecl()))) return values;
  values->push_back(call->getArg(1));
  return values;
}

// What a call writes on standard output; nullopt: it does something else.
static std::optional<std::vector<const Expr*>> outputOf(const CallExpr* call) {
  if (auto values = writtenTo(call)) return values;
  const FunctionDecl* function = call->getDirectCallee();
  const Expr* stream = isNamed(function, {"fflush"}) && call->getNumArgs() == 1 ? call->getArg(0) : streamOf(call);
  if (!(stream && isStream(stream, {"stdout"})) && !isNamed(function, {"printf", "puts", "putchar"}))
    return std::nullopt;
  std::vector<const Expr*> values;
  for (const Expr* argument : call->arguments())
    if (argument != stream) values.push_back(argument);
  return values;
}

// The call that a statement is, for its effect.
static const CallExpr* callOf(const Stmt* statement) {
  auto* expr = dyn_cast_or_null<Expr>(statement);
  return expr ? dyn_cast<CallExpr>(expr->IgnoreImplicit()->IgnoreParenCasts()) : nullptr;
}

// Whether the program ends behind this output, with no more than further messages in between.
static bool isFarewell(const CallExpr* output) {
  ASTContext& ast = output->getDirectCallee()->getASTContext();
  const Stmt* statement = output;
  const CompoundStmt* block = nullptr;
  while (!block) {
    const auto parents = ast.getParents(*statement);
    const Stmt* parent = parents.empty() ? nullptr : parents[0].get<Stmt>();
    block = dyn_cast_or_null<CompoundStmt>(parent);
    if (block) break;
    if (!parent || !isa<Expr>(parent)) return false;
    statement = parent;
  }
  const CallExpr* whole = callOf(statement);
  if (!whole || !outputOf(whole)) return false;
  auto next = std::find(block->body_begin(), block->body_end(), statement);
  for (; next != block->body_end(); ++next) {
    const CallExpr* call = callOf(*next);
    if (!call) return false;
    if (endingOf(call->getDirectCallee()) != MUSTER_END_NONE) return true;
    const Expr* stream = streamOf(call);
    if (!outputOf(call) && !(stream && isStderr(stream))) return false;
  }
  return false;
}

std::optional<std::vector<const Expr*>> reportArguments(const CallExpr* call) {
  const Expr* stream = streamOf(call);
  const bool isReport = endingOf(call->getDirectCallee()) != MUSTER_END_NONE || (stream && isStderr(stream));
  std::optional<std::vector<const Expr*>> values;
  const FunctionDecl* function = call->getDirectCallee();
  const bool isAbort = isMpiAbort(function);
  if (isAbort && !isWorld(call->getArg(0), function->getASTContext())) return std::nullopt;
  if (isReport)
    values.emplace(call->arg_begin() + (isAbort ? 1 : 0), call->arg_end());
  else
    values = outputOf(call);
  if (!values || (!isReport && !isFarewell(call))) return std::nullopt;
  std::vector<const Expr*> arguments;
  for (const Expr* argument : *values) {
    if (argument == stream || isa<StringLiteral>(argument->IgnoreParenImpCasts())) continue;
    if (!argument->getType()->isArithmeticType() && !argument->getType()->isEnumeralType()) return std::nullopt;
    arguments.push_back(argument);
  }
  return arguments;
}

namespace {

class ReportFinder : public AstVisitor {
 public:
  // False ends the search.
  bool VisitCallExpr(CallExpr* call) override {
    const FunctionDecl* function = call->getDirectCallee();
    return !isNamed(function, {"__assert_fail"}) && !reportArguments(call);
  }
};

// Numbers and literals that the compiler knows.
bool isConstantReport(const CallExpr* call) {
  const Expr* stream = streamOf(call);
  if (!stream || !isStderr(stream) || !call->getBeginLoc().isFileID()) return false;
  const ASTContext& ast = call->getDirectCallee()->getASTContext();
  return std::all_of(call->arg_begin(), call->arg_end(), [&](const Expr* argument) {
    Expr::EvalResult value;
    if (argument == stream) return true;
    if (auto* text = dyn_cast<StringLiteral>(argument->IgnoreParenImpCasts())) return text->isOrdinary();
    return argument->getType()->isIntegerType() && argument->EvaluateAsInt(value, ast);
  });
}

class ConstantReports : public AstVisitor {
 public:
  std::vector<const CallExpr*> found;
  bool TraverseLambdaExpr(LambdaExpr*) override { return true; }
  bool VisitCallExpr(CallExpr* call) override {
    if (found.size() < MUSTER_MOST_REPORTS && isConstantReport(call)) found.push_back(call);
    return true;
  }
};

// False ends the search.
class EndFinder : public AstVisitor {
 public:
  bool VisitCallExpr(CallExpr* call) override { return !ends(call->getDirectCallee()); }
  bool VisitCXXConstructExpr(CXXConstructExpr* construct) override { return !ends(construct->getConstructor()); }

  bool ends(const FunctionDecl* function) {
    const FunctionDecl* definition = nullptr;
    if (endingOf(function) != MUSTER_END_NONE) return true;
    return function && !isLibrary(function) && function->hasBody(definition) && seen_.insert(definition).second &&
           !TraverseDecl(const_cast<FunctionDecl*>(definition));
  }

 private:
  std::set<const FunctionDecl*> seen_;
};

// Not in lambdas, which are functions, and not inside of directives, whose blocks have to be left at their end.
class TextualEnds : public AstVisitor {
 public:
  std::vector<const CallExpr*> found;
  bool TraverseLambdaExpr(LambdaExpr*) override { return true; }
  bool dataTraverseStmtPre(Stmt* statement) override { return !isa<OMPExecutableDirective>(statement); }
  bool VisitCallExpr(CallExpr* call) override {
    const bool isText = call->getBeginLoc().isFileID() && call->getRParenLoc().isFileID();
    if (isText && endingOf(call->getDirectCallee()) != MUSTER_END_NONE) found.push_back(call);
    return true;
  }
};

// In front of those.
class FarewellsInText : public AstVisitor {
 public:
  std::vector<const Stmt*> found;
  bool TraverseLambdaExpr(LambdaExpr*) override { return true; }
  bool dataTraverseStmtPre(Stmt* statement) override { return !isa<OMPExecutableDirective>(statement); }
  bool VisitCompoundStmt(CompoundStmt* block) override {
    for (const Stmt* statement : block->body())
      if (const CallExpr* call = callOf(statement); call && statement->getBeginLoc().isFileID())
        if (outputOf(call) && isFarewell(call)) found.push_back(statement);
    return true;
  }
};

}  // namespace

std::vector<const CallExpr*> endsInText(const LoopFacts& facts) {
  TextualEnds ends;
  ends.TraverseStmt(const_cast<Stmt*>(facts.body));
  return ends.found;
}

std::vector<const Stmt*> farewellsInText(const LoopFacts& facts) {
  FarewellsInText farewells;
  farewells.TraverseStmt(const_cast<Stmt*>(facts.body));
  return farewells.found;
}

std::vector<const CallExpr*> constantReports(const LoopFacts& facts) {
  ConstantReports reports;
  reports.TraverseStmt(const_cast<Stmt*>(facts.body));
  return reports.found;
}

bool mayEnd(const Expr* expr) {
  if (auto* construct = dyn_cast<CXXConstructExpr>(expr)) return EndFinder().ends(construct->getConstructor());
  auto* call = dyn_cast<CallExpr>(expr);
  return call && EndFinder().ends(call->getDirectCallee());
}

bool mayReport(const LoopFacts& facts) {
  auto reports = [](const Stmt* code) { return code && !ReportFinder().TraverseStmt(const_cast<Stmt*>(code)); };
  return reports(facts.body) ||
         llvm::any_of(facts.callees, [&](const FunctionDecl* callee) { return reports(callee->getBody()); });
}

}  // namespace muster::plugin
