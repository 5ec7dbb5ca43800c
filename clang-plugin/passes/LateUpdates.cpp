// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LateUpdates.h"

#include <set>

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/Indexes.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

class LateUpdates {
 public:
  LateUpdates(unsigned lanes, llvm::function_ref<bool(const std::string&)> isArray)
      : lanes_(lanes), isArray_(isArray) {}

  std::optional<Statements> make(const Statements& iteration, const std::string& counter, const std::string& stride) {
    own_.insert(counter);
    for (unsigned lane = 1; lane < lanes_; ++lane)
      reads_.push_back(define("const long " + renamed(counter, lane),
                              binary("+", name(counter), binary("*", literal(std::to_string(lane)), name(stride)))));
    for (const Statement& statement : iteration)
      if (!(statement.kind == StatementKind::Define ? addDefinition(statement) : addUpdate(statement)))
        return std::nullopt;
    if (updates_.empty()) return std::nullopt;
    reads_.insert(reads_.end(), updates_.begin(), updates_.end());
    return std::move(reads_);
  }

 private:
  static std::string renamed(const std::string& variable, unsigned lane) {
    return lane == 0 ? variable : "muster_lane" + std::to_string(lane) + "_" + variable;
  }
  Expression renamed(const Expression& value, unsigned lane) const {
    return rewritten(value, [&](const Expression& part) -> std::optional<Expression> {
      const bool isOwn = part.kind() == ExpressionKind::Name && own_.count(part.text()) != 0;
      return isOwn ? std::optional(name(renamed(part.text(), lane))) : std::nullopt;
    });
  }

  // It changes nothing, and gives no function what this may change.
  bool isPure(const Expression& value) const {
    bool is = true;
    forEach(value, [&](const Expression& part) {
      is &= !changedBy(part);
      if (part.kind() == ExpressionKind::Call)
        is &= llvm::none_of(part.parts(), [&](const Expression& argument) {
          return argument.kind() == ExpressionKind::Name && isArray_(argument.text());
        });
    });
    return is;
  }

  bool addDefinition(const Statement& statement) {
    const std::string type = typeOf(statement);
    if (!statement.value || type.empty() || type.find('*') != std::string::npos || !isPure(statement.value))
      return false;
    own_.insert(statement.name);
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
    if (array.kind() != ExpressionKind::Name || !isArray_(array.text()) || isRead || !isPure(index) || !isPure(value))
      return false;
    const std::string at = "muster_at" + std::to_string(updates_.size());
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      const std::string own = renamed(at, lane);
      reads_.push_back(define("const long " + own, renamed(index, lane)));
      updates_.push_back(
          evaluate(ir::call("MUSTER_UPDATE", {call.part(0), call.part(1), call.part(2),
                                              addressOf(subscript(array, name(own))), renamed(value, lane)})));
    }
    return true;
  }

  const unsigned lanes_;
  const llvm::function_ref<bool(const std::string&)> isArray_;
  std::set<std::string> own_;
  Statements reads_, updates_;
};

}  // namespace

std::optional<Statements> updatesLast(const Statements& iteration, unsigned lanes, const std::string& counter,
                                      const std::string& stride, llvm::function_ref<bool(const std::string&)> isArray) {
  return LateUpdates(lanes, isArray).make(iteration, counter, stride);
}

}  // namespace muster::plugin::passes
