// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations that end the program (docs/decisions/0023): the kernel writes down how, and the work-item leaves all
// functions that it is in. So such calls have to be statements, or all that a statement's value is. Messages are
// counted.
#include "analysis/references/ProgramEnds.h"
#include "lower/statements/Statements.h"
#include "muster/abi.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

namespace {

// The call behind casts and temporaries.
const clang::Expr* bareOf(const clang::Expr* expr) {
  for (const clang::Expr* next = nullptr; expr != nullptr; expr = next) {
    next = expr->IgnoreImplicit()->IgnoreParenCasts();
    if (next == expr) break;
  }
  return expr;
}

// The first work-item to end the program is the one that counts.
constexpr const char* helperName = "muster_end_program";
constexpr const char* helperText =
    "static void muster_end_program(__global int *to, int how, int code) {\n"
    "  if (atomic_cmpxchg((volatile __global int *)to, 0, how) == 0) to[1] = code;\n}\n\n";

}  // namespace

void Expressions::setMayEnd(const clang::Expr* expr) {
  mayEnd_ = bareOf(expr);
  mayHaveEnded_ = false;
}

void Statements::addWhatMayEnd(const clang::Expr* call, llvm::function_ref<ir::Statement()> lower) {
  expressions_.setMayEnd(call);
  add(lower());
  if (expressions_.mayHaveEnded()) add(ir::choice(scope_.endFlag(), {leave_()}));
  expressions_.setMayEnd(nullptr);
}

void Statements::endProgram(const clang::CallExpr* call) {
  const unsigned count = call->getNumArgs();
  const Expression code = count > 0 ? expressions_.converted(call->getArg(count - 1)) : ir::literal("0");
  program_.helper(helperName, helperText);
  scope_.noteEnd();
  const std::string ending = std::to_string(endingOf(call->getDirectCallee()));
  evaluate(ir::call(helperName, {ir::name("muster_end_out"), ir::literal(ending), code}));
  if (!scope_.isOutermost()) evaluate(ir::assign(scope_.endFlag(), ir::literal("1")));
  add(leave_());
}

// Nothing else may get the value of a call that did not return.
bool Statements::lowerEndingAssignment(const clang::BinaryOperator* assignment) {
  const clang::Expr *target = assignment->getLHS()->IgnoreParens(), *value = assignment->getRHS();
  const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(target);
  const auto* var = ref ? llvm::dyn_cast<clang::VarDecl>(ref->getDecl()) : nullptr;
  if (var && var->hasLocalStorage() && !var->getType()->isReferenceType() && !scope_.isReference(var)) {
    addWhatMayEnd(value, [&] { return ir::evaluate(expressions_.effect(assignment)); });
    return true;
  }
  const clang::QualType type = target->getType();
  const bool isPlain = type->isRealFloatingType() || (type->isIntegerType() && !type->isBooleanType());
  if (assignment->getOpcode() != clang::BO_Assign || !isPlain || isHalf(type) || type.isVolatileQualified())
    return false;
  const Expression temporary = ir::name(scope_.temporary(type, value->getExprLoc()));
  addWhatMayEnd(value, [&] { return ir::evaluate(ir::assign(temporary, expressions_.converted(value))); });
  evaluate(ir::assign(expressions_.lvalue(target), temporary));
  return true;
}

// Of the body itself: its messages are always the same, and the launch site writes them.
bool Statements::lowerReport(const clang::Expr* bare) {
  const std::vector<const clang::CallExpr*> reports = constantReports(program_.facts);
  const auto report = llvm::find(reports, bare);
  if (!scope_.isOutermost() || report == reports.end()) return false;
  const Expression counts = ir::cast("volatile __global int *", ir::name("muster_end_out"));
  const std::string number = std::to_string(2 + (report - reports.begin()));
  evaluate(ir::call("atomic_inc", {ir::binary("+", counts, ir::literal(number))}));
  return true;
}

bool Statements::lowerEnd(const clang::Expr* expr) {
  const clang::Expr* bare = bareOf(expr);
  if (lowerReport(bare)) return true;
  const auto* call = llvm::dyn_cast<clang::CallExpr>(bare);
  if (llvm::isa<clang::CXXOperatorCallExpr>(bare) && reportArguments(call)) {
    refuse(bare, say::WritesBeforeEnd);
    return true;
  }
  if (const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(bare))
    return assignment->isAssignmentOp() && mayEnd(bareOf(assignment->getRHS())) && lowerEndingAssignment(assignment);
  if (!mayEnd(bare)) return false;
  if (call && endingOf(call->getDirectCallee()) != MUSTER_END_NONE)
    endProgram(call);
  else
    addWhatMayEnd(bare, [&] { return ir::evaluate(expressions_.effect(bare)); });
  return true;
}

}  // namespace muster::plugin::lower
