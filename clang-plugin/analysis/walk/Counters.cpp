// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that count along with a loop: `while (k < n) { ... k++; }`, `*p++` once per iteration of a counted loop.
#include "analysis/code/Functions.h"
#include "analysis/walk/BodyWalker.h"
#include "source/AstVisitor.h"

namespace muster::plugin {

using namespace clang;

namespace {

bool names(const Expr* expr, const VarDecl* var) {
  auto* reference = expr ? dyn_cast<DeclRefExpr>(expr) : nullptr;
  return reference && reference->getDecl() == var;
}

// How some code changes one variable. Known are reads, and steps by constants; any other use may do anything.
class Motion : public AstVisitor {
 public:
  Motion(const ASTContext& ast, const VarDecl* var) : ast_(ast), var_(var) {}

  bool onlyRead() const { return uses_ == reads_; }
  bool isKnown() const { return uses_ == reads_ + steps_; }
  unsigned steps() const { return steps_; }
  bool growsBySteps = false, shrinksBySteps = false;      // ++, +=, --, -=
  bool growsByFactors = false, shrinksByFactors = false;  // *=, <<=, /=, >>=
  std::int64_t distance = 0;                              // of all its steps together

  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    uses_ += reference->getDecl() == var_;
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr* cast) override {
    reads_ += cast->getCastKind() == CK_LValueToRValue && names(cast->getSubExpr(), var_);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* op) override {
    if (op->isIncrementDecrementOp() && names(op->getSubExpr(), var_)) step(op->isIncrementOp() ? 1 : -1);
    return true;
  }
  bool VisitCompoundAssignOperator(CompoundAssignOperator* op) override {
    Expr::EvalResult right;
    if (!names(op->getLHS(), var_) || !op->getRHS()->EvaluateAsInt(right, ast_)) return true;
    const llvm::APSInt& number = right.Val.getInt();
    if (number.isNegative() || number.getActiveBits() > 31) return true;
    const std::int64_t value = number.getExtValue();
    const BinaryOperatorKind opcode = op->getOpcode();
    if (opcode == BO_AddAssign || opcode == BO_SubAssign) {
      step(opcode == BO_AddAssign ? value : -value);
      return true;
    }
    const bool up = (opcode == BO_MulAssign && value > 0) || (opcode == BO_ShlAssign && value < 31);
    const bool down = (opcode == BO_DivAssign && value > 0) || (opcode == BO_ShrAssign && value < 31);
    if (!up && !down) return true;
    (up ? growsByFactors : shrinksByFactors) = true;
    ++steps_;
    return true;
  }

 private:
  void step(std::int64_t by) {
    (by < 0 ? shrinksBySteps : growsBySteps) = true;
    distance += by;
    ++steps_;
  }

  const ASTContext& ast_;
  const VarDecl* var_;
  unsigned uses_ = 0, reads_ = 0, steps_ = 0;
};

// Whether the one step of `var` in a statement happens whenever the statement is executed.
bool stepsAlways(const Stmt* statement, const VarDecl* var) {
  if (!statement || isa<AbstractConditionalOperator>(statement)) return false;
  if (auto* op = dyn_cast<BinaryOperator>(statement); op && op->isLogicalOp()) return false;
  if (!isa<Expr, CompoundStmt, DeclStmt>(statement)) return false;
  auto* unary = dyn_cast<UnaryOperator>(statement);
  auto* compound = dyn_cast<CompoundAssignOperator>(statement);
  if ((unary && unary->isIncrementDecrementOp() && names(unary->getSubExpr(), var)) ||
      (compound && names(compound->getLHS(), var)))
    return true;
  return std::any_of(statement->child_begin(), statement->child_end(),
                     [&](const Stmt* child) { return stepsAlways(child, var); });
}

bool hasContinue(const Stmt* statement) {
  if (!statement) return false;
  if (isa<ContinueStmt, GotoStmt>(statement)) return true;
  return std::any_of(statement->child_begin(), statement->child_end(), hasContinue);
}

void addConjuncts(const Expr* condition, std::vector<const BinaryOperator*>& into) {
  auto* op = dyn_cast<BinaryOperator>(condition->IgnoreParenImpCasts());
  if (op && op->getOpcode() == BO_LAnd) {
    addConjuncts(op->getLHS(), into);
    addConjuncts(op->getRHS(), into);
  } else if (op && op->isRelationalOp()) {
    into.push_back(op);
  }
}

}  // namespace

// In iteration t of a loop that counts by one, a variable that does one step of c in each is where it was before the
// loop, plus c * t. Its value after the loop stays unknown.
void BodyWalker::followInductions(const ForStmt* loop, const LoopVariable& variable, const State& before) {
  const Stmt* body = loop->getBody();
  if (!variable.passed || hasContinue(body)) return;
  const std::set<const VarDecl*> changed = changedVariables(body), reached = reachedIn(body, changed);
  for (const VarDecl* var : changed) {
    auto known = before.values.find(var);
    Motion motion(context_.ast, var);
    if (known == before.values.end() || before.references.count(var) || reached.count(var)) continue;
    motion.TraverseStmt(const_cast<Stmt*>(body));
    const bool once = motion.steps() == 1 && motion.isKnown() && (motion.growsBySteps || motion.shrinksBySteps);
    if (!once || !stepsAlways(body, var)) continue;
    const Value& value = known->second;
    const bool isPointer = var->getType()->isPointerType();
    auto way = multiply(*variable.passed, constantForm(motion.distance));
    if (!way || (!isPointer && (value.forms.size() != 1 || wraps(var->getType())))) continue;
    if (isPointer)
      state_.values[var] = movePointer(value, Value::of(*way), var->getType()->getPointeeType(), false);
    else if (auto moved = add(value.forms.front(), *way))
      state_.values[var] = Value::of(*moved);
  }
}

// `v < e`, `v <= e` in the condition of a loop that only ever increases v: in the body, until v changes, it lies
// between what it was before the loop and e; and the same downwards. Unsigned numbers may wrap on their way, so that
// only 0 bounds them from below, and nothing from above.
std::optional<BodyWalker::Counter> BodyWalker::counterOf(const BinaryOperator* test, const Stmt* body,
                                                         const Expr* increment,
                                                         const std::set<const VarDecl*>& changed) {
  bool less = test->getOpcode() == BO_LT || test->getOpcode() == BO_LE;
  const bool inclusive = test->getOpcode() == BO_LE || test->getOpcode() == BO_GE;
  auto variableOf = [&](const Expr* expr) -> const VarDecl* {
    auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts());
    auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    return var && changed.count(var) && state_.values.count(var) && !state_.references.count(var) ? var : nullptr;
  };
  const VarDecl* var = variableOf(test->getLHS());
  const Expr* limit = test->getRHS();
  if (!var) {
    var = variableOf(test->getRHS());
    limit = test->getLHS();
    less = !less;
  }
  if (!var || mentions(limit, changed) || limit->HasSideEffects(context_.ast)) return std::nullopt;
  const QualType type = var->getType();
  if (!type->isIntegerType() || context_.ast.getTypeSize(type) < 32 || context_.ast.getTypeSize(type) > 64 ||
      type->isUnsignedIntegerType() != limit->getType()->isUnsignedIntegerType())
    return std::nullopt;
  Motion motion(context_.ast, var);
  motion.TraverseStmt(const_cast<Stmt*>(body));
  if (increment) motion.TraverseStmt(const_cast<Expr*>(increment));
  if (!motion.isKnown() ||
      (less ? motion.shrinksBySteps || motion.shrinksByFactors : motion.growsBySteps || motion.growsByFactors))
    return std::nullopt;
  bool exact = true;
  auto end = boundForm(limit, less, exact);
  if (end && !inclusive) end = add(*end, constantForm(less ? -1 : 1));
  const Value& before = state_.values[var];
  const auto& bounds = less ? before.lowBounds() : before.highBounds();
  const bool isUnsigned = wraps(type);
  std::optional<AffineExpr> start;
  if (!bounds.empty()) start = withoutBrackets(bestBound(bounds), !less);
  if (isUnsigned && less) start = type->isUnsignedIntegerType() ? std::optional(constantForm(0)) : std::nullopt;
  if (isUnsigned && !less && motion.shrinksBySteps) return std::nullopt;
  if (!start || !end || !isNumber(*start, type)) return std::nullopt;
  // Factors keep the direction of what is not negative.
  if ((motion.growsByFactors && !provablyAtLeast(*start, constantForm(0))) ||
      (motion.shrinksByFactors && !provablyAtLeast(*end, constantForm(0))))
    return std::nullopt;
  return Counter{var, test, less ? *start : *end, less ? *end : *start};
}

// The variables that the condition of a loop bounds: what they are in the body.
std::vector<BodyWalker::Counter> BodyWalker::countersOf(const Stmt* condition, const Stmt* body, const Expr* increment,
                                                        const std::set<const VarDecl*>& changed) {
  std::vector<Counter> counters;
  auto* expr = dyn_cast_or_null<Expr>(condition);
  // A condition that changes variables itself tests them at another time.
  if (!expr || !changedVariables(expr).empty()) return counters;
  std::vector<const BinaryOperator*> tests;
  addConjuncts(expr, tests);
  std::set<const VarDecl*> reached = reachedIn(body, changed);
  if (increment) reached.merge(reachedIn(increment, changed));
  for (const BinaryOperator* test : tests)
    if (auto counter = counterOf(test, body, increment, changed); counter && !reached.count(counter->var))
      counters.push_back(*counter);
  return counters;
}

}  // namespace muster::plugin
