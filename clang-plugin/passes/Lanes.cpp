// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Lanes.h"

#include <algorithm>

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "passes/LaneMasks.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

using Mask = LaneMasks::Mask;
using Lane = std::vector<unsigned>;  // a number for each axis

constexpr Mask kAlongFirst = 1;

// Elements next to each other that all lanes along the first axis read together.
struct Wide {
  std::string array;
  std::vector<Expression> terms;
  std::int64_t block = 0;  // it begins so many times the lanes behind the first lane's
  std::string name;        // of the vector
  Expression first;        // its first element, as a lane names it
  unsigned firstLane = 0;  // that lane's number
};

class Jam {
 public:
  Jam(const Statements& iteration, const LaneContext& context)
      : context_(context),
        masks_(iteration, context.memory, bitsOf(context)),
        width_(context.axes.front().lanes),
        isAdjacent_(context.apart.empty()) {}

  // Why there are none: what was met first.
  const std::string& whyNot() const { return whyNot_; }

  std::optional<Lanes> make(const Statements& iteration) {
    if (masks_.givesOwn(iteration)) leave("a function gets an array or an object");
    lanes_.separator = separatorFor(iteration);
    noteStores(iteration);
    lanes_.code = expanded(iteration, false);
    if (!whyNot_.empty()) return std::nullopt;
    lanes_.isContraction = sharesRows_ && sharesColumns_;
    return std::move(lanes_);
  }

 private:
  void leave(const char* why) {
    if (whyNot_.empty()) whyNot_ = why;
  }

  static std::vector<std::pair<std::string, Mask>> bitsOf(const LaneContext& context) {
    std::vector<std::pair<std::string, Mask>> bits;
    for (std::size_t axis = 0; axis < context.axes.size(); ++axis)
      if (context.axes[axis].lanes > 1) bits.emplace_back(context.axes[axis].variable, Mask{1} << axis);
    return bits;
  }

  // ---- elements ----

  std::optional<Element> elementOf(const Expression& value) const {
    return passes::elementOf(value, context_.column, context_.memory,
                             [&](const Expression& part) { return (masks_.of(part) & kAlongFirst) == 0; });
  }

  bool canBeAligned(const Element& element) {
    return passes::canBeAligned(element, width_, context_.memory, lanes_.alignment);
  }

  // The element that a statement stores into as the last thing that it does.
  const Expression* storedBy(const Statement& statement) const {
    const Expression& value = statement.value;
    const bool isStore = statement.kind == StatementKind::Evaluate && value && value.kind() == ExpressionKind::Assign &&
                         value.part(0).kind() == ExpressionKind::Subscript && !masks_.isOwn(rootOf(value.part(0)));
    return isStore ? &value.part(0) : nullptr;
  }

  // The first store says where blocks begin.
  bool noteStores(const Statements& statements) {
    for (const Statement& statement : statements) {
      const Expression* stored = storedBy(statement);
      const auto element = stored ? elementOf(*stored) : std::nullopt;
      if (element && element->sum.column == 1) return lanes_.phase = element->sum.constant, true;
      if (noteStores(statement.body)) return true;
    }
    return false;
  }

  // ---- expansion ----

  Expression renamed(const Expression& value, const Lane& lane, const std::vector<Wide>& vectors) const {
    return rewritten(value, [&](const Expression& part) -> std::optional<Expression> {
      if (part.is(ExpressionKind::Prefix, "&")) return prefix("&", renamed(part.part(0), lane, {}));
      if (part.kind() == ExpressionKind::Subscript)
        if (const auto wide = read(part, lane, vectors)) return wide;
      if (part.kind() != ExpressionKind::Name) return std::nullopt;
      return name(renamed(part.text(), lane));
    });
  }

  std::string renamed(const std::string& variable, const Lane& lane) const {
    return variable + suffix(masks_.of(variable), lane);
  }

  std::string suffix(Mask mask, const Lane& lane) const {
    std::string text;
    for (std::size_t axis = 0; axis < lane.size(); ++axis)
      if (mask >> axis & 1) text += lanes_.suffix(lane[axis]);
    return text;
  }

  // No name of the code has it in front of a digit, so that no name of a lane is another one.
  static std::string separatorFor(const Statements& iteration) {
    std::set<std::string> all;
    namesIn(iteration, all);
    std::string separator = "__";
    const auto isIn = [&](const std::string& name) {
      for (std::size_t at = name.find(separator); at != std::string::npos; at = name.find(separator, at + 1))
        if (const std::size_t end = at + separator.size(); end < name.size() && llvm::isDigit(name[end])) return true;
      return false;
    };
    while (llvm::any_of(all, isIn)) separator += "l_";
    return separator;
  }

  static void namesIn(const Statements& statements, std::set<std::string>& all) {
    forEach(statements, [&](const Expression& part) { all.insert(part.text()); });
    for (const Statement& statement : statements) {
      all.insert(statement.name);
      for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise}) namesIn(*inside, all);
    }
  }

  // The declaration has the name once, as a word.
  Statement renamedDefinition(const Statement& statement, const Lane& lane) const {
    const std::string own = renamed(statement.name, lane);
    std::string text = statement.text;
    const auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
    for (std::size_t at = text.find(statement.name); at != std::string::npos; at = text.find(statement.name, at + 1)) {
      const std::size_t end = at + statement.name.size();
      if ((at > 0 && isPart(text[at - 1])) || (end < text.size() && isPart(text[end]))) continue;
      text.replace(at, statement.name.size(), own);
      break;
    }
    return define(text, statement.value, own);
  }

  Statements renamed(const Statements& statements, const Lane& lane) const {
    Statements copies = statements;
    for (Statement& copy : copies) {
      if (copy.kind == StatementKind::Define) copy = renamedDefinition(copy, lane);
      copy.value = renamed(copy.value, lane, {});
      copy.next = renamed(copy.next, lane, {});
      for (Statements* inside : {&copy.first, &copy.body, &copy.otherwise}) *inside = renamed(*inside, lane);
    }
    return copies;
  }

  // All lanes along the axes of a mask, the first axis fastest.
  std::vector<Lane> lanesAlong(Mask mask) const {
    std::vector<Lane> lanes = {Lane(context_.axes.size(), 0)};
    for (std::size_t axis = context_.axes.size(); axis-- > 0;) {
      if (!(mask >> axis & 1)) continue;
      std::vector<Lane> more;
      for (const Lane& lane : lanes)
        for (unsigned number = 0; number < context_.axes[axis].lanes; ++number) {
          more.push_back(lane);
          more.back()[axis] = number;
        }
      lanes = std::move(more);
    }
    return lanes;
  }

  Statements expanded(const Statements& statements, bool isInLoop) {
    Statements code;
    for (const Statement& statement : statements) {
      const bool isSimple = statement.kind == StatementKind::Evaluate || statement.kind == StatementKind::Define;
      if (isSimple) {
        checkAccesses(statement.value, isInLoop, statement.kind == StatementKind::Define);
        if (hasOtherEffects(statement)) leave("a statement has several effects");
        expandSimple(statement, code);
      } else if (masks_.isTogether(statement)) {
        checkAccesses(statement.value, isInLoop), checkAccesses(statement.next, isInLoop);
        Statement copy = statement;
        const bool isLoop = isInLoop || (statement.kind != StatementKind::If && statement.kind != StatementKind::Block);
        copy.body = expanded(statement.body, isLoop), copy.otherwise = expanded(statement.otherwise, isLoop);
        code.push_back(std::move(copy));
      } else {
        if (LaneMasks::jumpsOut(statement)) leave("lanes leave a loop at different times");
        if (hasAccessAlong(statement)) leave("accesses depend on a condition");
        for (const Lane& lane : lanesAlong(masks_.of(statement)))
          for (Statement& copy : renamed(Statements{statement}, lane)) code.push_back(std::move(copy));
      }
    }
    return code;
  }

  bool hasAccessAlong(const Statement& statement) const {
    bool any = false;
    forEach(Statements{statement}, [&](const Expression& part) {
      any |= part.kind() == ExpressionKind::Name && masks_.isShared(part.text());
    });
    return any;
  }

  // Arrays are named as parts of elements alone, whose places are known along the first axis.
  void checkAccesses(const Expression& value, bool isInLoop, bool isDefinition = false) {
    if (!value) return;
    if (value.kind() == ExpressionKind::Name && masks_.isShared(value.text())) leave("a pointer is more than indexed");
    if (value.kind() == ExpressionKind::Subscript && masks_.isShared(rootOf(value))) {
      const Mask mask = masks_.of(value);
      const auto element = elementOf(value);
      const bool isAlong = (mask & kAlongFirst) != 0;
      if (isAlong && (!element || element->sum.column != 1)) leave("accesses of neighbours are not adjacent");
      if (isInLoop && isAlong && mask != masks_.all()) sharesRows_ = true;
      if (isInLoop && !isAlong && mask != 0) sharesColumns_ = true;
      Expression part = value;
      for (; part.kind() == ExpressionKind::Subscript; part = part.part(0)) checkAccesses(part.part(1), isInLoop);
      return;
    }
    const Expression* place = isDefinition ? rowPlace(value) : nullptr;
    if (place && place->part(0).kind() == ExpressionKind::Name && masks_.isShared(place->part(0).text()))
      return checkAccesses(place->part(1), isInLoop);
    if (value.is(ExpressionKind::Prefix, "&") && masks_.isShared(rootOf(value.part(0))))
      leave("an element's address is taken");
    for (const Expression& part : value.parts()) checkAccesses(part, isInLoop);
  }

  // On memory, but for a store that is the last thing that it does.
  bool hasOtherEffects(const Statement& statement) const {
    const Expression* stored = storedBy(statement);
    bool any = false;
    forEach(statement.value, [&](const Expression& part) {
      const Expression* target = masks_.changedOutside(part);
      any |= target && target != stored;
    });
    return any;
  }

  // First all lanes read, then they compute, then they store.
  void expandSimple(const Statement& statement, Statements& code) {
    const Mask mask = masks_.of(statement);
    const bool isAlong = (mask & kAlongFirst) != 0;
    const std::vector<Lane> outer = lanesAlong(mask & ~kAlongFirst);
    std::vector<std::vector<Wide>> vectors;
    Statements loads;
    for (const Lane& lane : outer) {
      vectors.push_back(isAlong && isAdjacent_ ? wideReads(statement, lane) : std::vector<Wide>());
      for (Wide& wide : vectors.back()) addLoad(load(wide, lane), wide, loads);
    }
    code.insert(code.end(), loads.begin(), loads.end());
    const Expression* stored = storedBy(statement);
    const auto at = stored ? elementOf(*stored) : std::nullopt;
    const bool isWide = isAlong && isAdjacent_;
    if (stored && !(at && (!isWide || (isAligned(*at) && canBeAligned(*at))))) leave("stores cannot be aligned");
    const std::string type = at ? context_.memory.numbersOf(at->array).type : "";
    if (stored && type.empty()) leave("elements are no numbers");
    if (!whyNot_.empty()) return;
    Statements stores;
    for (std::size_t i = 0; i < outer.size(); ++i) {
      std::vector<Expression> values;
      for (unsigned number = 0; number < (isAlong ? width_ : 1); ++number) {
        Lane lane = outer[i];
        lane[0] = number;
        Statement copy = statement.kind == StatementKind::Define ? renamedDefinition(statement, lane) : statement;
        if (stored) {
          const std::string value = "muster_s" + std::to_string(made_++);
          copy = define("const " + type + " " + value, valueOf(statement.value), value);
          values.push_back(name(value));
          if (!isWide) stores.push_back(evaluate(assign(renamed(*stored, lane, {}), name(value))));
        }
        copy.value = countedFromFirst(statement, lane, copy.value);
        copy.value = renamed(copy.value, lane, vectors[i]);
        code.push_back(std::move(copy));
      }
      if (stored && isWide)
        stores.push_back(wideStore(type, width_, renamed(*stored, outer[i], {}), std::move(values)));
    }
    for (Statement& each : stores) code.push_back(std::move(each));
  }

  // Compilers see that neighbours share elements where each lane counts from the first one.
  Expression countedFromFirst(const Statement& statement, const Lane& lane, const Expression& value) const {
    for (std::size_t axis = 0; axis < lane.size(); ++axis)
      if (statement.kind == StatementKind::Define && statement.name == context_.axes[axis].counter && lane[axis] > 0) {
        const Expression lanes = literal(std::to_string(lane[axis]));
        return binary("+", name(statement.name + lanes_.suffix(0)),
                      axis > 0 || isAdjacent_ ? lanes : binary("*", lanes, name(context_.apart)));
      }
    return value;
  }

  bool isAligned(const Element& element) const {
    return element.sum.column == 1 && (element.sum.constant - lanes_.phase) % width_ == 0;
  }

  static Expression valueOf(const Expression& assignment) {
    if (assignment.text() == "=") return assignment.part(1);
    const llvm::StringRef op = llvm::StringRef(assignment.text()).drop_back();
    return binary(op, assignment.part(0), parentheses(assignment.part(1)));
  }

  Statement load(const Wide& wide, const Lane& outer) const {
    Lane lane = outer;
    lane[0] = wide.firstLane;
    return wideLoad(wide.name, context_.memory.numbersOf(wide.array).type, width_, renamed(wide.first, lane, {}));
  }

  // Lanes of another axis may have read the same.
  static void addLoad(Statement load, Wide& wide, Statements& loads) {
    const auto same = llvm::find_if(loads, [&](const Statement& other) { return other.value == load.value; });
    if (same != loads.end())
      wide.name = same->name;
    else
      loads.push_back(std::move(load));
  }

  // ---- wide reads ----

  std::vector<Wide> wideReads(const Statement& statement, const Lane& outer) {
    std::vector<Expression> reads;
    certainReads(statement.value, reads);
    std::vector<std::pair<Element, Expression>> elements;
    for (const Expression& read : reads)
      if (auto element = elementOf(read); element && element->sum.column == 1)
        elements.emplace_back(std::move(*element), read);
    std::vector<Wide> vectors;
    for (const auto& [element, expression] : elements) {
      const std::int64_t phase = element.sum.constant - lanes_.phase;
      for (unsigned lane = 0; lane < width_; ++lane)
        if ((phase + lane) % width_ == 0)
          if (isReadWhole(element, (phase + lane) / width_, elements) && canBeAligned(element))
            addWide({element.array, element.sum.terms, (phase + lane) / width_, "", expression, lane}, outer, vectors);
    }
    checkReads(statement, vectors);
    return vectors;
  }

  // Neighbours of what is wide come one by one; nothing else does.
  void checkReads(const Statement& statement, const std::vector<Wide>& vectors) {
    const Expression* stored = storedBy(statement);
    forEach(statement.value, [&](const Expression& part) {
      const auto element = &part == stored ? std::nullopt : elementOf(part);
      if (element && element->sum.column == 1)
        if (llvm::none_of(vectors, [&](const Wide& wide) { return overlaps(wide, *element); }))
          leave("reads have no aligned neighbours, or depend on a condition");
    });
  }

  static bool isOf(const Wide& wide, const Element& element) {
    return wide.array == element.array && wide.terms == element.sum.terms;
  }
  // Lanes read some of them from it.
  bool overlaps(const Wide& wide, const Element& element) const {
    const std::int64_t phase = element.sum.constant - lanes_.phase;
    return isOf(wide, element) && phase + width_ > wide.block * width_ && phase < (wide.block + 1) * width_;
  }

  void addWide(Wide wide, const Lane& outer, std::vector<Wide>& vectors) {
    const auto isThere = [&](const Wide& other) {
      return other.array == wide.array && other.terms == wide.terms && other.block == wide.block;
    };
    if (llvm::any_of(vectors, isThere)) return;
    wide.name = "muster_v" + std::to_string(made_++);
    vectors.push_back(std::move(wide));
  }

  // The lanes together read all elements of a block.
  bool isReadWhole(const Element& element, std::int64_t block,
                   const std::vector<std::pair<Element, Expression>>& elements) const {
    for (std::int64_t place = block * width_; place < (block + 1) * width_; ++place)
      if (llvm::none_of(elements, [&](const auto& other) {
            const std::int64_t phase = other.first.sum.constant - lanes_.phase;
            return other.first.array == element.array && other.first.sum.terms == element.sum.terms && place >= phase &&
                   place < phase + width_;
          }))
        return false;
    return true;
  }

  std::optional<Expression> read(const Expression& value, const Lane& lane, const std::vector<Wide>& vectors) const {
    if (vectors.empty()) return std::nullopt;
    const auto element = elementOf(value);
    if (!element || element->sum.column != 1) return std::nullopt;
    const std::int64_t place = element->sum.constant - lanes_.phase + lane[0];
    for (const Wide& wide : vectors)
      if (isOf(wide, *element) && place >= wide.block * width_ && place < (wide.block + 1) * width_)
        return partOfWide(wide.name, place - wide.block * width_);
    return std::nullopt;
  }

  const LaneContext& context_;
  const LaneMasks masks_;
  const std::int64_t width_;
  const bool isAdjacent_;
  unsigned made_ = 0;
  std::string whyNot_;
  bool sharesRows_ = false, sharesColumns_ = false;
  Lanes lanes_;
};

}  // namespace

std::optional<Lanes> makeLanes(const Statements& iteration, const LaneContext& context, std::string& whyNot) {
  whyNot = "the code has jumps, or definitions of helpers";
  if (!LaneMasks::mayStandIn(iteration)) return std::nullopt;
  Jam jam(iteration, context);
  std::optional<Lanes> lanes = jam.make(iteration);
  whyNot = jam.whyNot();
  return lanes;
}

}  // namespace muster::plugin::passes
