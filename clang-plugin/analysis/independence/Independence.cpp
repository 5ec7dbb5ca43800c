// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loops inside the body may run in parallel too. The iterations of the directive's own loops are independent
// because the user says so; those of a loop inside one of them have to be shown not to touch each other's elements,
// and to share no variable.
#include "analysis/independence/Independence.h"

#include "analysis/code/ClauseValues.h"
#include "analysis/code/Functions.h"
#include "analysis/code/TeamSizes.h"
#include "analysis/independence/FindGroupLoops.h"
#include "analysis/independence/OwnVariables.h"
#include "analysis/independence/SharedElements.h"
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/loops/SimdLoops.h"
#include "analysis/objects/ClauseText.h"
#include "analysis/objects/Objects.h"
#include "analysis/walk/WalkBody.h"
#include "muster/abi.h"
#include "source/AstVisitor.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

static constexpr std::size_t mostDims = 3;

namespace {

struct Candidate {
  DimFact dim;
  unsigned number = 0;  // of its variable, in the walk
  std::vector<const Stmt*> prelude;
};

class DimFinder {
 public:
  explicit DimFinder(LoopContext& context) : context_(context), facts_(context.facts) {}

  // Guards that the dims need.
  const std::set<unsigned>& guards() const { return guards_; }

  // Appends dims while they are independent; the result maps numbers of the walk to those of dims.
  std::map<unsigned, unsigned> run() {
    std::map<unsigned, unsigned> numbers;
    for (unsigned i = 0; i < facts_.dims.size(); ++i) numbers[i] = i;
    facts_.deviceBody = facts_.body;
    // Last values are those of an iteration of the directive's loops.
    while (facts_.dims.size() < mostDims && facts_.linears.empty()) {
      auto candidate = next(facts_.deviceBody);
      if (!candidate || !sharedVariables(context_, candidate->dim.loop).empty()) break;
      const auto assumed =
          SharedElements(context_, true).noneIfPositive(candidate->number, constantStep(context_.ast, candidate->dim));
      if (!assumed) break;
      for (const Polynomial& number : *assumed) guards_.insert(guardOf(facts_, {.constant = number}, 1, INT64_MAX));
      numbers[candidate->number] = facts_.dims.size();
      facts_.prelude.insert(facts_.prelude.end(), candidate->prelude.begin(), candidate->prelude.end());
      facts_.deviceBody = candidate->dim.loop->getBody();
      facts_.dims.push_back(candidate->dim);
      facts_.needsDistinct |= mayBeOneArray(facts_);
    }
    return numbers;
  }

 private:
  const Stmt* withoutCopies(const Stmt* statement) const;
  std::optional<Candidate> next(const Stmt* body) const;

  LoopContext& context_;
  LoopFacts& facts_;
  std::set<unsigned> guards_;
};

static bool givesValue(const Stmt* declaration, const VarDecl* var) {
  return llvm::any_of(cast<DeclStmt>(declaration)->decls(),
                      [&](const Decl* decl) { return decl == var && var->getInit(); });
}

// The loop of a simd directive, if one iteration needs nothing of what its clauses do.
const Stmt* DimFinder::withoutCopies(const Stmt* statement) const {
  statement = withoutTransformations(statement);
  auto* simd = dyn_cast<OMPSimdDirective>(statement);
  if (!simd || !followingVariables(simd).empty()) return statement;
  const auto own = ownVariables(simd);
  const bool hidesResult =
      llvm::any_of(facts_.results, [&](const ResultFact& result) { return llvm::is_contained(own, result.var); });
  return hidesResult ? statement : withoutTransformations(withoutHint(simd));
}

// Declarations without effects, then nothing but one loop with bounds that the launch site can compute.
std::optional<Candidate> DimFinder::next(const Stmt* body) const {
  Candidate candidate;
  const ForStmt* loop = nullptr;
  while (auto* compound = dyn_cast<CompoundStmt>(body)) {
    const Stmt* inner = nullptr;
    for (const Stmt* child : compound->body()) {
      if (isa<NullStmt>(child)) continue;
      if (inner) return std::nullopt;
      if (isa<DeclStmt>(child))
        candidate.prelude.push_back(child);
      else
        inner = child;
    }
    if (!inner) return std::nullopt;
    body = inner;
  }
  loop = dyn_cast<ForStmt>(withoutCopies(body));
  auto dim = loop ? canonicalLoop(loop) : std::nullopt;
  if (!dim || hasEarlyExit(loop->getBody()) || constantStep(context_.ast, *dim) == 0) return std::nullopt;
  for (const Expr* expr : {dim->lower, dim->bound, dim->step})
    if (expr && !isInvariant(context_, expr)) return std::nullopt;
  // The variable may be declared in the body, but means nothing there before its loop.
  for (const std::vector<const Stmt*>& part : {facts_.prelude, candidate.prelude})
    for (const Stmt* declaration : part)
      if (mentions(declaration, {dim->var}) || givesValue(declaration, dim->var)) return std::nullopt;
  for (const Stmt* declaration : candidate.prelude)
    if (llvm::any_of(changedVariables(declaration), [](const VarDecl* var) { return !isVector(var); }))
      return std::nullopt;
  // One iteration of such a loop has no last value of its variable.
  for (const ResultFact& result : facts_.results)
    if (result.var == dim->var) return std::nullopt;
  for (unsigned i = 0; i < context_.variables.size(); ++i) {
    if (context_.variables[i].loop != loop) continue;
    if (!context_.variables[i].bounded) return std::nullopt;
    candidate.number = i;
    candidate.dim = *dim;
    candidate.dim.byDirective = false;
    return candidate;
  }
  return std::nullopt;
}

// Marks the loops whose variables a form needs and the guards that make it right, with those that these need.
void markUsed(const LoopContext& context, const AffineExpr& form, std::set<unsigned>& used,
              std::set<unsigned>& guards) {
  for (unsigned guard : form.guards)
    if (guards.insert(guard).second) markUsed(context, context.facts.guards[guard].form, used, guards);
  for (const auto& [number, factor] : form.factors) {
    if (!used.insert(number).second) continue;
    markUsed(context, context.variables[number].smallest, used, guards);
    markUsed(context, context.variables[number].largest, used, guards);
  }
}

// Drops the guards that no access needs.
void keepGuards(LoopFacts& facts, const std::set<unsigned>& needed, const std::map<unsigned, unsigned>& numbers) {
  std::vector<GuardFact> kept;
  std::map<unsigned, unsigned> positions;
  for (unsigned guard : needed) {
    positions[guard] = kept.size();
    kept.push_back(facts.guards[guard]);
    kept.back().form = renumber(kept.back().form, numbers);
  }
  auto update = [&](AffineExpr& form) {
    std::set<unsigned> updated;
    for (unsigned guard : form.guards) updated.insert(positions.at(guard));
    form.guards = std::move(updated);
  };
  for (AccessFact& access : facts.accesses)
    if (access.index) update(*access.index);
  for (RowFact& row : facts.rows) update(row.row);
  for (InnerFact& inner : facts.inner) update(inner.smallest), update(inner.largest);
  for (GuardFact& guard : kept) update(guard.form);
  facts.guards = std::move(kept);
}

// The variable of a loop with a step that stays inside the body becomes first + step * (number of the iteration), which
// takes all values up to the last one.
void useStride(LoopContext& context, unsigned number) {
  LoopVariable& loop = context.variables[number];
  const LoopVariable::Stride stride = *loop.stride;
  AffineExpr value;
  value.constant = stride.first;
  value.factors[number] = stride.step;
  std::vector<AffineExpr*> forms;
  for (AccessFact& access : context.facts.accesses)
    if (access.index) forms.push_back(&*access.index);
  for (RowFact& row : context.facts.rows) forms.push_back(&row.row);
  for (LoopVariable& variable : context.variables) forms.insert(forms.end(), {&variable.smallest, &variable.largest});
  for (GuardFact& guard : context.facts.guards) forms.push_back(&guard.form);
  std::vector<AffineExpr> replaced;
  for (const AffineExpr* form : forms) {
    auto moved = form->factors.count(number) ? substitute(*form, number, value) : std::optional(*form);
    if (!moved) {  // too large a coefficient: the variable stays what it was, with values that do not occur
      loop.stride = std::nullopt;
      return;
    }
    replaced.push_back(*moved);
  }
  for (std::size_t i = 0; i < forms.size(); ++i) *forms[i] = replaced[i];
  AffineExpr first = constantForm(0), last;
  first.guards = loop.smallest.guards;
  last.constant = stride.last;
  last.guards = loop.largest.guards;
  loop.smallest = first;
  loop.largest = last;
  loop.name = "(iteration of " + loop.name + ")";
}

// Which accesses may not happen, or not at all elements of their form, now that it is known which loops are dimensions.
void settleDoubts(LoopContext& context, const std::map<unsigned, unsigned>& dims) {
  for (const auto& [access, doubt] : context.doubts) {
    bool& conditional = context.facts.accesses[access].conditional;
    for (unsigned number : doubt.values) conditional |= !dims.count(number) && !context.variables[number].stride;
    for (unsigned number : doubt.runs) conditional |= !dims.count(number);
  }
}

// In the body or in what it calls.
bool usesTeamSize(const LoopContext& context) {
  const auto uses = [&](const FunctionDecl* callee) { return context.teamSizes->usedIn(callee->getBody()); };
  return context.teamSizes->usedIn(context.facts.body) || llvm::any_of(context.facts.callees, uses);
}

// Whether the launch has the addresses of all arrays before anything else.
bool hasPlainArrays(const LoopFacts& facts) {
  return facts.sections.empty() && llvm::none_of(facts.arrays, [](const ArrayFact& array) { return array.isTable(); });
}

// Loops are distributed by iterations, not by the groups of them that these directives make.
void checkGroups(LoopContext& context) {
  const Stmt* transformation = transformationOf(cast<OMPLoopDirective>(context.facts.directive));
  if (transformation && neighboursCarryValues(context))
    context.refuse(transformation->getBeginLoc(), say::TransformationMayReorder);
  // Native code has to have the chunks that the program says.
  if (!context.facts.mayCarryInChunks && !mayBeOneArray(context.facts)) return;
  const auto* directive = context.facts.directive;
  const auto* schedule = directive->getSingleClause<OMPScheduleClause>();
  if (hasKnownChunks(directive) && isForLaunchOnly(context.ast, valueOfClause(schedule))) {
    context.facts.onlyApart = !context.facts.mayCarryInChunks && hasPlainArrays(context.facts);
    if (!context.facts.onlyApart) context.refuse(schedule->getBeginLoc(), say::ChunksMayCarry);
  }
  const auto* ofTeams = directive->getSingleClause<OMPDistScheduleClause>();
  if (ofTeams && ofTeams->getChunkSize()) context.refuse(ofTeams->getBeginLoc(), say::ChunksMayCarry);
}

}  // namespace

void finishDims(LoopContext& context) {
  LoopFacts& facts = context.facts;
  facts.mayCarry = mayCarryValues(context);
  facts.mayCarryInChunks = mayCarryInChunks(context);
  facts.mayCarryInParts =
      (facts.mayCarryInChunks || mayBeOneArray(facts)) && hasThreadParts(facts.directive) && usesTeamSize(context);
  checkGroups(context);
  DimFinder finder(context);
  auto numbers = finder.run();
  std::set<unsigned> used, guards = finder.guards();
  findGroupLoops(context, guards);
  for (unsigned number = 0; number < context.variables.size(); ++number)
    if (context.variables[number].stride && !numbers.count(number)) useStride(context, number);
  settleDoubts(context, numbers);
  for (const AccessFact& access : facts.accesses)
    if (access.index) markUsed(context, *access.index, used, guards);
  for (const RowFact& row : facts.rows) markUsed(context, row.row, used, guards);
  for (unsigned number : used) {
    if (numbers.count(number)) continue;
    const unsigned position = facts.dims.size() + facts.inner.size();
    const LoopVariable& loop = context.variables[number];
    facts.inner.push_back({loop.name, renumber(loop.smallest, numbers), renumber(loop.largest, numbers), loop.divisor});
    numbers[number] = position;
  }
  for (AccessFact& access : facts.accesses)
    if (access.index) access.index = renumber(*access.index, numbers);
  for (RowFact& row : facts.rows) row.row = renumber(row.row, numbers);
  keepGuards(facts, guards, numbers);
}

}  // namespace muster::plugin
