// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of one expression, as elements of a class are reached by: `double &operator()(int i, int j)`. In place of a
// call their value shows passes what is read and written.
#pragma once

#include <optional>
#include <vector>

#include "lower/program/Program.h"

namespace muster::plugin::lower {

// Nothing changes by it, and it calls nothing.
bool hasNoEffect(const ir::Expression& value);

// The value of a call, with arguments that have the parameters' types. None: the call has to stay.
std::optional<ir::Expression> inlined(const Function& function, const std::vector<ir::Expression>& arguments);

}  // namespace muster::plugin::lower
