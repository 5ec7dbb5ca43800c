// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/independence/FindGroupLoops.h"

#include "analysis/facts/Affine.h"
#include "analysis/independence/AnyOrder.h"
#include "analysis/independence/OwnVariables.h"
#include "analysis/independence/SharedElements.h"
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/loops/SimdLoops.h"

namespace muster::plugin {

using namespace clang;

namespace {

// Shorter loops are as fast in one work-item, but where they are all that a nest has inside.
constexpr std::int64_t kShortest = 32;

class GroupLoopFinder {
 public:
  GroupLoopFinder(LoopContext& context, std::set<unsigned>& guards)
      : context_(context), facts_(context.facts), elements_(context, true), guards_(guards) {}

  void find(const Stmt* statement) {
    if (!statement || isa<LambdaExpr>(statement)) return;
    if (const auto* loop = dyn_cast<ForStmt>(statement)) look(loop);
    for (const Stmt* part : partsOf(statement)) find(part);
  }

 private:
  void look(const ForStmt* loop) {
    const auto dim = canonicalLoop(loop);
    if (!dim || !dim->isUnit() || (dim->relation != BO_LT && dim->relation != BO_LE) || !isPlain(*dim) ||
        hasEarlyExit(loop->getBody()))
      return;
    const std::vector<const VarDecl*> shared = sharedVariables(context_, loop);
    if (!llvm::all_of(shared, [&](const VarDecl* var) { return mayAddUp(loop, var); })) return;
    const std::optional<unsigned> number = numberOf(loop);
    if (!number || (isShort(*number) && !isInnermostOfNest(loop)) || !runsAlongMemory(*number)) return;
    const auto apart = elements_.apartInside(*number);
    if (!apart) return;
    GroupLoopFact fact = {loop, dim->var};
    fact.carried = shared;
    if (apart->pivot && !setPivot(*apart->pivot, fact)) return;
    for (const Polynomial& positive : apart->positive)
      guards_.insert(guardOf(facts_, {.constant = positive}, 1, INT64_MAX));
    facts_.groupLoops.push_back(std::move(fact));
    facts_.needsDistinct |= (shared.empty() || writesInside(*number)) && mayBeOneArray(facts_);
  }

  // Its bounds are compared as the numbers that they are.
  static bool isPlain(const DimFact& dim) {
    const QualType type = dim.var->getType(), bound = dim.bound->IgnoreParenImpCasts()->getType();
    const ASTContext& ast = dim.var->getASTContext();
    if (ast.getTypeSize(type) < 32 || type->isEnumeralType() || !bound->isIntegerType() || bound->isBooleanType())
      return false;
    const auto lower = dim.lower->getIntegerConstantExpr(ast);
    return type->isUnsignedIntegerType() == bound->isUnsignedIntegerType() || (lower && !lower->isNegative());
  }

  // Of a loop that the walk met once.
  std::optional<unsigned> numberOf(const ForStmt* loop) const {
    std::optional<unsigned> found;
    for (unsigned i = 0; i < context_.variables.size(); ++i) {
      if (context_.variables[i].loop != loop) continue;
      if (found || !context_.variables[i].bounded) return std::nullopt;
      found = i;
    }
    return found;
  }

  // A number of the iteration's own whose parts may be added up (passes/LoopSums.h finds out whether they are).
  bool mayAddUp(const ForStmt* loop, const VarDecl* var) const {
    return var->hasLocalStorage() && !var->getType().isVolatileQualified() && isOfIteration(var) &&
           hasAnyOrder(var->getASTContext(), loop->getBody(), var);
  }

  bool isOfIteration(const VarDecl* var) const {
    const SourceManager& sources = var->getASTContext().getSourceManager();
    const SourceRange body = facts_.body->getSourceRange();
    return sources.isPointWithin(var->getLocation(), body.getBegin(), body.getEnd());
  }

  bool writesInside(unsigned number) const {
    return llvm::any_of(context_.doubts, [&](const auto& entry) {
      const AccessFact& access = facts_.accesses[entry.first];
      return entry.second.around.count(number) && (access.write || access.update);
    });
  }

  bool isShort(unsigned number) const {
    const auto extent = elements_.extentOf(number);
    const auto length = extent ? constantValue(*extent) : std::nullopt;
    return length && *length + 1 < kShortest;
  }

  // All dimensions of a launch are taken, and its iteration is this loop.
  bool isInnermostOfNest(const ForStmt* loop) const {
    const Stmt* body = facts_.deviceBody;
    while (const auto* block = dyn_cast_or_null<CompoundStmt>(body))
      body = block->size() == 1 ? block->body_front() : nullptr;
    return facts_.dims.size() == 3 && body == loop;
  }

  // Neighbours touch neighbouring elements somewhere in it.
  bool runsAlongMemory(unsigned number) const {
    const unsigned along = adjacentInside(number, number);
    if (along == 0 || facts_.dims.size() == 1) return along > 0;
    // The work-items of a nest are neighbours along one of its dimensions.
    std::set<unsigned> around = loopsAround(number);
    for (unsigned dim = 0; dim < facts_.collapsed; ++dim) around.insert(dim);
    return llvm::all_of(around,
                        [&](unsigned other) { return other == number || adjacentInside(number, other) < along; });
  }

  // How many accesses inside a loop move by one element along another one.
  unsigned adjacentInside(unsigned number, unsigned along) const {
    return llvm::count_if(context_.doubts, [&](const auto& entry) {
      const auto& index = facts_.accesses[entry.first].index;
      const auto factor = index ? constantValue(factorOf(*index, along)) : std::nullopt;
      return entry.second.around.count(number) && factor && std::abs(*factor) == 1;
    });
  }

  // Those that all accesses inside it are in.
  std::set<unsigned> loopsAround(unsigned number) const {
    std::optional<std::set<unsigned>> common;
    for (const auto& [access, doubt] : context_.doubts) {
      if (!doubt.around.count(number)) continue;
      std::set<unsigned> both;
      for (unsigned other : doubt.around)
        if (!common || common->count(other)) both.insert(other);
      common = std::move(both);
    }
    return common.value_or(std::set<unsigned>());
  }

  // A kernel has the symbols that are scalars of the launch, and the variables of the loops around.
  bool setPivot(const AffineExpr& pivot, GroupLoopFact& fact) const {
    const auto isScalar = [&](unsigned symbol) { return scalarOf(facts_.symbols[symbol]) != nullptr; };
    const auto isKnown = [&](const Polynomial& number) {
      return llvm::all_of(number, [&](const auto& term) { return llvm::all_of(term.first, isScalar); });
    };
    if (!isKnown(pivot.constant) ||
        !llvm::all_of(pivot.factors, [&](const auto& factor) { return isKnown(factor.second); }))
      return false;
    fact.hasPivot = true;
    fact.pivot = pivot;
    for (const auto& [number, factor] : pivot.factors) fact.pivotVariables[number] = context_.variables[number].var;
    return true;
  }

  // A conversion may change its value.
  const VarDecl* scalarOf(const Symbol& symbol) const {
    const Expr* value = symbol.expr ? symbol.expr->IgnoreParens() : nullptr;
    if (const auto* load = dyn_cast_or_null<ImplicitCastExpr>(value); load && load->getCastKind() == CK_LValueToRValue)
      value = load->getSubExpr()->IgnoreParens();
    const auto* name = dyn_cast_or_null<DeclRefExpr>(value);
    const auto* var = name && symbol.text == name->getDecl()->getName() ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    const bool isScalar = llvm::any_of(facts_.scalars, [&](const ScalarFact& scalar) {
      return scalar.var == var && !scalar.byValue && !scalar.vectorSize;
    });
    return isScalar ? var : nullptr;
  }

  LoopContext& context_;
  LoopFacts& facts_;
  const SharedElements elements_;
  std::set<unsigned>& guards_;
};

}  // namespace

void findGroupLoops(LoopContext& context, std::set<unsigned>& guards) {
  const LoopFacts& facts = context.facts;
  const bool isPlain =
      facts.results.empty() && facts.records.empty() && facts.linears.empty() && facts.firstprivates.empty();
  if (isPlain) GroupLoopFinder(context, guards).find(facts.deviceBody);
}

}  // namespace muster::plugin
