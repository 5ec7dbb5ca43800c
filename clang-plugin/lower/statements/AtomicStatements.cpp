// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements that other work-items do to the same elements at the same time: `omp atomic`, `omp critical` around an
// update, and updates of arrays that are reduced. What they do to variables of the work-item itself is plain code.
#include "clang/AST/OpenMPClause.h"
#include "lower/statements/Statements.h"
#include "lower/types/Constants.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

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
bool Statements::lowerAtomicCall(const clang::Expr* expr) {
  const auto found = program_.facts.updates.find(expr);
  if (found == program_.facts.updates.end() || !found->second.isCall) return false;
  const UpdateFact& update = found->second;
  if (scope_.spaces.ofObject(update.target) != Space::Global) {
    lowerOwnUpdate(update);
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
  if (isOrdered) fence();
  lowerUpdate(update);
  if (isOrdered) fence();
  return true;
}

void Statements::lowerOwnUpdate(const UpdateFact& update) {
  const std::string type = scalarName(scalarOf(program_.context, update.target->getType()));
  const std::string operation = clang::BinaryOperator::getOpcodeStr(update.opcode).str();
  const Expression place = ir::target(ir::name("muster_place")), value = ir::name("muster_value");
  block([&] {
    add(ir::define(type + " *muster_place", expressions_.address(update.target)));
    add(ir::define("const " + type + " muster_value",
                   update.value ? expressions_.value(update.value) : ir::literal("1")));
    if (update.opcode == clang::BO_LT || update.opcode == clang::BO_GT)
      add(ir::choice(ir::binary(operation, value, place), {ir::evaluate(ir::assign(place, value))}));
    else
      evaluate(ir::assign(place, ir::cast(type, ir::binary(operation, place, value))));
  });
}

// C++ evaluates the value before the place; for arguments of a call OpenCL C does not say.
void Statements::lowerUpdate(const UpdateFact& update) {
  const auto hasEffects = [&](const clang::Expr* expr) { return expr && expr->HasSideEffects(program_.context); };
  if (!update.value || !(hasEffects(update.value) || hasEffects(update.target)))
    return evaluate(updateCall(update, false));
  block([&] {
    UpdateValue value = expressions_.updateValue(update);
    if (value.scalar != Scalar::None) {
      add(ir::define(std::string("const ") + scalarName(value.scalar) + " muster_value", value.value));
      value.value = ir::name("muster_value");
    }
    evaluate(expressions_.updateCall(update, value, false));
  });
}

Expression Statements::updateCall(const UpdateFact& update, bool returnsNew) {
  return expressions_.updateCall(update, expressions_.updateValue(update), returnsNew);
}

Expression Statements::volatileObject(const clang::Expr* expr) {
  const Scalar scalar = scalarOf(program_.context, expr->getType());
  if (scalar == Scalar::None) refuse(expr, say::TypeNotInOpenCL(expr->getType().getAsString()));
  return ir::target(
      ir::cast(std::string("volatile __global ") + scalarName(scalar) + " *", expressions_.address(expr)));
}

// What an assignment of `value`, which has the type of `from`, does to `to`.
void Statements::assign(const clang::Expr* to, const clang::Expr* from, const Expression& value) {
  if (isHalf(to->getType()) != isHalf(from->getType())) refuse(to, say::ElementInHalf);
  const bool narrows = to->getType()->isBooleanType() && !from->getType()->isBooleanType();
  evaluate(ir::assign(expressions_.lvalue(to),
                      narrows ? ir::binary("!=", ir::parentheses(value), ir::literal("0")) : value));
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
  if (releases) fence();
  if (hasAny<clang::OMPReadClause>(directive)) {
    assign(directive->getV(), target, volatileObject(target));
  } else if (hasAny<clang::OMPWriteClause>(directive)) {
    const auto* op = llvm::cast<clang::BinaryOperator>(llvm::cast<clang::Expr>(statement)->IgnoreParenImpCasts());
    evaluate(ir::assign(volatileObject(target), expressions_.converted(op->getRHS())));
  } else if (hasAny<clang::OMPCaptureClause>(directive)) {
    capture(directive);
  } else {  // clang evaluates the place first
    evaluate(updateCall(*update, false));
  }
  if (acquires) fence();
}

void Statements::VisitOMPCriticalDirective(const clang::OMPCriticalDirective* directive) {
  if (const UpdateFact* update = sharedUpdate(directive)) return lowerUpdate(*update);
  Visit(directive->getAssociatedStmt());
}

}  // namespace muster::plugin::lower
