// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's mathematical functions and what OpenCL C calls them.
#pragma once

#include "clang/AST/Decl.h"
#include "llvm/ADT/StringRef.h"

namespace muster::plugin::lower {

enum class MathsShape {
  Uniform,     // all arguments and the result of one floating type
  Query,       // int or bool of one floating argument
  Compare,     // int or bool of two floating arguments
  ToInteger,   // long of one floating argument: the device's function, converted
  Scale,       // floating and int
  PointerOut,  // floating arguments and then a pointer
  Absolute,    // of any arithmetic type
  Selection,   // std::min, std::max, std::clamp
  Bits         // int of an unsigned integer
};

struct MathsEntry {
  const char* host;
  MathsShape shape;
  const char* device;
  unsigned arity;
};

// nullptr: not in the table.
const MathsEntry* findMaths(const clang::FunctionDecl* function);

}  // namespace muster::plugin::lower
