// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements of an array an expression names, as sums: a[(i - 1) * n + j + 2] is 1 * j + 2 + (i - 1) * n.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/Statement.h"

namespace muster::plugin::passes {

// Whether it names a variable.
bool names(const ir::Expression& expression, const std::string& variable);

// The variable of which an expression is a part; "": something else.
std::string rootOf(const ir::Expression& place);

// Of a pointer to a row, `a + i * n` or `&a[i * n]`: the sum or the element, whose parts are the pointer and the index.
// nullptr: it is written otherwise.
const ir::Expression* rowPlace(const ir::Expression& pointer);

// The expression with what `leaf` makes of its names and elements. None: `leaf` makes nothing of one of them, or there
// is something else in it than these, numbers, operators and casts.
using Leaf = std::function<std::optional<ir::Expression>(const ir::Expression&)>;
std::optional<ir::Expression> madeOf(const ir::Expression& value, const Leaf& leaf);

// "int" of `const int i`; "": it has another form, as a pointer or an array.
std::string typeOf(const ir::Statement& definition);

// Variables of an iteration.
struct Variables {
  std::map<std::string, ir::Expression> meanings;  // what they are defined as, wherever they are in sight
  std::map<std::string, std::string> integers;     // have a whole number, of this type
};
// `isInteger`: names of other things that have one.
using IsInteger = std::function<bool(const std::string& name)>;
Variables variablesIn(const ir::Statements& iteration, const IsInteger& isInteger);

// Whether it has a whole number: the code has no types. `isVariable`: names that have one.
bool isInteger(const ir::Expression& value, const IsInteger& isVariable);
// "char" to "ulong".
bool isWhole(const std::string& type);
// What a variable or a cast of such a type has is what it is made from, but for sums beyond the type's range, which no
// index in bounds is.
bool keepsSums(const std::string& type);

struct IndexSum {
  std::int64_t column = 0, constant = 0;  // factor of the column's variable
  std::vector<ir::Expression> terms;      // in which neither is

  void add(const IndexSum& other, std::int64_t sign);
};

// None: it is no sum of the variable, numbers, and what `isFixed` says to be the same for all its values. `isConstant`:
// whole numbers of the launch.
using IsFixed = std::function<bool(const ir::Expression&)>;
std::optional<IndexSum> indexSum(const ir::Expression& index, const std::string& column, const Variables& variables,
                                 const IsInteger& isConstant, const IsFixed& isFixed);

// Whether it is a multiple of a power of two, if certain launch constants are, which go to `constants`.
bool isMultiple(const ir::Expression& value, std::int64_t of, const Variables& variables,
                const std::function<int(const std::string&)>& constantOf, std::set<unsigned>& constants);

}  // namespace muster::plugin::passes
