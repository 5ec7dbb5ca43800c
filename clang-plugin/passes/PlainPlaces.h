// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements by the variables of loops and launch constants alone, so that any work-item may name those of another one.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "passes/Elements.h"

namespace muster::plugin::passes {

class PlainPlaces {
 public:
  // `variables`: of loops.
  PlainPlaces(const Memory& memory, std::set<std::string> variables)
      : memory_(memory), variables_(std::move(variables)) {}

  // Of an index. None: it needs something else.
  std::optional<ir::Expression> index(const ir::Expression& value) const { return index(value, 0); }
  // Of an element, or of a pointer to a row.
  std::optional<ir::Expression> place(const ir::Expression& value) const { return place(value, 0); }

 private:
  std::optional<ir::Expression> index(const ir::Expression& value, unsigned depth) const;
  std::optional<ir::Expression> place(const ir::Expression& value, unsigned depth) const;

  const Memory& memory_;
  const std::set<std::string> variables_;
};

}  // namespace muster::plugin::passes
