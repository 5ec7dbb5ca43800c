// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Unroll.h"

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/CountedLoops.h"
#include "passes/LaneMasks.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

struct WideRead {
  Element element;
  Expression first;  // as the loop names it
  std::string name;
};

class Unroller {
 public:
  Unroller(const Memory& memory, Alignment& alignment) : memory_(memory), alignment_(alignment) {}

  Statements unrolled(const Statements& statements) {
    Statements code;
    for (const Statement& statement : statements) {
      Statement copy = statement;
      copy.body = unrolled(statement.body), copy.otherwise = unrolled(statement.otherwise);
      const std::optional<Statement> other = ofLoop(statement);
      code.push_back(other ? *other : std::move(copy));
    }
    return code;
  }

 private:
  std::optional<Statement> ofLoop(const Statement& loop) {
    const std::optional<LoopHead> head = headOf(loop);
    if (!head || !mayReadAhead(loop.body) || !staysSame(head->end, loop.body)) return std::nullopt;
    std::uint64_t first = 0;
    if (!isNumber(head->first) || llvm::StringRef(head->first.text()).getAsInteger(10, first) || first % steps != 0)
      return std::nullopt;
    const std::vector<WideRead> reads = readsOf(loop.body, head->variable);
    if (reads.empty()) return std::nullopt;
    const Expression variable = name(head->variable);
    // The end may be a number without sign, from which not everything can be subtracted.
    const Expression isRoom =
        binary("&&", loop.value, binary(">", binary("-", head->end, variable), literal(std::to_string(steps - 1))));
    Statement wide{StatementKind::For, "", isRoom, assign(variable, literal(std::to_string(steps)), "+=")};
    for (const WideRead& read : reads)
      wide.body.push_back(wideLoad(read.name, memory_.numbersOf(read.element.array).type, steps, read.first));
    for (std::int64_t step = 0; step < steps; ++step)
      wide.body.push_back({StatementKind::Block, "", {}, {}, {}, bodyOf(loop, *head, reads, step)});
    Statement rest = loop;
    rest.first.clear();
    return Statement{StatementKind::Block, "", {}, {}, {}, {loop.first.front(), std::move(wide), std::move(rest)}};
  }

  Statements bodyOf(const Statement& loop, const LoopHead& head, const std::vector<WideRead>& reads,
                    std::int64_t step) const {
    const auto moved = [&](const Expression& part) -> std::optional<Expression> {
      if (step == 0 || !part.is(ExpressionKind::Name, head.variable)) return std::nullopt;
      return binary("+", part, literal(std::to_string(step)));
    };
    return rewritten(loop.body, [&](const Expression& part) -> std::optional<Expression> {
      if (part.is(ExpressionKind::Prefix, "&")) return prefix("&", rewritten(part.part(0), moved));
      if (part.kind() == ExpressionKind::Subscript)
        if (const auto element = along(part, head.variable))
          for (const WideRead& read : reads)
            if (isSame(read.element, *element))
              return partOfWide(read.name, step, memory_.numbersOf(read.element.array).type);
      return moved(part);
    });
  }

  // No loops and jumps, and no effects on memory, which could change what is read ahead.
  static bool mayReadAhead(const Statements& body) {
    bool is = llvm::all_of(body, ir::isSimple);
    forEach(body, [&](const Expression& part) {
      const Expression* target = changedBy(part);
      const bool isOwn = !target || target->kind() == ExpressionKind::Name || part.is(ExpressionKind::Prefix, "&");
      is &= (part.kind() != ExpressionKind::Call || isOpaqueByte(part)) && isOwn;
    });
    return is;
  }

  static bool staysSame(const Expression& end, const Statements& body) {
    bool stays = true;
    forEach(end, [&](const Expression& part) {
      const bool isVariable = part.kind() == ExpressionKind::Name;
      stays &= isVariable ? !changes(body, part.text())
                          : part.kind() == ExpressionKind::Literal || part.kind() == ExpressionKind::Binary ||
                                part.kind() == ExpressionKind::Cast || part.kind() == ExpressionKind::Parentheses;
    });
    return stays;
  }

  std::optional<Element> along(const Expression& read, const std::string& variable) const {
    auto element = elementOf(read, variable, memory_, [&](const Expression& part) { return !names(part, variable); });
    const bool is = element && element->sum.column == 1 && element->sum.constant % steps == 0;
    return is ? element : std::nullopt;
  }

  std::vector<WideRead> readsOf(const Statements& body, const std::string& variable) {
    std::vector<WideRead> wide;
    for (const Statement& statement : body) {
      std::vector<Expression> reads;
      certainReads(statement.value, reads);
      for (const Expression& read : reads) {
        const auto element = along(read, variable);
        const auto isThere = [&](const WideRead& other) { return element && isSame(other.element, *element); };
        if (!element || memory_.numbersOf(element->array).bytes > 4 || llvm::any_of(wide, isThere) ||
            definesPart(body, read, *element) || !canBeAligned(*element, steps, memory_, alignment_))
          continue;
        wide.push_back({*element, read, "muster_w" + std::to_string(made_++)});
      }
    }
    return wide;
  }

  // The place depends on what the body itself defines or changes.
  static bool definesPart(const Statements& body, const Expression& read, const Element& element) {
    std::vector<Expression> parts = element.sum.terms;
    Expression base = read;
    for (; base.kind() == ExpressionKind::Subscript; base = base.part(0)) parts.push_back(base.part(1));
    parts.push_back(base);
    return llvm::any_of(parts, [&](const Expression& term) {
      return llvm::any_of(body, [&](const Statement& statement) {
        return (statement.kind == StatementKind::Define && names(term, statement.name)) || changesAny(body, term);
      });
    });
  }
  static bool changesAny(const Statements& body, const Expression& term) {
    bool any = false;
    forEach(term, [&](const Expression& part) {
      any |=
          part.kind() == ExpressionKind::Name ? changes(body, part.text()) : part.kind() == ExpressionKind::Subscript;
    });
    return any;
  }

  static constexpr std::int64_t steps = unrolledSteps;
  const Memory& memory_;
  Alignment& alignment_;
  unsigned made_ = 0;
};

}  // namespace

Statements unrollAlongMemory(const Statements& code, const Memory& memory, Alignment& alignment) {
  return Unroller(memory, alignment).unrolled(code);
}

}  // namespace muster::plugin::passes
