// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/KeptElements.h"

#include <algorithm>

#include "ir/Changes.h"
#include "ir/Fold.h"
#include "llvm/ADT/STLExtras.h"
#include "muster/chunk.h"
#include "passes/CountedLoops.h"
#include "passes/RowLoops.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

// Of all elements that are kept for a step: half of the registers that groups of 512 work-items have for each.
constexpr unsigned kMostBytes = 8;
// Loops begin so many steps behind each other at most.
constexpr std::int64_t kMostSkipped = 16;

// A loop that is shared.
struct Walk {
  const Statement* loop;
  LoopHead head;
  unsigned skipped = 0;
};

// An element of each step, and where it stands.
struct Candidate {
  Element element;
  std::vector<std::size_t> loops;  // that name it, in their order
  bool isLoaded = true;            // in front of the first of them
  unsigned skipped = 0;            // steps that have none
  std::string name = {};
};

class Keeper {
 public:
  Keeper(const Statements& iteration, const GroupContext& context) : iteration_(iteration), context_(context) {
    memory_ = context.memory;
    memory_.variables = variablesIn(iteration, [&](const std::string& name) { return memory_.constantOf(name) >= 0; });
  }

  KeptElements run() {
    KeptElements kept;
    findWalks();
    if (walks_.size() < 2) return kept;
    findCandidates();
    llvm::erase_if(candidates_, [&](Candidate& candidate) { return !mayKeep(candidate); });
    unsigned bytes = 0;
    llvm::erase_if(candidates_, [&](const Candidate& candidate) {
      const unsigned own = memory_.numbersOf(candidate.element.array).bytes;
      const bool fits = bytes + own <= kMostBytes;
      bytes += fits ? own : 0;
      return !fits;
    });
    for (Candidate& candidate : candidates_) {
      candidate.name = "muster_kept" + std::to_string(kept.variables.size());
      kept.variables.push_back(memory_.numbersOf(candidate.element.array).type + " " + candidate.name + "[" +
                               std::to_string(MUSTER_KEPT_STEPS) + "]");
    }
    for (std::size_t i = 0; i < walks_.size() && !candidates_.empty(); ++i) addLoop(i, kept);
    return kept;
  }

 private:
  // Loops behind each other, and behind what may end the iteration.
  void findWalks() {
    std::vector<unsigned> numbers;
    collectNumbers(iteration_, numbers);
    for (const Statement& statement : iteration_) {
      if (statement.groupLoop == 0 && hasJump(Statements{statement})) walks_.clear();
      if (statement.groupLoop == 0 || llvm::count(numbers, statement.groupLoop) != 1) continue;
      const std::optional<LoopHead> head = headOf(statement);
      if (head && !context_.pivots.at(statement.groupLoop - 1) && !hasPlace(statement.body) && isStable(head->end))
        addWalk(statement, *head);
    }
  }

  static void collectNumbers(const Statements& statements, std::vector<unsigned>& numbers) {
    for (const Statement& statement : statements) {
      if (statement.groupLoop != 0) numbers.push_back(statement.groupLoop);
      for (const Statements* inside : {&statement.body, &statement.otherwise}) collectNumbers(*inside, numbers);
    }
  }

  void addWalk(const Statement& loop, const LoopHead& head) {
    if (!walks_.empty()) {
      const Walk& before = walks_.front();
      const bool isAlike = typeOf(before.loop->first.front()) == typeOf(loop.first.front()) &&
                           before.head.end == head.end && distance(before.head.first, head.first).has_value();
      if (!isAlike) return;
    } else if (!isStable(head.first)) {
      return;
    }
    walks_.push_back({&loop, head});
    std::int64_t least = 0;
    for (const Walk& walk : walks_) least = std::min(least, *distance(walks_.front().head.first, walk.head.first));
    for (Walk& walk : walks_)
      walk.skipped = static_cast<unsigned>(*distance(walks_.front().head.first, walk.head.first) - least);
  }

  // From one first step to another one, as far as it is a small number.
  static std::optional<std::int64_t> distance(const Expression& from, const Expression& to) {
    if (from == to) return 0;
    const auto one = isNumber(from) ? numberOf(from) : std::nullopt, other = isNumber(to) ? numberOf(to) : std::nullopt;
    const bool isSmall = one && other && one->value <= kMostSkipped && other->value <= kMostSkipped;
    return isSmall ? std::optional(other->value - one->value) : std::nullopt;
  }

  // It has one value in all of the iteration, wherever it is known.
  bool isStable(const Expression& value) const {
    bool is = true;
    forEach(value, [&](const Expression& part) {
      switch (part.kind()) {
        case ExpressionKind::Name:
          is &= !changes(iteration_, part.text()) && definitionsOf(part.text()) <= 1;
          break;
        case ExpressionKind::Literal:
        case ExpressionKind::Binary:
        case ExpressionKind::Cast:
        case ExpressionKind::Parentheses:
          break;
        default:
          is = false;
      }
    });
    return is;
  }

  unsigned definitionsOf(const std::string& variable) const {
    unsigned count = 0;
    countDefinitions(iteration_, variable, count);
    return count;
  }

  static void countDefinitions(const Statements& statements, const std::string& variable, unsigned& count) {
    for (const Statement& statement : statements) {
      count += statement.kind == StatementKind::Define && statement.name == variable;
      for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise})
        countDefinitions(*inside, variable, count);
    }
  }

  std::optional<Element> elementIn(const Walk& walk, const Expression& part) const {
    const std::string& variable = walk.head.variable;
    auto element = elementOf(part, variable, memory_, [&](const Expression& term) { return !names(term, variable); });
    if (!element || element->sum.column == 0 || memory_.numbersOf(element->array).type.empty()) return std::nullopt;
    const bool isOutside = llvm::all_of(element->sum.terms, [&](const Expression& term) {
      bool is = isStable(term);
      forEach(term, [&](const Expression& inner) {
        unsigned count = 0;
        if (inner.kind() == ExpressionKind::Name) countDefinitions(walk.loop->body, inner.text(), count);
        is &= count == 0;
      });
      return is;
    });
    return isOutside ? element : std::nullopt;
  }

  bool isElement(const Walk& walk, const Expression& part, const Candidate& candidate) const {
    if (part.kind() != ExpressionKind::Subscript) return false;
    const auto element = elementIn(walk, part);
    return element && isSame(*element, candidate.element);
  }

  void findCandidates() {
    for (std::size_t i = 0; i < walks_.size(); ++i)
      forEach(walks_[i].loop->body, [&](const Expression& part) {
        const auto element = part.kind() == ExpressionKind::Subscript ? elementIn(walks_[i], part) : std::nullopt;
        if (!element) return;
        auto at = llvm::find_if(candidates_, [&](const Candidate& known) { return isSame(known.element, *element); });
        if (at == candidates_.end()) at = candidates_.insert(at, {*element, {}});
        if (at->loops.empty() || at->loops.back() != i) at->loops.push_back(i);
      });
  }

  // What is loaded in front of loops is memory that one of them comes to in any case.
  bool mayKeep(Candidate& candidate) const {
    if (candidate.loops.size() < 2) return false;
    candidate.skipped = ~0U;
    for (const std::size_t loop : candidate.loops)
      if (isCertain(walks_[loop], candidate)) candidate.skipped = std::min(candidate.skipped, walks_[loop].skipped);
    const bool isCovered =
        llvm::all_of(candidate.loops, [&](std::size_t loop) { return walks_[loop].skipped >= candidate.skipped; });
    const Walk& first = walks_[candidate.loops.front()];
    candidate.isLoaded = first.skipped > candidate.skipped || !storesFirst(first, candidate);
    return isCovered && (context_.isRead(candidate.element.array) || (context_.areApart && isAlone(candidate)));
  }

  // Each step reads it or stores to it.
  bool isCertain(const Walk& walk, const Candidate& candidate) const {
    bool is = false;
    forEachCertain(walk.loop->body, [&](const Expression& value) {
      std::vector<Expression> places;
      certainReads(value, places);
      if (value.kind() == ExpressionKind::Assign) places.push_back(value.part(0));
      is |= llvm::any_of(places, [&](const Expression& part) { return isElement(walk, part, candidate); });
    });
    return is;
  }

  // Each step stores to it before it may read it.
  bool storesFirst(const Walk& walk, const Candidate& candidate) const {
    const auto namesIt = [&](const Statements& statements) {
      bool any = false;
      forEach(statements, [&](const Expression& part) { any |= isElement(walk, part, candidate); });
      return any;
    };
    const Statements& body = walk.loop->body;
    const auto first = llvm::find_if(body, [&](const Statement& statement) { return namesIt({statement}); });
    return first != body.end() && isStore(walk, *first, candidate) && first->value.text() == "=" &&
           !namesIt({evaluate(first->value.part(1))});
  }

  bool isStore(const Walk& walk, const Statement& statement, const Candidate& candidate) const {
    return statement.kind == StatementKind::Evaluate && statement.value.kind() == ExpressionKind::Assign &&
           isElement(walk, statement.value.part(0), candidate);
  }

  // Nothing but these loops comes to the array, and that by this element. What they store each step does.
  bool isAlone(const Candidate& candidate) const {
    std::set<std::string> pointers = {candidate.element.array};
    for (std::size_t before = 0; before != pointers.size();) {
      before = pointers.size();
      notePointers(iteration_, pointers);
    }
    unsigned known = namesIn(iteration_, pointers, true), stores = 0;
    for (const std::size_t number : candidate.loops) {
      const Walk& walk = walks_[number];
      unsigned own = 0;
      forEach(walk.loop->body, [&](const Expression& part) {
        known += isElement(walk, part, candidate);
        const Expression* target = changedBy(part);
        own += target && isElement(walk, *target, candidate);
      });
      if (own != 0 && hasJump(walk.loop->body)) return false;
      for (const Statement& statement : walk.loop->body) own -= isStore(walk, statement, candidate);
      stores += own;
    }
    return stores == 0 && known == namesIn(iteration_, pointers, false);
  }

  static bool isPointer(const Statement& statement) {
    return statement.kind == StatementKind::Define && llvm::StringRef(statement.text).contains('*');
  }

  static unsigned namesIn(const Expression& value, const std::set<std::string>& pointers) {
    unsigned count = 0;
    forEach(value, [&](const Expression& part) {
      count += part.kind() == ExpressionKind::Name && pointers.count(part.text()) != 0;
    });
    return count;
  }

  // All of them, or those in what pointers begin with alone.
  static unsigned namesIn(const Statements& statements, const std::set<std::string>& pointers, bool isOfPointers) {
    unsigned count = 0;
    for (const Statement& statement : statements) {
      if (!isOfPointers || isPointer(statement))
        for (const Expression* value : {&statement.value, &statement.next})
          if (*value) count += namesIn(*value, pointers);
      for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise})
        count += namesIn(*inside, pointers, isOfPointers);
    }
    return count;
  }

  static void notePointers(const Statements& statements, std::set<std::string>& pointers) {
    for (const Statement& statement : statements) {
      if (isPointer(statement) && statement.value && namesIn(statement.value, pointers) != 0)
        pointers.insert(statement.name);
      for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise})
        notePointers(*inside, pointers);
    }
  }

  // The element of a step, from what is known in front of the loop.
  Expression placeOf(const Walk& walk, const Element& element) const {
    const Memory::Numbers numbers = memory_.numbersOf(element.array);
    Expression index = cast("long", name(walk.head.variable));
    if (element.sum.column != 1)
      index = binary("*", std::move(index), parentheses(literal(std::to_string(element.sum.column))));
    for (const Expression& term : element.sum.terms)
      index = binary("+", std::move(index), cast("long", parentheses(term)));
    if (element.sum.constant != 0)
      index = binary("+", std::move(index), parentheses(literal(std::to_string(element.sum.constant))));
    const Expression array = name(element.array);
    return subscript(numbers.lengths.empty() ? array : cast("__global const " + numbers.type + " *", array), index);
  }

  void addLoop(std::size_t number, KeptElements& kept) const {
    const Walk& walk = walks_[number];
    const auto least = llvm::find_if(walks_, [](const Walk& other) { return other.skipped == 0; });
    KeptLoop loop{least->head.first, {}, {}};
    bool hasAny = false;
    for (const Candidate& candidate : candidates_) {
      hasAny |= llvm::is_contained(candidate.loops, number);
      if (!candidate.isLoaded || candidate.loops.front() != number) continue;
      addFrom(candidate.skipped, {evaluate(assign(keptOf(candidate), placeOf(walk, candidate.element)))}, loop.loads);
    }
    if (!hasAny) return;
    addFrom(walk.skipped, bodyOf(number), loop.body);
    kept.loops.emplace(walk.loop->groupLoop, std::move(loop));
  }

  static Expression keptOf(const Candidate& candidate) { return subscript(name(candidate.name), name(keptStep)); }

  static void addFrom(unsigned skipped, Statements steps, Statements& out) {
    if (skipped != 0)
      steps = {choice(binary(">=", name(stepOffset), literal(std::to_string(skipped))), std::move(steps))};
    out.insert(out.end(), steps.begin(), steps.end());
  }

  Statements bodyOf(std::size_t number) const {
    const Walk& walk = walks_[number];
    const Statements& body = walk.loop->body;
    Statements kept;
    for (auto at = body.begin(); at != body.end(); ++at) {
      const Statements steps = rewritten(Statements{*at}, [&](const Expression& part) -> std::optional<Expression> {
        for (const Candidate& candidate : candidates_)
          if (isElement(walk, part, candidate)) return keptOf(candidate);
        return std::nullopt;
      });
      kept.insert(kept.end(), steps.begin(), steps.end());
      for (const Candidate& candidate : candidates_)
        if (isStore(walk, *at, candidate) && !isStoredAgain(number, Statements(std::next(at), body.end()), candidate))
          kept.push_back(evaluate(assign(at->value.part(0), keptOf(candidate))));
    }
    return kept;
  }

  bool isStoredAgain(std::size_t number, const Statements& behind, const Candidate& candidate) const {
    const auto stores = [&](const Walk& walk, const Statements& statements) {
      return llvm::any_of(statements, [&](const Statement& s) { return isStore(walk, s, candidate); });
    };
    return stores(walks_[number], behind) || llvm::any_of(candidate.loops, [&](std::size_t other) {
             return other > number && walks_[other].skipped <= walks_[number].skipped &&
                    stores(walks_[other], walks_[other].loop->body);
           });
  }

  const Statements& iteration_;
  const GroupContext& context_;
  Memory memory_;
  std::vector<Walk> walks_;
  std::vector<Candidate> candidates_;
};

}  // namespace

KeptElements keptElements(const Statements& iteration, const GroupContext& context) {
  return Keeper(iteration, context).run();
}

}  // namespace muster::plugin::passes
