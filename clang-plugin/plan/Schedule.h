// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the iterations of a loop become work-items, apart from what they compute: Halide's separation of algorithm and
// schedule (Ragan-Kelley et al., PLDI 2013, section 3). It follows from access maps and from the shape of the body
// alone.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/facts/Facts.h"
#include "muster/abi.h"
#include "passes/InnerLoops.h"

namespace muster::plugin {

// A work-item may run a block of iterations together, so many along each axis. Each access is wide along one of some
// axes, where these scalars are multiples of the lanes along them, and the first elements of these arrays are so many
// from where their buffers begin. Without such axes, iterations on axis 0 are a work-group apart, and multiples are
// those of steps that read together. A block of one iteration is the kernel's other form, in groups of another size.
struct Blocks {
  std::array<unsigned, 3> lanes = {1, 1, 1};
  std::set<unsigned> wide = {0};           // axes
  std::array<unsigned, 2> group = {0, 0};  // work-items of its groups along axes 0 and 1; 0: the backend's
  std::set<unsigned> multiples = {}, aligned = {};
  bool needsDistinct = false;  // arrays may not share elements, of which one is written
  bool isWritten = false;      // loops of an iteration are written out (passes/ConstantLoops.h)
  bool isShared = false;       // work-groups share what they read in a loop (passes/Contractions.h)
  bool hasRecords = false;     // an iteration's records are accessed together (passes/WideRecords.h)
  bool hasWideSteps = false;   // isApart, and steps of loops read together (passes/Unroll.h)
  bool mayOverlap = false;     // isApart, and iterations may run twice
  unsigned value = 0;          // not 0: for this value of the schedule's one constant
  unsigned phase = 0;  // along axis 0, if wide: the column plus this is a multiple of startAlong(0) at the beginning

  bool isWide(unsigned axis) const { return wide.count(axis) != 0; }
  bool isApart() const { return wide.empty(); }
  bool isOne() const { return lanes == std::array{1U, 1U, 1U} && !hasRecords; }
  // Along a wide axis blocks begin at multiples of the lanes. Single lanes begin where groups touch whole lines.
  unsigned startAlong(unsigned axis) const { return lanes[axis] == 1 ? MUSTER_SCHEDULE_LINE : lanes[axis]; }
  unsigned longestWide() const {
    unsigned longest = hasWideSteps ? MUSTER_SCHEDULE_STEPS : 1;
    for (unsigned axis : wide) longest = std::max(longest, lanes[axis]);
    return longest;
  }
};

// muster_steps, with arrays and scalars by index into the facts.
struct TimeSteps {
  unsigned most = 0, reach = 0, from = 0, to = 0, registers = 0;
  bool needsCorners = false, isGuest = false;
  std::array<std::array<int, 2>, 4> around = {};
  std::array<unsigned, 2> equal = {0, 0};
};

struct Schedule {
  // The dimension that lies along axis 0, 1, 2 of the NDRange. Neighbours on axis 0 run side by side.
  std::vector<unsigned> dims;
  // A work-item runs iterations a whole NDRange apart, and work-groups add up what theirs gave.
  bool isStrided = false;
  // Along this axis a work-item runs up to `points` iterations: beside each other, or on axis 0 a work-group apart.
  unsigned pointsAxis = 0, points = 1;
  std::string whyOne;  // why no more
  // The body has loops: several iterations only where these run seldom, all together at most `mostCounted` times. What
  // their bounds name, scalars by index into the facts, is then a part of the text.
  bool hasLoops = false;
  std::vector<unsigned> constants;
  std::vector<passes::LoopCount> counts;  // of those whose bounds are not known here; factors by index into `constants`
  unsigned mostCounted = 0;
  std::vector<Blocks> blocks;  // the best form first
  std::string whyNoBlocks;     // where they were tried
  // Work-groups may load rows together, where the loop along them runs often enough: muster_tiled_rows, 0 for none.
  std::uint8_t tiled = 0;
  unsigned rowArray = 0;  // whose elements lie along ragged rows
  // Work-groups may run an iteration each, whose loops they share.
  bool isGrouped = false, groupsHaveRows = false;  // or several iterations
  bool groupsAddUp = false, groupsKeep = false;    // over loops that they share; elements from one to the next
  std::string whyNoGroups;                         // where there are such loops
  std::optional<passes::LoopCount> groupCount;     // how often the first one runs that can be counted
  // Arrays, by index into the facts, of which each work-group collects its updates in local memory, where they fit: few
  // elements that many iterations update, as those of a histogram.
  std::set<unsigned> privatized;
  unsigned updatesPerRead = 1;  // of a work-item that collects them, behind one wide read
  // Where they do not fit, a part after the other, all iterations running again for each: at most so often.
  unsigned mostPasses = 1;

  TimeSteps steps;

  unsigned axisOf(unsigned dim) const { return std::find(dims.begin(), dims.end(), dim) - dims.begin(); }
  // Dimensions lie otherwise than the loops are nested.
  bool isReordered() const { return !std::is_sorted(dims.rbegin(), dims.rend()); }
};

// Takes over what the loop that groups share is counted by, if the runtime can be told.
void setGroupCount(const passes::InnerLoops& loop, Schedule& schedule);
// Takes over what loops are counted by. False: they have more bounds than the runtime is told.
bool setLoopCounts(passes::InnerLoops loops, Schedule& schedule);
// The same where the loops of the body are known: `constantOf` gives the index of the scalar that a name is, or -1.
void applyLoops(const ir::Statements& body, llvm::function_ref<int(const std::string&)> constantOf, Schedule& schedule);
// What blocks depend on. `nodes`: of the body's syntax tree, or of its expressions where loops are written out.
struct BodyShape {
  bool hasLoops = false, isWritten = false;
  unsigned nodes = 0;
  unsigned value = 0;  // as that of Blocks
};
std::vector<Blocks> blocksFor(const clang::ASTContext& context, const LoopFacts& facts, const Schedule& schedule,
                              const BodyShape& body);
constexpr unsigned kMostWritten = 24000;  // nodes of all iterations of a block whose loops are written out
// The least that an access moves by along the dimension, as the number of symbols of its largest term, and that term's
// factor: products of more symbols are longer.
std::pair<std::size_t, std::int64_t> strideAlong(const LoopFacts& facts, unsigned dim);
Schedule makeSchedule(const clang::ASTContext& context, const LoopFacts& facts);
void printSchedule(const LoopFacts& facts, const Schedule& schedule, llvm::StringRef kernel, llvm::raw_ostream& out);

}  // namespace muster::plugin
