// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program/KernelGroups.h"

#include "analysis/independence/SharedElements.h"
#include "lower/program/Frames.h"
#include "lower/program/KernelMemory.h"
#include "print/Print.h"

namespace muster::plugin::lower {

namespace {

// A sum of products with symbols that are scalars of the launch, as a number of 64 bits.
ir::Expression numberOf(const Program& program, Scope& scope, const Polynomial& polynomial, ir::Expression times) {
  ir::Expression sum;
  for (const auto& [monomial, coefficient] : polynomial) {
    ir::Expression product = ir::cast("long", ir::parentheses(ir::literal(std::to_string(coefficient))));
    for (unsigned symbol : monomial) {
      const auto* name = llvm::cast<clang::DeclRefExpr>(program.facts.symbols[symbol].expr->IgnoreParenImpCasts());
      const auto* var = llvm::cast<clang::VarDecl>(name->getDecl());
      product = ir::binary("*", std::move(product), ir::cast("long", ir::name(scope.variable(var))));
    }
    if (times) product = ir::binary("*", std::move(product), times);
    sum = sum ? ir::binary("+", std::move(sum), std::move(product)) : product;
  }
  return sum ? sum : ir::cast("long", ir::literal("0"));
}

ir::Expression pivotOf(const Program& program, Scope& scope, const GroupLoopFact& loop) {
  if (!loop.hasPivot) return {};
  ir::Expression sum = numberOf(program, scope, loop.pivot.constant, {});
  for (const auto& [number, factor] : loop.pivot.factors) {
    const std::string variable = scope.variable(loop.pivotVariables.at(number));
    sum = ir::binary("+", std::move(sum), numberOf(program, scope, factor, ir::cast("long", ir::name(variable))));
  }
  return sum;
}

// The launch counts the first of the shared loops that it can.
void setCount(const ir::Statements& statements, const std::set<unsigned>& shared,
              llvm::function_ref<int(const std::string&)> constantOf, Schedule& schedule) {
  for (const ir::Statement& statement : statements) {
    if (schedule.groupCount) return;
    if (shared.count(statement.groupLoop)) {
      const passes::InnerLoops loops = passes::countLoop(statement, constantOf);
      if (loops.whyNot.empty()) setGroupCount(loops, schedule);
    }
    for (const ir::Statements* inside : {&statement.body, &statement.otherwise})
      setCount(*inside, shared, constantOf, schedule);
  }
}

}  // namespace

std::optional<passes::GroupedIteration> findGroups(const Program& program, Scope& scope,
                                                   const ir::Statements& iteration,
                                                   llvm::function_ref<int(const std::string&)> constantOf,
                                                   Schedule& schedule) {
  const LoopFacts& facts = program.facts;
  if (facts.groupLoops.empty() || schedule.isStrided || !schedule.privatized.empty() || scope.ends())
    return std::nullopt;
  passes::GroupContext context;
  context.memory = memoryOf(program, scope, constantOf);
  context.areApart = facts.needsDistinct || !mayBeOneArray(facts);
  context.isRead = [&](const std::string& name) {
    const ArrayFact* array = arrayNamed(program, scope, name);
    return array && context.areApart && !array->written && !array->updated;
  };
  for (const GroupLoopFact& loop : facts.groupLoops) {
    context.pivots.push_back(pivotOf(program, scope, loop));
    std::set<std::string>& carried = context.carried.emplace_back();
    for (const clang::VarDecl* variable : loop.carried) carried.insert(scope.variable(variable));
  }
  return passes::groupIteration(iteration, context, schedule.whyNoGroups);
}

void setGroups(const passes::GroupedIteration& group, const ir::Statements& iteration,
               llvm::function_ref<int(const std::string&)> constantOf, Schedule& schedule) {
  schedule.isGrouped = true, schedule.groupsHaveRows = !group.hasBarriers, schedule.groupsAddUp = !group.slots.empty();
  schedule.groupsKeep = !group.kept.empty();
  setCount(iteration, group.shared, constantOf, schedule);
}

// A group has one iteration, or several along axes 0 and 1, none of which waits for another one.
std::string groupsFrame(const Schedule& schedule, const ir::Statements& prologue,
                        const passes::GroupedIteration& group) {
  std::string text;
  for (const std::vector<std::string>* declarations : {&group.slots, &group.kept})
    for (const std::string& declaration : *declarations) text += "  " + declaration + ";\n";
  for (unsigned dim = 0; dim < schedule.dims.size(); ++dim) {
    const unsigned axis = schedule.axisOf(dim);
    const std::string k = numbered("muster_k_", dim), next = std::to_string(axis + 1);
    const bool hasRows = schedule.groupsHaveRows && axis < 2;
    text += "  const long " + k + " = " + numbered("muster_lo_", dim) + " + (long)get_group_id(" +
            std::to_string(axis) + ")" +
            (hasRows ? " * get_local_size(" + next + ") + get_local_id(" + next + ")" : "") + ";\n";
    if (hasRows) text += "  if (" + k + " >= " + numbered("muster_hi_", dim) + ") return;\n";
  }
  return text + "  const uint muster_lane = (uint)get_local_id(0), muster_lanes = (uint)get_local_size(0);\n" +
         print::text(prologue, 1) + print::text(group.code, 1);
}

}  // namespace muster::plugin::lower
