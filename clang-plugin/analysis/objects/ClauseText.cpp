// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clauses of the user's as native code has them: in front of the loop, where objects have no stand-ins yet, so that
// their members have the names of the launch's scalars.
#include "analysis/objects/ClauseText.h"

#include "analysis/code/ClauseValues.h"
#include "analysis/code/Functions.h"
#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/Lex/Lexer.h"
#include "source/ElementTypes.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

namespace {

struct MemberUse {
  const Expr* expr;
  std::string name;
};

// False: an object is used for something else than numbers that are members of it.
bool findMembers(Objects& objects, const Stmt* part, std::vector<MemberUse>& uses) {
  auto* expr = dyn_cast<Expr>(part);
  const bool isPart = expr && isa<MemberExpr, CXXThisExpr>(expr);
  if (isPart || (expr && expr->isGLValue() && !isa<DeclRefExpr>(expr))) {
    const VarDecl* var = objects.member(expr, {});
    if (var && isScalarType(var->getType().getNonReferenceType())) {
      uses.push_back({expr, objects.find(var)->name});
      return true;
    }
    if (isPart) return false;
  }
  return llvm::all_of(part->children(), [&](const Stmt* inner) { return !inner || findMembers(objects, inner, uses); });
}

// The text of `range` with the members that `value`, a part of it, names.
std::optional<std::string> textWithMembers(const ASTContext& ast, Objects& objects, CharSourceRange range,
                                           const Expr* value) {
  const SourceManager& sources = ast.getSourceManager();
  std::vector<MemberUse> uses;
  if (!findMembers(objects, value, uses)) return std::nullopt;
  bool invalid = false;
  std::string text = Lexer::getSourceText(range, sources, ast.getLangOpts(), &invalid).str();
  if (invalid) return std::nullopt;
  const auto [file, start] = sources.getDecomposedLoc(range.getBegin());
  std::map<unsigned, std::pair<unsigned, std::string>> edits;  // offset: length and text
  for (const MemberUse& use : uses) {
    const auto part = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(use.expr->getSourceRange()), sources,
                                               ast.getLangOpts());
    if (part.isInvalid()) return std::nullopt;
    const auto [partFile, from] = sources.getDecomposedLoc(part.getBegin());
    const unsigned to = sources.getFileOffset(part.getEnd());
    if (partFile != file || from < start || to > start + text.size()) return std::nullopt;
    edits[from - start] = {to - from, use.name};
  }
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
    text.replace(edit->first, edit->second.first, edit->second.second);
  return text;
}

std::optional<std::string> valueText(const ASTContext& ast, Objects& objects, const Expr* value) {
  std::vector<MemberUse> uses;
  if (!findMembers(objects, value, uses)) return std::nullopt;
  if (uses.empty()) return sourceText(ast, value);
  const auto range = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(value->getSourceRange()),
                                              ast.getSourceManager(), ast.getLangOpts());
  return range.isInvalid() ? std::nullopt : textWithMembers(ast, objects, range, value);
}

}  // namespace

// Elements may be elsewhere, and native code of another rank has other pointers. Objects' members travel by value.
static bool usesPointers(const Stmt* part) {
  const auto* expr = dyn_cast<Expr>(part);
  if (!expr) return false;
  const QualType type = expr->getType().getNonReferenceType();
  if (type->isPointerType() || type->isArrayType() || isa<ArraySubscriptExpr>(expr)) return true;
  if (auto* member = dyn_cast<MemberExpr>(expr)) {
    const Expr* base = member->getBase()->IgnoreParenImpCasts();
    if (isa<DeclRefExpr, CXXThisExpr>(base)) return false;
    if (auto* outer = dyn_cast<MemberExpr>(base); outer && outer->getType()->isPointerType()) base = outer->getBase();
    return usesPointers(base);
  }
  return llvm::any_of(expr->children(), [](const Stmt* inner) { return inner && usesPointers(inner); });
}

bool isForLaunchOnly(const ASTContext& ast, const Expr* value) {
  if (usesPointers(value)) return true;
  if (!value->HasSideEffects(ast)) return false;
  const auto inner = [&](const Stmt* part) { return isForLaunchOnly(ast, cast<Expr>(part)); };
  if (auto* call = dyn_cast<CallExpr>(value)) {
    const FunctionDecl* function = call->getDirectCallee();
    return !function || !isMaths(function) || llvm::any_of(call->arguments(), inner);
  }
  auto* binary = dyn_cast<BinaryOperator>(value);
  const bool onlyComputes =
      (binary && !binary->isAssignmentOp()) ||
      isa<ParenExpr, CastExpr, ConditionalOperator, MaterializeTemporaryExpr, ExprWithCleanups>(value);
  return !onlyComputes || llvm::any_of(value->children(), inner);
}

// Without its chunk: a dynamic schedule with chunks of a size that is not known takes large ones first.
static std::string scheduleWithoutChunk(const OMPScheduleClause* schedule) {
  const OpenMPScheduleClauseKind kind = schedule->getScheduleKind();
  const auto shown = kind == OMPC_SCHEDULE_dynamic ? OMPC_SCHEDULE_guided : kind;
  return std::string(" schedule(") + getOpenMPSimpleClauseTypeName(llvm::omp::OMPC_schedule, shown) + ")";
}

std::optional<std::string> clauseText(const ASTContext& ast, Objects& objects, const OMPClause* clause) {
  const Expr* value = valueOfClause(clause);
  if (value && isForLaunchOnly(ast, value)) {
    auto* schedule = dyn_cast<OMPScheduleClause>(clause);
    return schedule ? scheduleWithoutChunk(schedule) : "";
  }
  const bool isThreads = isa<OMPNumThreadsClause>(clause);
  if (isThreads || isa<OMPIfClause>(clause)) {
    const auto text = valueText(ast, objects, value);
    return text ? std::optional((isThreads ? " num_threads(" : " if(") + *text + ")") : std::nullopt;
  }
  if (!isa<OMPScheduleClause, OMPProcBindClause, OMPSafelenClause, OMPSimdlenClause, OMPOrderClause>(clause)) return "";
  // A _Pragma's text stands in a buffer of its own.
  const SourceManager& sources = ast.getSourceManager();
  const auto range = Lexer::getAsCharRange(
      SourceRange(sources.getSpellingLoc(clause->getBeginLoc()), sources.getSpellingLoc(clause->getEndLoc())), sources,
      ast.getLangOpts());
  if (!value) return " " + Lexer::getSourceText(range, sources, ast.getLangOpts()).str();
  const auto text = textWithMembers(ast, objects, range, value);
  return text ? std::optional(" " + *text) : std::nullopt;
}

}  // namespace muster::plugin
