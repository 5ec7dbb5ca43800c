// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/WideAccesses.h"

#include <set>

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace muster::plugin::passes {

using namespace ir;

using Mask = LaneMasks::Mask;

// Elements that lie so far apart from lane to lane are read with those between them, as colours of pixels are.
constexpr std::int64_t kLongestStride = 4;

std::vector<Lane> lanesAlong(const std::vector<LaneAxis>& axes, Mask mask) {
  std::vector<Lane> lanes = {Lane(axes.size(), 0)};
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    if (!(mask >> axis & 1)) continue;
    std::vector<Lane> more;
    for (const Lane& lane : lanes)
      for (unsigned number = 0; number < axes[axis].lanes; ++number) {
        more.push_back(lane);
        more.back()[axis] = number;
      }
    lanes = std::move(more);
  }
  return lanes;
}

std::optional<AdjacentElement> WideAccesses::adjacent(const Expression& value) const {
  if (value.kind() != ExpressionKind::Subscript) return std::nullopt;
  const Mask mask = masks_.of(value);
  for (unsigned axis = 0; axis < context_.axes.size(); ++axis) {
    // Lanes along the first axis share what does not depend on it: the others read that one by one.
    if (context_.axes[axis].column.empty() || (axis > 0 && !(mask >> axis & mask & 1))) continue;
    auto element = elementOf(value, context_.axes[axis].column, context_.memory,
                             [&](const Expression& part) { return (masks_.of(part) >> axis & 1) == 0; });
    if (element && element->sum.column >= 1 && element->sum.column <= (context_.apart.empty() ? kLongestStride : 1))
      return AdjacentElement{axis, std::move(*element)};
  }
  return std::nullopt;
}

const Expression* WideAccesses::storedBy(const Statement& statement) const {
  const Expression& value = statement.value;
  const bool isStore = statement.kind == StatementKind::Evaluate && value && value.kind() == ExpressionKind::Assign &&
                       value.part(0).kind() == ExpressionKind::Subscript && !masks_.isOwn(rootOf(value.part(0)));
  return isStore ? &value.part(0) : nullptr;
}

void WideAccesses::noteStores(const Statements& statements) {
  for (const Statement& statement : statements) {
    const Expression* stored = storedBy(statement);
    if (const auto found = stored ? adjacent(*stored) : std::nullopt; found && found->element.sum.column == 1)
      phases_.try_emplace(found->axis, found->element.sum.constant);
    noteStores(statement.body);
  }
}

void WideAccesses::noteStarts(const Statements& iteration) {
  noteStores(iteration);
  forEach(iteration, [&](const Expression& part) {
    if (const auto found = adjacent(part); found && found->element.sum.column == 1)
      phases_.try_emplace(found->axis, found->element.sum.constant);
  });
  phases_.try_emplace(0, 0);
}

// From the first lane's beginning on.
std::int64_t WideAccesses::phaseOf(const Element& element, unsigned axis) const {
  const auto phase = phases_.find(axis);
  return element.sum.constant - (phase == phases_.end() ? 0 : element.sum.column * phase->second);
}

std::int64_t WideAccesses::placeOf(const AdjacentElement& found, const Lane& lane) const {
  return phaseOf(found.element, found.axis) + found.element.sum.column * lane[found.axis];
}

bool WideAccesses::canBeAligned(const Element& element, unsigned axis) {
  return passes::canBeAligned(element, width(axis), context_.memory, alignment_);
}

bool WideAccesses::mayBeStored(const AdjacentElement& stored) {
  return stored.element.sum.column == 1 && phaseOf(stored.element, stored.axis) % width(stored.axis) == 0 &&
         canBeAligned(stored.element, stored.axis);
}

// ---- reads ----

static std::int64_t blockOf(std::int64_t place, std::int64_t width) { return llvm::divideFloorSigned(place, width); }

ReadSource WideAccesses::sourceOf(const AdjacentElement& found) const {
  const auto countOf = [&](const std::string& name) {
    const auto known = changes_.find(name);
    return known == changes_.end() ? 0 : known->second;
  };
  const Element& element = found.element;
  ReadSource source{found.axis, element.array, element.sum.column, element.sum.terms, countOf(element.array)};
  for (const Expression& term : element.sum.terms)
    forEach(term, [&](const Expression& part) {
      if (part.kind() == ExpressionKind::Name) source.changes += countOf(part.text());
      if (part.kind() == ExpressionKind::Subscript || part.is(ExpressionKind::Prefix, "*"))
        source.changes += allStores_;
    });
  return source;
}

static std::set<std::string> changedIn(const Statement& statement) {
  std::set<std::string> names;
  forEach(statement.value, [&](const Expression& part) {
    if (const Expression* target = changedBy(part)) names.insert(rootOf(*target));
  });
  return names;
}

bool WideAccesses::movesReads(const Statement& statement) const {
  const std::set<std::string> changed = changedIn(statement);
  bool moves = false;
  forEach(statement.value, [&](const Expression& part) {
    if (const auto found = adjacent(part))
      for (const Expression& term : found->element.sum.terms)
        moves |=
            llvm::any_of(changed, [&](const std::string& name) { return masks_.isOwn(name) && names(term, name); });
  });
  return moves;
}

void WideAccesses::goBehind(const Statement& statement) {
  for (const std::string& name : changedIn(statement))
    if (masks_.isOwn(name)) ++changes_[name];
  const Expression* stored = storedBy(statement);
  if (const auto found = stored ? adjacent(*stored) : std::nullopt) ++changes_[found->element.array], ++allStores_;
}

std::vector<LaneRead> WideAccesses::readsOf(llvm::ArrayRef<Statement> run) {
  loads_.clear(), changes_.clear(), allStores_ = 0;
  std::vector<RunRead> all;
  for (const Statement& statement : run) {
    const Mask mask = masks_.of(statement);
    std::vector<Expression> certain;
    if ((mask & 1) != 0) certainReads(statement.value, certain);
    for (const Expression& read : certain)
      if (auto found = adjacent(read)) all.push_back({*found, mask, sourceOf(*found)});
    goBehind(statement);
  }
  changes_.clear(), allStores_ = 0;
  std::vector<LaneRead> reads;
  for (const auto& [found, mask, source] : all)
    for (Lane lane : lanesAlong(context_.axes, mask)) {
      const std::int64_t block = blockOf(placeOf(found, lane), width(found.axis));
      lane[found.axis] = 0;
      LaneRead read{source, lane, block};
      const auto isIt = [&](const LaneRead& other) {
        return other.block == block && other.outer == lane && other.source == read.source;
      };
      if (llvm::none_of(reads, isIt) && isReadWhole(read, all) && canBeAligned(found.element, found.axis))
        reads.push_back(std::move(read));
    }
  return reads;
}

// The lanes together read all elements of a block.
bool WideAccesses::isReadWhole(const LaneRead& read, llvm::ArrayRef<RunRead> all) const {
  const std::int64_t lanes = width(read.source.axis);
  std::set<std::int64_t> places;
  for (const auto& [found, mask, source] : all)
    if (source == read.source)
      for (std::int64_t lane = 0; lane < lanes; ++lane)
        places.insert(phaseOf(found.element, found.axis) + source.column * lane - read.block * lanes);
  return std::distance(places.lower_bound(0), places.lower_bound(lanes)) == lanes;
}

// What it reads in any case comes first, since its own statement names it best.
std::vector<std::pair<Expression, AdjacentElement>> WideAccesses::adjacentReads(const Statement& statement) const {
  std::vector<Expression> values;
  certainReads(statement.value, values);
  const Expression* stored = storedBy(statement);
  forEach(statement.value, [&](const Expression& part) {
    if (part.kind() == ExpressionKind::Subscript && &part != stored) values.push_back(part);
  });
  std::vector<std::pair<Expression, AdjacentElement>> reads;
  for (const Expression& value : values)
    if (auto found = adjacent(value)) reads.emplace_back(value, std::move(*found));
  return reads;
}

Statements WideAccesses::loadsFor(const Statement& statement, std::vector<LaneRead>& reads,
                                  const std::function<std::string()>& newName,
                                  const std::function<Expression(const Expression&, const Lane&)>& nameOf) {
  Statements loads;
  const auto load = [&](const Expression& value, const AdjacentElement& found, const Lane& lane, bool isFirst) {
    const std::int64_t wide = width(found.axis), block = blockOf(placeOf(found, lane), wide),
                       behind = placeOf(found, lane) - block * wide;
    Lane outer = lane;
    outer[found.axis] = 0;
    const ReadSource source = sourceOf(found);
    const auto read = llvm::find_if(reads, [&](const LaneRead& each) {
      return each.block == block && each.outer == outer && each.source == source;
    });
    if (read == reads.end()) return;
    if (!read->name.empty()) needsDistinct_ |= read->loadedBehind != allStores_;
    if (!read->name.empty() || (isFirst && behind != 0)) return;
    read->loadedBehind = allStores_;
    Expression first = nameOf(value, lane);
    if (behind != 0) first = subscript(first.part(0), binary("-", first.part(1), literal(std::to_string(behind))));
    const std::string& type = context_.memory.numbersOf(source.array).type;
    const Expression loaded = wideLoad("", type, wide, first).value;
    const auto same = llvm::find_if(
        loads_, [&](const auto& other) { return other.first == source.changes && other.second.value == loaded; });
    read->name = same != loads_.end() ? same->second.name : newName();
    if (same != loads_.end()) return;
    loads.push_back(wideLoad(read->name, type, wide, std::move(first)));
    loads_.emplace_back(source.changes, loads.back());
  };
  const auto values = adjacentReads(statement);
  const Mask mask = masks_.of(statement);
  for (const bool isFirst : {true, false})
    for (unsigned axis = 0; axis < context_.axes.size(); ++axis)
      for (Lane lane : lanesAlong(context_.axes, mask & ~(Mask{1} << axis)))
        for (const auto& [value, found] : values)
          if (found.axis == axis)
            for (lane[axis] = 0; lane[axis] < width(axis); ++lane[axis]) load(value, found, lane, isFirst);
  return loads;
}

bool WideAccesses::areBeside(const Statement& statement, const std::vector<LaneRead>& reads) const {
  const Expression* stored = storedBy(statement);
  bool are = true;
  forEach(statement.value, [&](const Expression& part) {
    const auto found = &part == stored ? std::nullopt : adjacent(part);
    if (!found) return;
    const std::int64_t lanes = width(found->axis), first = phaseOf(found->element, found->axis),
                       last = first + found->element.sum.column * (lanes - 1);
    const ReadSource source = sourceOf(*found);
    are &= llvm::any_of(reads, [&](const LaneRead& wide) {
      return wide.source == source && last >= wide.block * lanes && first < (wide.block + 1) * lanes;
    });
  });
  return are;
}

std::optional<Expression> WideAccesses::partFor(const Expression& value, const Lane& lane,
                                                const std::vector<LaneRead>& reads) const {
  const auto found = reads.empty() ? std::nullopt : adjacent(value);
  if (!found) return std::nullopt;
  Lane outer = lane;
  outer[found->axis] = 0;
  const std::int64_t lanes = width(found->axis), place = placeOf(*found, lane);
  const ReadSource source = sourceOf(*found);
  for (const LaneRead& wide : reads)
    if (!wide.name.empty() && wide.source == source && wide.outer == outer && wide.block == blockOf(place, lanes))
      return partOfWide(wide.name, place - wide.block * lanes, context_.memory.numbersOf(source.array).type);
  return std::nullopt;
}

}  // namespace muster::plugin::passes
