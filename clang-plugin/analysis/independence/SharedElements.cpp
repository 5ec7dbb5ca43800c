// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/independence/SharedElements.h"

#include "analysis/code/ClauseValues.h"
#include "analysis/code/Functions.h"
#include "analysis/code/VariableFlow.h"
#include "clang/AST/StmtOpenMP.h"
#include "muster/abi.h"
#include "source/ElementTypes.h"

namespace muster::plugin {

using namespace clang;

std::int64_t constantStep(const ASTContext& ast, const DimFact& dim) {
  Expr::EvalResult step;
  if (!dim.step) return 1;
  if (!dim.step->EvaluateAsInt(step, ast) || !step.Val.getInt().isRepresentableByInt64()) return 0;
  return std::abs(step.Val.getInt().getExtValue());
}

std::optional<Polynomial> SharedElements::extentOf(unsigned number) const {
  const LoopVariable& loop = context_.variables[number];
  const bool ofDirective = number < facts_.collapsed;
  if (ofDirective ? !loop.least || !loop.most : !loop.bounded) return std::nullopt;
  const AffineExpr& smallest = ofDirective ? *loop.least : loop.smallest;
  const AffineExpr& largest = ofDirective ? *loop.most : loop.largest;
  // Guards of what no access needs are not kept.
  if (ofDirective && !(smallest.guards.empty() && largest.guards.empty())) return std::nullopt;
  const auto extent = subtract(largest, smallest);
  const auto grows = [](const LoopVariable& variable, const Polynomial& factor) -> std::optional<bool> {
    const auto times = constantValue(factor);
    return times && variable.var ? std::optional(*times > 0) : std::nullopt;
  };
  return extent ? extremeOf(*extent, true, context_.variables, grows) : std::nullopt;
}

// The number without its sign, where its terms agree on one.
static Polynomial magnitudeOf(const Polynomial& number) {
  if (!llvm::all_of(number, [](const auto& term) { return term.second < 0; })) return number;
  return multiply(number, constantPolynomial(-1)).value_or(number);
}

// Whether factor - (what the loops inside add) is likely to be positive, so that a launch may ask: the factor has
// symbols, as n in n*j + k, k < m, and what is taken away has no more of them.
static bool mayBePositive(const Polynomial& factor, const Polynomial& room) {
  std::size_t most = 0;
  for (const auto& [monomial, coefficient] : factor) most = std::max(most, monomial.size());
  if (most == 0) return false;
  bool hasPositive = false;
  for (const auto& [monomial, coefficient] : room) {
    if (monomial.size() > most) return false;
    hasPositive |= monomial.size() == most && coefficient > 0;
  }
  return hasPositive;
}

// Whether one step of a variable is seen to be longer than one of another: it has more symbols, or a greater constant.
static bool isLonger(const Polynomial& step, const Polynomial& other) {
  const auto symbolsOf = [](const Polynomial& number) {
    std::size_t most = 0;
    for (const auto& [monomial, coefficient] : number) most = std::max(most, monomial.size());
    return most;
  };
  const auto left = constantValue(step), right = constantValue(other);
  return left && right ? *left > *right : symbolsOf(step) > symbolsOf(other);
}

// Less of the room than what all values of a variable add.
void SharedElements::takeReach(std::optional<Polynomial>& room, unsigned number, const Polynomial& step) const {
  const auto extent = extentOf(number);
  const auto reach = extent ? multiply(step, *extent) : std::nullopt;
  const auto negative = reach ? multiply(*reach, constantPolynomial(-1)) : std::nullopt;
  room = room && negative ? add(*room, *negative) : std::nullopt;
}

// Whether it is at least 1, or is assumed to be, as what is left of `length`.
static bool isPositive(const std::optional<Polynomial>& room, const Polynomial& length,
                       std::vector<Polynomial>* assumed) {
  if (!room) return false;
  if (const auto left = constantValue(*room)) return *left >= 1;
  if (!assumed || !mayBePositive(length, *room)) return false;
  assumed->push_back(*room);
  return true;
}

// Other values of the loop's variable give other elements. Digits of a number do: a step of the loop is longer than all
// that loops inside it with shorter steps can add, as in (i * n + j) * m + k with 0 <= k < m, and a step of each other
// loop inside it is longer than what all with shorter ones add, the loop among them, as in (k * n + i) * m + j.
bool SharedElements::ownElements(const AccessFact& write, unsigned loopNumber, std::vector<Polynomial>* assumed) const {
  if (!write.index) return false;
  std::map<unsigned, Polynomial> steps = {{loopNumber, magnitudeOf(factorOf(*write.index, loopNumber))}};
  for (const auto& [number, factor] : write.index->factors)
    if (number > loopNumber) steps[number] = magnitudeOf(factor);  // loops are numbered from the outside
  const Polynomial& own = steps[loopNumber];
  for (const auto& [number, step] : steps) {
    if (assumed && number != loopNumber && !constantValue(step)) assumed->push_back(step);
    if (number != loopNumber && !isLonger(step, own)) continue;
    std::optional<Polynomial> room = step;
    for (const auto& [other, shorter] : steps) {
      if (other == number || isLonger(shorter, step)) continue;
      takeReach(room, other, shorter);
    }
    if (!isPositive(room, step, assumed)) return false;
  }
  return true;
}

// Whether `other` may touch, in another iteration of the loop, an element that `write` writes.
bool SharedElements::conflict(const AccessFact& write, const AccessFact& other, unsigned loopNumber,
                              std::int64_t step) const {
  if (!other.index) return true;
  if (sameForm(*write.index, *other.index)) return false;
  auto difference = subtract(*write.index, *other.index);
  if (!difference || !difference->factors.empty()) return true;
  auto distance = constantValue(difference->constant);
  auto factor = constantValue(factorOf(*write.index, loopNumber));
  if (!distance || !factor) return true;
  for (const auto& [number, innerFactor] : write.index->factors)
    if (number > loopNumber) return true;
  return *distance % (*factor * step) == 0;
}

// Whether the order of an update's repetitions does not count. A reduction leaves it open.
bool SharedElements::inAnyOrder(const AccessFact& access) const {
  if (!access.update) return false;
  if (!exactOrder_) return !access.ordered;
  if (access.op == MUSTER_REDUCE_MIN || access.op == MUSTER_REDUCE_MAX) return true;
  if (facts_.arrays[access.array].element->isIntegralOrEnumerationType()) return true;
  return std::any_of(facts_.sections.begin(), facts_.sections.end(),
                     [&](const SectionFact& section) { return section.array == access.array; });
}

// Whether all that the body does with an update's array are updates of the same kind.
bool SharedElements::updatedOnly(const AccessFact& update) const {
  return std::all_of(facts_.accesses.begin(), facts_.accesses.end(), [&](const AccessFact& other) {
    return other.array != update.array || (other.update && other.op == update.op);
  });
}

// Whether the elements of the two lie in rows that are longer than what the loop, and those inside of it, reach: then
// equal ones have one number in the row. The difference is a multiple of the row's length.
bool SharedElements::inOtherRows(const AffineExpr& write, const AffineExpr& difference, unsigned loopNumber,
                                 Apart& result) const {
  if (difference.factors.empty()) return false;
  const Polynomial length = magnitudeOf(difference.factors.begin()->second);
  const auto isMultiple = [&](const Polynomial& number) {
    Polynomial quotient, remainder;
    return split(number, length, quotient, remainder) && remainder.empty();
  };
  if (!isMultiple(difference.constant) ||
      !llvm::all_of(difference.factors, [&](const auto& factor) { return isMultiple(factor.second); }))
    return false;
  std::optional<Polynomial> room = length;
  for (const auto& [number, factor] : write.factors) {
    if (number >= loopNumber) takeReach(room, number, magnitudeOf(factor));
  }
  return isPositive(room, length, &result.positive);
}

// Whether the loop writes what all of its iterations use in one of them alone: where the difference is 0.
bool SharedElements::atPivot(const AffineExpr& difference, unsigned loopNumber, Apart& result) const {
  const auto factor = constantValue(factorOf(difference, loopNumber));
  if (!factor || std::abs(*factor) != 1) return false;
  AffineExpr rest = difference;
  rest.factors.erase(loopNumber);
  const auto pivot = multiply(rest, constantForm(-*factor));
  if (!pivot || llvm::any_of(pivot->factors, [&](const auto& part) {
        return part.first > loopNumber || !context_.variables[part.first].var;
      }))
    return false;
  const LoopVariable& loop = context_.variables[loopNumber];
  const auto isBeyond = [](const std::optional<AffineExpr>& distance) {
    const auto number = distance ? constantValue(*distance) : std::nullopt;
    return number && *number >= 1;
  };
  if (isBeyond(subtract(loop.smallest, *pivot)) || isBeyond(subtract(*pivot, loop.largest))) return true;
  if (result.pivot && !sameForm(*result.pivot, *pivot)) return false;
  result.pivot = pivot;
  return true;
}

bool SharedElements::apart(const AccessFact& write, const AccessFact& other, unsigned loopNumber, Apart& result) const {
  if (!other.index) return false;
  const auto difference = subtract(*write.index, *other.index);
  if (!difference) return false;
  const auto isInside = [&](const auto& factor) { return factor.first > loopNumber; };
  const auto isOfLoop = [&](const auto& factor) { return factor.first >= loopNumber; };
  if (llvm::none_of(difference->factors, isOfLoop)) return inOtherRows(*write.index, *difference, loopNumber, result);
  return llvm::none_of(write.index->factors, isInside) && llvm::none_of(other.index->factors, isOfLoop) &&
         atPivot(*difference, loopNumber, result);
}

std::optional<SharedElements::Apart> SharedElements::apartInside(unsigned loopNumber) const {
  std::vector<const AccessFact*> inside;
  for (std::size_t i = 0; i < facts_.accesses.size(); ++i)
    if (const auto doubt = context_.doubts.find(i); doubt != context_.doubts.end())
      if (doubt->second.around.count(loopNumber)) inside.push_back(&facts_.accesses[i]);
  Apart result;
  for (const AccessFact* write : inside) {
    if (!write->write && !write->update) continue;
    const auto isSame = [&](const AccessFact* other) {
      return other->array != write->array || (other->update && other->op == write->op);
    };
    if (inAnyOrder(*write)) {
      if (!llvm::all_of(inside, isSame)) return std::nullopt;
      continue;
    }
    if (!ownElements(*write, loopNumber, nullptr) && !ownElements(*write, loopNumber, &result.positive))
      return std::nullopt;
    for (const AccessFact* other : inside)
      if (other->array == write->array && conflict(*write, *other, loopNumber, 1) &&
          !apart(*write, *other, loopNumber, result))
        return std::nullopt;
  }
  return result;
}

std::optional<std::vector<Polynomial>> SharedElements::noneIfPositive(unsigned number, std::int64_t step) const {
  if (none(number, step)) return std::vector<Polynomial>();
  std::vector<Polynomial> assumed;
  return none(number, step, &assumed) ? std::optional(assumed) : std::nullopt;
}

bool SharedElements::none(unsigned number, std::int64_t step, std::vector<Polynomial>* assumed) const {
  for (const AccessFact& write : facts_.accesses) {
    if (!write.write && !write.update) continue;
    if (inAnyOrder(write)) {
      if (!updatedOnly(write)) return false;
      continue;
    }
    if (!ownElements(write, number, assumed)) return false;
    for (const AccessFact& other : facts_.accesses)
      if (other.array == write.array && conflict(write, other, number, step)) return false;
  }
  return true;
}

// Whether an iteration may read what an earlier one of its thread left in a variable.
static bool keepsValues(const LoopContext& context, const VarDecl* var) {
  if (!isScalarType(var->getType()) && !var->getType()->isPointerType()) return true;
  const auto& linears = context.facts.linears;
  const bool isLinear = llvm::any_of(linears, [&](const LinearFact& linear) { return linear.var == var; });
  if (!context.changed.count(var) || isLinear) return false;
  VariableFlow iteration(var);
  iteration.run(context.facts.body);
  return iteration.isExposed();
}

static bool carriesVariables(const LoopContext& context) {
  const LoopFacts& facts = context.facts;
  const auto keeps = [&](const VarDecl* var) { return keepsValues(context, var); };
  return llvm::any_of(facts.privates, keeps) || llvm::any_of(facts.firstprivates, keeps) ||
         llvm::any_of(facts.results,
                      [&](const ResultFact& result) { return result.kind == MUSTER_LASTPRIVATE && keeps(result.var); });
}

// Whether an index has a part that is the same in several iterations, as i / 4 and i & 3 have.
static bool hasBracket(const LoopContext& context, const AffineExpr& index) {
  return llvm::any_of(index.factors, [&](const auto& factor) { return !context.variables[factor.first].var; });
}

// Whether iterations next to each other seem to write the same element: the index leaves a loop out, or counts less
// with it than a loop inside does.
static bool seemsShared(const LoopContext& context, const AffineExpr& index) {
  const SharedElements elements(context, false);
  for (unsigned i = 0; i < context.facts.collapsed; ++i) {
    const auto factor = constantValue(factorOf(index, i));
    if (!factor) continue;
    if (*factor == 0) return true;
    for (const auto& [number, inner] : index.factors) {
      const auto innerFactor = constantValue(inner);
      if (number < context.facts.collapsed || !innerFactor || std::abs(*innerFactor) > std::abs(*factor)) continue;
      const auto extent = elements.extentOf(number);
      const auto most = extent ? constantValue(*extent) : std::nullopt;
      if (most && *most * std::abs(*innerFactor) >= std::abs(*factor)) return true;
    }
  }
  return false;
}

// Whether an element that `write` writes in one iteration may well be that of `other` in one of the next.
static bool seemNeighbours(const LoopContext& context, const AccessFact& write, const AccessFact& other) {
  if (!write.index || !other.index || hasBracket(context, *write.index)) return true;
  const auto difference = subtract(*write.index, *other.index);
  const auto distance = difference && difference->factors.empty() ? constantValue(difference->constant) : std::nullopt;
  if (!distance) return true;
  if (*distance == 0) return seemsShared(context, *write.index);
  for (const auto& [number, factor] : write.index->factors)
    if (number >= context.facts.collapsed) return true;
  for (unsigned i = 0; i < context.facts.collapsed; ++i) {
    const auto factor = constantValue(factorOf(*write.index, i));
    const std::int64_t step = std::max<std::int64_t>(constantStep(context.ast, context.facts.dims[i]), 1);
    if (!factor || (*factor != 0 && *distance % (*factor * step) == 0)) return true;
  }
  return false;
}

bool neighboursCarryValues(const LoopContext& context) {
  if (carriesVariables(context)) return true;
  const auto& accesses = context.facts.accesses;
  return llvm::any_of(accesses, [&](const AccessFact& write) {
    return write.write && llvm::any_of(accesses, [&](const AccessFact& other) {
             return other.array == write.array && seemNeighbours(context, write, other);
           });
  });
}

bool mayCarryInChunks(const LoopContext& context) {
  const LoopFacts& facts = context.facts;
  if (hasClause<OMPOrderClause>(facts.directive)) return false;  // order(concurrent)
  if (carriesVariables(context)) return true;
  const SharedElements elements(context, false);
  for (unsigned i = 0; i < facts.collapsed; ++i)
    if (!elements.none(i, std::max<std::int64_t>(constantStep(context.ast, facts.dims[i]), 1))) return true;
  return false;
}

bool mayBeOneArray(const LoopFacts& facts) {
  return facts.arrays.size() > 1 &&
         llvm::any_of(facts.accesses, [](const AccessFact& access) { return access.write || access.update; });
}

bool mayCarryValues(const LoopContext& context) {
  return mayCarryInChunks(context) || (!hasClause<OMPOrderClause>(context.facts.directive) && usesSumsSoFar(context));
}

}  // namespace muster::plugin
