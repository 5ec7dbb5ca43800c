// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/code/LinkerNames.h"

#include "clang/AST/Mangle.h"
#include "llvm/ADT/StringExtras.h"

namespace muster::plugin {

using namespace clang;

std::string linkerName(const ASTContext& ast, const FunctionDecl* function) {
  return ASTNameGenerator(const_cast<ASTContext&>(ast)).getName(function);
}

std::string unseenAlias(const std::string& linkerName) {
  return "muster_unseen_" + llvm::toHex(linkerName, /*LowerCase=*/true);
}

}  // namespace muster::plugin
