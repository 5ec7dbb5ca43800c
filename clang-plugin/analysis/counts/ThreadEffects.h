// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each thread of a team does, outside of worksharing loops, to things that are not its own.
#pragma once

#include "analysis/counts/ThreadCounts.h"
#include "analysis/teams/TeamCalls.h"
#include "analysis/updates/Updates.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "muster/abi.h"

namespace muster::plugin {

// What each thread does to something that is not surely its own.
struct Effect {
  clang::SourceLocation loc;
  const clang::VarDecl* var = nullptr;            // to this one, or to what it points to; nullptr: unknown
  const clang::ParmVarDecl* parameter = nullptr;  // to what the function was given
  bool isObject = false;                          // to what the function was called on
  bool isProtected = false;                       // from other threads: else it is theirs alone, or a race
  bool isNeutral = false;                         // it is the same in sum if `needs` are met
  std::set<NeutralNeed> needs = {};
  // Only where what is given for this one, or the object, is the thread's: its address is kept.
  const clang::ParmVarDecl* kept = nullptr;
  bool keepsObject = false;
};

struct CountingFunction {
  std::vector<Effect> effects;
  bool isRead = false, isRecursive = false;
};

// Reads the code of a region or a function.
class EffectReader : public ByAllVisitor {
 public:
  EffectReader(ThreadCounts& all, NeutralValues& values, bool byLibrary)
      : ByAllVisitor(values.writes().once()),
        all_(all),
        ast_(all.ast_),
        values_(values),
        scope_(values.scope()),
        byLibrary_(byLibrary) {}
  std::vector<Effect> effects;

  void run();
  // Of a function that threads call in their turn: only what shows whether others have called it before.
  void runInTurn();

  bool TraverseStmt(clang::Stmt* statement) override {
    const bool byAll = llvm::isa_and_nonnull<clang::OMPAtomicDirective, clang::OMPCriticalDirective>(statement);
    if (statement && !byLibrary_ && !inTurn_) readTurns(statement);
    protected_ += byAll;
    const bool result = ByAllVisitor::TraverseStmt(statement);
    protected_ -= byAll;
    return result;
  }
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) override {
    written_.insert(lambda->getCallOperator());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* var) override {
    if (var->hasLocalStorage()) follow(calledAtEnd(ast_, var, byLibrary_), nullptr, var->getLocation());
    return true;
  }
  bool VisitExpr(clang::Expr* expr) override {
    follow(calledBy(ast_, expr, byLibrary_), expr, expr->getBeginLoc());
    if (onlyFollows()) return true;
    if (const auto update =
            llvm::isa<clang::CallExpr, clang::AtomicExpr>(expr) ? atomicCall(ast_, expr, {}) : std::nullopt)
      change(expr, update->target, update->kind, update->value, true);
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* op) override {
    if (onlyFollows() || !op->isAssignmentOp()) return true;
    if (const auto update = updateForm(ast_, op))
      changeBy(op, *update);
    else if (op->getOpcode() == clang::BO_Assign)
      assign(op, op->getLHS(), op->getRHS());
    else
      operate(op, op->getLHS(), clang::BinaryOperator::getOpForCompoundAssignment(op->getOpcode()), op->getRHS());
    return true;
  }
  bool VisitIfStmt(clang::IfStmt* statement) override {
    if (const auto update = onlyFollows() ? std::nullopt : updateForm(ast_, statement))
      changeBy(update->target, *update);
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* op) override {
    if (!onlyFollows() && op->isIncrementDecrementOp())
      change(op, op->getSubExpr(), MUSTER_REDUCE_ADD, nullptr, protected_ > 0);
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) override;

 private:
  void follow(const CalledCode& called, const clang::Expr* use, clang::SourceLocation loc);
  void followEffect(const Effect& inner, const clang::FunctionDecl* function, const clang::Expr* use,
                    clang::SourceLocation loc);
  // Whether something else than this thread may know it: then where it is, in an effect.
  bool isShared(const clang::Expr* place, Effect& effect) const;
  bool isGiven(const clang::VarDecl* var) const;
  // surely: not where something else may have changed it.
  bool isOwnPointer(const clang::VarDecl* pointer, bool surely = true, unsigned depth = 0) const;
  // Blocks that threads run in their turn (ThreadTurns.cpp).
  void readTurns(const clang::Stmt* statement);
  void readTurn(llvm::ArrayRef<const clang::Stmt*> block, bool isProtected);
  [[nodiscard]] bool onlyFollows() const { return byLibrary_ || inTurn_; }
  // Calls of the library that are not the same once and several times (LibraryEffects.cpp).
  void repeat(const clang::CallExpr* call, const clang::Expr* object);
  std::vector<const clang::Expr*> changedAgain(const clang::CallExpr* call, const clang::Expr* object) const;
  // Sets and maps get addresses, of which each thread has others (KeptAddresses.cpp).
  void keepArguments(const clang::CallExpr* call, const clang::Expr* object);
  void keepValue(const clang::Expr* value, const Effect& effect);
  void keepAddressOf(const clang::Expr* place, Effect effect);
  bool isCaptured(const clang::VarDecl* var) const;
  void followKept(const Effect& inner, const clang::FunctionDecl* function, const clang::Expr* use,
                  const Effect& effect);
  void change(const clang::Expr* use, const clang::Expr* target, unsigned kind, const clang::Expr* value,
              bool isProtected);
  void operate(const clang::Expr* use, const clang::Expr* target, clang::BinaryOperatorKind opcode,
               const clang::Expr* value);
  void changeBy(const clang::Expr* use, const UpdateFact& update);
  bool dependsOnTarget(const clang::Expr* value, const clang::Expr* target) const;
  bool isKept(const clang::Expr* value, const clang::VarDecl* target) const;
  void assign(const clang::Expr* use, const clang::Expr* target, const clang::Expr* value);
  // What an assignment changes, or a member of it.
  struct Target {
    const clang::Expr* place;
    MemberPath path = {};
  };
  bool isOld(const clang::Expr* expr, const Target& target) const;
  bool addsNeutral(const clang::Expr* value, const Target& target, std::set<NeutralNeed>& needs);
  bool isNeutral(const clang::Expr* value, std::set<NeutralNeed>& needs) {
    const bool result = values_.isNeutral(value, MUSTER_REDUCE_ADD);
    needs.insert(values_.needs.begin(), values_.needs.end());
    return result;
  }

  ThreadCounts& all_;
  const clang::ASTContext& ast_;
  NeutralValues& values_;
  const TeamScope& scope_;
  const bool byLibrary_;
  bool inTurn_ = false;
  unsigned protected_ = 0;
  std::set<const clang::FunctionDecl*> written_;  // lambda expressions of the code itself
};

// The name of a class of the standard library, or of a method's; empty: it is none.
llvm::StringRef libraryClass(const clang::CXXRecordDecl* record);
llvm::StringRef libraryClass(const clang::FunctionDecl* function);
// Of such a class: a set or a map, which keeps a key once.
bool keepsKeysOnce(llvm::StringRef type);

}  // namespace muster::plugin
