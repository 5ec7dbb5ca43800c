// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text that counts a loop's iterations: muster::tripCount (muster.hpp) or muster_trip_count (muster.h).
#include "analysis/loops/CanonicalLoop.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

// The type to which both sides of the loop's comparison are converted.
static QualType comparedType(const DimFact& dim) {
  if (dim.pointer) return dim.var->getType();
  const Expr* condition = dim.loop->getCond()->IgnoreParens()->IgnoreImplicit()->IgnoreParens();
  return cast<BinaryOperator>(condition)->getLHS()->getType().getUnqualifiedType();
}

std::string tripCountText(const ASTContext& context, const DimFact& dim, const std::string& lower,
                          const std::string& bound, const std::string& step) {
  static const std::map<BinaryOperatorKind, std::pair<const char*, const char*>> relations = {
      {BO_LT, {"less", "MUSTER_LESS"}},
      {BO_LE, {"lessEqual", "MUSTER_LESS_EQUAL"}},
      {BO_GT, {"greater", "MUSTER_GREATER"}},
      {BO_GE, {"greaterEqual", "MUSTER_GREATER_EQUAL"}},
      {BO_NE, {"notEqual", "MUSTER_NOT_EQUAL"}}};
  const auto& relation = relations.at(dim.relation);
  if (context.getLangOpts().CPlusPlus)
    return "::muster::tripCount(" + lower + ", " + bound + ", " + step + ", ::muster::Relation::" + relation.first +
           (dim.down ? ", true)" : ", false)");
  const QualType common = comparedType(dim);
  const auto converted = [&](const std::string& value) {
    return "(uint64_t)(" + typeText(context, common) + ")(" + value + ")";
  };
  return "muster_trip_count(" + converted(lower) + ", " + converted(bound) + ", " + step + ", " + relation.second +
         (dim.down ? ", 1, " : ", 0, ") + (common->isUnsignedIntegerOrEnumerationType() ? "0)" : "1)");
}

}  // namespace muster::plugin
