// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/records/Locks.h"

#include "analysis/code/Functions.h"
#include "analysis/code/UpdateParts.h"
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/records/Records.h"
#include "analysis/updates/Updates.h"
#include "source/AstVisitor.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

namespace {

struct LockCall {
  const Expr* lock;
  bool sets, nests;
};

std::optional<LockCall> lockCall(const Stmt* statement) {
  auto* call = dyn_cast<CallExpr>(statement);
  const FunctionDecl* function = call ? call->getDirectCallee() : nullptr;
  if (!function || !isLibrary(function) || !function->getIdentifier() || call->getNumArgs() != 1) return std::nullopt;
  const llvm::StringRef name = function->getName();
  const bool sets = name == "omp_set_lock" || name == "omp_set_nest_lock";
  if (!sets && name != "omp_unset_lock" && name != "omp_unset_nest_lock") return std::nullopt;
  return LockCall{call->getArg(0), sets, name.contains("nest")};
}

// Reads the statements of a block from the call that sets a lock to the one behind which none is held.
class LockReader {
 public:
  explicit LockReader(const ASTContext& ast) : ast_(ast) {}
  std::optional<LockFact> read(CompoundStmt::const_body_iterator& at, CompoundStmt::const_body_iterator end);

 private:
  bool add(const LockCall& call);
  bool add(const Stmt* statement);
  bool changesLock() const;

  const ASTContext& ast_;
  LockFact fact_;
  std::vector<LockCall> held_, all_;
};

bool LockReader::add(const LockCall& call) {
  if (!isPure(ast_, call.lock)) return false;
  all_.push_back(call);
  const auto same = llvm::find_if(
      held_, [&](const LockCall& other) { return other.nests == call.nests && isSame(ast_, other.lock, call.lock); });
  if (call.sets == (same != held_.end())) return false;
  if (call.sets)
    held_.push_back(call);
  else
    held_.erase(same);
  return true;
}

bool LockReader::add(const Stmt* statement) {
  const Stmt* only = onlyStatement(statement);
  if (!only) return false;
  if (protectedUpdate(ast_, only) && statementRange(ast_, only))
    fact_.updates.push_back(only);
  else if (auto* choice = dyn_cast<IfStmt>(only))
    fact_.choices.push_back(choice);
  else
    return false;
  return true;
}

// Whether an update makes the text of a lock mean another one.
bool LockReader::changesLock() const {
  return llvm::any_of(fact_.updates, [&](const Stmt* update) {
    auto* target = dyn_cast<DeclRefExpr>(protectedUpdate(ast_, update)->target->IgnoreParenImpCasts());
    auto* var = target ? dyn_cast<VarDecl>(target->getDecl()) : nullptr;
    return var && llvm::any_of(all_, [&](const LockCall& call) { return mentions(call.lock, {var}); });
  });
}

std::optional<LockFact> LockReader::read(CompoundStmt::const_body_iterator& at, CompoundStmt::const_body_iterator end) {
  for (; at != end; ++at) {
    if (isa<NullStmt>(*at)) continue;
    const auto call = lockCall(*at);
    if (call ? !(statementRange(ast_, *at) && add(*call)) : !add(*at)) return std::nullopt;
    if (call) fact_.calls.push_back(*at);
    if (!held_.empty()) continue;
    if ((fact_.updates.empty() && fact_.choices.empty()) || changesLock()) return std::nullopt;
    return fact_;
  }
  return std::nullopt;
}

class LockFinder : public AstVisitor {
 public:
  LockFinder(const ASTContext& ast, std::vector<LockFact>& found) : ast_(ast), found_(found) {}

  // A lambda's text is not edited.
  bool TraverseLambdaExpr(LambdaExpr*) override { return true; }
  bool VisitCompoundStmt(CompoundStmt* block) override {
    const CompoundStmt* body = block;
    for (auto at = body->body_begin(); at != body->body_end(); ++at) {
      const auto call = lockCall(*at);
      if (!call || !call->sets) continue;
      auto last = at;
      auto lock = LockReader(ast_).read(last, body->body_end());
      if (!lock) return true;
      found_.push_back(std::move(*lock));
      at = last;
    }
    return true;
  }

 private:
  const ASTContext& ast_;
  std::vector<LockFact>& found_;
};

// `x++`, `x OP= value`: what `omp atomic` takes in clang as it stands.
bool isAtomicForm(const ASTContext& ast, const Stmt* statement) {
  const BinaryOperatorKind opcode = protectedUpdate(ast, statement)->opcode;
  return isa<UnaryOperator, CompoundAssignOperator>(statement) &&
         llvm::is_contained({BO_Add, BO_Sub, BO_Mul, BO_And, BO_Or, BO_Xor}, opcode);
}

}  // namespace

void findLocks(LoopContext& context) {
  LockFinder(context.ast, context.facts.locks).TraverseStmt(const_cast<Stmt*>(context.facts.body));
}

void settleLocks(LoopContext& context) {
  LoopFacts& facts = context.facts;
  llvm::erase_if(facts.locks, [&](const LockFact& lock) {
    return !llvm::all_of(lock.choices, [&](const IfStmt* choice) { return isChoice(facts, choice); });
  });
  facts.locksAreCritical = llvm::any_of(facts.locks, [&](const LockFact& lock) {
    return !llvm::all_of(lock.updates, [&](const Stmt* update) { return isAtomicForm(context.ast, update); });
  });
}

bool isLockCall(const LoopFacts& facts, const Stmt* statement) {
  return llvm::any_of(facts.locks, [&](const LockFact& lock) { return llvm::is_contained(lock.calls, statement); });
}

bool isLockedChoice(const LoopFacts& facts, const IfStmt* choice) {
  return llvm::any_of(facts.locks, [&](const LockFact& lock) { return llvm::is_contained(lock.choices, choice); });
}

const IfStmt* onlyLockedChoice(const LoopFacts& facts, const Stmt* statement) {
  auto* block = dyn_cast_or_null<CompoundStmt>(statement);
  if (!block || block->size() != 3) return nullptr;
  auto* choice = dyn_cast_or_null<IfStmt>(onlyStatement(block->body_begin()[1]));
  return choice && isLockedChoice(facts, choice) && isLockCall(facts, block->body_front()) ? choice : nullptr;
}

}  // namespace muster::plugin
