// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/Classes.h"

#include "analysis/facts/Affine.h"
#include "analysis/objects/Objects.h"
#include "source/RefusalTexts.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

namespace {

struct Verdict {
  bool used = false;
  std::string replicated;   // reason, empty if nothing speaks for it
  std::string partitioned;  // reason
};

void judge(const LoopFacts& facts, const AccessFact& access, const SourceManager& sources, Verdict& verdict) {
  verdict.used = true;
  const std::string name = facts.arrays[access.array].var->getNameAsString();
  const std::string line = "line " + std::to_string(lineOf(sources, access.loc));
  const std::string outer = facts.dims.front().var->getNameAsString();
  if (!access.index) {
    if (verdict.replicated.empty()) verdict.replicated = line + ": " + access.reason;
    return;
  }
  const std::string text = name + "[" + toString(*access.index, facts) + "]";
  const bool moves = follows(*access.index, 0, facts);
  if (!moves && !access.write && verdict.replicated.empty())
    verdict.replicated = (access.update ? say::UpdatesAcrossSplit : say::ReadsAcrossSplit)(line, text, outer);
  if (moves && verdict.partitioned.empty())
    verdict.partitioned = "its indexes follow the loops that are split over the devices, as " + text + " does with '" +
                          outer + "' in " + line;
}

Verdict judge(const Aliases& aliases, const std::vector<LoopFacts>& loops, const SourceManager& sources,
              const ValueDecl* owner) {
  Verdict verdict;
  for (const LoopFacts& facts : loops) {
    if (facts.refusal) continue;
    for (const AccessFact& access : facts.accesses)
      if (mayName(aliases, facts, facts.arrays[access.array], owner)) judge(facts, access, sources, verdict);
  }
  return verdict;
}

bool usedIn(const Aliases& aliases, const std::vector<StepBackPlan>& stepBacks, const ValueDecl* owner) {
  for (const StepBackPlan& step : stepBacks)
    for (const VarDecl* array : step.arrays)
      if (aliases.mayName(array, owner)) return true;
  return false;
}

}  // namespace

bool mayName(const Aliases& aliases, const LoopFacts& facts, const ArrayFact& array, const ValueDecl* owner) {
  const VarDecl* var = array.table ? array.table : array.var;
  const ObjectMember* member = facts.objects->find(var);
  if (!member) return aliases.mayName(var, owner);
  if (member->path.root && aliases.mayName(member->path.root, owner)) return true;
  return llvm::any_of(member->path.steps,
                      [&](const ObjectPath::Step& step) { return step.field && aliases.mayName(step.field, owner); });
}

void classifyArrays(const Aliases& aliases, const std::vector<LoopFacts>& loops,
                    const std::vector<StepBackPlan>& stepBacks, const SourceManager& sources,
                    std::vector<ArrayPlan>& arrays) {
  for (ArrayPlan& array : arrays) {
    const Verdict verdict = judge(aliases, loops, sources, array.decl);
    array.replicated = !verdict.replicated.empty();
    if (array.replicated)
      array.reason = verdict.replicated;
    else if (!verdict.partitioned.empty())
      array.reason = verdict.partitioned;
    else if (verdict.used)
      array.reason = "no index of it speaks against it";
    else
      array.reason = usedIn(aliases, stepBacks, array.decl)
                         ? "only loops that stay plain OpenMP use it here"
                         : "no loop of this file uses it under a name that is known here";
  }
}

}  // namespace muster::plugin
