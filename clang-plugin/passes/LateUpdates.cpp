// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LateUpdates.h"

#include <set>

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/Indexes.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

constexpr unsigned kWideBytes = 16, kWidestElement = 4;
// As many as pay, of short ones: measured in decision 35.
constexpr unsigned kMostLanes = 16, kMostStatements = 64;

unsigned lanesOf(const Statements& iteration) {
  unsigned lanes = kMostLanes;
  while (lanes * iteration.size() > kMostStatements) lanes /= 2;
  return lanes;
}

class LateUpdates {
 public:
  // `wide`: an element that `width` lanes read at once.
  LateUpdates(unsigned lanes, const LateContext& context, unsigned width = 1, const Expression& wide = {},
              const std::string& type = "")
      : lanes_(lanes), width_(width), context_(context), wide_(wide), type_(type) {}

  std::optional<Statements> make(const Statements& iteration) {
    const std::string& counter = context_.counter;
    own_.insert(counter);
    for (unsigned lane = 1; lane < lanes_; ++lane)
      reads_.push_back(define("const long " + renamed(counter, lane), counterOf(lane)));
    for (const Statement& statement : iteration)
      if (!(statement.kind == StatementKind::Define ? addDefinition(statement) : addUpdate(statement)))
        return std::nullopt;
    if (updates_.empty()) return std::nullopt;
    reads_.insert(reads_.end(), updates_.begin(), updates_.end());
    return std::move(reads_);
  }

 private:
  Expression counterOf(unsigned lane) const {
    Expression sum = name(context_.counter);
    if (lane >= width_)
      sum = binary("+", sum, binary("*", literal(std::to_string(lane / width_)), name(context_.stride)));
    return lane % width_ == 0 ? sum : binary("+", sum, literal(std::to_string(lane % width_)));
  }
  std::string wideName(unsigned lane) const { return "muster_wide" + std::to_string(lane / width_); }

  // NVIDIA's compiler reads sixteen bytes by four accesses, four words by one. (Signed bytes of a word it adds up
  // wrongly: decision 37.)
  bool areBytes() const { return type_ == "uchar"; }
  Expression partOfWide(unsigned lane) const {
    const unsigned number = lane % width_;
    if (!areBytes()) return passes::partOfWide(wideName(lane), number);
    const Expression word = passes::partOfWide(wideName(lane), number / 4);
    if (number % 4 == 0) return cast(type_, word);
    return cast(type_, parentheses(binary(">>", word, literal(std::to_string(8 * (number % 4))))));
  }

  static std::string renamed(const std::string& variable, unsigned lane) {
    return lane == 0 ? variable : "muster_lane" + std::to_string(lane) + "_" + variable;
  }
  Expression renamed(const Expression& value, unsigned lane) const {
    return rewritten(value, [&](const Expression& part) -> std::optional<Expression> {
      if (wide_ && part == wide_) return partOfWide(lane);
      return renamedName(part, lane);
    });
  }
  std::optional<Expression> renamedName(const Expression& part, unsigned lane) const {
    const bool isOwn = part.kind() == ExpressionKind::Name && own_.count(part.text()) != 0;
    return isOwn ? std::optional(name(renamed(part.text(), lane))) : std::nullopt;
  }

  // In front of the first statement that needs it.
  void loadFor(const Expression& value) {
    bool needs = false;
    forEach(value, [&](const Expression& part) { needs |= wide_ && part == wide_; });
    if (!needs || isLoaded_) return;
    isLoaded_ = true;
    for (unsigned lane = 0; lane < lanes_; lane += width_) {
      const Expression first = rewritten(wide_, [&](const Expression& part) { return renamedName(part, lane); });
      reads_.push_back(wideLoad(wideName(lane), areBytes() ? "uint" : type_, areBytes() ? width_ / 4 : width_, first));
    }
  }

  // It changes nothing, and gives no function what this may change.
  bool isPure(const Expression& value) const {
    bool is = true;
    forEach(value, [&](const Expression& part) { is &= !changedBy(part); });
    return is && !givesArray(value, context_.memory);
  }

  bool addDefinition(const Statement& statement) {
    const std::string type = typeOf(statement);
    if (!statement.value || type.empty() || type.find('*') != std::string::npos || !isPure(statement.value))
      return false;
    own_.insert(statement.name);
    loadFor(statement.value);
    for (unsigned lane = 0; lane < lanes_; ++lane)
      reads_.push_back(define(type + " " + renamed(statement.name, lane), renamed(statement.value, lane)));
    return true;
  }

  // MUSTER_UPDATE(update, own, buffer, &array[index], value)
  bool addUpdate(const Statement& statement) {
    const Expression& call = statement.value;
    if (statement.kind != StatementKind::Evaluate || !call.is(ExpressionKind::Call, "MUSTER_UPDATE")) return false;
    const Expression &place = call.part(3), &value = call.part(4);
    if (!place.is(ExpressionKind::Prefix, "&") || place.part(0).kind() != ExpressionKind::Subscript) return false;
    const Expression &array = place.part(0).part(0), &index = place.part(0).part(1);
    bool isRead = false;
    forEach(value, [&](const Expression& part) {
      isRead |= part.kind() == ExpressionKind::Subscript || part.is(ExpressionKind::Prefix, "*") ||
                part.kind() == ExpressionKind::Call;
    });
    if (array.kind() != ExpressionKind::Name || !context_.memory.isArray(array.text()) || isRead || !isPure(index) ||
        !isPure(value))
      return false;
    const std::string at = "muster_at" + std::to_string(updates_.size());
    loadFor(index);
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      const std::string own = renamed(at, lane);
      reads_.push_back(define("const long " + own, renamed(index, lane)));
      updates_.push_back(
          evaluate(ir::call("MUSTER_UPDATE", {call.part(0), call.part(1), call.part(2),
                                              addressOf(subscript(array, name(own))), renamed(value, lane)})));
    }
    return true;
  }

  const unsigned lanes_, width_;
  const LateContext& context_;
  const Expression wide_;
  const std::string type_;
  bool isLoaded_ = false;
  std::set<std::string> own_;
  Statements reads_, updates_;
};

// Looks for the element whose place moves by one with the iteration.
class WideElement {
 public:
  WideElement(const LateContext& context, const std::string& row)
      : context_(context), row_(row), positions_{context.counter, row} {}

  // None: there is none, or others are read at places that follow the iteration.
  std::optional<LateIterations> find(const Statements& iteration) {
    for (const Statement& statement : iteration) {
      if (statement.kind == StatementKind::Define) {
        if (!statement.value || !look(statement.value)) return std::nullopt;
        if (!found_.element) found_.before.push_back(statement);
        if (!isPlaced(statement.value)) continue;
        positions_.insert(statement.name);
        continue;
      }
      if (!statement.value || !statement.value.is(ExpressionKind::Call, "MUSTER_UPDATE")) return std::nullopt;
      const Expression& place = statement.value.part(3);
      if (!place.is(ExpressionKind::Prefix, "&") || place.part(0).kind() != ExpressionKind::Subscript)
        return std::nullopt;
      if (!look(place.part(0).part(1)) || !look(statement.value.part(4))) return std::nullopt;
    }
    if (!found_.element) return std::nullopt;
    found_.lanes = std::max(found_.width, lanesOf(iteration));
    const auto code = LateUpdates(found_.lanes, context_, found_.width, found_.element, type_).make(iteration);
    if (!code) return std::nullopt;
    found_.code = *code;
    return std::move(found_);
  }

 private:
  // Whether it follows the iteration otherwise than through the element.
  bool isPlaced(const Expression& value) const {
    if (found_.element && value == found_.element) return false;
    return (value.kind() == ExpressionKind::Name && positions_.count(value.text()) != 0) ||
           llvm::any_of(value.parts(), [&](const Expression& part) { return isPlaced(part); });
  }

  bool look(const Expression& value) {
    std::vector<Expression> reads;
    if (!found_.element) certainReads(value, reads);
    for (const Expression& read : reads)
      if (!found_.element && isPlaced(read)) take(read);
    bool isOthers = false;
    const auto visit = [&](auto&& self, const Expression& part) -> void {
      if (found_.element && part == found_.element) return;
      const bool isPlace = part.kind() == ExpressionKind::Subscript || part.is(ExpressionKind::Prefix, "*");
      isOthers |= isPlace && isPlaced(part);
      for (const Expression& inner : part.parts()) self(self, inner);
    };
    visit(visit, value);
    return !isOthers;
  }

  void take(const Expression& read) {
    const auto isConstant = [&](const Expression& part) {
      bool is = true;
      forEach(part, [&](const Expression& inner) {
        is &= inner.kind() == ExpressionKind::Name ? context_.memory.constantOf(inner.text()) >= 0
                                                   : inner.kind() != ExpressionKind::Subscript;
      });
      return is;
    };
    const auto element = elementOf(read, row_, context_.memory, isConstant);
    if (!element || element->sum.column != 1) return;
    const Memory::Numbers numbers = context_.memory.numbersOf(element->array);
    if (numbers.type.empty() || numbers.bytes > kWidestElement) return;
    found_.element = read, found_.width = kWideBytes / numbers.bytes, type_ = numbers.type;
  }

  const LateContext& context_;
  const std::string& row_;
  std::set<std::string> positions_;
  LateIterations found_ = {};
  std::string type_;
};

}  // namespace

std::optional<LateIterations> updatesLast(const Statements& iteration, const LateContext& context,
                                          const std::string& row) {
  if (!row.empty())
    if (auto wide = WideElement(context, row).find(iteration)) return wide;
  LateIterations late;
  late.lanes = lanesOf(iteration);
  const auto code = late.lanes > 1 ? LateUpdates(late.lanes, context).make(iteration) : std::nullopt;
  if (!code) return std::nullopt;
  late.code = *code;
  return late;
}

}  // namespace muster::plugin::passes
