// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans as text, for -v output and tests: a summary, then one line per chunk, copy, merge and array.
#include <algorithm>

#include "muster/cap/planner.h"

namespace muster::cap {

namespace {

constexpr std::size_t shownIntervals = 6;

std::string counted(std::size_t n, const char* one, const char* many) {
  return std::to_string(n) + ' ' + (n == 1 ? one : many);
}

std::string shortened(const IntervalSet& set) {
  if (set.intervals() <= shownIntervals) return set.toString();
  std::vector<Interval> first;
  Interval last;
  for (const Interval& interval : set) {
    if (first.size() < shownIntervals) first.push_back(interval);
    last = interval;
  }
  return IntervalSet::of(std::move(first)).toString() + " ... " + IntervalSet(last).toString() + " (" +
         counted(set.intervals(), "interval", "intervals") + ")";
}

std::string text(const Chunk& chunk) {
  std::string line = "  chunk [" + std::to_string(chunk.lo) + ',' + std::to_string(chunk.hi) + ") on device " +
                     std::to_string(chunk.device) + " (memory " + std::to_string(chunk.memory) + ')';
  for (std::size_t p = 0; p < chunk.windows.size(); ++p) {
    line += p == 0 ? ": " : "; ";
    line += "parameter " + std::to_string(p);
    if (!chunk.reads[p].empty()) line += " reads " + shortened(chunk.reads[p]);
    if (!chunk.writes[p].empty()) line += " writes " + shortened(chunk.writes[p]);
    if (chunk.windows[p].empty()) line += " not used";
  }
  return line + '\n';
}

std::string text(const Copy& copy) {
  return "  copy array " + std::to_string(copy.array) + ' ' + IntervalSet(copy.elements).toString() + ", " +
         std::to_string(copy.bytes()) + " bytes, memory " + std::to_string(copy.from) + " -> " +
         std::to_string(copy.to) + '\n';
}

std::string text(const Spread& spread) {
  return "  copy array " + std::to_string(spread.array) + ' ' + IntervalSet(spread.elements).toString() + ", " +
         std::to_string(spread.bytes()) + " bytes in all, memory " + std::to_string(spread.from) + " -> " +
         counted(static_cast<std::size_t>(spread.copies()), "memory", "memories") + " from " +
         std::to_string(spread.to.front()) + " to " + std::to_string(spread.to.back()) + '\n';
}

const char* nameOf(UpdateOp op) {
  switch (op) {
    case UpdateOp::add:
      return "add";
    case UpdateOp::mul:
      return "mul";
    case UpdateOp::bitAnd:
      return "bitAnd";
    case UpdateOp::bitOr:
      return "bitOr";
    case UpdateOp::bitXor:
      return "bitXor";
    case UpdateOp::logAnd:
      return "logAnd";
    case UpdateOp::logOr:
      return "logOr";
    case UpdateOp::min:
      return "min";
    case UpdateOp::max:
      return "max";
  }
  return "?";
}

std::string text(const Merge& merge) {
  std::string line = "  merge array " + std::to_string(merge.array) + " (parameter " + std::to_string(merge.parameter) +
                     ", line " + std::to_string(merge.line) + "), " +
                     (merge.accumulate ? nameOf(merge.op)
                      : merge.atomic   ? "last value, atomic"
                                       : "last value");
  for (const Merge::Part& part : merge.parts) {
    line += (&part == merge.parts.data() ? ": chunk " : "; chunk ") + std::to_string(part.chunk) + ' ' +
            shortened(part.elements);
  }
  return line + '\n';
}

std::string text(std::uint32_t array, const ArrayState& state) {
  std::string line = "  then array " + std::to_string(array);
  if (state.pieces().size() <= 2 * shownIntervals) return line + ' ' + state.toString() + '\n';
  return line + " in " + std::to_string(state.pieces().size()) + " pieces\n";
}

const char* text(PlanReason::Kind kind) {
  switch (kind) {
    case PlanReason::Kind::none:
      return "";
    case PlanReason::Kind::noDevice:
      return "no device of the set takes part: all weights are 0";
    case PlanReason::Kind::askedForHost:
      return "the loop's if clause or its kernel asks for the host";
    case PlanReason::Kind::ordered:
      return "an update whose order counts runs on one device";
    case PlanReason::Kind::partial:
      return "a write of parts of elements that several devices may write runs on one device";
    case PlanReason::Kind::mixedOperations:
      return "a mix of operations runs on one device";
    case PlanReason::Kind::mixedAccesses:
      return "a mix of updates and others runs on one device";
    case PlanReason::Kind::sharedMemory:
      return "a write by devices that share a memory runs on one device";
  }
  return "";
}

}  // namespace

std::string PlanReason::toString(const std::string& name) const {
  if (kind < Kind::ordered) return text(kind);
  return "line " + std::to_string(line) + ": array " + name + ": " + text(kind);
}

std::string PlanReason::toString() const {
  return toString(std::to_string(array) + " (parameter " + std::to_string(parameter) + ")");
}

std::string Plan::toString() const {
  std::size_t count = copies.size();
  for (const Spread& spread : spreads) count += static_cast<std::size_t>(spread.copies());
  std::string lines = "plan: " + counted(chunks.size(), "chunk", "chunks") + ", " + counted(count, "copy", "copies") +
                      ", " + std::to_string(bytesMoved()) + " bytes moved" +
                      (merges.empty() ? "" : ", " + counted(merges.size(), "array", "arrays") + " merged") +
                      (onHost ? ", on the host" : "") + '\n';
  if (!reason.empty()) lines += "  because " + reason.toString() + '\n';
  for (const Chunk& chunk : chunks) lines += text(chunk);
  for (const Copy& copy : copies) lines += text(copy);
  for (const Spread& spread : spreads) lines += text(spread);
  for (const Merge& merge : merges) lines += text(merge);
  for (const auto& [array, state] : next) lines += text(array, *state);
  return lines;
}

}  // namespace muster::cap
