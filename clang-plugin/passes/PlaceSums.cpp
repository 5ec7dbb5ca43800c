// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/PlaceSums.h"

#include "ir/Fold.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace muster::plugin::passes {

using namespace ir;

static constexpr std::size_t kMostProducts = 32;

bool addTo(Sum& sum, const Sum& other, std::int64_t times) {
  for (const auto& [product, factor] : other) {
    std::int64_t scaled = 0, total = 0;
    if (llvm::MulOverflow(factor, times, scaled) || llvm::AddOverflow(sum[product], scaled, total)) return false;
    sum[product] = total;
    if (total == 0) sum.erase(product);
  }
  return sum.size() <= kMostProducts;
}

static std::optional<Sum> product(const Sum& left, const Sum& right) {
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

std::optional<Sum> Places::sumOf(const Expression& value) const {
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

std::optional<Sum> Places::sumOfBinary(const Expression& value) const {
  std::optional<Sum> left = sumOf(value.part(0)), right = sumOf(value.part(1));
  if (!left || !right) return std::nullopt;
  if (value.text() == "*") return product(*left, *right);
  if (value.text() != "+" && value.text() != "-") return std::nullopt;
  return addTo(*left, *right, value.text() == "+" ? 1 : -1) ? left : std::nullopt;
}

std::optional<Sum> Places::sumOfName(const std::string& name) const {
  if (memory_.constantOf(name) >= 0) return mayWiden_(name) ? std::optional(Sum{{{name}, 1}}) : std::nullopt;
  const auto meaning = memory_.variables.meanings.find(name);
  if (meaning != memory_.variables.meanings.end())
    if (const auto sum = sumOf(meaning->second)) return sum;
  const auto type = memory_.variables.integers.find(name);
  const bool isKnown = type != memory_.variables.integers.end() && keepsSums(type->second);
  return isKnown && isFixed_(name) ? std::optional(Sum{{{name}, 1}}) : std::nullopt;
}

std::optional<std::pair<std::string, Sum>> Places::placeOf(const Expression& value) const {
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

}  // namespace muster::plugin::passes
