// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that count by one.
#pragma once

#include <optional>
#include <string>

#include "ir/Statement.h"

namespace muster::plugin::passes {

// `for (T variable = first; variable < end; ++variable)` of a whole number, which the body leaves alone.
struct LoopHead {
  std::string variable;
  ir::Expression first, end;
  bool isInclusive = false;  // `<=`
  bool isOutside = false;    // the variable is defined in front of the loop, which assigns it
};
// Of this form alone.
std::optional<LoopHead> headOf(const ir::Statement& loop);
// Also with `<=`, and of any variable from outside.
std::optional<LoopHead> anyHeadOf(const ir::Statement& loop);

// `for (T variable = first; variable >= end; --variable)` of a number with a sign, or with `>`: isInclusive tells.
std::optional<LoopHead> downHeadOf(const ir::Statement& loop);

// In front of a loop whose steps a compiler is to write out, so that what it names by them is in registers. On CPUs
// that only takes POCL's compiler long.
inline constexpr const char* unrolled =
    "#ifdef POCL_DEVICE_ADDRESS_BITS\n#pragma nounroll\n#else\n#pragma unroll\n#endif";

// A number that is not negative.
bool isNumber(const ir::Expression& value);

}  // namespace muster::plugin::passes
