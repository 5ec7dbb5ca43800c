// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether code that each thread runs in its turn does the same once and several times. It does if no thread reads what
// it leaves for the next one, for nobody writes later what is read, with these exceptions. A condition without an
// `else` may read what its branch writes, if that branch alone is the same once and several times: the next thread
// takes it again, or does nothing. With an `else`, what the first branch assigns must show that the next thread takes
// that branch again, or does nothing.
#pragma once

#include <deque>

#include "analysis/counts/SharedUses.h"

namespace muster::plugin {

class TurnSteps {
 public:
  using IsShared = llvm::function_ref<bool(const clang::Expr* place)>;
  // Whether such a value of a thread's variable is what the variable was, or nothing of it.
  using IsKept = llvm::function_ref<bool(const clang::Expr* value, const clang::VarDecl* target)>;
  TurnSteps(const clang::ASTContext& ast, const OwnWrites& writes, FunctionUses& functions, IsShared isShared,
            IsKept isKept)
      : ast_(ast), writes_(writes), functions_(functions), isShared_(isShared), isKept_(isKept) {}

  // Whether the next thread does something else, perhaps. `place`: by which that is, if it has a name here.
  bool differs(llvm::ArrayRef<const clang::Stmt*> block);
  const clang::Expr* place = nullptr;
  // What a function's callers give it, and the object that it is called on, are apart.
  bool isFunction = false;
  // Of the thread's variables, afterwards: those which show that others had their turns before.
  std::set<const clang::VarDecl*> told() const;

 private:
  using Steps = llvm::ArrayRef<const clang::Stmt*>;
  enum Old : unsigned { No = 0, Shared = 1, Own = 2 };  // what a value shows of earlier turns
  // What was read so far, and must stay as it was.
  struct Reading {
    std::vector<SharedUse> uses;
    const clang::Stmt* by = nullptr;     // the step that read
    const clang::Stmt* guard = nullptr;  // what chooses by it
    const clang::Expr* condition = nullptr;
    bool isOver = false;  // its branch makes it false
  };
  struct Loop {
    const clang::Stmt* statement;
    const clang::VarDecl* var;
  };

  void all(Steps steps);
  void step(const clang::Stmt* statement);
  void stepExpr(const clang::Expr* expr);
  void declare(const clang::VarDecl* var, const clang::Expr* value);
  void assign(const clang::Expr* use, const clang::Expr* target, const clang::Expr* value, bool isPlain);
  void assignOwn(const clang::VarDecl* var, const std::vector<SharedUse>& reads);
  void choose(const clang::Stmt* statement, const clang::Expr* condition, Steps thens, Steps elses);
  void branch(Steps steps, std::vector<const clang::Expr*>& fresh);
  void leave();
  void loop(const clang::Stmt* statement, const clang::Stmt* first, const clang::Expr* condition,
            const clang::Stmt* next, const clang::Stmt* body, const clang::VarDecl* var);
  void select(const clang::SwitchStmt* statement);
  void use(const clang::Stmt* statement);
  // `value`: the assigned one, if it is known.
  void write(const SharedUse& use, const clang::Stmt* by, const clang::Expr* value = nullptr);
  bool allows(const Reading& reading, const SharedUse& read, const SharedUse& write, const clang::Expr* value) const;
  bool isElement(const SharedUse& read, const SharedUse& write) const;
  void open(const std::vector<SharedUse>& reads, const clang::Stmt* by, const clang::Expr* without = nullptr);
  void taintChanged(const clang::Stmt* statement);

  unsigned oldOf(const std::vector<SharedUse>& reads) const;
  bool overlap(const SharedUse& left, const SharedUse& right) const;
  bool isOld(const SharedUse& read) const;
  bool isFresh(const SharedUse& read) const;
  bool isShared(const SharedUse& use) const { return !use.expr || isShared_(use.expr); }
  bool hasEffects(Steps steps);
  // The reads, and what the thread's copies among them were made of.
  std::vector<SharedUse> withCopies(const std::vector<SharedUse>& reads) const;
  void differBy(const clang::Expr* by) {
    if (!differs_) place = by;
    differs_ = true;
  }

  const clang::ASTContext& ast_;
  const OwnWrites& writes_;
  FunctionUses& functions_;
  const IsShared isShared_;
  const IsKept isKept_;
  std::vector<SharedUse> written_;                                  // by the whole block
  std::deque<Reading> readings_;                                    // so far
  std::vector<const Reading*> active_;                              // around the current step
  std::vector<Loop> loops_;                                         // around it
  std::vector<const clang::Expr*> fresh_;                           // assigned in this turn
  std::map<const clang::VarDecl*, std::vector<SharedUse>> copies_;  // the thread's own, of what others may write
  std::set<const clang::VarDecl*> stale_;                           // of these: what was copied has changed
  std::set<const clang::VarDecl*> tainted_;
  unsigned underOld_ = 0;  // conditions around it that show something of earlier turns
  bool differs_ = false;
};

// What a branch assigns, in its order.
using Assigned = std::vector<std::pair<const clang::Expr*, const clang::Expr*>>;
// False: it does something else, too.
bool assignments(const clang::Stmt* statement, Assigned& found);
// The condition's value after that; nullopt: unknown.
std::optional<bool> valueAfter(const clang::ASTContext& ast, const clang::Expr* condition, const Assigned& assigned);
// Whether the statements do nothing after that.
bool rests(const clang::ASTContext& ast, llvm::ArrayRef<const clang::Stmt*> steps, const Assigned& assigned);
// 1: to assign the value under such a condition makes the place greater, -1: less; else 0. nullptr: any value.
int directionOf(const clang::ASTContext& ast, const clang::Expr* condition, const clang::Expr* place,
                const clang::Expr* value);

}  // namespace muster::plugin
