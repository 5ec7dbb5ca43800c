// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directives of parallel regions that one thread runs, and of their loops that are not distributed.
#include "analysis/code/ClauseValues.h"
#include "analysis/objects/ClauseText.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "rewrite/Rewrite.h"
#include "rewrite/launch/UnseenCalls.h"
#include "source/DirectiveText.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

// False: the directive has no such clause.
template <class Clause>
static bool replaceClause(const ASTContext& context, const OMPExecutableDirective* directive, const std::string& text,
                          EditList& edits) {
  for (const OMPClause* clause : directive->clauses()) {
    if (!isa<Clause>(clause) || clause->isImplicit()) continue;
    const CharSourceRange range = *clauseRange(context, clause);
    edits.replaceCharacters(range.getBegin(), range.getEnd(), text);
    return true;
  }
  return false;
}

// The last token of what a region runs.
static SourceLocation endOfRegion(const ASTContext& context, const OMPExecutableDirective* region) {
  const Stmt* code = region;
  while (auto* directive = dyn_cast<OMPExecutableDirective>(code))
    code = directive->getInnermostCapturedStmt()->getCapturedStmt();
  const CharSourceRange range = *statementRange(context, code);
  return Lexer::GetBeginningOfToken(range.getEnd().getLocWithOffset(-1), context.getSourceManager(),
                                    context.getLangOpts());
}

// Notes, around the region, which team it asks for. Its clauses are evaluated there, once.
static void noteTeam(const ASTContext& context, const RegionFact& fact, EditList& edits) {
  const OMPExecutableDirective* region = fact.directive;
  std::string threads = "0", condition = "1";
  for (const OMPClause* clause : region->clauses()) {
    const Expr* value = valueOfClause(clause);
    if (!value) continue;
    const std::string text = "(" + sourceText(context, value) + ")";
    if (isa<OMPIfClause>(clause)) condition = text + " ? 1 : 0";
    if (isa<OMPNumThreadsClause>(clause)) threads = text;
  }
  const SourceLocation start = *directiveStart(context, region);
  edits.insertBefore(
      start,
      "\n{\n#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Weverything\"\n" +
          (fact.unseen.empty() ? ""
                               : callsText(Spelling(context), region->getBeginLoc(), fact.unseen, fact.callFlags)) +
          Dialect(context.getLangOpts())
              .team(threads, condition, fact.unseen.empty() ? "" : callsName(fact.unseen, fact.callFlags)) +
          "\n#pragma clang diagnostic pop" +
          // The first thread, which has all iterations, comes last: the others find what was there before the loops.
          (fact.slots.empty() ? ""
                              : "\nfor (int muster_thread = muster_team_threads() - 1; muster_thread >= 0; "
                                "--muster_thread)") +
          edits.lineMarker(start));
}

static void replaceCall(const ASTContext& context, const CallExpr* call, const std::string& text, EditList& edits) {
  edits.replaceCharacters(
      call->getBeginLoc(),
      Lexer::getLocForEndOfToken(call->getEndLoc(), 0, context.getSourceManager(), context.getLangOpts()), text);
}

static void rewriteRegion(const ASTContext& context, const RegionFact& fact, EditList& edits) {
  const OMPExecutableDirective* region = fact.directive;
  const bool mayHaveTeam = !fact.unseen.empty();
  for (const CallExpr* call : fact.counts)
    replaceCall(context, call,
                mayHaveTeam ? "(muster_region_alone() ? muster_team_threads() : " + sourceText(context, call) + ")"
                            : "muster_team_threads()",
                edits);
  for (const CallExpr* call : fact.slots) replaceCall(context, call, "muster_thread", edits);
  noteTeam(context, fact, edits);
  const std::string threads = mayHaveTeam ? "num_threads(muster_region_threads())" : "num_threads(1)";
  replaceClause<OMPIfClause>(context, region, "if(1)", edits);
  if (replaceClause<OMPNumThreadsClause>(context, region, threads, edits)) return;
  const SourceLocation end = directiveName(context, region)->getEnd();
  edits.replaceCharacters(end, end, " " + threads);
}

static std::string listOf(const std::string& clause, const std::vector<const VarDecl*>& variables) {
  std::string names;
  for (const VarDecl* var : variables) names += (names.empty() ? "" : ", ") + var->getNameAsString();
  return names.empty() ? "" : " " + clause + "(" + names + ")";
}

static void rewriteNested(const ASTContext& context, const NestedLoop& nested, bool mayHaveTeam, EditList& edits) {
  if (const SourceLocation start = *directiveStart(context, nested.directive); mayHaveTeam)
    edits.insertBefore(start, "\n{ if (muster_region_alone()) {" + edits.lineMarker(start));
  const CharSourceRange name = *directiveName(context, nested.directive);
  std::string clauses = " num_threads(muster_team_threads())" + listOf("private", nested.privates) +
                        listOf("lastprivate", nested.lastprivates);
  for (const ResultFact& result : nested.reductions)
    clauses += listOf("reduction", {result.var}).insert(11, std::string(reductionOperator(result.kind)) + " : ");
  edits.replaceCharacters(name.getBegin(), name.getBegin(), "parallel ");
  edits.replaceCharacters(name.getEnd(), name.getEnd(), clauses);
  replaceClause<OMPNowaitClause>(context, nested.directive, "default(shared)", edits);
  // Clang 19 loses the last value of dynamic schedules where the thread that has it asks for more iterations.
  if (!nested.lastprivates.empty())
    replaceClause<OMPScheduleClause>(context, nested.directive, "schedule(static)", edits);
}

void rewriteRegions(ASTContext& context, const TranslationUnitPlan& plan, EditList& edits) {
  declareUnseen(plan, edits);
  for (const RegionFact& region : plan.regions) {
    const ConstructEdits construct(edits, {region.directive->getBeginLoc()});
    rewriteRegion(context, region, edits);
  }
  for (const NestedLoop& nested : plan.nested) {
    const ConstructEdits construct(edits, {nested.directive->getBeginLoc()});
    rewriteNested(context, nested, mayHaveTeam(context, plan, nested), edits);
  }
}

void closeRegions(const ASTContext& context, const TranslationUnitPlan& plan, EditList& edits) {
  for (const RegionFact& region : plan.regions) {
    const ConstructEdits construct(edits, {region.directive->getBeginLoc()});
    edits.insertAfter(endOfRegion(context, region.directive), "}");
  }
}

}  // namespace muster::plugin
