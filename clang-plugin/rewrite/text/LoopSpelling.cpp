// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "clang/Basic/CharInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "muster/abi.h"
#include "rewrite/text/LoopText.h"

namespace muster::plugin {

using namespace clang;

std::string Spelling::declare(QualType type, const std::string& name) const {
  PrintingPolicy policy = context_.getPrintingPolicy();
  policy.SuppressTagKeyword = !dialect_.isC();
  policy.SuppressUnwrittenScope = true;
  std::string text;
  llvm::raw_string_ostream out(text);
  type.getCanonicalType().print(out, policy, name);
  return text;
}

std::string Spelling::scalarType(const VarDecl* var) const {
  QualType type = var->getType().getNonReferenceType();
  // C makes no difference between an enumeration, which may have no name, and its integer type.
  if (auto* enumeration = type->getAs<EnumType>(); enumeration && dialect_.isC())
    type = enumeration->getDecl()->getIntegerType();
  // A member's name is the path to it.
  if (!clang::isValidAsciiIdentifier(var->getName())) return declare(type.getUnqualifiedType(), "");
  const bool local = var->isLocalVarDeclOrParm();
  if (!type->isEnumeralType() && !(inTemplate_ && local)) return declare(type.getUnqualifiedType(), "");
  // An enumeration may have no name that can be written here.
  return (inTemplate_ ? "typename std::remove_reference<decltype(" : "std::remove_reference<decltype(") +
         var->getNameAsString() + ")>::type";
}

std::string Spelling::valueType(const VarDecl* var) const {
  if (inTemplate_ && clang::isValidAsciiIdentifier(var->getName()))
    return "typename std::remove_cv<typename std::remove_reference<decltype(" + var->getNameAsString() +
           ")>::type>::type";
  return type(var->getType().getNonReferenceType().getUnqualifiedType());
}

std::string Spelling::typeCode(QualType type) const {
  type = type.getCanonicalType().getUnqualifiedType();
  if (auto* enumeration = type->getAs<EnumType>()) type = enumeration->getDecl()->getIntegerType().getCanonicalType();
  const std::uint64_t bits = context_.getTypeSize(type);
  if (type->isBooleanType()) return "MUSTER_TYPE_BOOL";
  if (type->isIntegerType() && bits <= 64)
    return std::string("MUSTER_TYPE_") + (type->isUnsignedIntegerType() ? "U" : "I") + std::to_string(bits);
  if (type->isSpecificBuiltinType(BuiltinType::Float)) return "MUSTER_TYPE_F32";
  if (type->isSpecificBuiltinType(BuiltinType::Double)) return "MUSTER_TYPE_F64";
  return "MUSTER_TYPE_OTHER";
}

std::string Spelling::literal(const std::string& text) const {
  std::string escaped;
  llvm::raw_string_ostream out(escaped);
  llvm::printEscapedString(text, out);
  // printEscapedString writes \XX; C++ wants \x, and ends it at a string's end.
  std::string result = "\"";
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] == '?' && dialect_.isC()) {
      result += "\\?";  // C99 to C17 have trigraphs
    } else if (escaped[i] != '\\') {
      result += escaped[i];
    } else if (escaped[i + 1] == '\\') {
      result += "\\\\";
      ++i;
    } else {
      result += "\\x" + escaped.substr(i + 1, 2) + "\"\"";
      i += 2;
    }
  }
  return result + "\"";
}

std::string Spelling::constant(const VarDecl* var) const {
  const QualType type = var->getType();
  const VarDecl* holder = var;
  var->getAnyInitializer(holder);
  return initialiser(*holder->evaluateValue(), type, type->isArrayType() ? "" : scalarType(var));
}

// `typeName` is what `type` is called, for a scalar; elements of arrays have built-in types.
std::string Spelling::initialiser(const APValue& value, QualType type, const std::string& typeName) const {
  if (value.isArray()) {
    const QualType element = context_.getAsArrayType(type)->getElementType();
    const std::string name = element->isArrayType() ? "" : declare(element.getUnqualifiedType(), "");
    const unsigned known = value.getArrayInitializedElts();
    std::vector<std::string> parts;
    for (unsigned i = 0; i < value.getArraySize(); ++i)
      parts.push_back(initialiser(i < known ? value.getArrayInitializedElt(i) : value.getArrayFiller(), element, name));
    return "{" + llvm::join(parts, ", ") + "}";
  }
  if (value.isInt()) {
    const llvm::APSInt& number = value.getInt();
    if (type->isBooleanType()) return dialect_.truth(number.getBoolValue());
    llvm::SmallString<24> digits;
    number.toString(digits, 10);
    // The most negative number has no literal of its own type.
    if (number.isSigned() && number.isMinSignedValue()) {
      digits.clear();
      llvm::APSInt(number + 1, false).toString(digits, 10);
      return dialect_.cast(typeName, digits.str().str() + "LL - 1");
    }
    std::string text = digits.str().str() + (number.getBitWidth() > 32 ? "LL" : "");
    if (number.isUnsigned()) text += "U";
    return type->isEnumeralType() ? dialect_.cast(typeName, text) : text;
  }
  // Exact, in the notation of C++17 that clang knows in all modes.
  llvm::APFloat number = value.getFloat();
  char digits[80];
  number.convertToHexString(digits, 0, false, llvm::APFloat::rmNearestTiesToEven);
  const QualType canonical = type.getCanonicalType().getUnqualifiedType();
  const char* suffix = canonical->isSpecificBuiltinType(BuiltinType::Float)        ? "F"
                       : canonical->isSpecificBuiltinType(BuiltinType::LongDouble) ? "L"
                                                                                   : "";
  return std::string(digits) + suffix;
}

}  // namespace muster::plugin
