// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle: walks a loop nest as the program would.
#include "nests.h"

#include <gtest/gtest.h>

namespace muster::cap::testing {

namespace {

std::int64_t valueOf(const AffineForm& form, const std::vector<std::int64_t>& values) {
  std::int64_t sum = form.constant;
  for (std::size_t v = 0; v < form.coefficients.size(); ++v) {
    if (form.coefficients[v] != 0) sum += form.coefficients[v] * values.at(v);
  }
  return sum;
}

std::int64_t roundedDown(std::int64_t value, std::int64_t divisor) {
  std::int64_t quotient = value / divisor;
  while (quotient * divisor > value) --quotient;
  return quotient;
}

class Walk {
 public:
  Walk(const Access& access, const IterationSpace& space, std::int64_t lo, std::int64_t hi, Nesting nesting,
       const std::function<void(std::int64_t)>& visit)
      : access_(access), space_(space), lo_(lo), hi_(hi), nesting_(nesting), visit_(visit) {}

  void run() { step(0); }

 private:
  void step(std::size_t variable) {
    if (variable == space_.dims.size() + space_.inner.size()) {
      visit_(valueOf(access_.index, values_));
      return;
    }
    if (variable < space_.dims.size()) {
      const Dim& dim = space_.dims[variable];
      for (std::int64_t k = variable == 0 ? lo_ : 0; k < (variable == 0 ? hi_ : dim.count); ++k) {
        descend(variable, dim.first + k * dim.step);
      }
      return;
    }
    if (nesting_ == Nesting::neededLoops && !needs(access_, space_, variable)) {
      descend(variable, 0);  // not inside this loop
      return;
    }
    const InnerVariable& inner = space_.inner[variable - space_.dims.size()];
    const std::int64_t last = roundedDown(valueOf(inner.largest, values_), inner.divisor);
    for (std::int64_t x = roundedDown(valueOf(inner.smallest, values_), inner.divisor); x <= last; ++x)
      descend(variable, x);
  }

  void descend(std::size_t variable, std::int64_t value) {
    values_.push_back(value);
    step(variable + 1);
    values_.pop_back();
  }

  const Access& access_;
  const IterationSpace& space_;
  std::int64_t lo_, hi_;
  Nesting nesting_;
  const std::function<void(std::int64_t)>& visit_;
  std::vector<std::int64_t> values_;
};

AffineForm randomForm(Random& random, std::size_t variables, std::int64_t constantLo, std::int64_t constantHi,
                      double dependent) {
  AffineForm form;
  form.constant = pick(random, constantLo, constantHi);
  form.coefficients.assign(variables, 0);
  if (variables > 0 && chance(random, dependent)) {
    form.coefficients[static_cast<std::size_t>(pick(random, 0, static_cast<std::int64_t>(variables) - 1))] =
        pick(random, -2, 2);
  }
  return form;
}

}  // namespace

bool needs(const Access& access, const IterationSpace& space, std::size_t v) {
  const auto uses = [v](const AffineForm& form) { return v < form.coefficients.size() && form.coefficients[v] != 0; };
  if (uses(access.index)) return true;
  for (std::size_t i = 0; i < space.inner.size(); ++i) {
    const std::size_t other = space.dims.size() + i;
    if (other > v && (uses(space.inner[i].smallest) || uses(space.inner[i].largest)) && needs(access, space, other)) {
      return true;
    }
  }
  return false;
}

void forEachTouch(const Access& access, const IterationSpace& space, std::int64_t lo, std::int64_t hi, Nesting nesting,
                  const std::function<void(std::int64_t)>& visit) {
  Walk(access, space, lo, hi, nesting, visit).run();
}

std::set<std::int64_t> touched(const Access& access, const IterationSpace& space, std::int64_t lo, std::int64_t hi,
                               std::int64_t offset, std::int64_t count, Nesting nesting, bool* outside) {
  std::set<std::int64_t> elements;
  forEachTouch(access, space, lo, hi, nesting, [&](std::int64_t index) {
    const std::int64_t element = index + offset;
    if (element >= 0 && element < count) {
      elements.insert(element);
    } else if (outside != nullptr) {
      *outside = true;
    }
  });
  return elements;
}

IntervalSet asSet(const std::set<std::int64_t>& elements) {
  IntervalSet set;
  for (const std::int64_t e : elements) set.add(Interval{e, e + 1});
  return set;
}

IterationSpace randomSpace(Random& random, std::int64_t largestCount) {
  IterationSpace space;
  const std::int64_t dims = pick(random, 1, 3);
  for (std::int64_t d = 0; d < dims; ++d) {
    const std::int64_t step = chance(random, 0.6) ? 1 : pick(random, 1, 4) * (chance(random, 0.5) ? 1 : -1);
    space.dims.push_back({pick(random, -3, 12), step, pick(random, chance(random, 0.05) ? 0 : 1, largestCount)});
  }
  const std::int64_t inner = pick(random, 0, 2);
  for (std::int64_t i = 0; i < inner; ++i) {
    const std::size_t earlier = space.dims.size() + static_cast<std::size_t>(i);
    InnerVariable variable;
    variable.smallest = randomForm(random, earlier, -2, 3, 0.3);
    variable.largest = randomForm(random, earlier, 0, 6, 0.3);
    if (chance(random, 0.4)) {
      variable.divisor = pick(random, 1, 5);
      if (chance(random, 0.7)) variable.smallest = variable.largest = randomForm(random, earlier, -9, 9, 0.9);
    }
    space.inner.push_back(variable);
  }
  return space;
}

TEST(NestOracle, WalksTheLoopsThatTheAccessNeeds) {
  // for i in 0..3: { a[2 * i]; for (k = 0; k <= i - 1; ++k) a[10 + k]; }
  const IterationSpace space{{loop(0, 3)}, {{{{0}, 0}, {{1}, -1}}}};
  EXPECT_EQ(asSet(touched(read(0, {2}), space, 0, 3, 0, 100, Nesting::neededLoops)),
            (IntervalSet{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(asSet(touched(read(0, {2}), space, 0, 3, 0, 100, Nesting::allLoops)), (IntervalSet{{2, 3}, {4, 5}}));
  EXPECT_EQ(asSet(touched(read(0, {0, 1}, 10), space, 0, 3, 0, 100, Nesting::neededLoops)), (IntervalSet{{10, 12}}));
  bool outside = false;
  EXPECT_EQ(asSet(touched(read(0, {1}), space, 0, 3, 4, 6, Nesting::neededLoops, &outside)), (IntervalSet{{4, 6}}));
  EXPECT_TRUE(outside);
}

}  // namespace muster::cap::testing
