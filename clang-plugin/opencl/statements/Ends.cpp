// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations that end the program (docs/decisions/0023): the kernel writes down how, and the work-item leaves all
// functions that it is in. So such calls have to be statements, or all that a statement's value is. Messages are
// counted.
#include "analysis/references/ProgramEnds.h"
#include "muster/abi.h"
#include "opencl/statements/Statements.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::opencl {

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

void Statements::lineThatMayEnd(const clang::Expr* call, const std::function<std::string()>& text) {
  expressions_.setMayEnd(call);
  line(text());
  if (expressions_.mayHaveEnded()) line("if (" + scope_.endFlag() + ") " + leave_());
  expressions_.setMayEnd(nullptr);
}

void Statements::endProgram(const clang::CallExpr* call) {
  const unsigned count = call->getNumArgs();
  const std::string code = count > 0 ? expressions_.converted(call->getArg(count - 1)).at(Prec::Assignment) : "0";
  program_.helper(helperName, helperText);
  scope_.noteEnd();
  line(std::string(helperName) + "(muster_end_out, " + std::to_string(endingOf(call->getDirectCallee())) + ", " + code +
       ");");
  if (!scope_.isOutermost()) line("*muster_ended = 1;");
  line(leave_());
}

// Nothing else may get the value of a call that did not return.
bool Statements::printEndingAssignment(const clang::BinaryOperator* assignment) {
  const clang::Expr *target = assignment->getLHS()->IgnoreParens(), *value = assignment->getRHS();
  const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(target);
  const auto* var = ref ? llvm::dyn_cast<clang::VarDecl>(ref->getDecl()) : nullptr;
  if (var && var->hasLocalStorage() && !var->getType()->isReferenceType() && !scope_.isReference(var)) {
    lineThatMayEnd(value, [&] { return expressions_.effect(assignment).text + ";"; });
    return true;
  }
  const clang::QualType type = target->getType();
  const bool isPlain = type->isRealFloatingType() || (type->isIntegerType() && !type->isBooleanType());
  if (assignment->getOpcode() != clang::BO_Assign || !isPlain || isHalf(type) || type.isVolatileQualified())
    return false;
  const std::string temporary = scope_.temporary(type, value->getExprLoc());
  lineThatMayEnd(value, [&] { return temporary + " = " + expressions_.converted(value).text + ";"; });
  line(expressions_.lvalue(target).at(Prec::Unary) + " = " + temporary + ";");
  return true;
}

// Of the body itself: its messages are always the same, and the launch site writes them.
bool Statements::printReport(const clang::Expr* bare) {
  const std::vector<const clang::CallExpr*> reports = constantReports(program_.facts);
  const auto report = llvm::find(reports, bare);
  if (!scope_.isOutermost() || report == reports.end()) return false;
  line("atomic_inc((volatile __global int *)muster_end_out + " + std::to_string(2 + (report - reports.begin())) + ");");
  return true;
}

bool Statements::printEnd(const clang::Expr* expr) {
  const clang::Expr* bare = bareOf(expr);
  if (printReport(bare)) return true;
  const auto* call = llvm::dyn_cast<clang::CallExpr>(bare);
  if (llvm::isa<clang::CXXOperatorCallExpr>(bare) && reportArguments(call)) {
    refuse(bare, say::WritesBeforeEnd);
    return true;
  }
  if (const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(bare))
    return assignment->isAssignmentOp() && mayEnd(bareOf(assignment->getRHS())) && printEndingAssignment(assignment);
  if (!mayEnd(bare)) return false;
  if (call && endingOf(call->getDirectCallee()) != MUSTER_END_NONE)
    endProgram(call);
  else
    lineThatMayEnd(bare, [&] { return expressions_.effect(bare).text + ";"; });
  return true;
}

}  // namespace muster::plugin::opencl
