// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops become launches; loops that step back get their arrays in bulk first.
#include "Stages.h"
#include "analysis/SourceText.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/Lex/Lexer.h"
#include "rewrite/Edits.h"
#include "rewrite/LoopText.h"

namespace muster::plugin {

using namespace clang;

static constexpr const char* registration = R"(#include "muster/forms.hpp"
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
extern "C" {
extern const muster_kernel *const __start_muster_kernels[] __attribute__((weak, visibility("hidden")));
extern const muster_kernel *const __stop_muster_kernels[] __attribute__((weak, visibility("hidden")));
}
__attribute__((constructor)) static void muster_register_this_file() {
  muster_register_kernels(__start_muster_kernels, __stop_muster_kernels, MUSTER_ABI_VERSION);
}
#pragma clang diagnostic pop
)";

// The location of the last token of a statement, with its semicolon.
static SourceLocation lastToken(const ASTContext& context, CharSourceRange range) {
  const SourceManager& sources = context.getSourceManager();
  return Lexer::GetBeginningOfToken(range.getEnd().getLocWithOffset(-1), sources, context.getLangOpts());
}

// Names of members in the text of a launch that the user made macros of.
static std::vector<std::string> hidingMacros(const ASTContext& context) {
  std::vector<std::string> hiding;
  for (const char* name : {"arrays", "combine", "count", "data", "dims", "exact", "first", "hi", "lo", "lowest", "max",
                           "results", "scalars", "size", "step", "type"})
    if (context.Idents.get(name).hadMacroDefinition()) hiding.push_back(name);
  return hiding;
}

static bool rewriteLoop(const ASTContext& context, const KernelPlan& kernel, EditList& edits) {
  const Spelling spelling(context);
  const LoopFacts& facts = *kernel.facts;
  const auto loop = statementRange(context, facts.dims.front().loop);
  if (!loop) return false;
  const SourceLocation start = facts.directive->getBeginLoc(), end = lastToken(context, *loop);
  const unsigned line = context.getSourceManager().getPresumedLoc(start).getLine();
  const std::string structName = "muster_loop_" + std::to_string(line);
  CodeText code;
  code.setMacros(hidingMacros(context));
  code.open("{");
  code.raw("#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Weverything\"");
  code.beginOurs();
  code.open("struct " + structName + " {");
  writeNativeMembers(spelling, kernel, code);
  code.close("};");
  writeLaunch(spelling, kernel, structName, code);
  code.beginTheirs();
  code.raw("#pragma clang diagnostic pop");
  code.close();
  return edits.replace(SourceRange(start, end), code.text() + llvm::StringRef(edits.lineMarker(end)).ltrim('\n').str());
}

// Statements can be put in front of one only where it stands in a block.
static bool standsInBlock(ASTContext& context, const Stmt* statement) {
  const auto parents = context.getParents(*statement);
  return parents.size() == 1 && parents[0].get<CompoundStmt>();
}

static void announceHostAccess(ASTContext& context, const StepBackPlan& step, EditList& edits) {
  const SourceLocation start = step.directive->getBeginLoc();
  if (start.isMacroID() || !standsInBlock(context, step.directive)) return;
  std::set<const VarDecl*> privates;
  for (const OMPClause* clause : step.directive->clauses())
    if (auto* own = dyn_cast<OMPPrivateClause>(clause))
      for (const Expr* expr : own->varlists())
        if (auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts()))
          privates.insert(dyn_cast<VarDecl>(reference->getDecl()));
  std::string text;
  for (const VarDecl* var : step.arrays) {
    if (privates.count(var)) continue;
    const QualType type = var->getType().getNonReferenceType();
    const bool vector = type->isRecordType();
    const QualType element = type->isPointerType() ? type->getPointeeType() : type;
    text += "muster_host_access((void *)" + var->getNameAsString() + (vector ? ".data()" : "") + ", SIZE_MAX, " +
            (element.isConstQualified() ? "MUSTER_READ" : "MUSTER_READ | MUSTER_WRITE") + ");\n";
  }
  if (text.empty()) return;
  text = "#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Weverything\"\n" + text +
         "#pragma clang diagnostic pop";
  edits.insertBefore(start, "\n" + text + edits.lineMarker(start));
}

void rewriteLoops(ASTContext& context, const TranslationUnitPlan& plan, EditList& edits) {
  bool launches = false;
  for (const KernelPlan& kernel : plan.kernels) launches |= rewriteLoop(context, kernel, edits);
  if (launches) edits.insertAtTop(registration);
  for (const StepBackPlan& step : plan.stepBacks) announceHostAccess(context, step, edits);
}

}  // namespace muster::plugin
