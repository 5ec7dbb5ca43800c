// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Neighbours.h"

#include <cstdlib>
#include <utility>

#include "ir/Changes.h"
#include "ir/Fold.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

// The sum of factors times products of names, which are sorted.
using Product = std::vector<std::string>;
using Sum = std::map<Product, std::int64_t>;

// Longer ones are not worth the compiler's time.
constexpr std::size_t kMostProducts = 32;
// So many elements have to follow from one.
constexpr unsigned kFewest = 3;

bool addTo(Sum& sum, const Sum& other, std::int64_t times) {
  for (const auto& [product, factor] : other) {
    std::int64_t scaled = 0, total = 0;
    if (llvm::MulOverflow(factor, times, scaled) || llvm::AddOverflow(sum[product], scaled, total)) return false;
    sum[product] = total;
    if (total == 0) sum.erase(product);
  }
  return sum.size() <= kMostProducts;
}

std::optional<Sum> product(const Sum& left, const Sum& right) {
  Sum all;
  for (const auto& [names, factor] : left) {
    Sum part;
    for (const auto& [others, times] : right) {
      Product both = names;
      both.insert(both.end(), others.begin(), others.end());
      llvm::sort(both);
      part[both] = times;
    }
    if (!addTo(all, part, factor)) return std::nullopt;
  }
  return all;
}

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
      : code_(code), memory_(memory), mayWiden_(mayWiden) {
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
    const std::string type = (stored_.count(first.array) ? "" : "const ") + memory_.numbersOf(first.array).type;
    return define("__global " + type + " *" + first.pointer, addressOf(first.element), first.pointer);
  }

  // ---- places ----

  std::optional<Sum> sumOf(const Expression& value) const {
    if (const auto number = numberOf(value))
      return number->isUnsigned && !number->isLong ? std::nullopt
             : number->value == 0                  ? std::optional(Sum())
                                                   : std::optional(Sum{{{}, number->value}});
    switch (value.kind()) {
      case ExpressionKind::Name:
        return sumOfName(value.text());
      case ExpressionKind::Parentheses:
        return sumOf(value.part(0));
      case ExpressionKind::Cast:
        return value.text() == "long" || value.text() == "ulong" ? sumOf(value.part(0)) : std::nullopt;
      case ExpressionKind::Binary:
        return sumOfBinary(value);
      default:
        return std::nullopt;
    }
  }

  std::optional<Sum> sumOfBinary(const Expression& value) const {
    std::optional<Sum> left = sumOf(value.part(0)), right = sumOf(value.part(1));
    if (!left || !right) return std::nullopt;
    if (value.text() == "*") return product(*left, *right);
    if (value.text() != "+" && value.text() != "-") return std::nullopt;
    return addTo(*left, *right, value.text() == "+" ? 1 : -1) ? left : std::nullopt;
  }

  std::optional<Sum> sumOfName(const std::string& name) const {
    if (memory_.constantOf(name) >= 0) return mayWiden_(name) ? std::optional(Sum{{{name}, 1}}) : std::nullopt;
    const auto meaning = memory_.variables.meanings.find(name);
    if (meaning != memory_.variables.meanings.end())
      if (const auto sum = sumOf(meaning->second)) return sum;
    const auto type = memory_.variables.integers.find(name);
    const bool isKnown = type != memory_.variables.integers.end() && (type->second == "int" || type->second == "long");
    return isKnown && isInSight(name) && !changes(code_, name) ? std::optional(Sum{{{name}, 1}}) : std::nullopt;
  }

  // In front of the statement.
  bool isInSight(const std::string& name) const {
    const auto defined = definedAt_.find(name);
    return defined != definedAt_.end() && defined->second < at_;
  }

  std::optional<std::pair<std::string, Sum>> placeOf(const Expression& value) const {
    if (value.kind() != ExpressionKind::Subscript) return std::nullopt;
    const std::string array = rootOf(value);
    if (!memory_.isArray(array) || !isElementOf(array, value, memory_)) return std::nullopt;
    const Memory::Numbers numbers = memory_.numbersOf(array);
    if (numbers.type.empty()) return std::nullopt;
    Sum place;
    std::int64_t stride = 1;
    auto length = numbers.lengths.rbegin();
    for (Expression part = value; part.kind() == ExpressionKind::Subscript; part = part.part(0)) {
      const auto index = sumOf(part.part(1));
      if (!index || !addTo(place, *index, stride)) return std::nullopt;
      if (length == numbers.lengths.rend()) break;
      if (llvm::MulOverflow(stride, static_cast<std::int64_t>(*length), stride)) return std::nullopt;
      ++length;
    }
    return std::pair(array, std::move(place));
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
    const auto place = placeOf(part);
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
    const auto place = placeOf(part);
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
  const IsInteger& mayWiden_;
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
