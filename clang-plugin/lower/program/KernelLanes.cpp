// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program/KernelLanes.h"

#include "analysis/independence/SharedElements.h"
#include "ir/Changes.h"
#include "ir/Fold.h"
#include "llvm/ADT/StringExtras.h"
#include "lower/program/Frames.h"
#include "lower/program/KernelMemory.h"
#include "muster/abi.h"
#include "passes/ConstantLoops.h"
#include "passes/Neighbours.h"
#include "passes/Unroll.h"
#include "print/Print.h"

namespace muster::plugin::lower {

namespace {

const char* const byteHelpers = R"(#ifdef __NV_CL_C_VERSION
static ushort muster_uchar(ushort value) {
  ushort same;
  asm("mov.u16 %0, %1;" : "=h"(same) : "h"(value));
  return same;
}
static short muster_char(short value) {
  short same;
  asm("mov.u16 %0, %1;" : "=h"(same) : "h"(value));
  return same;
}
#else
#define muster_uchar(value) (value)
#define muster_char(value) (value)
#endif

)";

std::optional<passes::Lanes> findLanes(Program& program, Scope& scope, const ir::Statements& iteration,
                                       llvm::function_ref<int(const std::string&)> constantOf, Blocks& blocks,
                                       Schedule& schedule) {
  const LoopFacts& facts = program.facts;
  passes::LaneContext context;
  for (unsigned axis = 0; axis < schedule.dims.size(); ++axis) {
    const DimFact& dim = facts.dims[schedule.dims[axis]];
    const std::string counter = dim.isUnit() ? scope.variable(dim.var) : "";
    context.axes.push_back({numbered("muster_k_", schedule.dims[axis]), blocks.lanes[axis], counter,
                            axis == 0 || blocks.isWide(axis) ? counter : ""});
  }
  if (blocks.isApart()) context.apart = "MUSTER_WG0";
  const auto isConstant = [&](const std::string& name) { return constantOf(name) >= 0; };
  context.memory = memoryOf(program, scope, constantOf);
  context.memory.variables = passes::variablesIn(iteration, isConstant);
  std::optional<passes::Lanes> lanes = passes::makeLanes(iteration, context, schedule.whyNoBlocks);
  if (lanes && lanes->isContraction != (schedule.hasLoops && !blocks.isWritten))
    schedule.whyNoBlocks = "lanes share nothing in loops", lanes.reset();
  if (!lanes) return std::nullopt;
  if (blocks.hasWideSteps || (blocks.lanes[0] % passes::unrolledSteps == 0 && !blocks.isApart())) {
    context.memory.variables = passes::variablesIn(lanes->code, isConstant);
    lanes->code = passes::unrollAlongMemory(lanes->code, context.memory, lanes->alignment);
  }
  if (blocks.hasWideSteps && lanes->alignment.arrays.empty()) return std::nullopt;
  // Written-out windows of bytes took up to 1.4 times as long by that (decision 50).
  const auto isByte = [&](const ArrayFact& array) { return program.context.getTypeSizeInChars(array.element).isOne(); };
  if (blocks.lanes[0] == 1 || (blocks.isWritten && llvm::none_of(facts.arrays, isByte))) {
    const passes::IsInteger isWide = [&](const std::string& name) { return mayWiden(program, constantOf(name)); };
    context.memory.variables = passes::variablesIn(lanes->code, isConstant);
    lanes->code = passes::namedFromFirst(lanes->code, context.memory, isWide);
  }
  ir::forEach(lanes->code, [&](const ir::Expression& part) {
    if (passes::isOpaqueByte(part)) program.helper("muster_bytes", byteHelpers);
  });
  if (lanes->alignment.multiples.size() > MUSTER_SCHEDULE_MULTIPLES) {
    schedule.whyNoBlocks = "rows have many lengths";
    return std::nullopt;
  }
  for (const ArrayFact& array : facts.arrays) {
    const unsigned number = &array - facts.arrays.data();
    if (!lanes->alignment.arrays.count(scope.variable(array.var))) continue;
    if (number >= 32) return std::nullopt;
    blocks.aligned.insert(number);
  }
  blocks.multiples = lanes->alignment.multiples;
  blocks.needsDistinct = lanes->needsDistinct && !facts.needsDistinct;
  blocks.wide.clear();
  for (const auto& [axis, phase] : lanes->phases) blocks.wide.insert(axis);
  if (blocks.isWide(0)) blocks.phase = static_cast<std::uint64_t>(lanes->phases.at(0)) & (blocks.startAlong(0) - 1);
  return lanes;
}

std::optional<ir::Statements> recordsTogether(Program& program, Scope& scope, const ir::Statements& iteration,
                                              llvm::function_ref<int(const std::string&)> constantOf) {
  passes::RecordContext context;
  context.arrays = recordsOf(program, scope);
  if (context.arrays.empty()) return std::nullopt;
  context.isOnlyRead = [&](const std::string& name) { return isOnlyRead(program, scope, name); };
  context.memory = memoryOf(program, scope, constantOf);
  context.memory.variables =
      passes::variablesIn(iteration, [&](const std::string& name) { return constantOf(name) >= 0; });
  return passes::withWideRecords(iteration, context);
}

// What an iteration is where the one constant that bounds its loops has this value.
ir::Statements withValue(const Program& program, const ir::Statements& iteration, unsigned scalar, unsigned value) {
  const clang::QualType type = program.argumentType(program.facts.scalars[scalar].var);
  const bool isWhole = program.context.getTypeSize(type) >= 32;
  const ir::Number number{value, program.context.getTypeSize(type) > 32,
                          isWhole && type->isUnsignedIntegerOrEnumerationType()};
  const std::string macro = numbered("MUSTER_VALUE_", scalar);
  return ir::rewritten(iteration, [&](const ir::Expression& part) {
    return part.is(ir::ExpressionKind::Name, macro) ? std::optional(ir::literalOf(number)) : std::nullopt;
  });
}

// How often loops run, all together, for this value of the one constant.
double countFor(const Schedule& schedule, unsigned value) {
  double count = 1;
  for (const passes::LoopCount& loop : schedule.counts) {
    double own = loop.constant;
    for (const auto& [constant, factor] : loop.factors) own += factor * value;
    count *= std::max(1.0, own);
  }
  return count;
}

// Iterations that run again store the same, where arrays are apart.
bool readsNoneOfItsOwn(const LoopFacts& facts) {
  return llvm::none_of(facts.arrays,
                       [](const ArrayFact& array) { return array.updated || (array.written && array.read); });
}

// Where a dimension's block begins, and its lanes.
struct BlockAxis {
  std::string block, first, isWhole, lane, loop;
};

BlockAxis axisOf(const Blocks& blocks, unsigned dim, unsigned axis, const passes::Lanes& made) {
  const std::string k = numbered("muster_k_", dim), block = numbered("muster_block_", dim),
                    lo = numbered("muster_lo_", dim), hi = numbered("muster_hi_", dim), number = std::to_string(axis),
                    lanes = std::to_string(blocks.lanes[axis]);
  const std::string item = "(long)get_global_id(" + number + ")";
  if (blocks.lanes[axis] == 1 && !blocks.isWide(axis)) return {block, lo + " + " + item, "", "", ""};
  // Iterations of no whole block run one by one, which takes a work-item as long as many blocks. So the last block goes
  // back to a whole one.
  const auto wholeFrom = [&](const std::string& from, const std::string& all) {
    const std::string count = hi + " - " + lo;
    return blocks.mayOverlap ? "(" + from + " < " + count + " ? min(" + from + ", max(0L, " + count + " - " + all +
                                   ")) : " + count + ")"
                             : from;
  };
  if (axis == 0 && blocks.isApart()) {
    const std::string all = "MUSTER_WG0 * " + lanes;
    return {block, lo + " + " + wholeFrom("(long)get_group_id(0) * (" + all + ")", all) + " + (long)get_local_id(0)",
            block + " + " + std::to_string(blocks.lanes[0] - 1) + " * MUSTER_WG0 < " + hi, " * MUSTER_WG0",
            "for (long " + k + " = " + block + "; " + k + " < min(" + block + " + " + lanes + " * MUSTER_WG0, " + hi +
                "); " + k + " += MUSTER_WG0)"};
  }
  const std::string end = "min(" + block + " + " + lanes + ", " + hi + "); ++" + k + ")";
  if (!blocks.isWide(axis))
    return {block, lo + " + " + wholeFrom(item + " * " + lanes, lanes), block + " + " + lanes + " <= " + hi, "",
            "for (long " + k + " = " + block + "; " + k + " < " + end};
  // Blocks begin where wide accesses are aligned.
  const std::string first = lo + " - ((" + numbered("muster_first_", dim) + " + " + lo + " + " +
                            std::to_string(made.phases.at(axis)) + ") & " +
                            std::to_string(blocks.startAlong(axis) - 1) + ")";
  if (blocks.lanes[axis] == 1) return {block, first + " + " + item, "", "", ""};
  return {block, "MUSTER_HIDE(" + first + " + " + item + " * " + lanes + ")",
          block + " + " + lanes + " <= " + hi + " && " + block + " >= " + lo, "",
          "for (long " + k + " = max(" + block + ", " + lo + "); " + k + " < " + end};
}

}  // namespace

std::vector<passes::Lanes> findBlocks(Program& program, Scope& scope, const ir::Statements& iteration,
                                      llvm::function_ref<int(const std::string&)> constantOf, bool hasNoContractions,
                                      Schedule& schedule) {
  const LoopFacts& facts = program.facts;
  if (!isPlain(program, scope, schedule)) return schedule.blocks.clear(), std::vector<passes::Lanes>();
  std::vector<passes::Lanes> found;
  std::vector<Blocks> blocks;
  const auto find = [&](const ir::Statements& code, std::vector<Blocks> all) {
    for (Blocks& wanted : all) {
      const bool isRows = !blocks.empty() && blocks.back().lanes[2] == 1;
      if (wanted.lanes[2] > 1 && !wanted.isWritten && isRows) continue;  // rows share what they read
      if (!wanted.isOne()) {
        auto lanes = findLanes(program, scope, code, constantOf, wanted, schedule);
        if (!lanes) continue;
        wanted.mayOverlap = wanted.isApart() && schedule.hasLoops && readsNoneOfItsOwn(facts);
        wanted.needsDistinct |= wanted.mayOverlap && !facts.needsDistinct && mayBeOneArray(facts);
        found.push_back(std::move(*lanes));
      }
      blocks.push_back(wanted);
    }
  };
  const auto findWritten = [&](const ir::Statements& code, unsigned value) {
    const auto written = passes::withoutLoops(code, kMostWritten / 4);
    if (!written) return false;
    std::vector<Blocks> all =
        blocksFor(program.context, facts, schedule, {false, true, passes::nodesOf(*written), value});
    for (Blocks& one : all) one.value = value;
    const std::size_t before = found.size();
    find(*written, std::move(all));
    return found.size() > before;
  };
  // Of one dimension loops are better off written out, or where work-groups share them.
  const bool isFlatLoop = facts.dims.size() == 1 && schedule.hasLoops;
  if (!isFlatLoop) find(iteration, schedule.blocks);
  // Stars in three dimensions are better off with more rows (decision 40).
  const bool isShort = hasNoContractions && facts.dims.size() >= 2 && schedule.constants.size() == 1;
  if (found.empty() && !findWritten(iteration, 0) && isShort && !schedule.counts.empty())
    for (unsigned value = 1; value <= MUSTER_SCHEDULE_BLOCKS && countFor(schedule, value) <= schedule.mostCounted;
         ++value)
      if (!findWritten(withValue(program, iteration, schedule.constants[0], value), value)) break;
  const bool isAlone = schedule.tiled == 0 && !schedule.isGrouped && hasNoContractions;
  if (isFlatLoop && found.empty() && isAlone) find(iteration, schedule.blocks);
  if (blocks.empty() && isAlone)
    if (const auto code = recordsTogether(program, scope, iteration, constantOf)) {
      blocks.push_back({{1, 1, 1}, {}});
      blocks.back().needsDistinct = !facts.needsDistinct, blocks.back().hasRecords = true;
      found.emplace_back().code = *code;
    }
  schedule.blocks = std::move(blocks);
  return found;
}

// Blocks at the edges run their iterations one by one.
std::string blocksFrame(const Program& program, const Schedule& schedule, const Blocks& blocks,
                        const passes::Lanes& lanes, const ir::Statements& prologue, const ir::Statements& iteration) {
  std::string text, definitions, copies, loops, ends;
  std::vector<std::string> outside, whole;
  for (unsigned d = 0; d < program.facts.dims.size(); ++d) {
    const unsigned axis = schedule.axisOf(d), count = blocks.lanes[axis];
    const BlockAxis at = axisOf(blocks, d, axis, lanes);
    const std::string k = numbered("muster_k_", d);
    text += "  const long " + at.block + " = " + at.first + ";\n";
    outside.push_back(at.block + " >= " + numbered("muster_hi_", d));
    if (count == 1 && blocks.isWide(axis)) outside.push_back(at.block + " < " + numbered("muster_lo_", d));
    if (count == 1) definitions += "  const long " + k + " = " + at.block + ";\n";
    if (at.isWhole.empty()) continue;
    whole.push_back(at.isWhole);
    for (unsigned lane = 0; count > 1 && lane < count; ++lane)
      copies += "    const long " + k + lanes.suffix(lane) + " = " + at.block + " + " + std::to_string(lane) + at.lane +
                ";\n";
    loops += "    " + at.loop + " {\n";
    ends += "    }\n";
  }
  text += "  if (" + llvm::join(outside, " || ") + ") return;\n" + print::text(prologue, 1) + definitions;
  if (whole.empty()) return text + print::text(lanes.code, 1);
  text += "  if (" + llvm::join(whole, " && ") + ") {\n" + copies;
  return text + print::text(lanes.code, 2) + "  } else {\n" + loops + print::text(iteration, 3) + ends + "  }\n";
}

}  // namespace muster::plugin::lower
