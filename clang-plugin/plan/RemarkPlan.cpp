// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <map>
#include <set>

#include "analysis/code/Instances.h"
#include "analysis/teams/TeamVariables.h"
#include "clang/AST/StmtOpenMP.h"
#include "plan/Plan.h"
#include "source/Remarks.h"

namespace muster::plugin {

void remarkSummary(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const TranslationUnitPlan& plan) {
  const std::size_t devices = llvm::count_if(plan.kernels, [](const auto& kernel) { return !kernel.opencl.empty(); });
  std::map<clang::SourceLocation, bool> arrays;
  for (const ArrayPlan& array : plan.arrays) arrays[array.loc] = array.replicated;
  const std::size_t replicated = llvm::count_if(arrays, [](const auto& array) { return array.second; });
  remarkSummary(
      engine, loc,
      "loops: " + std::to_string(devices) + " for all devices, " + std::to_string(plan.kernels.size() - devices) +
          " for CPUs only, " + std::to_string(plan.stepBacks.size()) + " plain OpenMP; arrays: " +
          std::to_string(arrays.size() - replicated) + " partitioned, " + std::to_string(replicated) + " replicated");
}

static std::string inInstance(const LoopFacts& facts) {
  const std::string name = instanceName(facts.function);
  return name.empty() ? "" : " in '" + name + "'";
}

// One remark for the instantiations of a template that step back for the same reason.
static void remarkStepBacks(clang::DiagnosticsEngine& engine, const std::vector<StepBackPlan>& stepBacks) {
  std::map<std::pair<clang::SourceLocation, std::string>, unsigned> instances;
  auto key = [](const StepBackPlan& step) { return std::pair(step.directive->getBeginLoc(), step.why.what); };
  for (const StepBackPlan& step : stepBacks) ++instances[key(step)];
  for (const StepBackPlan& step : stepBacks) {
    unsigned& count = instances[key(step)];
    if (count == 0) continue;
    std::string text = llvm::isa<clang::OMPParallelDirective>(step.directive) ? "region" : "loop";
    text += " stays plain OpenMP on rank 0: " + step.why.what;
    if (!step.instance.empty()) text += " (in '" + step.instance + "'";
    if (count > 1) text += " and " + std::to_string(count - 1) + " other instantiation" + (count > 2 ? "s" : "");
    if (!step.instance.empty()) text += ")";
    count = 0;
    remarkMissed(engine, step.directive->getBeginLoc(), text);
    if (step.why.loc.isValid() && step.why.loc != step.directive->getBeginLoc())
      reportNote(engine, step.why.loc, "here");
  }
}

// One remark for the instantiations of a template.
static void remarkTaken(clang::DiagnosticsEngine& engine, const std::vector<KernelPlan>& kernels) {
  std::set<std::pair<clang::SourceLocation, std::string>> said;
  for (const KernelPlan& kernel : kernels)
    for (const TakenScalar& taken : takenScalars(*kernel.facts)) {
      const std::string name = taken.var->getNameAsString(), clause = taken.isLast ? "lastprivate" : "private";
      if (said.emplace(taken.loc, name + clause).second)
        remarkMissed(engine, taken.loc,
                     "each iteration sets '" + name + "' before it reads it, so it is taken as " + clause +
                         "; OpenMP calls this a data race, write '" + clause + "(" + name + ")'");
    }
}

static std::string alongOf(const KernelPlan& kernel) {
  if (!kernel.schedule.isReordered()) return "";
  const std::string name = kernel.facts->dims[kernel.schedule.dims.front()].var->getNameAsString();
  return "; work-items lie along '" + name + "', where elements are adjacent";
}

void remarkPlan(clang::DiagnosticsEngine& engine, const TranslationUnitPlan& plan) {
  for (const KernelPlan& kernel : plan.kernels) {
    const clang::SourceLocation loc = kernel.facts->directive->getBeginLoc();
    const std::string instance = inInstance(*kernel.facts);
    if (kernel.opencl.empty())
      remarkMissed(engine, loc, "loop '" + kernel.name + "'" + instance + " runs on CPUs only: " + kernel.openclReason);
    else
      remarkDone(engine, loc,
                 "loop is outlined as '" + kernel.name + "'" + instance + " for all devices" + alongOf(kernel));
  }
  remarkTaken(engine, plan.kernels);
  remarkStepBacks(engine, plan.stepBacks);
}

}  // namespace muster::plugin
