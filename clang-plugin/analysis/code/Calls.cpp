// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/code/Calls.h"

namespace muster::plugin {

using namespace clang;

const Expr* objectOf(const CallExpr* call) {
  if (auto* member = dyn_cast<CXXMemberCallExpr>(call)) return member->getImplicitObjectArgument();
  auto* method = dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee());
  const bool hasObject = isa<CXXOperatorCallExpr>(call) && method && method->isImplicitObjectMemberFunction();
  return hasObject ? call->getArg(0) : nullptr;
}

std::vector<const Expr*> argumentsOf(const CallExpr* call) {
  const bool skip = isa<CXXOperatorCallExpr>(call) && objectOf(call);
  return {call->arg_begin() + (skip ? 1 : 0), call->arg_end()};
}

llvm::StringRef memberName(const CallExpr* call) {
  auto* method = dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee());
  if (!method) return "";
  if (method->getOverloadedOperator() == OO_Subscript) return "operator[]";
  return method->getDeclName().isIdentifier() ? method->getName() : "";
}

}  // namespace muster::plugin
