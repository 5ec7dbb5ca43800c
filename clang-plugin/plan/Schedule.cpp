// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/Schedule.h"

#include <numeric>

#include "analysis/facts/Affine.h"
#include "analysis/loops/SimdLoops.h"
#include "analysis/references/ProgramEnds.h"
#include "muster/abi.h"

namespace muster::plugin {

std::pair<std::size_t, std::int64_t> strideAlong(const LoopFacts& facts, unsigned dim) {
  std::pair<std::size_t, std::int64_t> least(SIZE_MAX, INT64_MAX);
  for (const AccessFact& access : facts.accesses) {
    if (!access.index) continue;
    std::pair<std::size_t, std::int64_t> longest(0, 0);
    for (const auto& [monomial, coefficient] : factorOf(*access.index, dim))
      longest = std::max(longest, {monomial.size(), std::abs(coefficient)});
    if (longest.second != 0) least = std::min(least, longest);
  }
  return least;
}

namespace {

// Several copies of a longer body take registers and compile time, and gain little: it hides latencies by itself.
constexpr unsigned kLongestCopied = 250, kLongestUnshared = 100;  // nodes of the syntax tree
// What a work-item should write of one array; in loops of several dimensions at least two rows, which share loads, and
// at most as many as its registers hold. Wide elements keep the memory busy by themselves. Measured: decision 0031.
constexpr std::int64_t kBytesOfPoints = 16, kFewestRows = 2, kMostRows = 8, kWide = 8;
// How often the loops of a body may run that several iterations of a work-item unroll, and how many bounds they have.
constexpr double kMostCounted = 100;
constexpr unsigned kLayersOfPlane = 8, kFlatLanes = 2;  // that share what a plane or a loop reads: decision 49
// Nodes of a body of which blocks of iterations run, and of its copies: longer ones take registers and compile time.
// And of one written out, from which on blocks have more rows (decision 40).
constexpr unsigned kLongestJammed = 350, kMostJammed = 6000, kLongWindow = 300;
// Iterations along both axes of blocks whose accesses are adjacent along one or the other, those of 8 bytes apart, and
// the work-items of a group.
constexpr unsigned kCrossing = 4, kCrossingWide = 2;
constexpr std::array<unsigned, 2> kCrossingGroup = {8, 32};
// Blocks of stencils in three dimensions: layers share more than neighbours in a row (decision 43).
constexpr std::array<unsigned, 3> kLayers = {1, 2, 4};
constexpr std::array<unsigned, 2> kGroupOfLayers = {64, 4};
constexpr std::int64_t kNarrowestLayers = 4;  // bytes of an element
constexpr std::int64_t kLongestReach = 16;  // bytes of elements from one to the furthest, where only a launch knows it
// Reading what the updates come from so often takes less than making them in global memory. Measured: decision 35.
constexpr unsigned kMostPasses = 6;
constexpr std::size_t kMostConstants = MUSTER_SCHEDULE_CONSTANTS, kMostCounts = MUSTER_SCHEDULE_COUNTS;

// How many accesses move by one element from an iteration of the dimension to the next.
unsigned adjacentAccesses(const LoopFacts& facts, unsigned dim) {
  return llvm::count_if(facts.accesses, [&](const AccessFact& access) {
    const auto factor = access.index ? constantValue(factorOf(*access.index, dim)) : std::nullopt;
    return factor && std::abs(*factor) == 1;
  });
}

// How many accesses move by one element along the second dimension and by more along the first, as one of those in a
// transposition does. They have an element for each iteration: shorter arrays, as tables, stay in the cache.
unsigned crossingAccesses(const LoopFacts& facts, unsigned first, unsigned second) {
  return llvm::count_if(facts.accesses, [&](const AccessFact& access) {
    if (!access.index) return false;
    const auto along = constantValue(factorOf(*access.index, first)),
               across = constantValue(factorOf(*access.index, second));
    if (!across || *across != 1 || (along && std::abs(*along) <= 1)) return false;
    for (unsigned dim = 0; dim < facts.dims.size(); ++dim)
      if (factorOf(*access.index, dim).empty()) return false;
    return true;
  });
}

// Where accesses are adjacent along other dimensions than the first, the second is the one along which most are.
void moveCrossing(const LoopFacts& facts, std::vector<unsigned>& dims) {
  if (dims.size() < 3) return;
  const auto second = std::max_element(dims.begin() + 1, dims.end(), [&](unsigned left, unsigned right) {
    return crossingAccesses(facts, dims[0], left) < crossingAccesses(facts, dims[0], right);
  });
  std::rotate(dims.begin() + 1, second, second + 1);
}

// Innermost first, unless more accesses are adjacent along another dimension.
std::vector<unsigned> orderOf(const LoopFacts& facts) {
  std::vector<unsigned> dims(facts.dims.size());
  std::iota(dims.rbegin(), dims.rend(), 0);
  const auto better = [&](unsigned left, unsigned right) {
    return adjacentAccesses(facts, left) < adjacentAccesses(facts, right);
  };
  const auto best = std::max_element(dims.begin(), dims.end(), better);
  if (best != dims.begin()) {
    std::rotate(dims.begin(), best, best + 1);
    std::stable_sort(dims.begin() + 1, dims.end(), [&](unsigned left, unsigned right) {
      return strideAlong(facts, left) < strideAlong(facts, right);
    });
  }
  moveCrossing(facts, dims);
  return dims;
}

bool isStrided(const LoopFacts& facts) {
  return !facts.records.empty() || llvm::any_of(facts.results, [](const ResultFact& result) {
    return result.isBoxed() || result.kind != MUSTER_LASTPRIVATE;
  });
}

bool hasLoop(const clang::Stmt* statement) {
  return statement && (llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(statement) ||
                       llvm::any_of(partsOf(statement), hasLoop));
}

// Copies would have its labels twice.
bool hasLabel(const clang::Stmt* statement) {
  return statement && (llvm::isa<clang::LabelStmt>(statement) || llvm::any_of(partsOf(statement), hasLabel));
}

unsigned nodesOf(const clang::Stmt* statement) {
  unsigned nodes = 0;
  for (const clang::Stmt* part : partsOf(statement))
    if (part) nodes += nodesOf(part);
  return nodes + 1;
}

// The smallest element that the loop writes, or else reads.
std::int64_t bytesOfElement(const clang::ASTContext& context, const LoopFacts& facts) {
  const auto smallest = [&](bool isWritten) {
    std::int64_t bytes = INT64_MAX;
    for (const ArrayFact& array : facts.arrays)
      if (!isWritten || array.written || array.updated)
        bytes = std::min(bytes, std::max<std::int64_t>(1, context.getTypeSizeInChars(array.element).getQuantity()));
    return bytes;
  };
  const std::int64_t written = smallest(true);
  return written < INT64_MAX ? written : smallest(false);
}

// Whether rows next to each other read the same elements in loops inside an iteration: an index moves with such a loop
// as it does along the dimension, or, for `fixed`, does not move along it.
bool sharesInLoops(const LoopFacts& facts, unsigned dim, bool fixed = true) {
  return llvm::any_of(facts.accesses, [&](const AccessFact& access) {
    if (!access.index) return false;
    const Polynomial along = factorOf(*access.index, dim);
    return llvm::any_of(access.index->factors, [&](const auto& factor) {
      return factor.first >= facts.dims.size() && (along.empty() ? fixed : along == factor.second);
    });
  });
}

// Whether iterations beside each other along the dimension read the same elements: two reads are some of its steps
// apart.
bool sharesBeside(const LoopFacts& facts, unsigned dim) {
  const auto areApart = [&](const AccessFact& one, const AccessFact& other) {
    if (one.array != other.array || one.write || other.write || !one.index || !other.index) return false;
    const auto apart = subtract(*one.index, *other.index);
    Polynomial steps, rest;
    if (!apart || !apart->factors.empty() || !split(apart->constant, factorOf(*one.index, dim), steps, rest))
      return false;
    const auto count = constantValue(steps);
    return count && *count != 0 && rest.empty();
  };
  return llvm::any_of(facts.accesses, [&](const AccessFact& one) {
    return llvm::any_of(facts.accesses, [&](const AccessFact& other) { return areApart(one, other); });
  });
}

// Several iterations a work-item, without a guard between them: the compiler shares and overlaps their loads
// (docs/decisions/0004 and 0031).
void choosePoints(const clang::ASTContext& context, const LoopFacts& facts, Schedule& schedule) {
  const auto loops = [](const clang::FunctionDecl* callee) { return hasLoop(callee->getBody()); };
  const bool isFlat = facts.dims.size() == 1;
  if (schedule.isStrided)
    schedule.whyOne = "work-groups reduce";
  else if (isFlat && schedule.hasLoops)
    schedule.whyOne = "the body has loops";
  else if (hasLabel(facts.deviceBody))
    schedule.whyOne = "the body has labels";
  else if (isFlat && nodesOf(facts.deviceBody) > kLongestCopied)
    schedule.whyOne = "the body is long";
  else if (isFlat && llvm::any_of(facts.callees, loops))
    schedule.whyOne = "the body calls functions with loops";
  else if (isFlat && bytesOfElement(context, facts) >= kWide)
    schedule.whyOne = "elements are wide";
  if (!schedule.whyOne.empty()) return;
  schedule.pointsAxis = isFlat ? 0 : 1;
  const bool isShared = schedule.hasLoops && sharesInLoops(facts, schedule.dims[schedule.pointsAxis]);
  // Rows that share nothing only take registers from each other.
  if (schedule.hasLoops && !isShared && nodesOf(facts.deviceBody) > kLongestUnshared) {
    schedule.whyOne = "the body is long, and its loops share nothing";
    return;
  }
  const std::int64_t points = kBytesOfPoints * (isShared ? 2 : 1) / bytesOfElement(context, facts);
  schedule.points = isFlat ? points : std::clamp<std::int64_t>(points, kFewestRows, kMostRows);
}

// Blocks whose accesses are wide along one axis or the other. A part of a group that runs at a time touches whole lines
// of memory along both. Where blocks are not aligned, such groups are of use to single iterations, too.
std::vector<Blocks> crossingBlocks(const LoopFacts& facts, bool isWide, unsigned nodes, const Schedule& schedule) {
  const DimFact& row = facts.dims[schedule.dims[1]];
  const unsigned lanes = isWide ? kCrossingWide : kCrossing;
  std::vector<Blocks> blocks;
  if (row.isUnit() && !row.pointer && nodes <= kLongestJammed && nodes * lanes * lanes <= kMostJammed)
    blocks.push_back({{lanes, lanes, 1}, {0, 1}, kCrossingGroup});
  blocks.push_back({{1, 1, 1}, {}, kCrossingGroup});
  return blocks;
}

// Whether updates can be collected from 0 on, by an operation that all devices have for local memory as well.
bool canBeCollected(const clang::ASTContext& context, const UpdateFact& update) {
  const clang::QualType element = update.target->getType();
  const std::uint64_t bits = context.getTypeSize(element);
  if (element->isBooleanType() || (bits != 32 && bits != 64) || update.valueFirst || !update.commutes) return false;
  if (element->isFloatingType()) return update.opcode == clang::BO_Add || update.opcode == clang::BO_Sub;
  const bool isWhole =
      !update.value || update.value->IgnoreParenImpCasts()->getType()->isIntegralOrUnscopedEnumerationType();
  static constexpr clang::BinaryOperatorKind fromZero[] = {clang::BO_Add, clang::BO_Sub, clang::BO_Or, clang::BO_Xor};
  return element->isIntegerType() && isWhole && llvm::is_contained(fromZero, update.opcode);
}

std::set<unsigned> privatizedArrays(const clang::ASTContext& context, const LoopFacts& facts) {
  const bool isPlain = facts.results.empty() && facts.records.empty() && facts.fetches.empty() && !mayReport(facts);
  if (!isPlain ||
      !llvm::all_of(facts.updates, [&](const auto& entry) { return canBeCollected(context, entry.second); }))
    return {};
  std::set<unsigned> arrays, others;
  std::map<unsigned, unsigned> operations;
  for (const AccessFact& access : facts.accesses) {
    arrays.insert(access.array);
    const bool isAlone = operations.try_emplace(access.array, access.op).first->second == access.op;
    if (!access.update || access.ordered || access.atomic || !isAlone || access.array > 31) others.insert(access.array);
  }
  for (unsigned array : others) arrays.erase(array);
  return arrays;
}

// Iterations have no effects but the updates, and are brief.
bool mayRunAgain(const LoopFacts& facts, const Schedule& schedule) {
  const auto isCollected = [&](const AccessFact& access) {
    return (!access.write && !access.update) || schedule.privatized.count(access.array) != 0;
  };
  return !schedule.privatized.empty() && !schedule.hasLoops && nodesOf(facts.deviceBody) <= kLongestUnshared &&
         llvm::all_of(facts.accesses, isCollected);
}

bool sharesLayers(const LoopFacts& facts, const Schedule& schedule) {
  return facts.dims.size() == 3 &&
         (sharesBeside(facts, schedule.dims[2]) || sharesInLoops(facts, schedule.dims[2], false));
}

// Rows of a block, by the size of an element: those of long written-out windows share most of what they read.
unsigned rowsOfBlock(const LoopFacts& facts, const Schedule& schedule, const BodyShape& body, std::int64_t bytes) {
  if (bytes < 4) return body.isWritten ? 8 : 4;
  const bool sharesMuch = body.isWritten && bytes == 4 && body.nodes >= kLongWindow;
  return sharesMuch && sharesInLoops(facts, schedule.dims[1]) ? 4 : 2;
}

}  // namespace

// Scalars by their numbers among the schedule's constants, of which there may be more then.
static void numberConstants(std::vector<passes::LoopCount>& counts, Schedule& schedule) {
  for (passes::LoopCount& count : counts)
    for (auto& [scalar, factor] : count.factors) {
      const auto at = llvm::find(schedule.constants, scalar);
      const std::size_t number = at - schedule.constants.begin();
      if (at == schedule.constants.end()) schedule.constants.push_back(scalar);
      scalar = number;
    }
}

void setGroupCount(const passes::InnerLoops& loop, Schedule& schedule) {
  std::vector<passes::LoopCount> counts = loop.counts;
  if (counts.empty()) counts.push_back({loop.fixed, {}});
  const std::vector<unsigned> before = schedule.constants;
  numberConstants(counts, schedule);
  if (schedule.constants.size() <= kMostConstants)
    schedule.groupCount = counts.front();
  else
    schedule.constants = before;
}

bool setLoopCounts(passes::InnerLoops loops, Schedule& schedule) {
  numberConstants(loops.counts, schedule);
  schedule.counts = std::move(loops.counts);
  if (schedule.constants.size() <= kMostConstants && schedule.counts.size() <= kMostCounts) return true;
  schedule.constants.clear(), schedule.counts.clear();
  return false;
}

void applyLoops(const ir::Statements& body, llvm::function_ref<int(const std::string&)> constantOf,
                Schedule& schedule) {
  if (!schedule.hasLoops || schedule.points == 1) return;
  passes::InnerLoops loops = passes::countInnerLoops(body, constantOf);
  schedule.whyOne = loops.whyNot;
  if (schedule.whyOne.empty() && loops.fixed > kMostCounted) schedule.whyOne = "loops of the body run often";
  schedule.mostCounted = kMostCounted / loops.fixed;
  if (schedule.whyOne.empty() && !setLoopCounts(std::move(loops), schedule))
    schedule.whyOne = "loops of the body have many bounds";
  if (!schedule.whyOne.empty()) schedule.points = 1;
}

// Accesses of 16 bytes, and 32 bytes of the array that is written for each work-item where rows share what they read.
// Windows of bytes gain by more rows (decision 37). Of loops that add up for each element, a block of four by four asks
// for a quarter of the loads. Wide elements of one dimension keep the memory busy by themselves. Measured: decision
// 0033.
std::vector<Blocks> blocksFor(const clang::ASTContext& context, const LoopFacts& facts, const Schedule& schedule,
                              const BodyShape& body) {
  const DimFact& column = facts.dims[schedule.dims[0]];
  const std::int64_t bytes = bytesOfElement(context, facts);
  const bool isFlat = facts.dims.size() == 1, isWide = bytes == kWide;
  if (schedule.isStrided || !schedule.privatized.empty() || !column.isUnit() || column.pointer || bytes > kWide)
    return {};
  if (isFlat && body.hasLoops && !body.isWritten) {
    if (body.nodes > kLongestJammed) return {};
    std::vector<Blocks> all(2, Blocks{{kFlatLanes, 1, 1}, {}, {0, 0}});
    all.front().hasWideSteps = true;
    return all;
  }
  if (isFlat && !body.isWritten && isWide) return {};
  if (!isFlat && !body.hasLoops && !body.isWritten && crossingAccesses(facts, schedule.dims[0], schedule.dims[1]) > 0)
    return crossingBlocks(facts, isWide, body.nodes, schedule);
  std::array<unsigned, 3> lanes = {4, 4, 1};
  if (isFlat)
    lanes = {static_cast<unsigned>(kBytesOfPoints / bytes), 1, 1};
  else if (!body.hasLoops)
    lanes = {isWide ? 2U : 4U, rowsOfBlock(facts, schedule, body, bytes), 1};
  std::array<unsigned, 2> group = {0, 0};
  if (!body.hasLoops && bytes >= kNarrowestLayers && sharesLayers(facts, schedule)) {
    if (body.value * bytes > kLongestReach) return {};
    lanes = kLayers, group = kGroupOfLayers;
  }
  if (body.isWritten) {
    const auto isLong = [&] { return body.nodes * lanes[0] * lanes[1] * lanes[2] > kMostWritten; };
    for (unsigned axis : {2, 1})
      while (lanes[axis] > 1 && isLong()) lanes[axis] /= 2;
    if (isLong()) return {};
    return {Blocks{lanes, {0}, group, {}, {}, false, true}};
  }
  if (body.nodes > kLongestJammed || body.nodes * lanes[0] * lanes[1] * lanes[2] > kMostJammed) return {};
  if (!body.hasLoops) return {{lanes, {0}, group}};
  // Rows of other lengths: more of them, whose accesses are narrow. Or what a plane reads is one for all layers, as in
  // a convolution with channels (decision 49).
  std::vector<Blocks> all = {{lanes, {0}, isWide ? std::array{32U, 4U} : std::array{16U, 8U}},
                             isWide ? Blocks{{4, 4, 1}, {}, {64, 4}} : Blocks{{8, 4, 1}, {}, {32, 4}}};
  for (unsigned layers = kLayersOfPlane; facts.dims.size() == 3 && layers >= kLayersOfPlane / 2; layers /= 2)
    if (body.nodes * 4 * layers <= kMostJammed) all.push_back({{4, 1, layers}, {}, {32, 4}});
  return all;
}

Schedule makeSchedule(const clang::ASTContext& context, const LoopFacts& facts) {
  Schedule schedule;
  schedule.dims = orderOf(facts);
  schedule.isStrided = isStrided(facts);
  schedule.hasLoops = hasLoop(facts.deviceBody);
  choosePoints(context, facts, schedule);
  schedule.privatized = privatizedArrays(context, facts);
  if (mayRunAgain(facts, schedule)) schedule.mostPasses = kMostPasses;
  schedule.blocks = blocksFor(context, facts, schedule, {schedule.hasLoops, false, nodesOf(facts.deviceBody)});
  return schedule;
}

static void printBlocks(const LoopFacts& facts, const Schedule& schedule, llvm::raw_ostream& out) {
  for (const Blocks& blocks : schedule.blocks) {
    if (blocks.isOne()) {
      out << "  one iteration a work-item, in groups of " << blocks.group[0] << " x " << blocks.group[1] << "\n";
      continue;
    }
    if (blocks.hasRecords) {
      out << "  members of a record together\n";
      continue;
    }
    out << "  blocks of " << blocks.lanes[0] << " x " << blocks.lanes[1] << " x " << blocks.lanes[2]
        << " iterations a work-item"
        << (blocks.isShared    ? ", what a loop reads in local memory"
            : blocks.isApart() ? ", a work-group apart"
                               : "")
        << (blocks.hasWideSteps ? ", steps of loops read together" : "")
        << (blocks.isWide(1) ? ", wide along both axes" : "") << (blocks.isWritten ? ", loops written out" : "");
    if (blocks.value != 0)
      out << " for " << facts.scalars[schedule.constants[0]].var->getName() << " = " << blocks.value;
    for (unsigned scalar : blocks.multiples)
      out << (scalar == *blocks.multiples.begin() ? " where " : " and ") << facts.scalars[scalar].var->getName();
    if (!blocks.multiples.empty()) out << " can be divided by " << blocks.longestWide();
    out << "\n";
  }
  if (llvm::all_of(schedule.blocks, [](const Blocks& blocks) { return blocks.isOne(); }) &&
      !schedule.whyNoBlocks.empty())
    out << "  no blocks of iterations: " << schedule.whyNoBlocks << "\n";
}

void printSchedule(const LoopFacts& facts, const Schedule& schedule, llvm::StringRef kernel, llvm::raw_ostream& out) {
  out << "schedule of " << kernel << "\n  axes";
  for (unsigned dim : schedule.dims) out << " " << facts.dims[dim].var->getName();
  if (schedule.isReordered()) {
    const unsigned first = schedule.dims[0], last = facts.dims.size() - 1,
                   other = first != last ? last : schedule.dims[1];
    out << ": " << adjacentAccesses(facts, first) << " of " << facts.accesses.size() << " accesses are adjacent along "
        << facts.dims[first].var->getName() << ", " << adjacentAccesses(facts, other) << " along "
        << facts.dims[other].var->getName();
  }
  if (schedule.points == 1)
    out << "\n  one iteration a work-item: " << schedule.whyOne << "\n";
  else
    out << "\n  " << schedule.points << " iterations a work-item along "
        << facts.dims[schedule.dims[schedule.pointsAxis]].var->getName()
        << (schedule.pointsAxis == 0 ? ", a work-group apart\n" : "\n");
  if (!schedule.counts.empty() && schedule.tiled == 0) {
    out << "    where loops inside it run at most " << schedule.mostCounted << " times, built for the value of";
    for (unsigned scalar : schedule.constants) out << " " << facts.scalars[scalar].var->getName();
    out << "\n";
  }
  printBlocks(facts, schedule, out);
  if (schedule.tiled == MUSTER_COMMON_ROWS)
    out << "  work-groups load what all iterations walk along together where that is long\n";
  else if (schedule.tiled != 0)
    out << "  work-groups load rows together where these are long\n";
  if (schedule.isGrouped) {
    out << "  work-groups share an iteration's loops over";
    std::set<llvm::StringRef> names;
    for (const GroupLoopFact& loop : facts.groupLoops) names.insert(loop.var->getName());
    for (llvm::StringRef name : names) out << (name == *names.begin() ? " " : ", ") << name;
    out << " where these are long" << (schedule.groupsHaveRows ? ", and have several iterations where not" : "")
        << (schedule.groupsKeep ? ", and keep elements from one to the next\n" : "\n");
  } else if (!schedule.whyNoGroups.empty()) {
    out << "  work-groups share no iteration: " << schedule.whyNoGroups << "\n";
  }
  if (const TimeSteps& steps = schedule.steps; steps.most > 1) {
    out << "  " << steps.most << " steps of time at once, where " << facts.arrays[steps.from].var->getName() << " and "
        << facts.arrays[steps.to].var->getName() << " change places";
    if (steps.equal[0] != steps.equal[1])
      out << " and " << facts.scalars[steps.equal[0]].var->getName() << " is "
          << facts.scalars[steps.equal[1]].var->getName();
    out << "\n";
  }
  for (unsigned array : schedule.privatized)
    out << "  work-groups collect updates of " << facts.arrays[array].var->getName() << " in local memory"
        << (schedule.mostPasses > 1 ? ", a part after the other where it does not fit" : "") << "\n";
}

}  // namespace muster::plugin
