// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What parameters and local pointers of functions lead to.
#include "analysis/code/Functions.h"
#include "analysis/objects/RowTables.h"
#include "source/LibraryTypes.h"

namespace muster::plugin {

using namespace clang;

// In C.
static bool isCopy(const Expr* value) {
  auto* cast = dyn_cast<CastExpr>(Objects::plain(value));
  return cast && cast->getCastKind() == CK_LValueToRValue;
}

bool Objects::bind(const VarDecl* var, const Expr* value, ObjectBindings& bindings) const {
  const QualType type = var->getType();
  if (!value || type->isDependentType()) return false;
  std::optional<ObjectPath> path;
  if (type->isReferenceType() && value->isGLValue())
    path = object(value, bindings);
  else if (type->isPointerType() && isRecord(type->getPointeeType()))
    path = pointee(value, bindings);
  else if (type->isRecordType() && !ast_.getLangOpts().CPlusPlus && isCopy(value))
    path = object(cast<CastExpr>(plain(value))->getSubExpr(), bindings);
  if (!path || !isRecord(path->type())) {
    bindings.objects.erase(var);
    return false;
  }
  bindings.objects[var] = std::move(*path);
  return true;
}

// A pointer that moves, or is indexed, is an ordinary one, a copy that changes an object of the function.
bool Objects::isElementPointer(const FunctionDecl* definition, const VarDecl* var) const {
  auto known = elementPointers_.find(definition);
  if (known == elementPointers_.end()) {
    auto pointers = changedVariables(definition->getBody());
    pointers.merge(indexedPointers(definition));
    known = elementPointers_.emplace(definition, std::move(pointers)).first;
  }
  return known->second.count(var);
}

bool Objects::bindLocal(const VarDecl* var, ObjectBindings& bindings) const {
  if (!var->getType()->isReferenceType() || !rowVectorElement(var->getType()).isNull()) {
    const FunctionDecl* function = functionOf(var);
    if (!function || !function->getBody()) return false;
    if (bindTable(var, var->getInit(), function, bindings, bindings)) return true;
    if (!var->getType()->isReferenceType() && isElementPointer(function, var)) return false;
  }
  return bind(var, var->getInit(), bindings);
}

// A table that moves, or gets another value, is an ordinary pointer.
bool Objects::bindTable(const VarDecl* var, const Expr* value, const FunctionDecl* definition,
                        const ObjectBindings& from, ObjectBindings& bindings) const {
  const QualType type = var->getType();
  if (!value || rowElement(type).isNull()) return false;
  // A vector is bound where it is referred to, and what changes it is refused.
  const bool isVector = !rowVectorElement(type).isNull();
  if (isVector ? !type->isReferenceType() : changedVariables(definition->getBody()).count(var) != 0) return false;
  const VarDecl* table = tableOf(value, *this, from);
  if (!table || !(find(table) || (isVector ? isOfLaunchSite(table) : isOutside(table)))) return false;
  bindings.rowTables[var] = table;
  return true;
}

ObjectBindings Objects::enter(const FunctionDecl* definition, const Expr* object,
                              const std::vector<const Expr*>& arguments, const ObjectBindings& caller) const {
  auto* method = dyn_cast<CXXMethodDecl>(definition);
  const auto lambda = method ? lambdas_.find(method->getParent()) : lambdas_.end();
  const bool isLocal = lambda != lambdas_.end();
  ObjectBindings inside = isLocal ? lambda->second : ObjectBindings{.isCallee = true};
  if (object && !isLocal)
    inside.self = object->getType()->isPointerType() ? pointee(object, caller) : this->object(object, caller);
  for (unsigned i = 0; i < definition->getNumParams() && i < arguments.size(); ++i) {
    const ParmVarDecl* parameter = definition->getParamDecl(i);
    if (bindTable(parameter, arguments[i], definition, caller, inside)) continue;
    ObjectBindings bound = caller;
    if (!parameter->getType()->isReferenceType() && isElementPointer(definition, parameter)) continue;
    if (bind(parameter, arguments[i], bound)) inside.objects[parameter] = bound.objects[parameter];
  }
  return inside;
}

}  // namespace muster::plugin
