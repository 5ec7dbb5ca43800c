// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program/KernelLanes.h"

#include "llvm/ADT/StringExtras.h"
#include "lower/program/Frames.h"
#include "lower/program/KernelMemory.h"
#include "passes/Unroll.h"
#include "print/Print.h"

namespace muster::plugin::lower {

std::optional<passes::Lanes> findLanes(const Program& program, Scope& scope, const ir::Statements& iteration,
                                       llvm::function_ref<int(const std::string&)> constantOf, Schedule& schedule) {
  const LoopFacts& facts = program.facts;
  const Schedule::LaneCounts wanted = schedule.lanes;
  schedule.lanes = {1, 1, 1};
  const bool isPlain = schedule.hasLanes(wanted) && facts.results.empty() && facts.records.empty() &&
                       !schedule.isStrided && schedule.privatized.empty() && !scope.ends() &&
                       facts.firstprivates.empty();
  if (!isPlain) return std::nullopt;
  passes::LaneContext context;
  for (unsigned axis = 0; axis < schedule.dims.size(); ++axis) {
    const DimFact& dim = facts.dims[schedule.dims[axis]];
    const bool isUnit = !dim.step && !dim.down;
    context.axes.push_back(
        {numbered("muster_k_", schedule.dims[axis]), wanted[axis], isUnit ? scope.variable(dim.var) : ""});
  }
  context.column = scope.variable(facts.dims[schedule.dims[0]].var);
  const auto isConstant = [&](const std::string& name) { return constantOf(name) >= 0; };
  context.memory = memoryOf(program, scope, constantOf);
  context.memory.variables = passes::variablesIn(iteration, isConstant);
  std::optional<passes::Lanes> lanes = passes::makeLanes(iteration, context, schedule.whyNoLanes);
  if (lanes && lanes->isContraction != schedule.hasLoops)
    schedule.whyNoLanes = "lanes share nothing in loops", lanes.reset();
  if (!lanes) return std::nullopt;
  if (wanted[0] % passes::unrolledSteps == 0) {
    context.memory.variables = passes::variablesIn(lanes->code, isConstant);
    lanes->code = passes::unrollAlongMemory(lanes->code, context.memory, lanes->alignment);
  }
  if (lanes->alignment.multiples.size() > MUSTER_SCHEDULE_MULTIPLES) {
    schedule.whyNoLanes = "rows have many lengths";
    return std::nullopt;
  }
  for (const ArrayFact& array : facts.arrays) {
    const unsigned number = &array - facts.arrays.data();
    if (!lanes->alignment.arrays.count(scope.variable(array.var))) continue;
    if (number >= 32) return std::nullopt;
    schedule.aligned.insert(number);
  }
  schedule.multiples = lanes->alignment.multiples;
  schedule.lanes = wanted;
  return lanes;
}

// Blocks begin where wide accesses are aligned. Those at the edges run their iterations one by one.
std::string lanesFrame(const Program& program, const Schedule& schedule, const passes::Lanes& lanes,
                       const ir::Statements& prologue, const ir::Statements& iteration) {
  std::string text, definitions, loops, ends;
  std::vector<std::string> outside, whole;
  for (unsigned d = 0; d < program.facts.dims.size(); ++d) {
    const unsigned axis = schedule.axisOf(d), count = schedule.lanes[axis];
    const std::string k = numbered("muster_k_", d), block = numbered("muster_block_", d),
                      lo = numbered("muster_lo_", d), hi = numbered("muster_hi_", d), lanesHere = std::to_string(count);
    const std::string item = "(long)get_global_id(" + std::to_string(axis) + ")";
    const std::string shift = axis == 0 && count > 1
                                  ? " - ((" + numbered("muster_first_", d) + " + " + lo + " + " +
                                        std::to_string(lanes.phase) + ") & " + std::to_string(count - 1) + ")"
                                  : "";
    text += "  const long " + block + " = " + lo + shift + " + " + item + (count > 1 ? " * " + lanesHere : "") + ";\n";
    outside.push_back(block + " >= " + hi);
    if (count == 1) {
      definitions += "  const long " + k + " = " + block + ";\n";
      continue;
    }
    whole.push_back(block + " + " + lanesHere + " <= " + hi);
    if (axis == 0) whole.push_back(block + " >= " + lo);
    loops += "    for (long " + k + " = " + (axis == 0 ? "max(" + block + ", " + lo + ")" : block) + "; " + k +
             " < min(" + block + " + " + lanesHere + ", " + hi + "); ++" + k + ") {\n";
    ends += "    }\n";
  }
  text += "  if (" + llvm::join(outside, " || ") + ") return;\n" + print::text(prologue, 1) + definitions + "  if (" +
          llvm::join(whole, " && ") + ") {\n";
  for (unsigned d = 0; d < program.facts.dims.size(); ++d)
    for (unsigned lane = 0; lane < schedule.lanes[schedule.axisOf(d)] && schedule.lanes[schedule.axisOf(d)] > 1; ++lane)
      text += "    const long " + numbered("muster_k_", d) + lanes.suffix(lane) + " = " + numbered("muster_block_", d) +
              " + " + std::to_string(lane) + ";\n";
  return text + print::text(lanes.code, 2) + "  } else {\n" + loops + print::text(iteration, 3) + ends + "  }\n";
}

}  // namespace muster::plugin::lower
