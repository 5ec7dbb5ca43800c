// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/ProgramEnds.h"

#include "analysis/Library.h"
#include "clang/AST/RecursiveASTVisitor.h"

namespace muster::plugin {

using namespace clang;

static bool isNamed(const FunctionDecl* function, std::initializer_list<llvm::StringRef> names) {
  return function && function->getDeclName().isIdentifier() && isLibrary(function) && !isa<CXXMethodDecl>(function) &&
         llvm::is_contained(names, function->getName());
}

bool endsProgram(const FunctionDecl* function) {
  return isNamed(function, {"exit", "_exit", "_Exit", "quick_exit", "abort", "terminate", "__builtin_abort"});
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
  if (!endsProgram(call->getDirectCallee()) && !(stream && isStderr(stream))) return std::nullopt;
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

}  // namespace

bool mayReport(const LoopFacts& facts) {
  auto reports = [](const Stmt* code) { return code && !ReportFinder().TraverseStmt(const_cast<Stmt*>(code)); };
  return reports(facts.body) ||
         llvm::any_of(facts.callees, [&](const FunctionDecl* callee) { return reports(callee->getBody()); });
}

}  // namespace muster::plugin
