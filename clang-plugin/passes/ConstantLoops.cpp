// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ConstantLoops.h"

#include <cstdlib>
#include <map>

#include "ir/Changes.h"
#include "ir/Fold.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/CopyNames.h"
#include "passes/CountedLoops.h"
#include "passes/Indexes.h"

namespace muster::plugin::passes {

using namespace ir;

unsigned nodesOf(const Statements& code) {
  unsigned nodes = 0;
  forEach(code, [&](const Expression&) { ++nodes; });
  return nodes;
}

namespace {

void definedIn(const Statements& code, std::map<std::string, std::string>& types) {
  for (const Statement& statement : code) {
    if (statement.kind == StatementKind::Define)
      if (std::string& type = types.try_emplace(statement.name, typeOf(statement)).first->second;
          type != typeOf(statement))
        type = "";
    for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise})
      definedIn(*inside, types);
  }
}

class Writer {
 public:
  Writer(const Statements& code, unsigned mostNodes) : separator_(separatorFor(code)), room_(mostNodes) {
    definedIn(code, types_);
  }

  std::optional<Statements> write(const Statements& code) {
    Statements all;
    for (const Statement& statement : code)
      if (!add(statement, all)) return std::nullopt;
    return all;
  }

 private:
  bool add(const Statement& statement, Statements& all) {
    if (statement.kind == StatementKind::For) return addSteps(statement, all);
    if (isLoop(statement) || statement.kind == StatementKind::Switch) return false;
    Statement copy = statement;
    copy.value = folded(statement.value);
    const auto truth = copy.kind == StatementKind::If ? numberOf(copy.value) : std::nullopt;
    if (truth) copy = {StatementKind::Block, "", {}, {}, {}, truth->value != 0 ? copy.body : copy.otherwise};
    if (!count(copy)) return false;
    auto body = write(copy.body), otherwise = write(copy.otherwise);
    if (!body || !otherwise) return false;
    copy.body = std::move(*body), copy.otherwise = std::move(*otherwise);
    copy.isChained &= copy.otherwise.size() == 1 && copy.otherwise.front().kind == StatementKind::If;
    const bool isBare = copy.kind == StatementKind::Block && llvm::none_of(copy.body, [](const Statement& inner) {
                          return inner.kind == StatementKind::Define;
                        });
    if (isBare)
      all.insert(all.end(), copy.body.begin(), copy.body.end());
    else
      all.push_back(std::move(copy));
    return true;
  }

  bool count(const Statement& statement) {
    const unsigned nodes = nodesOf({{StatementKind::Evaluate, "", statement.value}});
    if (nodes > room_) return false;
    room_ -= nodes;
    return true;
  }

  bool addSteps(const Statement& loop, Statements& all) {
    const std::optional<LoopHead> head = anyHeadOf(loop);
    if (!head || hasJump(loop.body)) return false;
    const auto type = types_.find(head->variable);
    if (type == types_.end()) return false;
    auto at = numberOf(folded(cast(type->second, head->first)));
    if (!at || std::abs(at->value) > kFarthest) return false;
    std::map<std::string, std::string> own;
    definedIn(loop.body, own);
    if (own.count(head->variable)) return false;
    for (;; ++at->value) {
      const auto goesOn = numberOf(folded(binary(head->isInclusive ? "<=" : "<", literalOf(*at), head->end)));
      if (!goesOn) return false;
      if (goesOn->value == 0) break;
      if (!addStep(loop.body, head->variable, *at, own, all)) return false;
    }
    if (head->isOutside) all.push_back(evaluate(assign(name(head->variable), literalOf(*at))));
    return true;
  }

  bool addStep(const Statements& body, const std::string& variable, const Number& value,
               const std::map<std::string, std::string>& own, Statements& all) {
    if (steps_ == kMostSteps) return false;
    const std::string suffix = separator_ + std::to_string(steps_++);
    const auto nameOf = [&](const std::string& name) { return name + suffix; };
    const auto valueOf = [&](const Expression& expression) {
      return rewritten(expression, [&](const Expression& part) -> std::optional<Expression> {
        if (part.kind() != ExpressionKind::Name) return std::nullopt;
        if (part.text() == variable) return literalOf(value);
        return own.count(part.text()) ? std::optional(name(nameOf(part.text()))) : std::nullopt;
      });
    };
    for (const auto& [name, type] : own) types_[nameOf(name)] = type;
    const Statements step = renamed(body, nameOf, valueOf);
    return llvm::all_of(step, [&](const Statement& statement) { return add(statement, all); });
  }

  static constexpr unsigned kMostSteps = 256;
  static constexpr std::int64_t kFarthest = 1 << 30;  // steps from there on are numbers of 32 bits

  const std::string separator_;
  std::map<std::string, std::string> types_;  // of variables; "": several of a name have others
  unsigned room_, steps_ = 0;
};

}  // namespace

std::optional<Statements> withoutLoops(const Statements& code, unsigned mostNodes) {
  return hasLoop(code) ? Writer(code, mostNodes).write(code) : std::nullopt;
}

}  // namespace muster::plugin::passes
