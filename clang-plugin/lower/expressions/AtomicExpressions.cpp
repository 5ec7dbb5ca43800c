// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the helpers for updates that are atomic within a device, and atomic functions whose results are used.
#include "analysis/code/Functions.h"
#include "lower/expressions/Expressions.h"
#include "lower/types/Constants.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

// The helper converts as the user's operator does.
UpdateValue Expressions::updateValue(const UpdateFact& update) {
  if (!update.value) return {};
  const clang::Expr* bare = update.value->IgnoreParenImpCasts();
  return {valueScalar(scalarOf(program_.context, bare->getType())), Visit(bare)};
}

// The array of the update's target, if the kernel itself may collect its updates.
Privatized* Expressions::privatizedBy(const UpdateFact& update) {
  if (!scope_.isOutermost() || program_.privatized.empty()) return nullptr;
  const clang::Expr* place = withoutSubscripts(update.target->IgnoreParenImpCasts());
  if (const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(place); call && call->getNumArgs() == 2)
    place = call->getArg(0)->IgnoreParenImpCasts();
  const clang::VarDecl* var = variableOf(program_, scope_.spaces, place);
  const auto found = var ? program_.privatized.find(var) : program_.privatized.end();
  return found == program_.privatized.end() ? nullptr : &found->second;
}

Expression Expressions::updateCall(const UpdateFact& update, const UpdateValue& value, bool returnsNew) {
  const std::string helper = atomicHelper(program_, update, value.scalar, returnsNew);
  if (Privatized* array = privatizedBy(update)) {
    array->update = &update;
    addLocalHelpers(program_, helper, scalarName(scalarOf(program_.context, update.target->getType())),
                    scalarName(value.scalar));
    return ir::call("MUSTER_UPDATE", {ir::name(helper), ir::name(array->own), ir::name(array->buffer),
                                      address(update.target), value.value});
  }
  return ir::call(helper, {address(update.target), value.value});
}

// Iterations that read what others write are ordered by these updates, but not by those of a device.
static bool mayOrderOthers(const LoopFacts& facts) {
  std::set<unsigned> updated, written, read;
  for (const AccessFact& access : facts.accesses) {
    auto& arrays = access.ordered || access.atomic ? updated : access.write || access.update ? written : read;
    arrays.insert(access.array);
  }
  const auto isRead = [&](unsigned array) { return read.count(array) != 0; };
  return updated.size() > 1 || llvm::any_of(written, isRead) || llvm::any_of(updated, isRead);
}

std::optional<Expression> Expressions::fetch(const clang::Expr* expr) {
  const auto found = program_.facts.fetches.find(expr);
  if (found == program_.facts.fetches.end()) return std::nullopt;
  const UpdateFact& update = found->second;
  if (scope_.spaces.ofObject(update.target) != Space::Global) return refuse(expr, say::AtomicResultOfOwnVariable);
  if (mayOrderOthers(program_.facts)) return refuse(expr, say::AtomicResultMayOrder);
  if (update.value && dependOnOrder(update.target, update.value)) return refuse(expr, say::AtomicOperandsDependOnOrder);
  return updateCall(update, updateValue(update), update.returnsNew);
}

Expression Expressions::VisitAtomicExpr(const clang::AtomicExpr* expr) {
  const auto fetched = fetch(expr);
  return fetched ? *fetched : VisitStmt(expr);
}

}  // namespace muster::plugin::lower
