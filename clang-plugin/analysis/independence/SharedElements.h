// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which iterations of a loop touch elements that others of them write.
#pragma once

#include "analysis/facts/Context.h"

namespace muster::plugin {

// The magnitude of a loop's step; 0 where it is no constant.
std::int64_t constantStep(const clang::ASTContext& ast, const DimFact& dim);

class SharedElements {
 public:
  // exactOrder: of updates whose order shows in the result, as rounding does, the order has to be kept.
  SharedElements(const LoopContext& context, bool exactOrder)
      : context_(context), facts_(context.facts), exactOrder_(exactOrder) {}

  // Whether it is shown, for the loop whose variable has this number in the walk and for fixed values of those outside
  // of it, that no iteration touches an element that another one writes. step: of the loop, in units of its variable.
  bool none(unsigned number, std::int64_t step) const { return none(number, step, nullptr); }
  // The same where these numbers, of symbols that only the launch knows, are at least 1: columns are apart, rows are
  // not longer than their pitch. None: it is not shown even then.
  std::optional<std::vector<Polynomial>> noneIfPositive(unsigned number, std::int64_t step) const;
  // Of a loop inside an iteration that counts by one, where only the accesses in it count. Its iterations are apart but
  // for one, perhaps, where the variable has the value `pivot`.
  struct Apart {
    std::vector<Polynomial> positive;  // while these are at least 1
    std::optional<AffineExpr> pivot;
  };
  std::optional<Apart> apartInside(unsigned number) const;
  // At most the largest value of a loop's variable less the smallest one; none if that is not known.
  std::optional<Polynomial> extentOf(unsigned number) const;

 private:
  bool inAnyOrder(const AccessFact& access) const;
  bool updatedOnly(const AccessFact& update) const;
  bool none(unsigned number, std::int64_t step, std::vector<Polynomial>* assumed) const;
  bool ownElements(const AccessFact& write, unsigned number, std::vector<Polynomial>* assumed) const;
  bool conflict(const AccessFact& write, const AccessFact& other, unsigned number, std::int64_t step) const;
  bool apart(const AccessFact& write, const AccessFact& other, unsigned number, Apart& result) const;
  bool inOtherRows(const AffineExpr& write, const AffineExpr& difference, unsigned number, Apart& result) const;
  bool atPivot(const AffineExpr& difference, unsigned number, Apart& result) const;
  void takeReach(std::optional<Polynomial>& room, unsigned number, const Polynomial& step) const;

  const LoopContext& context_;
  const LoopFacts& facts_;
  const bool exactOrder_;
};

// Whether iterations of the directive's loops may give each other values, through elements or through variables that
// each thread has for itself: allowed where OpenMP gives all of them to one thread, in their order.
bool mayCarryValues(const LoopContext& context);
// Whether that may also be so within a part of the iterations that one thread gets. Then it is not by what reductions'
// variables hold so far: parts before have left something in them.
bool mayCarryInChunks(const LoopContext& context);
// Whether elements that the loop writes may have another name in it: only a launch knows.
bool mayBeOneArray(const LoopFacts& facts);
// Whether an iteration may use what earlier ones made of a reduction's variable: one thread's is the sum so far.
bool usesSumsSoFar(const LoopContext& context);
// Whether iterations next to each other seem to do so: `omp tile` and `omp unroll` give them to one thread.
bool neighboursCarryValues(const LoopContext& context);

}  // namespace muster::plugin
