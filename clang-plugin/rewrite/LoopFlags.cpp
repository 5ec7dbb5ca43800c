// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags at the launch site.
#include "rewrite/LoopText.h"

namespace muster::plugin {

using namespace clang;

static std::string variableOf(const ResultFact& flag) { return "muster_flag_" + flag.var->getNameAsString(); }

std::string flagDeclaration(const Spelling& spelling, const ResultFact& flag) {
  const std::string type = spelling.scalarType(flag.var);
  const std::string identity = identityOf(spelling, flag.kind, flag.var->getType().getNonReferenceType(), type);
  return type + " " + variableOf(flag) + " = " + spelling.dialect().cast(type, identity) + ";";
}

// One that an iteration has set differs from the identity of its reduction in being zero.
std::string flagAssignment(const Spelling& spelling, const ResultFact& flag) {
  Expr::EvalResult value;
  flag.constant->EvaluateAsInt(value, spelling.context());
  llvm::SmallString<24> digits;
  value.Val.getInt().toString(digits, 10);
  const bool zero = value.Val.getInt() == 0;
  return "if (" + variableOf(flag) + (zero ? " == 0) " : " != 0) ") + flag.var->getNameAsString() + " = " +
         spelling.dialect().cast(spelling.scalarType(flag.var), digits.str().str()) + ";";
}

}  // namespace muster::plugin
