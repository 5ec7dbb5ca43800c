// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/ReadLoop.h"
#include "analysis/code/Functions.h"
#include "analysis/independence/Independence.h"
#include "analysis/loops/LoopNest.h"
#include "analysis/loops/PointerLoop.h"
#include "analysis/loops/SimdLoops.h"
#include "analysis/objects/EmbeddedArrays.h"
#include "analysis/objects/RowTables.h"
#include "analysis/records/Locks.h"
#include "analysis/records/Records.h"
#include "analysis/references/CalleeCopies.h"
#include "analysis/references/References.h"
#include "analysis/teams/TeamVariables.h"
#include "analysis/updates/Updates.h"
#include "analysis/walk/WalkBody.h"
#include "source/AstVisitor.h"
#include "source/DirectiveText.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

namespace {

// Anything that elements are reached through.
bool isArrayLike(QualType type) {
  type = type.getNonReferenceType();
  return type->isPointerType() || type->isArrayType() || !vectorElement(type).isNull();
}

class ArrayFinder : public AstVisitor {
 public:
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    return !isa<VarDecl>(reference->getDecl()) || !isArrayLike(reference->getDecl()->getType());
  }
  // Elements may be behind its operators.
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr*) override { return false; }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr*) override { return false; }
  bool VisitMemberExpr(MemberExpr* member) override {
    return !isa<FieldDecl>(member->getMemberDecl()) || !isArrayLike(member->getMemberDecl()->getType());
  }
};

// Which variables the iteration has for itself is known now; a pointer that it changes names no one object.
void findObjects(LoopContext& context) {
  std::set<const VarDecl*> owned;
  for (const auto& [var, role] : context.roles) owned.insert(var);
  for (const VarDecl* var : context.changed)
    if (!Objects::isRecord(var->getType())) owned.insert(var);
  owned.insert(context.facts.remade.begin(), context.facts.remade.end());
  context.facts.objects =
      std::make_shared<Objects>(context.ast, context.facts.directive, context.facts.function, std::move(owned));
}

void analyse(LoopContext& context) {
  if (!readFunction(context) || !readDims(context) || !readText(context)) return;
  context.changed = changedVariables(context.facts.body);
  if (!readClauses(context)) return;
  findLocks(context);
  findRecords(context);
  settleLocks(context);
  if (!shareTeamVariables(context) || !checkPointerLoops(context)) return;
  readSimdLoops(context);
  findSharedUpdates(context);
  takeSharedScalars(context);
  findObjects(context);
  if (context.unevenRows) {
    context.objects().followTables();
    context.assignedTables = assignedTables(context.facts.body, context.objects());
  }
  findMemberFlags(context);
  if (!readReferences(context) || !checkTakenScalars(context) || !checkMemberFlags(context) ||
      !readFileScope(context) || !walkBody(context))
    return;
  passSmallArrays(context);
  if (context.refused() || !copyCallees(context) || !placeEmbeddedArrays(context) || !checkStaleValues(context) ||
      !checkCopiedMembers(context))
    return;
  finishDims(context);
  checkGivenStorage(context);
}

// Constructs that mean a `parallel for` where all memory is one: without an offload target, or over managed arrays.
bool isParallelLoop(OpenMPDirectiveKind kind) {
  switch (kind) {
    case llvm::omp::OMPD_parallel_for:
    case llvm::omp::OMPD_parallel_for_simd:
    case llvm::omp::OMPD_parallel_loop:
    case llvm::omp::OMPD_target_parallel_for:
    case llvm::omp::OMPD_target_parallel_for_simd:
    case llvm::omp::OMPD_target_parallel_loop:
    case llvm::omp::OMPD_teams_distribute_parallel_for:
    case llvm::omp::OMPD_teams_distribute_parallel_for_simd:
    case llvm::omp::OMPD_teams_loop:
    case llvm::omp::OMPD_target_teams_distribute_parallel_for:
    case llvm::omp::OMPD_target_teams_distribute_parallel_for_simd:
    case llvm::omp::OMPD_target_teams_loop:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool touchesArrays(const OMPExecutableDirective* directive) {
  return !ArrayFinder().TraverseStmt(const_cast<OMPExecutableDirective*>(directive));
}

LoopReader::LoopReader(ASTContext& ast, const DirectiveTable& table, const Aliases& aliases)
    : ast_(ast), table_(table), aliases_(aliases), teamSizes_(ast) {
  for (const ManagedVar& managed : table.managed) {
    if (managed.var) managed_.insert(managed.var);
    if (managed.field) managedFields_.insert(managed.field->getCanonicalDecl());
  }
}

std::optional<Refusal> LoopReader::leftOut(const OMPExecutableDirective* directive) const {
  if (!table_.isLeftOut(ast_.getSourceManager(), directive->getBeginLoc())) return std::nullopt;
  return Refusal{directive->getBeginLoc(), say::LeftOut};
}

// Nothing says where in a row the elements are that the loop reads: how long rows are is data, as of compressed ones,
// and splitting by rows would gain nothing.
static bool readsAnywhereInRows(const LoopFacts& facts) {
  bool reads = false;
  for (const AccessFact& access : facts.accesses) {
    if (!facts.arrays[access.array].isTable()) continue;
    if (access.index || access.write || access.update) return false;
    reads = true;
  }
  return reads;
}

// Rows are one array with a length where the loop allows that, which then is split by rows; else any parts of one
// array.
LoopFacts LoopReader::read(const OMPExecutableDirective* directive, const FunctionDecl* function,
                           const TeamScope* team) const {
  TableUse use;
  LoopFacts facts = tryRead(directive, function, team, /*unevenRows=*/false, use);
  const bool mayBeUneven = facts.refusal || readsAnywhereInRows(facts);
  if (use < (mayBeUneven ? TableUse::Rows : TableUse::Ends)) return facts;
  LoopFacts uneven = tryRead(directive, function, team, /*unevenRows=*/true, use);
  return uneven.refusal && use != TableUse::Whole ? facts : uneven;
}

LoopFacts LoopReader::tryRead(const OMPExecutableDirective* directive, const FunctionDecl* function,
                              const TeamScope* team, bool unevenRows, TableUse& use) const {
  LoopFacts facts;
  facts.directive = directive;
  facts.function = function;
  LoopContext context{ast_, facts, {}, {}, {}, {}, managed_, {}};
  context.unevenRows = unevenRows;
  context.team = team;
  if (team) facts.copied = team->copied;
  context.managedFields = managedFields_;
  context.aliases = &aliases_;
  context.teamSizes = &teamSizes_;
  context.skipped = &table_.skipped;
  const OpenMPDirectiveKind kind = directive->getDirectiveKind();
  const SourceManager& sources = ast_.getSourceManager();
  const SourceLocation loc = sources.getExpansionLoc(directive->getBeginLoc());
  if (const auto why = leftOut(directive))
    context.refuse(why->loc, why->what);
  else if (team && directive->getBeginLoc().isMacroID())
    context.refuse(directive->getBeginLoc(), say::DirectiveMadeByMacro);
  else if (startOfMetadirective(ast_, directive).isValid())
    context.refuse(directive->getBeginLoc(), say::Metadirective);
  else if (!directiveStart(ast_, directive))
    context.refuse(directive->getBeginLoc(), say::MacroHoldsMore);
  else if (const std::string reason = whyNotRewritable(sources, loc); !reason.empty())
    context.refuse(loc, reason);
  else if (!isParallelLoop(kind) && !team)
    context.refuse(directive->getBeginLoc(), say::NotOutlined(llvm::omp::getOpenMPDirectiveName(kind)));
  else
    analyse(context);
  if (!unevenRows) use = context.tables;
  return facts;
}

}  // namespace muster::plugin
