// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of elements as sums of products of names, by which two places can be told to be so far apart:
// a[(i - 1) * n + j] is i * n - n + j elements behind the first one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/Elements.h"

namespace muster::plugin::passes {

// A factor for each product of names, which are sorted. Longer sums are not worth the compiler's time.
using Product = std::vector<std::string>;
using Sum = std::map<Product, std::int64_t>;

// False: it overflows, or becomes too long.
bool addTo(Sum& sum, const Sum& other, std::int64_t times);

class Places {
 public:
  // `mayWiden`: launch constants whose products and sums have the same value in 64 bits. `isFixed`: variables of the
  // code that have one value where places are asked for. All have to stay.
  Places(const Memory& memory, const IsInteger& mayWiden, const IsInteger& isFixed)
      : memory_(memory), mayWiden_(mayWiden), isFixed_(isFixed) {}

  // None: it is something else than a sum of products.
  std::optional<Sum> sumOf(const ir::Expression& value) const;
  // Of an element, and which array's it is. None: it is no element of numbers, or its place is no such sum.
  std::optional<std::pair<std::string, Sum>> placeOf(const ir::Expression& value) const;

 private:
  std::optional<Sum> sumOfBinary(const ir::Expression& value) const;
  std::optional<Sum> sumOfName(const std::string& name) const;

  const Memory& memory_;
  const IsInteger& mayWiden_;
  const IsInteger& isFixed_;
};

}  // namespace muster::plugin::passes
