// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data-sharing clauses of the directive.
#include "analysis/code/Functions.h"
#include "analysis/loops/LinearVariables.h"
#include "analysis/references/References.h"
#include "source/ElementTypes.h"

#include "analysis/updates/DeclaredReductions.h"
#include "clang/AST/OpenMPClause.h"
#include "muster/abi.h"
#include "source/Compat.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

static const VarDecl* clauseVariable(const Expr* expr) {
  auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts());
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

template <class Clause>
static bool eachVariable(LoopContext& context, const Clause* clause, bool scalarsOnly,
                         llvm::function_ref<void(const VarDecl*)> use) {
  for (const Expr* expr : compat::items(clause)) {
    const VarDecl* var = clauseVariable(expr);
    std::string name = getOpenMPClauseName(clause->getClauseKind()).str();
    if (!var) return context.refuse(expr->getBeginLoc(), say::ClauseNamesNoVariable(name));
    QualType type = var->getType().getNonReferenceType();
    if (scalarsOnly && !isScalarType(type))
      return context.refuse(expr->getBeginLoc(), say::ClauseOfNoNumber(name, var->getNameAsString()));
    if (!isPrivateType(context.ast, type))
      return context.refuse(expr->getBeginLoc(), say::ClauseOfMoreThanNumbers(name, var->getNameAsString()));
    use(var);
  }
  return true;
}

// One dimension of a section or element, and what is in front of it; nullptr: it is neither.
static const Expr* partOf(const Expr* item, SectionPart& part) {
  if (auto* element = dyn_cast<ArraySubscriptExpr>(item)) {
    part = {element->getIdx(), nullptr, true};
    return element->getBase()->IgnoreParenImpCasts();
  }
  auto* section = dyn_cast<ArraySectionExpr>(item);
  if (!section || section->getStride() || section->getColonLocSecond().isValid()) return nullptr;
  part = {section->getLowerBound(), section->getLength(), section->getColonLocFirst().isInvalid()};
  return section->getBase()->IgnoreParenImpCasts();
}

// A whole array, a section of one, or an element. Rows have lengths that the compiler knows.
static std::optional<SectionFact> sectionOf(const ASTContext& ast, const Expr* item) {
  SectionFact section;
  section.item = item;
  const Expr* base = item->IgnoreParenImpCasts();
  SectionPart part;
  while (const Expr* front = partOf(base, part)) {
    for (const Expr* bound : {part.lower, part.length})
      if (bound && bound->HasSideEffects(ast)) return std::nullopt;
    section.parts.insert(section.parts.begin(), part);
    base = front;
  }
  section.var = clauseVariable(base);
  if (!section.var) return std::nullopt;
  const QualType type = section.var->getType().getNonReferenceType();
  const auto* array = ast.getAsConstantArrayType(type);
  const bool hasEnd = !section.parts.empty() && (section.parts[0].length || section.parts[0].isElement);
  if (!array && !(type->isPointerType() && hasEnd)) return std::nullopt;
  QualType element = array ? array->getElementType() : type->getPointeeType();
  while (ast.getAsArrayType(element)) {
    const auto* row = ast.getAsConstantArrayType(element);
    if (!row) return std::nullopt;
    element = row->getElementType();
  }
  if (!section.parts.empty() && !isScalarType(element)) return std::nullopt;
  return section;
}

static bool addReducedArray(LoopContext& context, const Expr* item, unsigned kind) {
  auto section = sectionOf(context.ast, item);
  if (!section) return context.refuse(item->getBeginLoc(), say::ReductionNamesNoSection);
  for (const SectionFact& other : context.facts.sections)
    if (other.var == section->var) return context.refuse(item->getBeginLoc(), say::ReductionOverSeveralSections);
  section->kind = kind;
  context.facts.sections.push_back(*section);
  return true;
}

// OpenMP's own operators; nullopt: one of the user's.
static std::optional<unsigned> reductionKind(const OMPReductionClause* clause) {
  const DeclarationName name = clause->getNameInfo().getName();
  switch (name.getCXXOverloadedOperator()) {
    case OO_Plus:
    case OO_Minus:
      return MUSTER_REDUCE_ADD;
    case OO_Star:
      return MUSTER_REDUCE_MUL;
    case OO_Amp:
      return MUSTER_REDUCE_AND;
    case OO_Pipe:
      return MUSTER_REDUCE_OR;
    case OO_Caret:
      return MUSTER_REDUCE_XOR;
    case OO_AmpAmp:
      return MUSTER_REDUCE_LAND;
    case OO_PipePipe:
      return MUSTER_REDUCE_LOR;
    default:
      if (!name.isIdentifier()) return std::nullopt;
      if (name.getAsString() == "min") return MUSTER_REDUCE_MIN;
      if (name.getAsString() == "max") return MUSTER_REDUCE_MAX;
      return std::nullopt;
  }
}

static bool addReduced(LoopContext& context, const Expr* item, unsigned kind) {
  const VarDecl* var = clauseVariable(item);
  if (!var || var->getType().getNonReferenceType()->isArrayType()) return addReducedArray(context, item, kind);
  const QualType type = var->getType().getNonReferenceType();
  if (!isScalarType(type)) return context.refuse(item->getBeginLoc(), say::ReductionOfNoNumber(var->getNameAsString()));
  // Every device would round at other places, and std::numeric_limits does not know the type.
  if (type->isRealFloatingType() && context.ast.getTypeSize(type) == 16)
    return context.refuse(item->getBeginLoc(), say::ReductionOfHalf(var->getNameAsString()));
  context.roles[var] = Role::Private;
  context.facts.results.push_back({var, kind});
  return true;
}

static bool addReduction(LoopContext& context, const OMPReductionClause* clause) {
  if (clause->getModifier() == OMPC_REDUCTION_inscan || clause->getModifier() == OMPC_REDUCTION_task)
    return context.refuse(clause->getBeginLoc(), say::ReductionModifier);
  const auto kind = reductionKind(clause);
  auto operation = clause->reduction_ops().begin();
  for (const Expr* item : compat::items(clause)) {
    const OMPDeclareReductionDecl* declared = declaredReduction(*operation++);
    if (!declared && !kind) return context.refuse(item->getBeginLoc(), say::ReductionNamesNoSection);
    if (declared ? !addDeclared(context, item, declared) : !addReduced(context, item, *kind)) return false;
  }
  return true;
}

static bool addLastprivate(LoopContext& context, const OMPLastprivateClause* clause) {
  if (clause->getKind() == OMPC_LASTPRIVATE_conditional)
    return context.refuse(clause->getBeginLoc(), say::LastprivateConditional);
  return eachVariable(context, clause, true, [&](const VarDecl* var) {
    // A loop's own variable gets its last value at the launch site.
    auto role = context.roles.find(var);
    if (role != context.roles.end() && role->second == Role::Loop) return;
    if (role == context.roles.end()) context.roles[var] = Role::Private;
    context.facts.results.push_back({var, MUSTER_LASTPRIVATE});
  });
}

// Arrays and scalars of the program's own memory, whose mapping means nothing while all of it is one.
static bool readMap(LoopContext& context, const OMPMapClause* clause) {
  for (const Expr* item : compat::items(clause)) {
    const Expr* base = item->IgnoreParenImpCasts();
    while (auto* section = dyn_cast<ArraySectionExpr>(base)) base = section->getBase()->IgnoreParenImpCasts();
    base = withoutSubscripts(base);
    while (auto* member = dyn_cast<MemberExpr>(base)) base = member->getBase()->IgnoreParenImpCasts();
    if (!isa<CXXThisExpr>(base) && !clauseVariable(base))
      return context.refuse(item->getBeginLoc(), say::MapNamesNoVariable);
  }
  return true;
}

// A struct or an array of which the launch can send a copy.
static bool canTravel(const LoopContext& context, const VarDecl* var) {
  static constexpr std::int64_t mostBytes = 4096;
  const QualType type = var->getType();
  const QualType element = context.ast.getBaseElementType(type);
  const bool isArray = context.ast.getAsConstantArrayType(type) && isPrivateType(context.ast, type);
  if (!isArray && !(type->isRecordType() && isCopiedByBytes(type))) return false;
  return canBeElement(context.ast, element).empty() && !element->isUnionType() && !context.managed.count(var) &&
         context.ast.getTypeSizeInChars(type).getQuantity() <= mostBytes;
}

static bool readClause(LoopContext& context, const OMPClause* clause) {
  LoopFacts& facts = context.facts;
  switch (clause->getClauseKind()) {
    case llvm::omp::OMPC_private:
      return eachVariable(context, cast<OMPPrivateClause>(clause), false, [&](const VarDecl* var) {
        if (!context.roles.emplace(var, Role::Private).second) return;
        facts.privates.push_back(var);
      });
    case llvm::omp::OMPC_firstprivate:
      for (const Expr* expr : compat::items(cast<OMPFirstprivateClause>(clause))) {
        const VarDecl* var = clauseVariable(expr);
        if (!var) return context.refuse(expr->getBeginLoc(), say::ClauseNamesNoVariable("firstprivate"));
        // A pointer is copied in any case; its elements are shared.
        if (var->getType()->isPointerType()) continue;
        const bool isWhole = !isScalarType(var->getType().getNonReferenceType());
        if (isWhole && !canTravel(context, var))
          return context.refuse(expr->getBeginLoc(), say::FirstprivateOfMoreThanNumbers(var->getNameAsString()));
        context.roles[var] = Role::Firstprivate;
        facts.firstprivates.push_back(var);
        facts.scalars.push_back({.var = var, .byValue = isWhole});
      }
      return true;
    case llvm::omp::OMPC_lastprivate:
      return addLastprivate(context, cast<OMPLastprivateClause>(clause));
    case llvm::omp::OMPC_reduction:
      return addReduction(context, cast<OMPReductionClause>(clause));
    case llvm::omp::OMPC_if:
      if (auto modifier = cast<OMPIfClause>(clause)->getNameModifier();
          modifier != llvm::omp::OMPD_unknown && modifier != llvm::omp::OMPD_parallel)
        return context.refuse(clause->getBeginLoc(), say::IfForPart);
      return true;
    case llvm::omp::OMPC_linear:
      return readLinear(context, cast<OMPLinearClause>(clause));
    case llvm::omp::OMPC_map:
      return readMap(context, cast<OMPMapClause>(clause));
    case llvm::omp::OMPC_nowait:  // a task that is not deferred, on `target`
    case llvm::omp::OMPC_bind:
    case llvm::omp::OMPC_defaultmap:
    case llvm::omp::OMPC_device:
    case llvm::omp::OMPC_dist_schedule:
    case llvm::omp::OMPC_num_teams:
    case llvm::omp::OMPC_thread_limit:
    case llvm::omp::OMPC_num_threads:
    case llvm::omp::OMPC_schedule:
    case llvm::omp::OMPC_collapse:
    case llvm::omp::OMPC_default:
    case llvm::omp::OMPC_shared:
    case llvm::omp::OMPC_proc_bind:
    case llvm::omp::OMPC_order:
    case llvm::omp::OMPC_safelen:
    case llvm::omp::OMPC_simdlen:
    case llvm::omp::OMPC_aligned:
    case llvm::omp::OMPC_nontemporal:
      return true;
    default:
      return context.refuse(clause->getBeginLoc(), say::HasClause(getOpenMPClauseName(clause->getClauseKind())));
  }
}

bool readClauses(LoopContext& context) {
  // firstprivate first: a variable that is also lastprivate keeps its initial value.
  for (bool first : {true, false})
    for (const OMPClause* clause : context.facts.directive->clauses()) {
      if (clause->isImplicit()) continue;
      if ((clause->getClauseKind() == llvm::omp::OMPC_firstprivate) != first) continue;
      if (!readClause(context, clause)) return false;
    }
  return true;
}

}  // namespace muster::plugin
