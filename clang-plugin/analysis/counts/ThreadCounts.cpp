// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/counts/ThreadCounts.h"

#include "analysis/counts/ThreadEffects.h"
#include "clang/AST/OpenMPClause.h"
#include "source/Compat.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

static Refusal counts(SourceLocation loc) { return {loc, say::AddsOncePerThread}; }

ThreadCounts::ThreadCounts(const ASTContext& ast) : ast_(ast), functions_(ast), uses_(ast, functions_) {}
ThreadCounts::~ThreadCounts() = default;

const CountingFunction* ThreadCounts::read(const FunctionDecl* definition) {
  auto& function = read_[definition];
  if (function) {
    function->isRecursive |= !function->isRead;
    return function.get();
  }
  function = std::make_unique<CountingFunction>();
  CountingFunction& result = *function;
  if (NeutralValues* values = functions_.valuesOf(definition)) {
    EffectReader reader(*this, *values, isSystemCode(ast_, definition));
    reader.run();
    for (Effect& effect : reader.effects)
      if (!effect.isNeutral || !effect.needs.empty()) result.effects.push_back(std::move(effect));
  }
  result.isRead = true;
  for (Effect& effect : result.effects) effect.isNeutral &= !result.isRecursive;
  return &result;
}

const CountingFunction* ThreadCounts::readTurn(const FunctionDecl* definition) {
  auto& function = turns_[definition];
  if (function) return function.get();
  function = std::make_unique<CountingFunction>();
  CountingFunction& result = *function;
  if (NeutralValues* values = functions_.valuesOf(definition)) {
    EffectReader reader(*this, *values, isSystemCode(ast_, definition));
    reader.runInTurn();
    result.effects = std::move(reader.effects);
  }
  return &result;
}

std::optional<Refusal> ThreadCounts::of(const FunctionDecl* definition) {
  for (const Effect& effect : read(definition)->effects)
    if (effect.isProtected) return counts(effect.loc);
  return std::nullopt;
}

bool ThreadCounts::updates(const FunctionDecl* definition) { return !read(definition)->effects.empty(); }

std::optional<Refusal> ThreadCounts::of(const OMPExecutableDirective* region) {
  NeutralValues values(ast_, scopeOf(region), functions_);
  for (const OMPClause* clause : region->clauses()) {
    auto* reduction = dyn_cast<OMPReductionClause>(clause);
    const auto kind = reduction ? sumKindOf(reduction) : std::nullopt;
    if (!kind) continue;
    for (const VarDecl* var : values.scope().reduced) {
      const auto names = [&](const Expr* item) { return values.writes().placeOf(item).var == var; };
      if (llvm::any_of(compat::items(reduction), names) && !values.staysNeutral(var, *kind))
        return counts(values.writes().of(var).front().loc);
    }
  }
  EffectReader reader(*this, values, false);
  reader.run();
  for (const Effect& effect : reader.effects)
    if (effect.isProtected && !effect.isNeutral) return counts(effect.loc);
  return std::nullopt;
}

}  // namespace muster::plugin
