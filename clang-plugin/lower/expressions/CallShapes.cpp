// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one shape of all kinds of calls: functions, methods, operators.
#include "lower/expressions/CallShapes.h"

#include "analysis/objects/Objects.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "source/LibraryTypes.h"

namespace muster::plugin::lower {

CallShape shapeOf(const clang::CallExpr* call) {
  CallShape shape;
  shape.callee = call->getDirectCallee();
  shape.arguments.assign(call->arg_begin(), call->arg_end());
  if (const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(call)) {
    shape.object = member->getImplicitObjectArgument();
    shape.objectIsPointer = shape.object && shape.object->getType()->isPointerType();
  } else if (llvm::isa<clang::CXXOperatorCallExpr>(call)) {
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(shape.callee);
    if (method && method->isImplicitObjectMemberFunction()) {
      shape.object = shape.arguments.front();
      shape.arguments.erase(shape.arguments.begin());
    }
  }
  if (const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(shape.callee); method && method->isStatic())
    shape.object = nullptr;
  return shape;
}

bool isLibraryFunction(const clang::FunctionDecl* function) {
  if (function->isInStdNamespace() || function->getBuiltinID() != 0) return true;
  const clang::SourceManager& sources = function->getASTContext().getSourceManager();
  return function->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
         sources.isInSystemHeader(sources.getExpansionLoc(function->getCanonicalDecl()->getLocation()));
}

bool isIdentity(const clang::FunctionDecl* function) {
  if (!function || !isLibraryFunction(function) || !function->getIdentifier()) return false;
  const llvm::StringRef name = function->getName();
  const bool isCast = llvm::is_contained({"move", "forward", "as_const"}, name) && function->getNumParams() == 1;
  return isCast || name == "__builtin_expect";
}

bool isSmartPointer(const CallShape& call) {
  return call.object && !call.objectIsPointer && !smartPointee(call.object->getType()).isNull();
}

VectorOperation vectorOperation(const CallShape& call) {
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call.callee);
  if (!method || !call.object || !method->getParent()->isInStdNamespace()) return VectorOperation::None;
  if (!method->getParent()->getIdentifier() || method->getParent()->getName() != "vector") return VectorOperation::None;
  if (method->getOverloadedOperator() == clang::OO_Subscript) return VectorOperation::Subscript;
  if (!method->getIdentifier()) return VectorOperation::None;
  return llvm::StringSwitch<VectorOperation>(method->getName())
      .Case("data", VectorOperation::Data)
      .Case("size", VectorOperation::Size)
      .Default(VectorOperation::None);
}

}  // namespace muster::plugin::lower
