// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL C's arithmetic types, C's conversions between them, and exact literals.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Type.h"
#include "ir/Expression.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

namespace muster::plugin::lower {

// In the order of C's conversion rank: of two promoted operands the greater one is the common type.
// F16 is what objects hold; its values are floats (HalfPrecision.cpp).
enum class Scalar { None, I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64 };

// _Float16 or __fp16.
bool isHalf(clang::QualType type);
// The type that expressions of a type have in the text.
inline Scalar valueScalar(Scalar scalar) { return scalar == Scalar::F16 ? Scalar::F32 : scalar; }

// The OpenCL type that holds a value of a C++ arithmetic or enumeration type; bool is U8. None: there is none.
Scalar scalarOf(const clang::ASTContext& context, clang::QualType type);
const char* scalarName(Scalar scalar);
bool isFloating(Scalar scalar);
unsigned bitsOf(Scalar scalar);

Scalar promoted(Scalar scalar);                     // C's integer promotion
Scalar usualArithmetic(Scalar left, Scalar right);  // C's usual arithmetic conversions

ir::Expression integerText(const llvm::APSInt& value, Scalar scalar);
ir::Expression floatText(const llvm::APFloat& value, Scalar scalar);
std::string halfConstantBits(const llvm::APFloat& value);  // "0x3c00"
ir::Expression smallestText(Scalar scalar);                // -INFINITY for floating types
ir::Expression largestText(Scalar scalar);

}  // namespace muster::plugin::lower
