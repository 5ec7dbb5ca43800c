// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions that no clause names, at the launch site: flags, and extrema, which may start from an infinity.
#include "muster/abi.h"
#include "rewrite/launch/LaunchText.h"

namespace muster::plugin {

using namespace clang;

std::string flagName(const LoopFacts& facts, const ResultFact& flag) {
  const ObjectMember* member = facts.objects->find(flag.var);
  return "muster_flag_" + (member ? member->name : flag.var->getNameAsString());
}

static std::string identity(const Spelling& spelling, const ResultFact& result) {
  const std::string type = spelling.scalarType(result.var);
  return spelling.dialect().cast(type,
                                 identityOf(spelling, result.kind, result.var->getType().getNonReferenceType(), type));
}

static bool isFoundExtremum(const ResultFact& result) {
  return !result.byClause && (result.kind == MUSTER_REDUCE_MIN || result.kind == MUSTER_REDUCE_MAX) &&
         result.var->getType().getNonReferenceType()->isRealFloatingType();
}

std::string beforeLaunch(const Spelling& spelling, const LoopFacts& facts, const ResultFact& result) {
  const std::string name = result.var->getNameAsString(), type = spelling.scalarType(result.var);
  if (result.constant) return type + " " + flagName(facts, result) + " = " + identity(spelling, result) + ";";
  if (isFoundExtremum(result)) return "const " + type + " muster_before_" + name + " = " + name + ";";
  return "";
}

std::string afterLaunch(const Spelling& spelling, const LoopFacts& facts, const ResultFact& result) {
  const std::string name = siteText(facts, result.var);
  if (isFoundExtremum(result)) {
    const std::string limit = identity(spelling, result), before = "muster_before_" + name;
    return "if (" + name + " == " + limit + " && " + before + (result.kind == MUSTER_REDUCE_MAX ? " < " : " > ") +
           limit + ") " + name + " = " + before + ";";
  }
  if (!result.constant) return "";
  // One that an iteration has set differs from the identity of its reduction in being zero.
  Expr::EvalResult value;
  result.constant->EvaluateAsInt(value, spelling.context());
  llvm::SmallString<24> digits;
  value.Val.getInt().toString(digits, 10);
  const bool zero = value.Val.getInt() == 0;
  return "if (" + flagName(facts, result) + (zero ? " == 0) " : " != 0) ") + name + " = " +
         spelling.dialect().cast(spelling.scalarType(result.var), digits.str().str()) + ";";
}

}  // namespace muster::plugin
