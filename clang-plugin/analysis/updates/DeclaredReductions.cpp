// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/updates/DeclaredReductions.h"

#include "analysis/code/Functions.h"
#include "analysis/code/UpdateParts.h"
#include "clang/AST/DeclOpenMP.h"
#include "muster/abi.h"
#include "source/ElementTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

static const VarDecl* namedBy(const Expr* expr) {
  auto* reference = dyn_cast_or_null<DeclRefExpr>(expr ? expr->IgnoreParenImpCasts() : nullptr);
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

const OMPDeclareReductionDecl* declaredReduction(const Expr* operation) {
  auto* call = dyn_cast_or_null<CallExpr>(operation);
  auto* callee = call ? dyn_cast<OpaqueValueExpr>(call->getCallee()) : nullptr;
  if (!callee || !callee->getSourceExpr()) return nullptr;
  auto* reference = dyn_cast<DeclRefExpr>(callee->getSourceExpr()->IgnoreImpCasts());
  return reference ? dyn_cast<OMPDeclareReductionDecl>(reference->getDecl()) : nullptr;
}

const VarDecl* combinerIn(const OMPDeclareReductionDecl* declared) { return namedBy(declared->getCombinerIn()); }
const VarDecl* combinerOut(const OMPDeclareReductionDecl* declared) { return namedBy(declared->getCombinerOut()); }
const VarDecl* initialPrivate(const OMPDeclareReductionDecl* declared) { return namedBy(declared->getInitPriv()); }

const Expr* initialCall(const OMPDeclareReductionDecl* declared) {
  return declared->getInitializerKind() == OMPDeclareReductionInitKind::Call ? declared->getInitializer() : nullptr;
}

const Expr* initialValue(const OMPDeclareReductionDecl* declared) {
  const VarDecl* initial = initialCall(declared) ? nullptr : initialPrivate(declared);
  return initial ? initial->getInit() : nullptr;
}

static std::string originalName(const VarDecl* var) { return "muster_original_" + var->getNameAsString(); }

const VarDecl* originalOf(const LoopFacts& facts, const ResultFact& result) {
  const auto found = llvm::find_if(facts.scalars, [&](const ScalarFact& scalar) {
    return result.declared && scalar.var->getName() == originalName(result.var);
  });
  return found == facts.scalars.end() ? nullptr : found->var;
}

namespace {

// `omp_priv = omp_orig`, also as a copy of an object.
bool copiesOriginal(const OMPDeclareReductionDecl* declared) {
  const Expr* value = initialValue(declared);
  const VarDecl* original = namedBy(declared->getInitOrig());
  if (!value || !original) return false;
  value = bareExpr(value);
  if (auto* copy = dyn_cast<CXXConstructExpr>(value); copy && copy->getNumArgs() == 1)
    value = bareExpr(copy->getArg(0));
  return namedBy(value) == original;
}

// What the text of native code can say of it.
std::string whyNotDeclared(const LoopContext& context, const OMPDeclareReductionDecl* declared) {
  const bool isC = !context.ast.getLangOpts().CPlusPlus;
  const DeclContext* place = declared->getDeclContext();
  if (isC ? !place->isFileContext() : !place->Encloses(context.facts.function))
    return isC ? say::DeclaredInFunction : say::DeclaredInAnotherScope;
  if (declared->getInitializerKind() == OMPDeclareReductionInitKind::Direct && !copiesOriginal(declared))
    return say::CopiesByConstructor;
  const VarDecl* original = namedBy(declared->getInitOrig());
  const Expr* value = initialCall(declared) ? initialCall(declared) : initialValue(declared);
  if (original && mentions(value, {original}) && !copiesOriginal(declared)) return say::CopiesDependOnValueBefore;
  return "";
}

}  // namespace

bool addDeclared(LoopContext& context, const Expr* item, const OMPDeclareReductionDecl* declared) {
  const VarDecl* var = namedBy(item);
  auto refuse = [&](const std::string& why) { return context.refuse(item->getBeginLoc(), say::OwnOperator(why)); };
  if (!var || var->getType().getNonReferenceType()->isArrayType()) return refuse(say::OverNoVariable);
  const QualType type = var->getType().getNonReferenceType().getUnqualifiedType();
  const bool isObject = type->isRecordType() && canBeElement(context.ast, type).empty();
  if (!isScalarType(type) && !isObject) return refuse(say::OfNoPlainStruct(var->getNameAsString()));
  if (context.ast.getTypeSizeInChars(type).getQuantity() > 4096 || context.ast.getTypeAlign(type) > 128)
    return refuse(say::OfTooLarge(var->getNameAsString()));
  if (const std::string why = whyNotDeclared(context, declared); !why.empty()) return refuse(why);
  context.roles[var] = Role::Private;
  context.facts.results.push_back({.var = var, .kind = MUSTER_REDUCE_OTHER, .declared = declared});
  if (!copiesOriginal(declared)) return true;
  // The value before the loop, under a name of its own.
  ASTContext& ast = context.ast;
  auto* original = VarDecl::Create(ast, const_cast<DeclContext*>(var->getDeclContext()), var->getLocation(),
                                   var->getLocation(), &ast.Idents.get(originalName(var)), type, nullptr, SC_None);
  context.roles[original] = Role::Scalar;
  context.facts.scalars.push_back({.var = original, .byValue = type->isRecordType()});
  return true;
}

}  // namespace muster::plugin
