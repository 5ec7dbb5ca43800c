// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements that other work-items do to the same elements at the same time: `omp atomic`, `omp critical` around an
// update, and updates of arrays that are reduced. What they do to variables of the work-item itself is plain code.
#include "clang/AST/OpenMPClause.h"
#include "opencl/statements/Statements.h"
#include "opencl/types/Constants.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::opencl {

namespace {

template <class... Clauses>
bool hasAny(const clang::OMPExecutableDirective* directive) {
  return llvm::any_of(directive->clauses(),
                      [](const clang::OMPClause* clause) { return llvm::isa<Clauses...>(clause); });
}

}  // namespace

const UpdateFact* Statements::sharedUpdate(const clang::Stmt* statement) const {
  const auto found = program_.facts.updates.find(statement);
  if (found == program_.facts.updates.end()) return nullptr;
  return scope_.spaces.ofObject(found->second.target) == Space::Global ? &found->second : nullptr;
}

// A statement that is a call: of elements of arrays, or of a variable of the work-item itself.
bool Statements::printAtomicCall(const clang::Expr* expr) {
  const auto found = program_.facts.updates.find(expr);
  if (found == program_.facts.updates.end() || !found->second.isCall) return false;
  const UpdateFact& update = found->second;
  if (scope_.spaces.ofObject(update.target) != Space::Global) {
    printOwnUpdate(update);
    return true;
  }
  // Clang evaluates arguments from the left.
  const bool isFunction = !llvm::isa<clang::CXXOperatorCallExpr>(expr);
  if (isFunction && update.value && dependOnOrder(update.target, update.value)) {
    refuse(expr, say::AtomicOperandsDependOnOrder);
    return true;
  }
  // Only what reads atomically could see in which order things happen.
  const bool isOrdered =
      llvm::any_of(program_.facts.accesses, [](const AccessFact& access) { return access.atomic || access.ordered; });
  if (isOrdered) line("mem_fence(CLK_GLOBAL_MEM_FENCE);");
  printUpdate(update);
  if (isOrdered) line("mem_fence(CLK_GLOBAL_MEM_FENCE);");
  return true;
}

void Statements::printOwnUpdate(const UpdateFact& update) {
  const std::string type = scalarName(scalarOf(program_.context, update.target->getType()));
  const std::string operation = clang::BinaryOperator::getOpcodeStr(update.opcode).str();
  open("");
  line(type + " *muster_place = " + expressions_.address(update.target).at(Prec::Assignment) + ";");
  line("const " + type +
       " muster_value = " + (update.value ? expressions_.value(update.value).at(Prec::Assignment) : "1") + ";");
  if (update.opcode == clang::BO_LT || update.opcode == clang::BO_GT)
    line("if (muster_value " + operation + " *muster_place) *muster_place = muster_value;");
  else
    line("*muster_place = (" + type + ")(*muster_place " + operation + " muster_value);");
  close();
}

// C++ evaluates the value before the place; for arguments of a call OpenCL C does not say.
void Statements::printUpdate(const UpdateFact& update) {
  const auto hasEffects = [&](const clang::Expr* expr) { return expr && expr->HasSideEffects(program_.context); };
  if (!update.value || !(hasEffects(update.value) || hasEffects(update.target)))
    return line(updateCall(update, false) + ";");
  open("");
  UpdateValue value = expressions_.updateValue(update);
  if (value.scalar != Scalar::None) {
    line(std::string("const ") + scalarName(value.scalar) + " muster_value = " + value.text + ";");
    value.text = "muster_value";
  }
  line(expressions_.updateCall(update, value, false) + ";");
  close();
}

std::string Statements::updateCall(const UpdateFact& update, bool returnsNew) {
  return expressions_.updateCall(update, expressions_.updateValue(update), returnsNew);
}

std::string Statements::volatileObject(const clang::Expr* expr) {
  const Scalar scalar = scalarOf(program_.context, expr->getType());
  if (scalar == Scalar::None) refuse(expr, say::TypeNotInOpenCL(expr->getType().getAsString()));
  return std::string("*(volatile __global ") + scalarName(scalar) + " *)" + expressions_.address(expr).at(Prec::Unary);
}

// What an assignment of `value`, which has the type of `from`, does to `to`.
void Statements::assign(const clang::Expr* to, const clang::Expr* from, const std::string& value) {
  if (isHalf(to->getType()) != isHalf(from->getType())) refuse(to, say::ElementInHalf);
  const bool narrows = to->getType()->isBooleanType() && !from->getType()->isBooleanType();
  line(expressions_.lvalue(to).at(Prec::Unary) + " = " + (narrows ? "(" + value + ") != 0" : value) + ";");
}

void Statements::capture(const clang::OMPAtomicDirective* directive) {
  const clang::Expr* change = directive->getUpdateExpr();
  const auto* op = change ? llvm::dyn_cast<clang::BinaryOperator>(change->IgnoreParenImpCasts()) : nullptr;
  UpdateFact update;
  update.target = directive->getX();
  update.value = directive->getExpr();
  update.opcode = op ? op->getOpcode() : clang::BO_Assign;
  update.valueFirst = op && !directive->isXLHSInRHSPart();
  assign(directive->getV(), directive->getX(), updateCall(update, !directive->isPostfixUpdate()));
}

void Statements::VisitOMPAtomicDirective(const clang::OMPAtomicDirective* directive) {
  const clang::Expr* target = directive->getX();
  const clang::Stmt* statement = directive->getAssociatedStmt();
  const UpdateFact* update = sharedUpdate(directive);
  const bool isShared = update || (target && scope_.spaces.ofObject(target) == Space::Global);
  if (!isShared) return Visit(statement);
  if (!update && hasAny<clang::OMPCompareClause>(directive)) return refuse(directive, say::AtomicCompare);
  const bool releases = hasAny<clang::OMPReleaseClause, clang::OMPAcqRelClause, clang::OMPSeqCstClause>(directive);
  const bool acquires = hasAny<clang::OMPAcquireClause, clang::OMPAcqRelClause, clang::OMPSeqCstClause>(directive);
  if (releases) line("mem_fence(CLK_GLOBAL_MEM_FENCE);");
  if (hasAny<clang::OMPReadClause>(directive)) {
    assign(directive->getV(), target, volatileObject(target));
  } else if (hasAny<clang::OMPWriteClause>(directive)) {
    const auto* op = llvm::cast<clang::BinaryOperator>(llvm::cast<clang::Expr>(statement)->IgnoreParenImpCasts());
    line(volatileObject(target) + " = " + expressions_.converted(op->getRHS()).at(Prec::Assignment) + ";");
  } else if (hasAny<clang::OMPCaptureClause>(directive)) {
    capture(directive);
  } else {  // clang evaluates the place first
    line(updateCall(*update, false) + ";");
  }
  if (acquires) line("mem_fence(CLK_GLOBAL_MEM_FENCE);");
}

void Statements::VisitOMPCriticalDirective(const clang::OMPCriticalDirective* directive) {
  if (const UpdateFact* update = sharedUpdate(directive)) return printUpdate(*update);
  Visit(directive->getAssociatedStmt());
}

}  // namespace muster::plugin::opencl
