// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop's results start with, and how those of several devices are combined.
#include "muster/abi.h"
#include "rewrite/text/LoopText.h"

namespace muster::plugin {

using namespace clang;

const char* reductionOperator(unsigned kind) {
  static const char* const names[] = {"+", "*", "&", "|", "^", "&&", "||", "min", "max", "lastprivate", "other"};
  return names[kind];
}

// What a C++ program calls std::numeric_limits<T>::max() or lowest().
static std::string limitInC(const ASTContext& context, QualType type, bool largest) {
  if (type->isFloatingType()) {
    const char* name = type->isSpecificBuiltinType(BuiltinType::Float)    ? "__FLT_MAX__"
                       : type->isSpecificBuiltinType(BuiltinType::Double) ? "__DBL_MAX__"
                                                                          : "__LDBL_MAX__";
    return (largest ? "" : "-") + std::string(name);
  }
  if (type->isBooleanType()) return largest ? "1" : "0";
  const unsigned bits = context.getTypeSize(type);
  const std::string ones = "(~0ULL >> " + std::to_string(64 - bits) + ")";
  if (type->isUnsignedIntegerOrEnumerationType()) return largest ? ones : "0";
  return (largest ? "(long long)" : "-1 - (long long)") + std::string("(") + ones + " >> 1)";
}

std::string identityOf(const Spelling& spelling, unsigned kind, QualType type, const std::string& typeName) {
  auto limit = [&](bool largest) {
    if (spelling.dialect().isC()) return limitInC(spelling.context(), type.getCanonicalType(), largest);
    return "std::numeric_limits<" + typeName + (largest ? ">::max()" : ">::lowest()");
  };
  switch (kind) {
    case MUSTER_REDUCE_MUL:
    case MUSTER_REDUCE_LAND:
      return "1";
    case MUSTER_REDUCE_AND:
      return "~0";
    case MUSTER_REDUCE_MIN:
      return limit(true);
    case MUSTER_REDUCE_MAX:
      return limit(false);
    default:
      return "0";
  }
}

std::string combination(const Spelling& spelling, unsigned kind, const std::string& type) {
  switch (kind) {
    case MUSTER_LASTPRIVATE:
      return "*muster_a = muster_b;";
    case MUSTER_REDUCE_MIN:
      return "if (muster_b < *muster_a) *muster_a = muster_b;";
    case MUSTER_REDUCE_MAX:
      return "if (*muster_a < muster_b) *muster_a = muster_b;";
    default:
      return "*muster_a = " +
             spelling.dialect().cast(type, "*muster_a " + std::string(reductionOperator(kind)) + " muster_b") + ";";
  }
}

void writeCombine(const Spelling& spelling, const std::string& owner, const std::string& name, const ResultFact& result,
                  CodeText& code) {
  if (result.isBoxed()) return;  // LoopRecords.cpp
  const Dialect& dialect = spelling.dialect();
  const std::string type = spelling.scalarType(result.var);
  code.open("static void " + dialect.functionName(owner, "combine_" + name) +
            "(void *muster_into, const void *muster_partial) {");
  code.line(type + " *const muster_a = " + dialect.cast(type + " *", "muster_into") + ";");
  code.line("const " + type + " muster_b = *" + dialect.cast("const " + type + " *", "muster_partial") + ";");
  code.line(combination(spelling, result.kind, type));
  code.close();
}

}  // namespace muster::plugin
