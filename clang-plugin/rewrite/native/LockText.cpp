// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/native/LockText.h"

#include "analysis/updates/Updates.h"
#include "clang/Lex/Lexer.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

// Each thread has its own copy of a result.
static bool isOwn(const LoopFacts& facts, const Expr* target) {
  auto* reference = dyn_cast<DeclRefExpr>(target->IgnoreParenImpCasts());
  return reference &&
         llvm::any_of(facts.results, [&](const ResultFact& result) { return result.var == reference->getDecl(); });
}

std::vector<std::pair<CharSourceRange, std::string>> lockEdits(const ASTContext& context, const LoopFacts& facts) {
  std::vector<std::pair<CharSourceRange, std::string>> edits;
  for (const LockFact& lock : facts.locks) {
    std::vector<const Stmt*> shared;
    for (const Stmt* update : lock.updates)
      if (!isOwn(facts, protectedUpdate(context, update)->target)) shared.push_back(update);
    const bool isCritical = facts.locksAreCritical && !shared.empty();
    for (const Stmt* call : lock.calls) {
      std::string text = ";";
      if (isCritical && call == lock.calls.front()) text = "_Pragma(\"omp critical(muster_lock)\") {";
      if (isCritical && call == lock.calls.back()) text = "}";
      const CharSourceRange range = *statementRange(context, call);
      // Lines stay where they are.
      const llvm::StringRef before = Lexer::getSourceText(range, context.getSourceManager(), context.getLangOpts());
      edits.emplace_back(range, text + std::string(before.count('\n'), '\n'));
    }
    if (isCritical) continue;
    for (const Stmt* update : shared) {
      const SourceLocation begin = statementRange(context, update)->getBegin();
      edits.emplace_back(CharSourceRange::getCharRange(begin, begin), "_Pragma(\"omp atomic\") ");
    }
  }
  return edits;
}

}  // namespace muster::plugin
