// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of mathematical functions. Names with a suffix (sqrtf) and with __builtin_ are found under the plain one.
#include "lower/expressions/Maths.h"

#include "llvm/ADT/STLExtras.h"
#include "lower/expressions/CallShapes.h"

namespace muster::plugin::lower {

namespace {

constexpr MathsEntry table[] = {
    {"acos", MathsShape::Uniform, "acos", 1},
    {"acosh", MathsShape::Uniform, "acosh", 1},
    {"asin", MathsShape::Uniform, "asin", 1},
    {"asinh", MathsShape::Uniform, "asinh", 1},
    {"atan", MathsShape::Uniform, "atan", 1},
    {"atan2", MathsShape::Uniform, "atan2", 2},
    {"atanh", MathsShape::Uniform, "atanh", 1},
    {"cbrt", MathsShape::Uniform, "cbrt", 1},
    {"ceil", MathsShape::Uniform, "ceil", 1},
    {"copysign", MathsShape::Uniform, "copysign", 2},
    {"cos", MathsShape::Uniform, "cos", 1},
    {"cosh", MathsShape::Uniform, "cosh", 1},
    {"erf", MathsShape::Uniform, "erf", 1},
    {"erfc", MathsShape::Uniform, "erfc", 1},
    {"exp", MathsShape::Uniform, "exp", 1},
    {"exp10", MathsShape::Uniform, "exp10", 1},
    {"exp2", MathsShape::Uniform, "exp2", 1},
    {"expm1", MathsShape::Uniform, "expm1", 1},
    {"fabs", MathsShape::Uniform, "fabs", 1},
    {"fdim", MathsShape::Uniform, "fdim", 2},
    {"floor", MathsShape::Uniform, "floor", 1},
    {"fma", MathsShape::Uniform, "fma", 3},
    {"fmax", MathsShape::Uniform, "fmax", 2},
    {"fmin", MathsShape::Uniform, "fmin", 2},
    {"fmod", MathsShape::Uniform, "fmod", 2},
    {"hypot", MathsShape::Uniform, "hypot", 2},
    {"lgamma", MathsShape::Uniform, "lgamma", 1},
    {"log", MathsShape::Uniform, "log", 1},
    {"log10", MathsShape::Uniform, "log10", 1},
    {"log1p", MathsShape::Uniform, "log1p", 1},
    {"log2", MathsShape::Uniform, "log2", 1},
    {"logb", MathsShape::Uniform, "logb", 1},
    {"nearbyint", MathsShape::Uniform, "rint", 1},
    {"nextafter", MathsShape::Uniform, "nextafter", 2},
    {"pow", MathsShape::Uniform, "pow", 2},
    {"remainder", MathsShape::Uniform, "remainder", 2},
    {"rint", MathsShape::Uniform, "rint", 1},
    {"round", MathsShape::Uniform, "round", 1},
    {"sin", MathsShape::Uniform, "sin", 1},
    {"sinh", MathsShape::Uniform, "sinh", 1},
    {"sqrt", MathsShape::Uniform, "sqrt", 1},
    {"tan", MathsShape::Uniform, "tan", 1},
    {"tanh", MathsShape::Uniform, "tanh", 1},
    {"tgamma", MathsShape::Uniform, "tgamma", 1},
    {"trunc", MathsShape::Uniform, "trunc", 1},

    {"ilogb", MathsShape::Query, "ilogb", 1},
    {"isfinite", MathsShape::Query, "isfinite", 1},
    {"isinf", MathsShape::Query, "isinf", 1},
    {"isnan", MathsShape::Query, "isnan", 1},
    {"isnormal", MathsShape::Query, "isnormal", 1},
    {"signbit", MathsShape::Query, "signbit", 1},

    {"isgreater", MathsShape::Compare, "isgreater", 2},
    {"isgreaterequal", MathsShape::Compare, "isgreaterequal", 2},
    {"isless", MathsShape::Compare, "isless", 2},
    {"islessequal", MathsShape::Compare, "islessequal", 2},
    {"islessgreater", MathsShape::Compare, "islessgreater", 2},
    {"isunordered", MathsShape::Compare, "isunordered", 2},

    {"llrint", MathsShape::ToInteger, "rint", 1},
    {"llround", MathsShape::ToInteger, "round", 1},
    {"lrint", MathsShape::ToInteger, "rint", 1},
    {"lround", MathsShape::ToInteger, "round", 1},

    {"ldexp", MathsShape::Scale, "ldexp", 2},
    {"scalbn", MathsShape::Scale, "ldexp", 2},

    {"frexp", MathsShape::PointerOut, "frexp", 2},
    {"modf", MathsShape::PointerOut, "modf", 2},
    {"remquo", MathsShape::PointerOut, "remquo", 3},

    {"abs", MathsShape::Absolute, "abs", 1},
    {"labs", MathsShape::Absolute, "abs", 1},
    {"llabs", MathsShape::Absolute, "abs", 1},

    {"clamp", MathsShape::Selection, "clamp", 3},
    {"max", MathsShape::Selection, "max", 2},
    {"min", MathsShape::Selection, "min", 2},

    {"clz", MathsShape::Bits, "clz", 1},
    {"clzl", MathsShape::Bits, "clz", 1},
    {"clzll", MathsShape::Bits, "clz", 1},
    {"ctz", MathsShape::Bits, "ctz", 1},
    {"ctzl", MathsShape::Bits, "ctz", 1},
    {"ctzll", MathsShape::Bits, "ctz", 1},
    {"popcount", MathsShape::Bits, "popcount", 1},
    {"popcountl", MathsShape::Bits, "popcount", 1},
    {"popcountll", MathsShape::Bits, "popcount", 1},
};

const MathsEntry* find(llvm::StringRef name) {
  const auto* entry = llvm::find_if(table, [&](const MathsEntry& candidate) { return name == candidate.host; });
  return entry == std::end(table) ? nullptr : entry;
}

}  // namespace

const MathsEntry* findMaths(const clang::FunctionDecl* function) {
  if (!isLibraryFunction(function) || !function->getIdentifier() || llvm::isa<clang::CXXMethodDecl>(function))
    return nullptr;
  llvm::StringRef name = function->getName();
  const bool isBuiltin = name.consume_front("__builtin_");
  if (const MathsEntry* entry = find(name))
    // min, max and clamp mean something by their names in std only.
    return entry->shape != MathsShape::Selection || (function->isInStdNamespace() && !isBuiltin) ? entry : nullptr;
  // The type of the arguments, not the suffix, selects the device's overload.
  const bool isFloatVersion = function->getNumParams() > 0 && function->getParamDecl(0)->getType()->isFloatingType();
  if (isFloatVersion && (name.consume_back("f") || name.consume_back("l"))) return find(name);
  return nullptr;
}

}  // namespace muster::plugin::lower
