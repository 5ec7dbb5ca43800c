// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that a loop adds up: whose only use in it is that its iterations combine them with values of their own by
// an operation that has no order. So work-items may share the iterations, each with a part of its own, and combine the
// parts (passes/GroupLoops.h).
//
//   for (j = 0; j < n; ++j) { sum += a[j]; most = a[j] > most ? a[j] : most; if (a[j] == 0) ++zeros; }
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/Statement.h"

namespace muster::plugin::passes {

enum class SumOperator { Add, Multiply, Least, Most, And, Or, Xor };

struct LoopSum {
  std::string variable, type;
  SumOperator op = SumOperator::Add;
};

// What a part begins with. None: the variable's value, which the operator may have twice.
ir::Expression startOf(const LoopSum& sum);
ir::Expression combined(const LoopSum& sum, const ir::Expression& left, const ir::Expression& right);

// How the loop adds up each of the variables, which it changes. None: it does something else with one of them. `typeOf`
// gives the type of a number; "": it is none. Sums of these types may have any order.
std::optional<std::vector<LoopSum>> sumsOf(const ir::Statement& loop, const std::set<std::string>& variables,
                                           const std::function<std::string(const std::string&)>& typeOf);

}  // namespace muster::plugin::passes
