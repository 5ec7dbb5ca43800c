// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates that are atomic within a device: one helper function for each element type, type of value and operation.
#pragma once

#include <string>

#include "lower/program/Program.h"

namespace muster::plugin::lower {

// What is added, say.
struct UpdateValue {
  Scalar scalar = Scalar::I32;
  ir::Expression value = ir::literal("1");
};

// The helper `T name(volatile __global T *place, V value)` that does `*place = *place OP value` and returns the value
// of before, or of after.
std::string atomicHelper(Program& program, const UpdateFact& update, Scalar value, bool returnsNew);

// The same on a place in local memory: `_local`, and `_part` where that holds a part of the array.
void addLocalHelpers(Program& program, const std::string& atomicHelper, const std::string& element,
                     const std::string& value);

}  // namespace muster::plugin::lower
