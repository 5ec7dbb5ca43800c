// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/TimeSteps.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "ir/Changes.h"
#include "ir/Fold.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/PlaceSums.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

class StepFinder {
 public:
  StepFinder(const Statements& iteration, const TimeStepContext& context)
      : code_(iteration), context_(context), memory_(context.memory), places_(memory_, context.mayWiden, isFixed_) {
    memory_.variables = variablesIn(iteration, [&](const std::string& name) { return memory_.constantOf(name) >= 0; });
  }

  std::optional<TimeStep> find() {
    if (code_.empty() || code_.back().kind != StatementKind::Evaluate ||
        !code_.back().value.is(ExpressionKind::Assign, "=") || !noteVariables() || !noteStore())
      return std::nullopt;
    noteReads();
    if (!chooseFrom() || !isHarmless()) return std::nullopt;
    return make();
  }

 private:
  using Offset = std::array<int, 2>;  // rows, columns
  struct Reads {
    std::vector<Sum> places;
    bool areSums = true;  // all of them
  };

  // Variables of the iteration alone change, and no loop or jump is in the way.
  bool noteVariables() {
    if (hasLoop(code_) || hasJump(code_)) return false;
    noteDefinitions(code_);
    bool isPlain = !hasReturn_;
    forEach(code_, [&](const Expression& part) {
      const Expression* target = changedBy(part);
      if (!target || &part == &code_.back().value) return;
      changed_.insert(rootOf(*target));
      isPlain &= defined_.count(rootOf(*target)) != 0 && !part.is(ExpressionKind::Prefix, "&");
    });
    return isPlain && !changed_.count(context_.row) && !changed_.count(context_.column) &&
           defined_.count(context_.row) && defined_.count(context_.column);
  }

  void noteDefinitions(const Statements& statements) {
    for (const Statement& statement : statements) {
      hasReturn_ |= statement.kind == StatementKind::Return || statement.kind == StatementKind::Next;
      if (statement.kind == StatementKind::Define && isRealType(typeOf(statement))) reals_.insert(statement.name);
      // One of two variables of a name might stand for the other.
      if (statement.kind == StatementKind::Define && !defined_.insert(statement.name).second)
        changed_.insert(statement.name);
      for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise})
        noteDefinitions(*inside);
    }
  }

  // One row further lies a sum further that is the same for all elements; one column further, one element.
  bool noteStore() {
    const Expression& target = code_.back().value.part(0);
    const auto place = places_.placeOf(target);
    if (!place || !isOfIterations(place->second)) return false;
    to_ = place->first;
    return setPlace(place->second);
  }

  bool setPlace(const Sum& place) {
    place_ = place, rowSize_ = {};
    Sum column;
    for (const auto& [product, factor] : place_) {
      if (llvm::count(product, context_.row) + llvm::count(product, context_.column) > 1) return false;
      if (llvm::is_contained(product, context_.row)) rowSize_[without(product, context_.row)] = factor;
      if (llvm::is_contained(product, context_.column)) column[without(product, context_.column)] = factor;
    }
    return !rowSize_.empty() && column == Sum{{{}, 1}};
  }

  static Product without(Product product, const std::string& name) {
    product.erase(llvm::find(product, name));
    return product;
  }

  void noteReads() {
    const auto note = [&](const Expression& part) {
      if (part.kind() == ExpressionKind::Subscript) noteRead(part);
    };
    forEach(Statements(code_.begin(), code_.end() - 1), note);
    forEach(code_.back().value.part(1), note);
  }

  void noteRead(const Expression& part) {
    const std::string array = rootOf(part);
    if (!memory_.isArray(array) || !isElementOf(array, part, memory_)) return;
    const auto place = places_.placeOf(part);
    Reads& reads = reads_[array];
    reads.areSums &= place.has_value();
    if (place) reads.places.push_back(place->second);
  }

  // Where the array's elements are, from the one that is written.
  std::vector<Offset> offsetsOf(const Reads& reads) const {
    std::vector<Offset> offsets;
    for (const Sum& place : reads.places)
      if (const auto offset = offsetOf(place)) offsets.push_back(*offset);
    return reads.areSums && offsets.size() == reads.places.size() ? offsets : std::vector<Offset>();
  }

  void addConstants(const Sum& place, std::set<std::string>& names) const {
    for (const auto& [product, factor] : place)
      for (const std::string& name : product)
        if (memory_.constantOf(name) >= 0) names.insert(name);
  }

  // Rows of the two arrays may have lengths of their own, which are equal in launches that count: by that of `reads`.
  bool takeLengthOf(const Reads& reads) {
    std::set<std::string> here, there;
    addConstants(place_, here);
    for (const Sum& place : reads.places) addConstants(place, there);
    const auto onlyIn = [](const std::set<std::string>& one, const std::set<std::string>& other) {
      std::vector<std::string> names;
      llvm::copy_if(one, std::back_inserter(names), [&](const std::string& name) { return other.count(name) == 0; });
      return names;
    };
    const std::vector<std::string> own = onlyIn(here, there), others = onlyIn(there, here);
    if (own.size() != 1 || others.size() != 1) return false;
    Sum place;
    for (const auto& [names, factor] : place_) {
      Product product = names;
      std::replace(product.begin(), product.end(), own.front(), others.front());
      llvm::sort(product);
      place[product] += factor;
    }
    equal_ = {own.front(), others.front()};
    return setPlace(place);
  }

  std::optional<Offset> offsetOf(const Sum& place) const {
    Sum apart = place;
    if (!addTo(apart, place_, -1)) return std::nullopt;
    const auto numberIn = [](const Sum& sum, const Product& product) {
      const auto found = sum.find(product);
      return found == sum.end() ? 0 : found->second;
    };
    const auto& [product, size] = *rowSize_.rbegin();  // the number, if there is one, is the first
    const double rows = static_cast<double>(numberIn(apart, product)) / static_cast<double>(size);
    const auto row = static_cast<std::int64_t>(std::llround(rows));
    if (!addTo(apart, rowSize_, -row)) return std::nullopt;
    const std::int64_t column = numberIn(apart, {});
    apart.erase(Product());
    const std::int64_t most = context_.mostReach;
    if (!apart.empty() || std::abs(row) > most || std::abs(column) > most) return std::nullopt;
    return Offset{static_cast<int>(row), static_cast<int>(column)};
  }

  // The array that is read around the element; of several the one that is read most.
  bool chooseFrom() {
    if (reads_.count(to_)) return false;
    std::vector<std::pair<std::string, Reads>> arrays(reads_.begin(), reads_.end());
    const auto isReadMore = [](const auto& one, const auto& other) {
      return one.second.places.size() > other.second.places.size();
    };
    llvm::stable_sort(arrays, isReadMore);
    return llvm::any_of(arrays, [&](const auto& entry) { return isAround(entry.first, entry.second); }) ||
           llvm::any_of(arrays, [&](const auto& entry) {
             const Sum place = place_;
             if (takeLengthOf(entry.second) && isAround(entry.first, entry.second)) return true;
             equal_ = {};
             setPlace(place);
             return false;
           });
  }

  // At the same place alone, as a copy does, where there is no other array that could be it.
  bool isAround(const std::string& array, const Reads& reads) {
    offsets_ = offsetsOf(reads);
    const bool isHere = llvm::all_of(offsets_, [](const Offset& offset) { return offset == Offset{0, 0}; });
    if (offsets_.empty() || (isHere && reads_.size() > 1) || !isLike(array)) return false;
    from_ = array;
    return true;
  }

  bool isLike(const std::string& array) const {
    const Memory::Numbers one = memory_.numbersOf(array), other = memory_.numbersOf(to_);
    return one.type == other.type && one.lengths == other.lengths;
  }

  // With any values in place of the elements: other elements are where they are, and nothing traps or runs for ever.
  bool isHarmless() const {
    bool isSo = true;
    forEach(code_, [&](const Expression& part) {
      const bool divides = part.is(ExpressionKind::Binary, "/") || part.is(ExpressionKind::Assign, "/=");
      if (divides) isSo &= isNumber(part.part(1)) || isReal(part.part(0)) || isReal(part.part(1));
      if (part.is(ExpressionKind::Binary, "%") || part.is(ExpressionKind::Assign, "%=")) isSo &= isNumber(part.part(1));
      if (part.kind() == ExpressionKind::Subscript) isSo &= isFixed(part.part(1));
      isSo &= !part.is(ExpressionKind::Prefix, "*") && !givesArray(part, memory_);
    });
    return isSo;
  }

  // It surely is a floating-point number.
  bool isReal(const Expression& value) const {
    switch (value.kind()) {
      case ExpressionKind::Literal:
        return !numberOf(value) && llvm::StringRef(value.text()).contains('.');
      case ExpressionKind::Name:
        return reals_.count(value.text()) != 0;
      case ExpressionKind::Cast:
        return isRealType(value.text());
      case ExpressionKind::Subscript:
        return memory_.isArray(rootOf(value)) && isElementOf(rootOf(value), value, memory_) &&
               isRealType(memory_.numbersOf(rootOf(value)).type);
      case ExpressionKind::Parentheses:
        return isReal(value.part(0));
      case ExpressionKind::Binary:
        return llvm::StringRef("+-*/").contains(value.text()) && value.text().size() == 1 &&
               (isReal(value.part(0)) || isReal(value.part(1)));
      default:
        return false;
    }
  }
  static bool isRealType(const std::string& type) { return type == "float" || type == "double"; }

  static bool isNumber(const Expression& value) {
    const auto number = numberOf(value);
    return (value.kind() == ExpressionKind::Literal && !number) || (number && number->value != 0);
  }

  // The same whatever the elements are.
  bool isFixed(const Expression& index) const {
    const auto sum = places_.sumOf(index);
    return sum && isOfIterations(*sum);
  }

  bool isOfIterations(const Sum& sum) const {
    return llvm::all_of(sum, [&](const auto& term) {
      return llvm::all_of(term.first, [&](const std::string& name) {
        return name == context_.row || name == context_.column || memory_.constantOf(name) >= 0;
      });
    });
  }

  std::optional<TimeStep> make() const {
    TimeStep step;
    step.from = from_, step.to = to_;
    step.element = code_.back().value.part(0);
    const auto change = [&](const Expression& part) -> std::optional<Expression> {
      if (part.kind() != ExpressionKind::Subscript || rootOf(part) != from_ || !isElementOf(from_, part, memory_))
        return std::nullopt;
      const Offset offset = *offsetOf(places_.placeOf(part)->second);
      return call(context_.window, {number(offset[0]), number(offset[1])});
    };
    step.before = rewritten(Statements(code_.begin(), code_.end() - 1), change);
    step.value = rewritten(code_.back().value.part(1), change);
    // Rows of arrays are seen through by their places; as values they cannot be had.
    const auto usesArray = [&](const Expression& part) {
      return part.kind() == ExpressionKind::Name && (part.text() == from_ || part.text() == to_);
    };
    bool isLeft = false;
    forEach(step.before, [&](const Expression& part) { isLeft |= usesArray(part); });
    forEach(step.value, [&](const Expression& part) { isLeft |= usesArray(part); });
    if (isLeft) return std::nullopt;
    addPosition(step);
    for (const Offset& offset : offsets_) {
      const auto isBefore = [](const Offset& one, const Offset& other) {
        return std::pair(-one[0], one[1]) < std::pair(-other[0], other[1]);
      };
      step.first = std::min(step.first, offset), step.last = std::max(step.last, offset);
      step.firstBack = std::min(step.firstBack, offset, isBefore);
      step.lastBack = std::max(step.lastBack, offset, isBefore);
      for (const int along : offset) step.reach = std::max(step.reach, static_cast<unsigned>(std::abs(along)));
    }
    step.needsCorners = llvm::any_of(
        offsets_, [&](const Offset& offset) { return offset[0] == static_cast<int>(step.reach) && offset[1] != 0; });
    step.readsOthers = reads_.size() > 1;
    step.equal = equal_;
    return step;
  }

  static Expression number(int value) { return literalOf({value}); }

  // The definitions at the front that hang on nothing that is read.
  void addPosition(TimeStep& step) const {
    std::set<std::string> known;
    for (const Statement& statement : step.before) {
      bool isKnown = statement.kind == StatementKind::Define && statement.value && !changed_.count(statement.name);
      forEach(statement.value, [&](const Expression& part) {
        if (part.kind() == ExpressionKind::Name && defined_.count(part.text()))
          isKnown &= known.count(part.text()) != 0;
        isKnown &= part.kind() != ExpressionKind::Subscript && !part.is(ExpressionKind::Call, context_.window);
      });
      if (!isKnown) continue;
      known.insert(statement.name);
      step.position.push_back(statement);
    }
  }

  const Statements& code_;
  const TimeStepContext& context_;
  Memory memory_;
  std::set<std::string> defined_, changed_, reals_;
  const IsInteger isFixed_ = [this](const std::string& name) { return !changed_.count(name); };
  const Places places_;
  std::string from_, to_;
  Sum place_, rowSize_;
  std::vector<Offset> offsets_;  // of what is read of `from_`
  std::array<std::string, 2> equal_ = {};
  bool hasReturn_ = false;
  std::map<std::string, Reads> reads_;
};

}  // namespace

std::optional<TimeStep> timeStep(const Statements& iteration, const TimeStepContext& context) {
  return StepFinder(iteration, context).find();
}

}  // namespace muster::plugin::passes
