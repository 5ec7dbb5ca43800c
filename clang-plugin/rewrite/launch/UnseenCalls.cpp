// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/launch/UnseenCalls.h"

#include "analysis/UnitFunctions.h"
#include "analysis/code/LinkerNames.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include "source/DirectiveText.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

// A reference of this kind does not keep a program from being linked if there is no other.
void declareUnseen(const TranslationUnitPlan& plan, EditList& edits) {
  std::set<std::string> names;
  for (const RegionFact& region : plan.regions) names.insert(region.unseen.begin(), region.unseen.end());
  for (const KernelPlan& kernel : plan.kernels) names.insert(kernel.facts->unseen.begin(), kernel.facts->unseen.end());
  if (names.empty()) return;
  std::string text = "#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Weverything\"\n";
  for (const std::string& name : names)
    text += "static void " + unseenAlias(name) + "(void) __attribute__((weakref(\"" + name + "\")));\n";
  edits.insertAtTop(text + "#pragma clang diagnostic pop\n");
}

bool mayHaveTeam(const ASTContext& context, const TranslationUnitPlan& plan, const NestedLoop& nested) {
  return llvm::any_of(plan.regions, [&](const RegionFact& region) {
    const Stmt* code = region.directive->getInnermostCapturedStmt()->getCapturedStmt();
    return !region.unseen.empty() && context.getSourceManager().isPointWithin(nested.directive->getBeginLoc(),
                                                                              code->getBeginLoc(), code->getEndLoc());
  });
}

void repeatForTeams(const ASTContext& context, const TranslationUnitPlan& plan, EditList& edits) {
  for (const NestedLoop& nested : plan.nested) {
    if (!mayHaveTeam(context, plan, nested)) continue;
    const ConstructEdits construct(edits, {nested.directive->getBeginLoc()});
    const SourceLocation start = *directiveStart(context, nested.directive);
    const CharSourceRange loop =
        *statementRange(context, nested.directive->getInnermostCapturedStmt()->getCapturedStmt());
    const SourceLocation last = Lexer::GetBeginningOfToken(loop.getEnd().getLocWithOffset(-1),
                                                           context.getSourceManager(), context.getLangOpts());
    edits.insertCopy(last, "} else {" + edits.lineMarker(start), {start, loop.getBegin(), loop.getEnd()}, "}}");
  }
}

static std::string hashOf(const std::set<std::string>& names) {
  return llvm::utohexstr(llvm::xxh3_64bits(llvm::join(names, " ")), /*LowerCase=*/true);
}

std::string callsName(const std::set<std::string>& names, unsigned flags) {
  return "muster_calls_" + std::to_string(flags) + "_" + hashOf(names);
}

std::string callsText(const Spelling& spelling, SourceLocation place, const std::set<std::string>& names,
                      unsigned flags) {
  const PresumedLoc loc = spelling.context().getSourceManager().getPresumedLoc(place);
  const std::string own = callsName(names, flags), called = own + "_functions", calledNames = own + "_names";
  std::vector<std::string> functions, texts;
  for (const std::string& name : names) {
    functions.push_back("&" + unseenAlias(name));
    texts.push_back(spelling.literal(name));
  }
  return "static void (*const " + called + "[])(void) = {" + llvm::join(functions, ", ") + "};\n" +
         "static const char *const " + calledNames + "[] = {" + llvm::join(texts, ", ") + "};\n" +
         "static muster_calls " + own + " = {{" + spelling.literal(loc.getFilename()) + ", " +
         std::to_string(loc.getLine()) + ", " + std::to_string(loc.getColumn()) + "}, " + called + ", " + calledNames +
         ", " + std::to_string(names.size()) + ", " + std::to_string(flags) + "};\n";
}

}  // namespace muster::plugin
