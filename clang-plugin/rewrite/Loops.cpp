// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops become launches; loops that step back get their arrays in bulk first.
#include "analysis/code/Instances.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/xxhash.h"
#include "rewrite/Rewrite.h"
#include "rewrite/launch/UnseenCalls.h"
#include "source/Compat.h"
#include "source/DirectiveText.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

// The Fortran name of omp_get_num_threads: the runtime takes calls of the C name for the program's.
static std::string registration(const Dialect& dialect) {
  static constexpr const char* bounds =
      R"(int muster_team_size(void) __asm__("omp_get_num_threads_");
extern const muster_kernel *const __start_muster_kernels[] __attribute__((weak, visibility("hidden")));
extern const muster_kernel *const __stop_muster_kernels[] __attribute__((weak, visibility("hidden")));
)";
  return std::string(dialect.isC() ? "" : "#include \"muster/forms.hpp\"\n#include \"muster/standin.hpp\"\n") +
         "#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Weverything\"\n" +
         (dialect.isC() ? bounds : "extern \"C\" {\n" + std::string(bounds) + "}\n") +
         R"(__attribute__((constructor)) static void muster_register_this_file(void) {
  muster_register_kernels(__start_muster_kernels, __stop_muster_kernels, MUSTER_ABI_VERSION);
}
#pragma clang diagnostic pop
)";
}

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

static void beginEmitted(CodeText& code) {
  code.raw("#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Weverything\"");
  code.beginOurs();
}

static void endEmitted(CodeText& code) {
  code.beginTheirs();
  code.raw("#pragma clang diagnostic pop");
}

static unsigned lineOf(const ASTContext& context, const KernelPlan& kernel) {
  return lineOf(context.getSourceManager(), kernel.facts->directive->getBeginLoc());
}

static std::string ownerOf(const ASTContext& context, const KernelPlan& kernel) {
  // In C it is no block's own.
  const bool isAgain = kernel.copy > 0 && !context.getLangOpts().CPlusPlus;
  return "muster_loop_" + std::to_string(lineOf(context, kernel)) +
         (isAgain ? "_" + std::to_string(kernel.copy + 1) : "") + mergeTag(kernel);
}

// In C, in front of the function that holds the loop.
static bool insertNativeFunctions(const ASTContext& context, const KernelPlan& kernel, EditList& edits) {
  CodeText code(lineOf(context, kernel));
  code.setMacros(hidingMacros(context));
  beginEmitted(code);
  writeNativeFunctions(Spelling(context), kernel, ownerOf(context, kernel), code);
  endEmitted(code);
  const SourceLocation start = startOfFunction(context, kernel.facts->function);
  return edits.insertBefore(start, "\n" + code.text() + llvm::StringRef(edits.lineMarker(start)).ltrim('\n').str());
}

static void writeStart(const Spelling& spelling, const LoopFacts& facts, const LinearFact& linear, CodeText& code) {
  const Dialect& dialect = spelling.dialect();
  const std::string first = "(" + sourceText(spelling.context(), facts.dims.front().lower) + ")";
  code.line("const int64_t " + linear.start->getNameAsString() + " = " +
            dialect.cast("int64_t", linear.var->getNameAsString()) + " - " +
            distanceText(dialect, linear, dialect.cast("int64_t", first)) + ";");
}

static void writeLoop(const ASTContext& context, const KernelPlan& kernel, bool inTemplate, const std::string& launched,
                      CodeText& code) {
  const Spelling spelling(context, inTemplate);
  const std::string owner = ownerOf(context, kernel);
  for (const DimFact& dim : kernel.facts->dims)
    if (dim.start)
      code.line((spelling.dialect().isC() ? spelling.declare(dim.start->getType(), dim.start->getNameAsString())
                                          : "auto *" + dim.start->getNameAsString()) +
                " = (" + sourceText(context, dim.origin()) + ");");
  for (const LinearFact& linear : kernel.facts->linears) writeStart(spelling, *kernel.facts, linear, code);
  if (!spelling.dialect().isC()) {
    code.open("struct " + owner + " {");
    writeNativeFunctions(spelling, kernel, owner, code);
    code.close("};");
  }
  writeLaunch(spelling, kernel, owner, launched, code);
}

// The same in every process that runs this program, and in each unit that makes the same code of the loop: of
// descriptors that have one name the linker keeps one. Other code has another id, as that of this loop under other
// macros.
static std::uint64_t idOf(const ASTContext& context, const KernelPlan& kernel) {
  const FunctionDecl* function = kernel.facts->function;
  const std::string instance = instanceName(function);
  CodeText code(lineOf(context, kernel));
  if (!context.getLangOpts().CPlusPlus) writeNativeFunctions(Spelling(context), kernel, ownerOf(context, kernel), code);
  writeLoop(context, kernel, /*inTemplate=*/!instance.empty(), /*launched=*/"", code);
  return llvm::xxHash64(function->getQualifiedNameAsString() + "\n" + instance + "\n" + code.text());
}

// In a template: the launch of each instantiation, and the user's loop for those that step back, unless it follows.
static void writeInstances(const ASTContext& context, const std::vector<const KernelPlan*>& instances,
                           const std::string& launched, SourceRange userText, CodeText& code) {
  const SourceManager& sources = context.getSourceManager();
  std::string start = "if constexpr (";
  for (const KernelPlan* kernel : instances) {
    code.open(start + "__builtin_strcmp(__PRETTY_FUNCTION__, " +
              Spelling(context).literal(instanceName(kernel->facts->function)) + ") == 0) {");
    writeLoop(context, *kernel, /*inTemplate=*/true, launched, code);
    code.close();
    start = "else if constexpr (";
  }
  if (!launched.empty()) return;
  code.open("else {");
  endEmitted(code);
  code.raw("#line " + std::to_string(sources.getPresumedLineNumber(userText.getBegin())));
  const CharSourceRange range = CharSourceRange::getTokenRange(userText);
  code.raw(Lexer::getSourceText(range, sources, context.getLangOpts()).str());
  beginEmitted(code);
  code.close();
}

// `instances`: the plans of one loop, several in a template.
static bool rewriteLoop(const ASTContext& context, const std::vector<const KernelPlan*>& instances, EditList& edits) {
  const LoopFacts& facts = *instances.front()->facts;
  const auto loop = statementRange(context, facts.dims.front().statement());
  if (!loop) return false;
  const ConstructEdits construct(edits, {facts.directive->getBeginLoc()});
  const SourceLocation start = *directiveStart(context, facts.directive), end = lastToken(context, *loop);
  const bool mayStay = llvm::any_of(instances, [](const KernelPlan* kernel) { return kernel->facts->mayStay(); });
  const std::string launched = mayStay ? ownerOf(context, *instances.front()) + "_launched" : "";
  CodeText code(lineOf(context, *instances.front()));
  code.setMacros(hidingMacros(context));
  code.open(facts.inTurn ? "if (muster_thread == 0) {" : "{");
  beginEmitted(code);
  if (!context.getLangOpts().CPlusPlus && !insertNativeFunctions(context, *instances.front(), edits)) return false;
  if (instanceName(facts.function).empty())
    writeLoop(context, *instances.front(), /*inTemplate=*/false, launched, code);
  else
    writeInstances(context, instances, launched, SourceRange(start, end), code);
  endEmitted(code);
  code.close();
  const std::string asks = facts.mayHaveTeam ? "if (muster_region_alone())\n"
                           : facts.orphaned  ? "if (muster_team_size() == 1)\n"
                                             : "";
  if (mayStay) {
    const Dialect dialect(context.getLangOpts());
    return edits.insertBefore(start, std::string("\n{ ") + dialect.boolean() + " " + launched + " = " +
                                         dialect.truth(false) + ";\n" + asks + code.text() + "if (!" + launched + ")" +
                                         edits.lineMarker(start)) &&
           edits.insertAfter(end, "}");
  }
  if (!asks.empty()) {
    edits.insertBefore(start, "\n" + asks + code.text() + "else" + edits.lineMarker(start));
    return true;
  }
  return edits.replace(SourceRange(start, end), code.text() + llvm::StringRef(edits.lineMarker(end)).ltrim('\n').str());
}

// Statements can be put in front of one only where it stands in a block.
static bool standsInBlock(ASTContext& context, const Stmt* statement) {
  const auto parents = context.getParents(*statement);
  return parents.size() == 1 && parents[0].get<CompoundStmt>();
}

// Calls that make a step back's arrays valid on the host in bulk; empty if there are none, or no place for them.
static std::string hostAccesses(ASTContext& context, const StepBackPlan& step) {
  const SourceLocation start = step.directive->getBeginLoc();
  if (start.isMacroID() || !standsInBlock(context, step.directive)) return "";
  std::set<const VarDecl*> privates;
  for (const OMPClause* clause : step.directive->clauses())
    if (auto* own = dyn_cast<OMPPrivateClause>(clause))
      for (const Expr* expr : compat::items(own))
        if (auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts()))
          privates.insert(dyn_cast<VarDecl>(reference->getDecl()));
  std::string text;
  for (const VarDecl* var : step.arrays) {
    if (privates.count(var)) continue;
    const QualType type = var->getType().getNonReferenceType();
    const bool vector = type->isRecordType();
    const QualType element = type->isPointerType() ? type->getPointeeType() : type;
    text += "muster_host_access((void *)" + visibleName(var) + (vector ? ".data()" : "") + ", SIZE_MAX, " +
            (element.isConstQualified() ? "MUSTER_READ" : "MUSTER_READ | MUSTER_WRITE") + ");\n";
  }
  return text;
}

// Instantiations of a template share its text, so it gets what all of them agree on.
static void announceHostAccess(ASTContext& context, const std::vector<const StepBackPlan*>& steps, EditList& edits) {
  const std::string text = hostAccesses(context, *steps.front());
  for (const StepBackPlan* step : steps)
    if (hostAccesses(context, *step) != text) return;
  if (text.empty()) return;
  SourceLocation start = steps.front()->directive->getBeginLoc();
  const ConstructEdits construct(edits, {start});
  if (const SourceLocation line = startOfMetadirective(context, steps.front()->directive); line.isValid()) start = line;
  edits.insertBefore(start, "\n#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Weverything\"\n" +
                                text + "#pragma clang diagnostic pop" + edits.lineMarker(start));
}

void rewriteLoops(ASTContext& context, const TranslationUnitPlan& plan, EditList& edits) {
  bool launches = false;
  std::map<SourceLocation, std::vector<const KernelPlan*>> loops;
  std::vector<KernelPlan> kernels = plan.kernels;
  for (KernelPlan& kernel : kernels) {
    kernel.id = idOf(context, kernel);
    loops[kernel.facts->directive->getBeginLoc()].push_back(&kernel);
  }
  for (const auto& [place, instances] : loops) launches |= rewriteLoop(context, instances, edits);
  if (launches) edits.insertAtTop(registration(Dialect(context.getLangOpts())));
  std::map<SourceLocation, std::vector<const StepBackPlan*>> stepBacks;
  for (const StepBackPlan& step : plan.stepBacks) stepBacks[step.directive->getBeginLoc()].push_back(&step);
  for (const auto& [place, steps] : stepBacks)
    if (!loops.count(place)) announceHostAccess(context, steps, edits);
  repeatForTeams(context, plan, edits);
}

}  // namespace muster::plugin
