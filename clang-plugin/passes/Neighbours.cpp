// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Neighbours.h"

#include <cstdlib>
#include <utility>

#include "ir/Changes.h"
#include "ir/Fold.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/PlaceSums.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

// So many elements have to follow from one.
constexpr unsigned kFewest = 3;

// An element from which others are named.
struct First {
  std::string array, pointer;
  Sum place;
  Expression element;
  std::size_t statement = 0;  // in front of which the pointer is defined
  unsigned uses = 0;
};

class Namer {
 public:
  Namer(const Statements& code, const Memory& memory, const IsInteger& mayWiden)
      : code_(code),
        memory_(memory),
        isFixed_([this](const std::string& name) { return isInSight(name) && !changes(code_, name); }),
        places_(memory, mayWiden, isFixed_) {
    for (std::size_t i = 0; i < code.size(); ++i)
      if (code[i].kind == StatementKind::Define) definedAt_.emplace(code[i].name, i);
    std::set<std::string> names;
    dropHidden(code, names);
  }

  Statements make() {
    for (at_ = 0; at_ < code_.size(); ++at_)
      forEach(Statements{code_[at_]}, [&](const Expression& part) { note(part); });
    llvm::erase_if(firsts_, [](const First& first) { return first.uses < kFewest; });
    unsigned made = 0;
    for (First& first : firsts_) first.pointer = "muster_p" + std::to_string(made++);
    Statements all;
    for (at_ = 0; at_ < code_.size(); ++at_) {
      for (const First& first : firsts_)
        if (first.statement == at_) all.push_back(definitionOf(first));
      all.push_back(rewritten(Statements{code_[at_]}, [&](const Expression& part) { return named(part); }).front());
    }
    return all;
  }

 private:
  // Of names that are defined several times, as in blocks inside.
  void dropHidden(const Statements& statements, std::set<std::string>& names) {
    for (const Statement& statement : statements) {
      if (statement.kind == StatementKind::Define && !names.insert(statement.name).second)
        definedAt_.erase(statement.name);
      for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise})
        dropHidden(*inside, names);
    }
  }

  Statement definitionOf(const First& first) const {
    const Memory::Numbers numbers = memory_.numbersOf(first.array);
    const bool isConst = numbers.isConst || stored_.count(first.array) == 0;
    return define("__global " + std::string(isConst ? "const " : "") + numbers.type + " *" + first.pointer,
                  addressOf(first.element), first.pointer);
  }

  // In front of the statement.
  bool isInSight(const std::string& name) const {
    const auto defined = definedAt_.find(name);
    return defined != definedAt_.end() && defined->second < at_;
  }

  // None: they are apart by something else than numbers and launch constants.
  std::optional<Sum> distance(const First& first, const Sum& place) const {
    Sum apart = place;
    const auto isOfConstants = [&](const auto& term) {
      return llvm::all_of(term.first, [&](const std::string& name) { return memory_.constantOf(name) >= 0; });
    };
    return addTo(apart, first.place, -1) && llvm::all_of(apart, isOfConstants) ? std::optional(apart) : std::nullopt;
  }

  // ---- elements ----

  void note(const Expression& part) {
    if (const Expression* target = changedBy(part)) stored_.insert(rootOf(*target));
    const auto place = places_.placeOf(part);
    if (!place) return;
    for (First& first : firsts_)
      if (first.array == place->first && distance(first, place->second)) {
        ++first.uses;
        return;
      }
    if (!isCertain(part)) return;
    bool mayStand = true;
    forEach(part, [&](const Expression& each) {
      mayStand &= each.kind() != ExpressionKind::Name || isInSight(each.text()) || memory_.isArray(each.text()) ||
                  memory_.constantOf(each.text()) >= 0;
    });
    if (mayStand) firsts_.push_back({place->first, "", place->second, part, at_, 1});
  }

  // Whether the statement touches the element in any case. The index of one behind a condition may overflow.
  bool isCertain(const Expression& element) const {
    const Statement& statement = code_[at_];
    if (!isSimple(statement)) return false;
    std::vector<Expression> touched;
    certainReads(statement.value, touched);
    if (statement.value.kind() == ExpressionKind::Assign) touched.push_back(statement.value.part(0));
    return llvm::is_contained(touched, element);
  }

  std::optional<Expression> named(const Expression& part) const {
    const auto place = places_.placeOf(part);
    if (!place) return std::nullopt;
    for (const First& first : firsts_)
      if (first.array == place->first && first.statement <= at_)
        if (const auto apart = distance(first, place->second)) return subscript(name(first.pointer), textOf(*apart));
    return std::nullopt;
  }

  static Expression textOf(const Sum& sum) {
    Expression text;
    for (const auto& [names, factor] : sum) {
      Expression term = literalOf({names.empty() ? std::abs(factor) : 1});
      if (!names.empty()) {
        term = cast("long", name(names.front()));
        for (const std::string& other : llvm::ArrayRef(names).drop_front()) term = binary("*", term, name(other));
        if (std::abs(factor) != 1) term = binary("*", term, literalOf({std::abs(factor)}));
      }
      if (!text)
        text = factor < 0 ? prefix("-", term) : term;
      else
        text = binary(factor < 0 ? "-" : "+", text, term);
    }
    return text ? text : literalOf({0});
  }

  const Statements& code_;
  const Memory& memory_;
  const IsInteger isFixed_;
  const Places places_;
  std::map<std::string, std::size_t> definedAt_;
  std::vector<First> firsts_;
  std::set<std::string> stored_;
  std::size_t at_ = 0;
};

}  // namespace

Statements namedFromFirst(const Statements& code, const Memory& memory, const IsInteger& mayWiden) {
  return Namer(code, memory, mayWiden).make();
}

}  // namespace muster::plugin::passes
