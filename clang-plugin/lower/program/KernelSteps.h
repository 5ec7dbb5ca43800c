// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of kernels that run several steps of time at once (passes/TimeSteps.h; a stream down the rows, as in Rawat et
// al., PACT 2018, section 3). A work-group has a strip of columns and a few rows of it. For each step it holds as many
// rows as the next one needs, in registers; neighbours' columns come through local memory. What groups beside each
// other both need, both compute.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lower/program/Program.h"
#include "lower/types/Scope.h"
#include "passes/TimeSteps.h"
#include "plan/Schedule.h"

namespace muster::plugin::lower {

// A function of the text, for elements around the one that is made: rows and columns from it.
inline constexpr const char* stepsWindow = "MUSTER_AT";

// A kernel's argument, by one name or several.
struct Argument {
  std::string text;
  std::vector<std::string> names;
};

// Notes in the schedule how many steps there can be. `constantOf` is that of plan/Schedule.h.
std::optional<passes::TimeStep> findSteps(Program& program, Scope& scope, const ir::Statements& iteration,
                                          llvm::function_ref<int(const std::string&)> constantOf, Schedule& schedule);

// What stands in front of the text of another such loop, which takes turns with this one: a function for the value, and
// macros by which the other kernel has its arguments and calls it. `arguments`: of arrays, then of scalars; `prologue`:
// the arrays' definitions.
std::string guestText(Program& program, Scope& scope, const std::string& kernel, const passes::TimeStep& step,
                      const std::vector<Argument>& arguments, const ir::Statements& prologue);
// Where the other one's arguments are in such a kernel, and their definitions for want of another one.
inline constexpr const char *guestArrays = "MUSTER_GUEST_ARRAYS", *guestScalars = "MUSTER_GUEST_SCALARS";
inline constexpr const char* noGuest =
    "#ifndef MUSTER_GUEST_STEP\n#define MUSTER_GUEST_ARRAYS\n#define MUSTER_GUEST_SCALARS\n#endif\n";

// The same of a kernel with reductions, in front of whose iterations those of others run (the runtime's fused_code.h).
inline constexpr const char* guestIteration = "MUSTER_GUEST_ITERATION";
inline constexpr const char* noGuests =
    "#ifndef MUSTER_GUEST_ITERATION\n#define MUSTER_GUEST_ITERATION\n#define MUSTER_GUEST_ARRAYS\n"
    "#define MUSTER_GUEST_SCALARS\n#endif\n";

// The kernel's last argument, with a comma in front, and what stands between the braces.
inline constexpr const char* stepsArgument = ", long muster_count_0";
std::string stepsFrame(Program& program, Scope& scope, const Schedule& schedule, const passes::TimeStep& step,
                       const ir::Statements& prologue);

}  // namespace muster::plugin::lower
