// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/independence/OwnVariables.h"

#include "analysis/code/Functions.h"
#include "analysis/objects/Objects.h"
#include "muster/abi.h"
#include "source/AstVisitor.h"
#include "source/LibraryTypes.h"

namespace muster::plugin {

using namespace clang;

namespace {

class Declarations : public AstVisitor {
 public:
  std::set<const VarDecl*> found;
  bool VisitVarDecl(VarDecl* var) override {
    found.insert(var);
    return true;
  }
};

}  // namespace

bool isVector(const VarDecl* var) { return !vectorElement(var->getType()).isNull(); }

static bool isReduction(const LoopFacts& facts, const VarDecl* var) {
  return std::any_of(facts.results.begin(), facts.results.end(),
                     [&](const ResultFact& result) { return result.var == var && result.kind != MUSTER_LASTPRIVATE; });
}

// True if the first thing that happens to `var` in every run of `body` is a plain assignment.
static bool assignedFirst(const Stmt* body, const VarDecl* var) {
  auto used = [&](const Stmt* part) { return mentions(part, {var}); };
  if (auto* compound = dyn_cast<CompoundStmt>(body)) {
    for (const Stmt* child : compound->body())
      if (used(child)) return assignedFirst(child, var);
    return true;
  }
  if (auto* loop = dyn_cast<ForStmt>(body))
    return loop->getInit() && used(loop->getInit()) && assignedFirst(loop->getInit(), var);
  auto* expr = dyn_cast<Expr>(body);
  auto* assignment = expr ? dyn_cast<BinaryOperator>(expr->IgnoreImplicit()) : nullptr;
  if (!assignment || assignment->getOpcode() != BO_Assign || used(assignment->getRHS())) return false;
  auto* target = dyn_cast<DeclRefExpr>(assignment->getLHS()->IgnoreParens());
  return target && target->getDecl() == var;
}

std::vector<const VarDecl*> sharedVariables(const LoopContext& context, const ForStmt* loop) {
  const Stmt* body = loop->getBody();
  Declarations inside;
  inside.TraverseStmt(const_cast<Stmt*>(body));
  std::vector<const VarDecl*> shared;
  for (const VarDecl* var : changedVariables(body)) {
    if (inside.found.count(var) || context.arrayOf.count(var) || isReduction(context.facts, var) || isVector(var))
      continue;
    // What a method changes of an outside object are elements.
    if (Objects::isRecord(var->getType()) && context.objects().isOutside(var)) continue;
    if (!assignedFirst(body, var)) shared.push_back(var);
  }
  return shared;
}

}  // namespace muster::plugin
