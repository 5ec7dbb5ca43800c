// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the memory of a vector is new where the vector gets it: elements to which pointers may lead cannot be moved
// to managed memory. A function that returns a vector may have kept such pointers, or got the elements from a
// parameter.
#include <set>

#include "clang/AST/ExprCXX.h"
#include "rewrite/storage/Storage.h"
#include "source/AstVisitor.h"
#include "source/Compat.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {
namespace {

using namespace clang;

const CXXRecordDecl* standardRecord(QualType type) {
  const CXXRecordDecl* record = type->getAsCXXRecordDecl();
  return record && record->isInStdNamespace() && record->getIdentifier() ? record : nullptr;
}

// Files and random numbers.
bool isStream(QualType type) {
  const RecordDecl* record = type->getAsRecordDecl();
  const llvm::StringRef name = record && record->getIdentifier() ? record->getName() : "";
  return name == "_IO_FILE" || name == "__sFILE" ||
         (standardRecord(type) && (name.starts_with("basic_") || name.ends_with("_engine")));
}

bool lendsMemory(QualType type);

// Whether objects of the type, which may be changed, can hold pointers to elements, or such elements. Numbers cannot.
bool holdsMemory(QualType type, bool orElements) {
  type = type.getCanonicalType();
  if (type->isReferenceType()) return lendsMemory(type);
  if (auto* array = type->getAsArrayTypeUnsafe()) return holdsMemory(array->getElementType(), orElements);
  if (type->isArithmeticType() || type->isEnumeralType() || isStream(type)) return false;
  if (const CXXRecordDecl* record = standardRecord(type)) {
    auto* vector = dyn_cast<ClassTemplateSpecializationDecl>(record);
    const bool isVector = vector && record->getName() == "vector";
    if (!isVector && !(vector && record->getName() == "array")) return true;
    return (isVector && orElements) || holdsMemory(vector->getTemplateArgs()[0].getAsType(), orElements);
  }
  const CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition()) return true;
  record = record->getDefinition();
  const auto holds = [&](const auto& part) { return holdsMemory(part.getType(), orElements); };
  return llvm::any_of(record->fields(), [&](const FieldDecl* field) { return holds(*field); }) ||
         llvm::any_of(record->bases(), holds);
}

// Whether a function can keep a pointer, or take elements, by a parameter of this type.
bool lendsMemory(QualType type) {
  if (!type->isReferenceType() && !type->isPointerType()) return holdsMemory(type, false);
  const QualType target = type->getPointeeType();
  if (target.isConstQualified()) return false;
  return !target->isArithmeticType() && !target->isEnumeralType() && !isStream(target);
}

// Looks for variables in which a function's body, and those of functions that it calls, may keep pointers.
class KeepFinder : public AstVisitor {
 public:
  bool keeps(const FunctionDecl* function) {
    const FunctionDecl* definition = nullptr;
    if (function->hasBody(definition) && seen_.insert(definition).second &&
        !definition->getASTContext().getSourceManager().isInSystemHeader(definition->getLocation()))
      TraverseStmt(definition->getBody());
    return found_;
  }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override { return visitName(reference->getDecl()); }
  bool VisitMemberExpr(MemberExpr* member) override { return visitName(member->getMemberDecl()); }
  bool VisitCallExpr(CallExpr* call) override {
    if (const FunctionDecl* callee = call->getDirectCallee()) keeps(callee);
    return !found_;
  }

 private:
  bool visitName(const ValueDecl* decl) {
    auto* var = dyn_cast<VarDecl>(decl);
    found_ |= var && var->hasGlobalStorage() && !var->getType().isConstQualified() && holdsMemory(var->getType(), true);
    return !found_;
  }

  std::set<const FunctionDecl*> seen_;
  bool found_ = false;
};

bool mayHaveKept(const CallExpr& call) {
  const FunctionDecl* callee = call.getDirectCallee();
  if (!callee) return !call.isTypeDependent();
  auto* method = dyn_cast<CXXMethodDecl>(callee);
  if (method && method->isInstance()) {
    const bool isUnchanged = method->isConst() && !method->getParent()->hasMutableFields();
    if (!isUnchanged || holdsMemory(compat::recordType(method->getASTContext(), method->getParent()), false))
      return true;
  }
  return llvm::any_of(callee->parameters(), [](const ParmVarDecl* p) { return lendsMemory(p->getType()); }) ||
         KeepFinder().keeps(callee);
}

bool isDependentMove(const CallExpr& call) {
  auto* lookup = dyn_cast<UnresolvedLookupExpr>(call.getCallee()->IgnoreParenImpCasts());
  const IdentifierInfo* name = lookup ? lookup->getName().getAsIdentifierInfo() : nullptr;
  return name && (name->isStr("move") || name->isStr("forward") || name->isStr("exchange"));
}

bool givesOwnMemory(const Expr& value) {
  const Expr* written = value.IgnoreUnlessSpelledInSource();
  if (written->isXValue()) return false;
  const CXXRecordDecl *from = written->getType()->getAsCXXRecordDecl(), *to = value.getType()->getAsCXXRecordDecl();
  if (from && to && from->getCanonicalDecl() != to->getCanonicalDecl()) return false;  // by the user's own conversion
  if (const auto* choice = dyn_cast<ConditionalOperator>(written))
    return givesOwnMemory(*choice->getTrueExpr()) && givesOwnMemory(*choice->getFalseExpr());
  if (const auto* cast = dyn_cast<CXXFunctionalCastExpr>(written)) return givesOwnMemory(*cast->getSubExpr());
  if (const auto* call = dyn_cast<CallExpr>(written))
    return call->isLValue() || !(isDependentMove(*call) || mayHaveKept(*call));
  const auto* construction = dyn_cast<CXXConstructExpr>(written);
  if (construction && construction->getConstructor()->isCopyOrMoveConstructor())
    return givesOwnMemory(*construction->getArg(0));
  return !construction || llvm::all_of(construction->arguments(), [](const Expr* argument) {
    return !argument->IgnoreUnlessSpelledInSource()->isXValue();
  });
}

}  // namespace

bool StorageRewriter::takesOver(const ArrayPlan& array, const Expr& value) {
  if (givesOwnMemory(value)) return true;
  const Expr* written = value.IgnoreUnlessSpelledInSource();
  if (!written->isXValue())  // that a managed vector is moved to another is common
    remarkMissed(context_.getDiagnostics(), sources_.getFileLoc(written->getBeginLoc()),
                 say::MayPointToElements(array.decl->getName()));
  return false;
}

}  // namespace muster::plugin
