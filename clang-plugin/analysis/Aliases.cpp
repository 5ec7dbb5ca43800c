// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References and pointers to elements of arrays that a loop writes: what it reads through them travels by value, as it
// was before the loop.
#include "analysis/Context.h"

namespace muster::plugin {

using namespace clang;

// What a reference or pointer of the function leads to, as far as its declaration says.
static const Expr* target(const VarDecl* var) {
  const QualType type = var->getType();
  return var->isLocalVarDecl() && (type->isReferenceType() || type->isPointerType()) ? var->getInit() : nullptr;
}

bool checkAliases(LoopContext& context) {
  const LoopFacts& facts = context.facts;
  for (const ScalarFact& scalar : facts.scalars) {
    if (scalar.vectorSize) continue;
    const ObjectMember* member = facts.objects->find(scalar.var);
    const VarDecl* root = member ? member->path.root : scalar.var;
    const Expr* init = root ? target(root) : nullptr;
    if (!init) continue;
    for (const ArrayFact& array : facts.arrays)
      if ((array.written || array.updated) && mentions(init, {array.var}))
        return context.refuse(root->getLocation(), "reads '" + scalar.var->getNameAsString() + "', a part of '" +
                                                       array.var->getNameAsString() +
                                                       "', which it writes; name the element by its index");
  }
  return true;
}

}  // namespace muster::plugin
