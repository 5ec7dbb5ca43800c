// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/WideAccesses.h"

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"

namespace muster::plugin::passes {

using namespace ir;

using Mask = LaneMasks::Mask;

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
    if (element && element->sum.column == 1) return AdjacentElement{axis, std::move(*element)};
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
    if (const auto found = stored ? adjacent(*stored) : std::nullopt)
      phases_.try_emplace(found->axis, found->element.sum.constant);
    noteStores(statement.body);
  }
}

void WideAccesses::noteStarts(const Statements& iteration) {
  noteStores(iteration);
  forEach(iteration, [&](const Expression& part) {
    if (const auto found = adjacent(part)) phases_.try_emplace(found->axis, found->element.sum.constant);
  });
  phases_.try_emplace(0, 0);
}

// From the first lane's beginning on.
std::int64_t WideAccesses::phaseOf(const Element& element, unsigned axis) const {
  return element.sum.constant - phases_.at(axis);
}

bool WideAccesses::canBeAligned(const Element& element, unsigned axis) {
  return passes::canBeAligned(element, width(axis), context_.memory, alignment_);
}

bool WideAccesses::mayBeStored(const AdjacentElement& stored) {
  return phaseOf(stored.element, stored.axis) % width(stored.axis) == 0 && canBeAligned(stored.element, stored.axis);
}

// ---- reads ----

std::vector<LaneRead> WideAccesses::readsOf(const Statement& statement, Mask mask,
                                            const std::function<std::string()>& newName) {
  std::vector<Expression> certain;
  certainReads(statement.value, certain);
  std::map<unsigned, Elements> along;
  for (const Expression& read : certain)
    if (auto found = adjacent(read)) along[found->axis].emplace_back(std::move(found->element), read);
  std::vector<LaneRead> reads;
  for (const auto& [axis, elements] : along)
    for (const Lane& outer : lanesAlong(context_.axes, mask & ~(Mask{1} << axis)))
      addReads(elements, axis, outer, reads, newName);
  return reads;
}

void WideAccesses::addReads(const Elements& elements, unsigned axis, const Lane& outer, std::vector<LaneRead>& reads,
                            const std::function<std::string()>& newName) {
  for (const auto& [element, expression] : elements)
    for (unsigned lane = 0; lane < width(axis); ++lane) {
      const std::int64_t place = phaseOf(element, axis) + lane, block = place / width(axis);
      if (place % width(axis) != 0 || !isReadWhole(element, axis, block, elements) || !canBeAligned(element, axis))
        continue;
      const auto isThere = [&](const LaneRead& other) {
        return other.axis == axis && other.outer == outer && other.array == element.array &&
               other.terms == element.sum.terms && other.block == block;
      };
      if (llvm::none_of(reads, isThere))
        reads.push_back({axis, outer, element.array, element.sum.terms, block, newName(), expression, lane});
    }
}

// The lanes together read all elements of a block.
bool WideAccesses::isReadWhole(const Element& element, unsigned axis, std::int64_t block,
                               const Elements& elements) const {
  for (std::int64_t place = block * width(axis); place < (block + 1) * width(axis); ++place)
    if (llvm::none_of(elements, [&](const auto& other) {
          const std::int64_t phase = phaseOf(other.first, axis);
          return other.first.array == element.array && other.first.sum.terms == element.sum.terms && place >= phase &&
                 place < phase + width(axis);
        }))
      return false;
  return true;
}

static bool isOf(const LaneRead& wide, const AdjacentElement& found) {
  return wide.axis == found.axis && wide.array == found.element.array && wide.terms == found.element.sum.terms;
}

bool WideAccesses::areBeside(const Statement& statement, const std::vector<LaneRead>& reads) const {
  const Expression* stored = storedBy(statement);
  bool are = true;
  forEach(statement.value, [&](const Expression& part) {
    const auto found = &part == stored ? std::nullopt : adjacent(part);
    if (!found) return;
    const std::int64_t lanes = width(found->axis), phase = phaseOf(found->element, found->axis);
    are &= llvm::any_of(reads, [&](const LaneRead& wide) {
      return isOf(wide, *found) && phase + lanes > wide.block * lanes && phase < (wide.block + 1) * lanes;
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
  const std::int64_t lanes = width(found->axis), place = phaseOf(found->element, found->axis) + lane[found->axis];
  for (const LaneRead& wide : reads)
    if (isOf(wide, *found) && wide.outer == outer && place >= wide.block * lanes && place < (wide.block + 1) * lanes)
      return partOfWide(wide.name, place - wide.block * lanes);
  return std::nullopt;
}

}  // namespace muster::plugin::passes
