// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL C's arithmetic types, C's conversions between them, and exact literals.
#include "lower/types/Scalars.h"

#include <algorithm>

#include "clang/AST/Decl.h"
#include "llvm/ADT/StringExtras.h"

namespace muster::plugin::lower {

namespace {

Scalar integerOfSize(std::uint64_t bits, bool isSigned) {
  switch (bits) {
    case 8:
      return isSigned ? Scalar::I8 : Scalar::U8;
    case 16:
      return isSigned ? Scalar::I16 : Scalar::U16;
    case 32:
      return isSigned ? Scalar::I32 : Scalar::U32;
    case 64:
      return isSigned ? Scalar::I64 : Scalar::U64;
    default:
      return Scalar::None;
  }
}

bool isSigned(Scalar scalar) {
  return scalar == Scalar::I8 || scalar == Scalar::I16 || scalar == Scalar::I32 || scalar == Scalar::I64;
}

// The shortest decimal that reads back as the same bits.
std::string shortestDecimal(const llvm::APFloat& value) {
  llvm::SmallString<40> digits;
  for (unsigned precision = 6; precision <= 17; ++precision) {
    digits.clear();
    value.toString(digits, precision);
    if (llvm::APFloat(value.getSemantics(), digits).bitwiseIsEqual(value)) break;
  }
  std::string text(digits.str());
  if (text.find_first_of(".E") == std::string::npos) text += ".0";
  return text;
}

ir::Expression infinity(Scalar scalar, bool negative) {
  const ir::Expression infinite = ir::name("INFINITY");
  const ir::Expression typed = scalar == Scalar::F64 ? ir::cast("double", infinite) : infinite;
  return negative ? ir::prefix("-", typed) : typed;
}

}  // namespace

unsigned bitsOf(Scalar scalar) {
  switch (scalar) {
    case Scalar::I8:
    case Scalar::U8:
      return 8;
    case Scalar::I16:
    case Scalar::U16:
    case Scalar::F16:
      return 16;
    case Scalar::I32:
    case Scalar::U32:
    case Scalar::F32:
      return 32;
    default:
      return 64;
  }
}

Scalar scalarOf(const clang::ASTContext& context, clang::QualType type) {
  type = type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (const auto* enumeration = type->getAs<clang::EnumType>()) {
    type = enumeration->getDecl()->getIntegerType();
    if (type.isNull()) return Scalar::None;
  }
  const auto* builtin = type->getAs<clang::BuiltinType>();
  if (!builtin) return Scalar::None;
  switch (builtin->getKind()) {
    case clang::BuiltinType::Bool:
      return Scalar::U8;
    case clang::BuiltinType::Half:
    case clang::BuiltinType::Float16:
      return Scalar::F16;
    case clang::BuiltinType::Float:
      return Scalar::F32;
    case clang::BuiltinType::Double:
      return Scalar::F64;
    default:
      if (!builtin->isInteger()) return Scalar::None;
      return integerOfSize(context.getTypeSize(builtin), builtin->isSignedInteger());
  }
}

const char* scalarName(Scalar scalar) {
  static const char* const names[] = {"void", "char", "uchar", "short",       "ushort", "int",
                                      "uint", "long", "ulong", "muster_half", "float",  "double"};
  return names[static_cast<int>(scalar)];
}

bool isHalf(clang::QualType type) {
  const auto* builtin = type.getNonReferenceType()->getAs<clang::BuiltinType>();
  return builtin &&
         (builtin->getKind() == clang::BuiltinType::Half || builtin->getKind() == clang::BuiltinType::Float16);
}

bool isFloating(Scalar scalar) { return scalar >= Scalar::F16; }

Scalar promoted(Scalar scalar) { return scalar == Scalar::None ? scalar : std::max(scalar, Scalar::I32); }

Scalar usualArithmetic(Scalar left, Scalar right) {
  if (left == Scalar::None || right == Scalar::None) return Scalar::None;
  return std::max(promoted(left), promoted(right));
}

ir::Expression integerText(const llvm::APSInt& value, Scalar scalar) {
  // Types narrower than int have no literals; the value as an int behaves alike, since it would be promoted.
  const char* suffix = "";
  if (scalar == Scalar::U32) suffix = "u";
  if (scalar == Scalar::I64) suffix = "L";
  if (scalar == Scalar::U64) suffix = "UL";
  if (isSigned(scalar) && bitsOf(scalar) >= 32 && value.isMinSignedValue()) {
    // C has no negative literals, and the magnitude does not fit the type.
    llvm::APSInt above = value;
    ++above;
    return ir::binary("-", ir::literal(llvm::toString(above, 10) + suffix, ir::Prec::Unary), ir::literal("1"));
  }
  return ir::literal(llvm::toString(value, 10) + suffix, value.isNegative() ? ir::Prec::Unary : ir::Prec::Primary);
}

ir::Expression floatText(const llvm::APFloat& value, Scalar scalar) {
  if (scalar == Scalar::F16) {
    // The shortest decimal of a half is another float.
    llvm::APFloat wide = value;
    bool isInexact;
    wide.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &isInexact);
    return floatText(wide, Scalar::F32);
  }
  if (value.isInfinity()) return infinity(scalar, value.isNegative());
  if (value.isNaN()) {
    const std::string bits = "0x" + llvm::toString(value.bitcastToAPInt(), 16, false);
    return scalar == Scalar::F64 ? ir::call("as_double", {ir::literal(bits + "UL")})
                                 : ir::call("as_float", {ir::literal(bits + "u")});
  }
  return ir::literal(shortestDecimal(value) + (scalar == Scalar::F32 ? "f" : ""),
                     value.isNegative() ? ir::Prec::Unary : ir::Prec::Primary);
}

std::string halfConstantBits(const llvm::APFloat& value) {
  return "0x" + llvm::utohexstr(value.bitcastToAPInt().getZExtValue(), /*LowerCase=*/true);
}

ir::Expression smallestText(Scalar scalar) {
  if (isFloating(scalar)) return infinity(scalar, true);
  return integerText(llvm::APSInt::getMinValue(bitsOf(scalar), !isSigned(scalar)), scalar);
}

ir::Expression largestText(Scalar scalar) {
  if (isFloating(scalar)) return infinity(scalar, false);
  return integerText(llvm::APSInt::getMaxValue(bitsOf(scalar), !isSigned(scalar)), scalar);
}

}  // namespace muster::plugin::lower
