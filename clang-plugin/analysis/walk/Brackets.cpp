// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic that has no affine form: the result is one of a few forms, or a bracket, a new variable of which only
// bounds are known (never too small; the argument stands with each rule).
#include "analysis/walk/BodyWalker.h"

namespace muster::plugin {

using namespace clang;

// More cases of `x % n` than this are not worth an access each.
static constexpr std::int64_t mostTurns = 3;
// How far a periodic neighbour may be for the launch to check that the array is larger.
static constexpr std::int64_t farthestNeighbour = 64;

static void takeGuards(AffineExpr& form, const AffineExpr& from) {
  form.guards.insert(from.guards.begin(), from.guards.end());
}

// What is known of a divisor: it is not negative less 1.
static Polynomial lessOne(const AffineExpr& divisor) {
  auto less = add(divisor.constant, constantPolynomial(-1));
  return less ? *less : Polynomial{};
}

static std::optional<AffineExpr> times(const AffineExpr& form, std::int64_t factor) {
  return multiply(form, constantForm(factor));
}

// A divisor that is at least 1: a launch where it is not runs on the host.
std::optional<AffineExpr> BodyWalker::divisorOf(const Value& value, QualType type) {
  if (value.forms.size() != 1 || !value.forms.front().factors.empty()) return std::nullopt;
  AffineExpr divisor = value.forms.front();
  if (auto constant = constantValue(divisor)) {
    // The sign of a divisor does not change the remainder.
    if (*constant < 0 && *constant > INT64_MIN && type->isSignedIntegerOrEnumerationType()) return times(divisor, -1);
    return *constant > 0 ? std::optional(divisor) : std::nullopt;
  }
  if (!provablyAtLeast(divisor, constantForm(1))) guard(divisor, 1, INT64_MAX);
  return divisor;
}

// What was found for the same operands in code around this one: there it is the same value, and so it is here.
BodyWalker::Division& BodyWalker::divisionOf(const AffineExpr& dividend, const AffineExpr& divisor, bool isSigned,
                                             Rounding rounding) {
  for (Division& known : divisions_)
    if (sameForm(known.dividend, dividend) && sameForm(known.divisor, divisor) && known.isSigned == isSigned &&
        known.rounding == rounding && known.enclosing.size() <= enclosing_.size() &&
        std::equal(known.enclosing.begin(), known.enclosing.end(), enclosing_.begin()))
      return known;
  divisions_.push_back({dividend, divisor, isSigned, rounding, enclosing_, std::nullopt, std::nullopt});
  return divisions_.back();
}

// Whether a number cannot be negative where the divisor is at least `needed`, which is raised for that, within reason.
bool BodyWalker::notNegativeFor(const AffineExpr& number, const AffineExpr& divisor, const Polynomial& assumed,
                                std::int64_t& needed) const {
  auto least = extremeOf(number, false, &assumed);
  if (!least) return false;
  if (notNegative(*least, &assumed)) return true;
  Polynomial times, rest;
  if (constantValue(divisor) || !split(*least, divisor.constant, times, rest)) return false;
  const auto factor = constantValue(times), missing = constantValue(rest);
  if (!factor || !missing || *factor < 1 || *missing >= 0 || *missing < -farthestNeighbour) return false;
  needed = std::max(needed, (-*missing + *factor - 1) / *factor);
  return true;
}

// x % n with 0 <= x < k*n is x, x - n, ... or x - (k-1)*n; with -n < x < 0 it is x, since C rounds towards zero. Of an
// index that moves with the split loop these cases keep the relation to it: periodic neighbours. Where they are right
// from some small n on only, the launch checks it.
Value BodyWalker::turns(const AffineExpr& dividend, const AffineExpr& divisor, bool isSigned,
                        const Polynomial& assumed) {
  const bool moves = followsSplit(dividend);
  std::int64_t most = 0, needed = 1;
  auto holds = [&](const std::optional<AffineExpr>& number) {
    std::int64_t raised = needed;
    if (!number || !notNegativeFor(*number, divisor, assumed, raised) || (raised > 1 && !moves)) return false;
    needed = raised;
    return true;
  };
  const auto below = subtract(constantForm(-1), dividend);  // turn * n - 1 - x
  for (std::int64_t turn = 1; turn <= mostTurns && most == 0; ++turn)
    if (auto limit = times(divisor, turn); limit && below && holds(add(*limit, *below))) most = turn;
  const auto above = subtract(dividend, constantForm(1));  // n - 1 + x
  if (most == 0 || (most > 1 && !moves)) return {};
  if (!holds(dividend) && !(isSigned && above && holds(add(divisor, *above)))) return {};
  AffineExpr checked = divisor;
  if (needed > 1) guard(checked, needed, INT64_MAX);
  Value result;
  for (std::int64_t turn = 0; turn < most; ++turn) {
    auto passed = times(divisor, -turn);
    auto form = passed ? add(dividend, *passed) : std::nullopt;
    if (!form) return {};
    if (turn + 1 < most && provablyAtLeast(*form, divisor, &assumed)) continue;  // has turned at least once more
    takeGuards(*form, checked);
    result.forms.push_back(*form);
  }
  return result;
}

Value BodyWalker::remainder(const Value& left, const Value& right, QualType type) {
  const bool isSigned = type->isSignedIntegerOrEnumerationType();
  auto divisor = divisorOf(right, type);
  if (!divisor) return {};
  const Polynomial assumed = lessOne(*divisor);
  const std::string by = describe(*divisor);
  auto high = subtract(*divisor, constantForm(1));
  auto opposite = high ? times(*high, -1) : std::nullopt;
  if (!opposite) return {};
  takeGuards(*opposite, *divisor);
  // |x % n| <= |n| - 1, with the sign of x; unsigned numbers have none.
  auto bracket = [&](bool positive, const std::string& name) {
    return between(positive ? constantForm(0) : *opposite, *high, name + " % " + by);
  };
  if (left.forms.empty()) return bracket(!isSigned, "?");
  Value result;
  for (const AffineExpr& dividend : left.forms) {
    if (!isNumber(dividend, type)) return bracket(true, "?");
    Value part = turns(dividend, *divisor, isSigned, assumed);
    if (part.forms.empty()) {
      Division& known = divisionOf(dividend, *divisor, isSigned);
      if (!known.remainder) {
        const bool positive = provablyAtLeast(dividend, constantForm(0), &assumed);
        part = bracket(positive || !isSigned, describe(dividend));
        // The sign of the dividend is that of its form only under the form's guards.
        if (part.forms.front().factors.size() == 1 && positive && isSigned)
          takeGuards(context_.variables.back().smallest, dividend);
        known.remainder = part.forms.front();
      }
      part = Value::of(*known.remainder);
    }
    result = result.forms.empty() ? part : unite(result, part);
    if (result.forms.empty()) return bracket(!isSigned, "?");
  }
  return result;
}

// x / n without rounding, where n divides x, or what is left of it is in [0, n).
std::optional<AffineExpr> BodyWalker::exactQuotient(const AffineExpr& dividend, const AffineExpr& divisor,
                                                    const Polynomial& assumed) const {
  AffineExpr quotient, rest;
  for (const auto& [variable, factor] : dividend.factors) {
    Polynomial whole, left;
    if (!split(factor, divisor.constant, whole, left)) return std::nullopt;
    if (!whole.empty()) quotient.factors[variable] = whole;
    if (!left.empty()) rest.factors[variable] = left;
  }
  if (!split(dividend.constant, divisor.constant, quotient.constant, rest.constant)) return std::nullopt;
  auto room = subtract(divisor, constantForm(1));
  const bool exact = rest.factors.empty() && rest.constant.empty();
  const bool rounded = provablyAtLeast(dividend, constantForm(0), &assumed) &&
                       provablyAtLeast(rest, constantForm(0), &assumed) && room &&
                       provablyAtLeast(*room, rest, &assumed);
  if (!exact && !rounded) return std::nullopt;
  takeGuards(quotient, dividend);
  takeGuards(quotient, divisor);
  return quotient;
}

// Bounds of x / n for x >= 0 and n >= 1: at most x, and at most (the largest x) / n, rounded down.
AffineExpr BodyWalker::mostQuotient(const AffineExpr& dividend, const AffineExpr& divisor,
                                    const Polynomial& assumed) const {
  AffineExpr most = dividend;
  auto largest = extremeOf(dividend, true, &assumed);
  Polynomial whole, rest;
  if (largest && split(*largest, divisor.constant, whole, rest)) {
    AffineExpr left, bound;
    left.constant = rest;
    bound.constant = whole;
    auto below = subtract(constantForm(-1), left);
    auto within = subtract(divisor, constantForm(1));
    if (below && provablyAtLeast(*below, constantForm(0), &assumed))
      most = *subtract(bound, constantForm(1));
    else if (within && provablyAtLeast(*within, left, &assumed))
      most = bound;
  }
  takeGuards(most, dividend);
  takeGuards(most, divisor);
  return most;
}

// x / n as a variable of its own, which has one value: x by n, rounded down. Rounded towards zero, a negative x / n is
// x + n - 1 by n, rounded down; where the sign of x is not known, it is either.
std::optional<AffineExpr> BodyWalker::quotientOf(const AffineExpr& dividend, const AffineExpr& divisor,
                                                 Rounding rounding, bool positive, const Polynomial& assumed) {
  auto room = subtract(divisor, constantForm(1));
  auto above = room ? add(dividend, *room) : std::nullopt;
  if (!above) return std::nullopt;
  const bool down = positive || rounding == Rounding::Down;
  const bool up = !down && provablyAtLeast(constantForm(0), dividend, &assumed);
  LoopVariable variable;
  variable.exact = down || up;
  variable.divisor = divisor.constant;
  variable.smallest = up ? *above : dividend;
  variable.largest = down ? dividend : *above;
  takeGuards(variable.smallest, divisor);
  const auto [low, high] = rangeOf(dividend);
  if (low) variable.minimum = positive ? 0 : std::min<std::int64_t>(*low, 0);
  if (high) variable.maximum = std::max<std::int64_t>(*high, 0);
  if (positive) {
    variable.minimum = 0;
    variable.least = constantForm(0);
    takeGuards(*variable.least, variable.smallest);
    variable.most = mostQuotient(dividend, divisor, assumed);
    variable.maximum = rangeOf(*variable.most).second;
  }
  return bracket(std::move(variable), describe(dividend) + " / " + describe(divisor)).forms.front();
}

Value BodyWalker::quotient(const Value& left, const Value& right, Rounding rounding, QualType type) {
  if (right.forms.size() != 1) return {};
  if (auto constant = constantValue(right.forms.front()); constant && *constant < 0) return {};
  auto divisor = divisorOf(right, type);
  if (!divisor || left.forms.empty()) return {};
  const Polynomial assumed = lessOne(*divisor);
  const bool isSigned = type->isSignedIntegerOrEnumerationType();
  Value result;
  for (const AffineExpr& dividend : left.forms) {
    if (!isNumber(dividend, type)) return {};
    auto part = exactQuotient(dividend, *divisor, assumed);
    if (!part) {
      const bool positive = !isSigned || provablyAtLeast(dividend, constantForm(0), &assumed);
      Division& known = divisionOf(dividend, *divisor, isSigned, positive ? Rounding::TowardsZero : rounding);
      if (!known.quotient) known.quotient = quotientOf(dividend, *divisor, rounding, positive, assumed);
      part = known.quotient;
    }
    if (!part) return {};
    result = result.forms.empty() ? Value::of(*part) : unite(result, Value::of(*part));
    if (result.forms.empty()) return {};
  }
  return result;
}

// x = n * (x / n) + x % n, so that an index of a matrix that was taken apart is put together again. Where x moves with
// the split loop, x % n is better expressed by x and x / n also if that leaves some of x / n.
AffineExpr BodyWalker::recombined(AffineExpr form) const {
  for (auto known = divisions_.rbegin(); known != divisions_.rend(); ++known) {
    if (!known->quotient || !known->remainder) continue;
    auto numberOf = [](const AffineExpr& bracket) -> std::optional<unsigned> {
      if (bracket.factors.size() != 1 || !bracket.constant.empty()) return std::nullopt;
      return bracket.factors.begin()->first;
    };
    const auto quotient = numberOf(*known->quotient), remainder = numberOf(*known->remainder);
    if (!quotient || !remainder || !form.factors.count(*quotient) || !form.factors.count(*remainder)) continue;
    auto taken = multiply(*known->quotient, known->divisor);
    auto value = taken ? subtract(known->dividend, *taken) : std::nullopt;
    auto whole = value ? substitute(form, *remainder, *value) : std::nullopt;
    if (whole && (!whole->factors.count(*quotient) || followsSplit(known->dividend))) form = *whole;
  }
  return form;
}

// Whether both operands are single numbers that are not negative, or may be taken as such: a guard sees to symbols.
bool BodyWalker::naturals(AffineExpr& left, AffineExpr& right, QualType type) {
  for (AffineExpr* form : {&left, &right}) {
    if (!isNumber(*form, type)) return false;
    if (provablyAtLeast(*form, constantForm(0))) continue;
    if (!form->factors.empty() || constantValue(*form)) return false;
    guard(*form, 0, INT64_MAX);
  }
  return true;
}

// In two's complement, x & (2^k - 1) is x modulo 2^k, and x & -2^k is what that leaves of x.
Value BodyWalker::maskedBy(const Value& left, std::int64_t mask, QualType type) {
  const bool low = mask >= 0 && (mask & (mask + 1)) == 0, high = mask < 0 && (-mask & (-mask - 1)) == 0;
  const std::int64_t part = low ? mask : -mask - 1;
  if ((!low && !high) || mask == INT64_MIN || part == INT64_MAX || left.forms.size() != 1 ||
      !isNumber(left.forms.front(), type))
    return {};
  const AffineExpr& value = left.forms.front();
  Value rest = provablyAtLeast(value, constantForm(0))
                   ? remainder(left, Value::of(constantForm(part + 1)), type)
                   : between(constantForm(0), constantForm(part), describe(value) + " & " + std::to_string(part));
  if (low || rest.forms.empty()) return rest;
  Value result;
  for (const AffineExpr& form : rest.forms)
    if (auto whole = subtract(value, form)) result.forms.push_back(*whole);
  return result.forms.size() == rest.forms.size() ? result : Value{};
}

// For numbers that are not negative: a & b <= a and b; a | b and a ^ b <= a + b; a | b >= a and b; a ^ b >= |a - b|.
// For b >= 0 and any a: 0 <= a & b <= b.
Value BodyWalker::bitwise(BinaryOperatorKind opcode, const Value& left, const Value& right, QualType type) {
  if (opcode == BO_And && right.forms.size() != 1 && left.forms.size() == 1) return bitwise(opcode, right, left, type);
  if (right.forms.size() != 1) return {};
  AffineExpr second = right.forms.front();
  if (opcode == BO_And) {
    if (auto mask = constantValue(second)) {
      Value value = maskedBy(left, *mask, type);
      if (!value.forms.empty()) return value;
    }
    if (auto mask = left.forms.size() == 1 ? constantValue(left.forms.front()) : std::nullopt; mask && *mask >= 0)
      return between(constantForm(0), left.forms.front(), "? & " + std::to_string(*mask));
    AffineExpr zero = constantForm(0);
    if (!second.factors.empty() || !naturals(zero, second, type)) return {};
    return between(zero, second, "? & " + describe(second));
  }
  if (left.forms.size() != 1) return {};
  AffineExpr first = left.forms.front();
  if (!naturals(first, second, type)) return {};
  auto sum = add(first, second), difference = subtract(first, second);
  if (!sum || !difference) return {};
  AffineExpr low = opcode == BO_Or ? first : *difference;
  takeGuards(low, second);
  return between(low, *sum, describe(first) + (opcode == BO_Or ? " | " : " ^ ") + describe(second));
}

Value BodyWalker::shifted(bool back, const Value& left, const Value& right, QualType type) {
  auto by = right.forms.size() == 1 ? constantValue(right.forms.front()) : std::nullopt;
  if (!by || *by < 0 || *by > 30) return {};
  const Value factor = Value::of(constantForm(std::int64_t(1) << *by));
  if (back) return quotient(left, factor, Rounding::Down, type);
  // Unlike a product, a shift may leave its type without being undefined.
  Value result = arithmetic(BO_Mul, left, factor, type);
  for (AffineExpr& form : result.forms) {
    if (context_.ast.getTypeSize(type) < 64 && !keepsValue(form, type)) return {};
    if (context_.ast.getTypeSize(type) == 64 && type->isSignedIntegerOrEnumerationType())
      guard(form, INT64_MIN, INT64_MAX);
  }
  return result;
}

// Bounds of `value` on one side that are numbers.
std::vector<AffineExpr> BodyWalker::numbersOf(const std::vector<AffineExpr>& bounds, QualType type) const {
  std::vector<AffineExpr> result;
  for (const AffineExpr& bound : bounds)
    if (isNumber(bound, type)) result.push_back(bound);
  return result;
}

Value BodyWalker::extremum(const Value& left, const Value& right, bool minimum, QualType type) {
  if (left.forms.size() == 1 && right.forms.size() == 1) {
    const AffineExpr &first = left.forms.front(), &second = right.forms.front();
    const bool numbers = isNumber(first, type) && isNumber(second, type);
    for (const bool firstIsLess : {true, false}) {
      const AffineExpr &low = firstIsLess ? first : second, &high = firstIsLess ? second : first;
      if (!numbers || !provablyAtLeast(high, low)) continue;
      Value result = Value::of(minimum ? low : high);
      takeGuards(result.forms.front(), minimum ? high : low);
      return result;
    }
  }
  Value result = unite(left, right);
  auto lows = [&](const Value& value) { return numbersOf(value.lowBounds(), type); };
  auto highs = [&](const Value& value) { return numbersOf(value.highBounds(), type); };
  // A minimum is not above either of its operands, so a bound of one is enough; on the other side it has to hold for
  // both.
  std::vector<AffineExpr> near = minimum ? highs(left) : lows(left), far;
  for (const AffineExpr& bound : minimum ? highs(right) : lows(right)) near.push_back(bound);
  const auto ofLeft = minimum ? lows(left) : highs(left), ofRight = minimum ? lows(right) : highs(right);
  for (const bool swapped : {false, true})
    for (const AffineExpr& bound : swapped ? ofRight : ofLeft)
      for (const AffineExpr& other : swapped ? ofLeft : ofRight)
        if (minimum ? provablyAtLeast(other, bound) : provablyAtLeast(bound, other)) {
          far.push_back(bound);
          takeGuards(far.back(), other);
        }
  result.atMost = minimum ? near : far;
  result.atLeast = minimum ? far : near;
  if (result.forms.size() == 1) result.atLeast.clear(), result.atMost.clear();
  return settled(result, minimum ? "minimum" : "maximum");
}

// An integer of which nothing but bounds is known becomes a bracket.
Value BodyWalker::settled(const Value& value, const char* name) {
  if (!value.forms.empty() || !value.pointers.empty() || value.atLeast.empty() || value.atMost.empty()) return value;
  return between(bestBound(value.atLeast), bestBound(value.atMost), name);
}

Value BodyWalker::magnitude(const Value& value, QualType type) {
  Value result;
  for (const AffineExpr& form : value.forms) {
    auto opposite = times(form, -1);
    if (!opposite || !isNumber(form, type)) return {};
    const bool positive = provablyAtLeast(form, constantForm(0));
    if (!provablyAtLeast(*opposite, constantForm(0)))
      result = result.forms.empty() ? Value::of(form) : unite(result, Value::of(form));
    if (!positive) result = result.forms.empty() ? Value::of(*opposite) : unite(result, Value::of(*opposite));
    if (result.forms.empty()) return {};
  }
  // |x| is not below x, -x and 0.
  if (value.forms.size() == 1 && result.forms.size() == 2) result.atLeast = result.forms;
  return result;
}

}  // namespace muster::plugin
