// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/native/GlobalNames.h"

#include "analysis/loops/SimdLoops.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

namespace muster::plugin {

using namespace clang;

// A lambda would have to capture a variable of the native code, and a class could not name it.
static bool hidesIt(const Stmt* statement, const VarDecl* var) {
  if (!statement) return false;
  if (isa<LambdaExpr>(statement)) return true;
  if (const auto* declarations = dyn_cast<DeclStmt>(statement))
    if (llvm::any_of(declarations->decls(), [](const Decl* decl) { return isa<TagDecl>(decl); })) return true;
  const auto isIt = [&](const ValueDecl* decl) { return decl->getCanonicalDecl() == var->getCanonicalDecl(); };
  const auto* reference = dyn_cast<DeclRefExpr>(statement);
  if (reference && isIt(reference->getDecl()) && reference->hasQualifier()) return true;
  const auto* member = dyn_cast<MemberExpr>(statement);
  if (member && isIt(member->getMemberDecl())) return true;
  return llvm::any_of(partsOf(statement), [&](const Stmt* part) { return hidesIt(part, var); });
}

bool keepsGlobalName(const LoopFacts& facts, const ScalarFact& scalar) {
  if (!scalar.global) return false;
  const auto hides = [&](const Stmt* statement) { return hidesIt(statement, scalar.var); };
  return scalar.inCallee || scalar.byValue || !facts.unseen.empty() || hides(facts.body) ||
         llvm::any_of(facts.prelude, hides);
}

}  // namespace muster::plugin
