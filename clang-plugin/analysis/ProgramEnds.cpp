// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/ProgramEnds.h"

#include "analysis/Library.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "muster/abi.h"

namespace muster::plugin {

using namespace clang;

static bool isNamed(const FunctionDecl* function, std::initializer_list<llvm::StringRef> names) {
  return function && function->getDeclName().isIdentifier() && isLibrary(function) && !isa<CXXMethodDecl>(function) &&
         llvm::is_contained(names, function->getName());
}

int endingOf(const FunctionDecl* function) {
  if (isNamed(function, {"exit"})) return MUSTER_END_EXIT;
  if (isNamed(function, {"_exit", "_Exit"})) return MUSTER_END_AT_ONCE;
  if (isNamed(function, {"quick_exit"})) return MUSTER_END_QUICKLY;
  if (isNamed(function, {"abort", "__builtin_abort"})) return MUSTER_END_ABORT;
  return isNamed(function, {"terminate"}) ? MUSTER_END_TERMINATE : MUSTER_END_NONE;
}

static bool isStderr(const Expr* expr) {
  auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts());
  auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return var && var->getName() == "stderr" && var->hasExternalStorage();
}

static const Expr* streamOf(const CallExpr* call) {
  const FunctionDecl* function = call->getDirectCallee();
  const unsigned count = call->getNumArgs();
  if (isNamed(function, {"fprintf"}) && count > 1) return call->getArg(0);
  return isNamed(function, {"fputs", "fputc", "putc"}) && count == 2 ? call->getArg(1) : nullptr;
}

std::optional<std::vector<const Expr*>> reportArguments(const CallExpr* call) {
  const Expr* stream = streamOf(call);
  if (endingOf(call->getDirectCallee()) == MUSTER_END_NONE && !(stream && isStderr(stream))) return std::nullopt;
  std::vector<const Expr*> arguments;
  for (const Expr* argument : call->arguments()) {
    if (argument == stream || isa<StringLiteral>(argument->IgnoreParenImpCasts())) continue;
    if (!argument->getType()->isArithmeticType() && !argument->getType()->isEnumeralType()) return std::nullopt;
    arguments.push_back(argument);
  }
  return arguments;
}

namespace {

class ReportFinder : public RecursiveASTVisitor<ReportFinder> {
 public:
  // False ends the search.
  bool VisitCallExpr(CallExpr* call) {
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

class ConstantReports : public RecursiveASTVisitor<ConstantReports> {
 public:
  std::vector<const CallExpr*> found;
  bool TraverseLambdaExpr(LambdaExpr*) { return true; }
  bool VisitCallExpr(CallExpr* call) {
    if (found.size() < MUSTER_MOST_REPORTS && isConstantReport(call)) found.push_back(call);
    return true;
  }
};

// False ends the search.
class EndFinder : public RecursiveASTVisitor<EndFinder> {
 public:
  bool VisitCallExpr(CallExpr* call) { return !ends(call->getDirectCallee()); }
  bool VisitCXXConstructExpr(CXXConstructExpr* construct) { return !ends(construct->getConstructor()); }

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
class TextualEnds : public RecursiveASTVisitor<TextualEnds> {
 public:
  std::vector<const CallExpr*> found;
  bool TraverseLambdaExpr(LambdaExpr*) { return true; }
  bool dataTraverseStmtPre(Stmt* statement) { return !isa<OMPExecutableDirective>(statement); }
  bool VisitCallExpr(CallExpr* call) {
    const bool isText = call->getBeginLoc().isFileID() && call->getRParenLoc().isFileID();
    if (isText && endingOf(call->getDirectCallee()) != MUSTER_END_NONE) found.push_back(call);
    return true;
  }
};

}  // namespace

std::vector<const CallExpr*> endsInText(const LoopFacts& facts) {
  TextualEnds ends;
  ends.TraverseStmt(const_cast<Stmt*>(facts.body));
  return ends.found;
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
