// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop's body refers to: variables, members, statements. Calls: ReferenceCalls.cpp.
#include "analysis/references/ReferenceFinder.h"
#include "analysis/code/Functions.h"
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/loops/Iterators.h"
#include "analysis/loops/Labels.h"
#include "analysis/loops/SimdLoops.h"
#include "analysis/updates/Updates.h"
#include "clang/AST/DeclCXX.h"
#include "source/ElementTypes.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

// Trivial structs and arithmetic types, arrays of them, pointers to arithmetic types, and references to these.
static bool isLocalType(const ASTContext& ast, QualType type) {
  type = type.getNonReferenceType();
  if (type->isIncompleteArrayType()) return false;
  if (auto* array = ast.getAsArrayType(type)) return isLocalType(ast, array->getElementType());
  if (type->isPointerType()) {
    QualType pointee = type->getPointeeType();
    if (auto* array = ast.getAsConstantArrayType(pointee)) pointee = ast.getBaseElementType(array);
    return isScalarType(pointee) || pointee->isRecordType();
  }
  return isScalarType(type) || isCopiedByBytes(type);
}

// A union, at any depth, that shows the address in a pointer as something else.
static bool hasAddressInUnion(const ASTContext& ast, QualType type) {
  const RecordDecl* record = ast.getBaseElementType(type.getNonReferenceType())->getAsRecordDecl();
  if (!record || !record->getDefinition()) return false;
  const auto fields = record->getDefinition()->fields();
  const auto isPointer = [](const FieldDecl* field) { return field->getType()->isPointerType(); };
  if (record->isUnion() && llvm::any_of(fields, isPointer) && !llvm::all_of(fields, isPointer)) return true;
  return llvm::any_of(fields, [&](const FieldDecl* field) { return hasAddressInUnion(ast, field->getType()); });
}

// What a statement expression cannot do if it is to be an expression for the analysis, too.
static bool hasJumps(const Stmt* statement) {
  if (isa<BreakStmt, ContinueStmt, ReturnStmt>(statement)) return true;
  return llvm::any_of(partsOf(statement), [](const Stmt* part) { return part && hasJumps(part); });
}

bool ReferenceFinder::VisitVarDecl(VarDecl* var) {
  context_.declaredInside.insert(var);
  std::string name = "'" + var->getNameAsString() + "'";
  if (context_.managed.count(var)) return context_.refuse(var->getLocation(), say::DeclaresManagedArray(name));
  if (var->isStaticLocal() || isThreadLocal(var)) {
    if (var->isConstexpr() || parameters_.constantRole(var)) return true;
    return context_.refuse(var->getLocation(), say::DeclaresStatic(name));
  }
  // Native code has pointers in their place, and is the body's text.
  if (!iteratorPointee(var->getType()).isNull() && !var->getType()->getContainedAutoType() &&
      (function_ || !iteratorTypeRange(context_.ast, var)))
    return context_.refuse(var->getLocation(), say::DeclaresByIteratorType(name));
  auto* decomposition = dyn_cast<DecompositionDecl>(var);
  if (decomposition && bindings_.objects.count(var) && decomposition->bindings().front()->getHoldingVar())
    return context_.refuse(var->getLocation(), say::BindsTuple);
  // Of pointers to pointers only such to entries of a table are followed.
  const QualType plain = var->getType().getNonReferenceType();
  const bool leadsToPointers = plain->isPointerType() && plain->getPointeeType()->isPointerType();
  const bool isEntry = leadsToPointers && context_.unevenRows;
  if (leadsToPointers && !bindings_.knows(var)) context_.tables = TableUse::Whole;
  const bool isKnown = bindings_.knows(var) || rowBehind(var, context_.objects(), bindings_) ||
                       isLocalType(context_.ast, isEntry ? plain->getPointeeType() : var->getType());
  if (var->getType().isVolatileQualified() || !isKnown) return refuseType(var);
  if (hasAddressInUnion(context_.ast, var->getType()))
    return context_.refuse(var->getLocation(), say::DeclaresUnionWithPointer(name));
  return true;
}

bool ReferenceFinder::refuseType(const VarDecl* var) {
  const std::string name = "'" + var->getNameAsString() + "'";
  const std::string isVolatile = var->getType().isVolatileQualified() ? "volatile " : "";
  std::string what = say::DeclaresOfType(name, isVolatile, typeInWords(context_.ast, var->getType()));
  if (const std::string why = whyUnserved(var->getType()); !why.empty()) what += ", " + why;
  return context_.refuse(var->getLocation(), what);
}

// Its members have names as variables have; it has none.
static bool isAnonymousUnion(const VarDecl* var) {
  const RecordDecl* record = var ? var->getType()->getAsRecordDecl() : nullptr;
  return record && record->isAnonymousStructOrUnion();
}

static bool refuseAnonymous(LoopContext& context, SourceLocation loc) {
  return context.refuse(loc, say::AnonymousUnion);
}

bool ReferenceFinder::VisitDeclRefExpr(DeclRefExpr* reference) {
  if (auto* binding = dyn_cast<BindingDecl>(reference->getDecl())) {
    if (!context_.declaredInside.count(cast<VarDecl>(binding->getDecomposedDecl())))
      return context_.refuse(reference->getLocation(), say::StructuredBinding(reference->getDecl()->getNameAsString()));
    return binding->getHoldingVar() || TraverseStmt(binding->getBinding());
  }
  auto* var = dyn_cast<VarDecl>(reference->getDecl());
  if (!var) return true;
  if (isSmartArray(var->getType()))
    if (const VarDecl* elements = context_.objects().variable(reference, bindings_))
      return parameters_.addMember(reference->getLocation(), elements);
  if (isAnonymousUnion(var)) return refuseAnonymous(context_, reference->getLocation());
  if (bindings_.objects.count(var)) return addWhole(reference, var->getNameAsString());
  const std::string name = "'" + var->getNameAsString() + "'";
  if (const auto bound = bindings_.rowTables.find(var); bound != bindings_.rowTables.end())
    return parameters_.useAsTable(reference->getLocation(), bound->second);
  if (context_.declaredInside.count(var)) return true;
  const bool isType = unevaluated_ > 0 && !function_ && context_.ast.getLangOpts().CPlusPlus;
  if (isType && Objects::isRecord(var->getType()) && context_.objects().isOutside(var)) {
    context_.objects().name({var, var->getType().getNonReferenceType(), {}});
    return true;
  }
  if (const VarDecl* captured = context_.objects().variable(reference, bindings_)) {
    noteUse(captured, reference);
    return parameters_.addMember(reference->getLocation(), captured);
  }
  return function_ ? parameters_.addFromCallee(reference, var, function_) : parameters_.addFromBody(reference, var);
}

bool ReferenceFinder::TraverseVarDecl(VarDecl* var) {
  if (!context_.objects().bindLocal(var, bindings_)) return AstVisitor::TraverseVarDecl(var);
  if (const auto table = bindings_.rowTables.find(var); table != bindings_.rowTables.end())
    return parameters_.addTable(var->getLocation(), table->second, true) && VisitVarDecl(var);
  if (!function_) context_.objects().name(bindings_.objects.at(var));
  return VisitVarDecl(var);
}

bool ReferenceFinder::TraverseDecompositionDecl(DecompositionDecl* var) {
  if (!context_.objects().bindLocal(var, bindings_)) return AstVisitor::TraverseDecompositionDecl(var);
  return TraverseVarDecl(var);
}

// Whatever object it is of: that may be the flag's.
bool ReferenceFinder::isFlag(const MemberExpr* member) const {
  return llvm::any_of(context_.facts.results, [&](const ResultFact& result) {
    const ObjectMember* flag = context_.objects().find(result.var);
    return flag && flag->path.steps.back().field == member->getMemberDecl();
  });
}

bool ReferenceFinder::TraverseMemberExpr(MemberExpr* member) {
  if (function_ && isFlag(member)) {
    const std::string function = "'" + function_->getNameAsString() + "'";
    const std::string name = "'" + member->getMemberDecl()->getNameAsString() + "'";
    return context_.refuse(member->getMemberLoc(), say::CalleeUsesPrivate(function, name));
  }
  if (const VarDecl* var = context_.objects().member(member, bindings_)) {
    if (isAnonymousUnion(context_.objects().find(var)->path.root))
      return refuseAnonymous(context_, member->getMemberLoc());
    if (!function_ && member->isImplicitAccess() && member->hasQualifier() && var->getType()->isArrayType())
      return context_.refuse(member->getMemberLoc(), say::NameWithQualifier("'" + var->getNameAsString() + "'"));
    noteUse(var, member);
    return parameters_.addMember(member->getMemberLoc(), var);
  }
  return AstVisitor::TraverseMemberExpr(member);
}

bool ReferenceFinder::TraverseArraySubscriptExpr(ArraySubscriptExpr* subscript) {
  const VarDecl* var =
      subscript->getType()->isPointerType() ? context_.objects().member(subscript, bindings_) : nullptr;
  if (!var) {
    const auto elements = context_.objects().elements(subscript, bindings_);
    for (const VarDecl* element : elements)
      if (!parameters_.addMember(subscript->getExprLoc(), element)) return false;
    return elements.empty() ? AstVisitor::TraverseArraySubscriptExpr(subscript) : TraverseStmt(subscript->getIdx());
  }
  return parameters_.addMember(subscript->getExprLoc(), var) && TraverseStmt(subscript->getIdx());
}

bool ReferenceFinder::TraverseUnaryOperator(UnaryOperator* op) {
  const bool isVariable = isSmartArray(op->getType()) || Objects::isTable(op->getType());
  const VarDecl* var = op->getOpcode() == UO_Deref && isVariable ? context_.objects().member(op, bindings_) : nullptr;
  return var ? parameters_.addMember(op->getExprLoc(), var) : AstVisitor::TraverseUnaryOperator(op);
}

bool ReferenceFinder::TraverseGenericSelectionExpr(GenericSelectionExpr* expr) {
  const Expr* chosen = expr->getResultExpr();
  auto others = [&](Stmt* part) { return part == chosen || TraverseStmt(part); };
  return unevaluated([&] { return llvm::all_of(expr->children(), others); }) && TraverseStmt(const_cast<Expr*>(chosen));
}

bool ReferenceFinder::TraverseImplicitCastExpr(ImplicitCastExpr* cast) {
  auto* choice = dyn_cast<ConditionalOperator>(cast->getSubExpr()->IgnoreParens());
  const bool isPointer = cast->getCastKind() == CK_LValueToRValue && cast->getType()->isPointerType();
  if (isPointer && choice) return traversePointers(choice);
  const auto use = rowUse(cast, context_.objects(), bindings_);
  if (!use || context_.declaredInside.count(use->table)) return AstVisitor::TraverseImplicitCastExpr(cast);
  const bool isText = use->isNamed && !function_ && stack_.empty();
  return addRow(*use, cast->getExprLoc(), !isText);
}

bool ReferenceFinder::addRow(const RowUse& use, SourceLocation loc, bool byPointers) {
  if (!parameters_.addTable(loc, use.table, byPointers)) return false;
  return llvm::all_of(use.indexes, [&](const Expr* index) { return !index || TraverseStmt(const_cast<Expr*>(index)); });
}

// `c ? a[i] : a[k]` is a place, which has to be a pointer.
bool ReferenceFinder::traversePointers(Expr* place) {
  if (auto* choice = dyn_cast<ConditionalOperator>(place->IgnoreParens()))
    return TraverseStmt(choice->getCond()) && traversePointers(choice->getTrueExpr()) &&
           traversePointers(choice->getFalseExpr());
  const auto use = rowPlace(place, context_.objects(), bindings_);
  if (!use || context_.declaredInside.count(use->table)) return TraverseStmt(place);
  return addRow(*use, place->getExprLoc(), true);
}

bool ReferenceFinder::TraverseCXXForRangeStmt(CXXForRangeStmt* loop) {
  if (!TraverseStmt(loop->getInit())) return false;
  const bool isVector = !vectorElement(loop->getRangeInit()->getType()).isNull();
  if (isVector && !loop->getRangeInit()->IgnoreImplicit()->isGLValue())
    return context_.refuse(loop->getBeginLoc(), say::RangeForOverUnnamedVector);
  auto* range = cast<VarDecl>(loop->getRangeStmt()->getSingleDecl());
  // A view in native code, and no type that a variable of the body may have.
  if (isVector) context_.declaredInside.insert(range);
  if (isVector ? !TraverseStmt(loop->getRangeInit()) : !TraverseVarDecl(range)) return false;
  // The visitor leaves out what the user did not write.
  for (DeclStmt* statement : {loop->getBeginStmt(), loop->getEndStmt()})
    if (!TraverseVarDecl(cast<VarDecl>(statement->getSingleDecl()))) return false;
  return TraverseStmt(loop->getCond()) && TraverseStmt(loop->getInc()) && TraverseStmt(loop->getLoopVarStmt()) &&
         TraverseStmt(loop->getBody());
}

bool ReferenceFinder::TraverseOMPSimdDirective(OMPSimdDirective* directive) {
  if (std::string why = whyNoHint(directive); !why.empty())
    return context_.refuse(directive->getBeginLoc(), std::move(why));
  for (const Expr* operand : clauseOperands(directive))
    if (!TraverseStmt(const_cast<Expr*>(operand))) return false;
  return TraverseStmt(const_cast<Stmt*>(directive->getRawStmt()));
}

bool ReferenceFinder::addWhole(const Expr* expr, const std::string& name) {
  if (unevaluated_ > 0) return true;  // only its type counts
  const VarDecl* var = context_.objects().variable(expr, bindings_);
  if (var && context_.ast.getLangOpts().CPlusPlus) return parameters_.addObject(expr->getExprLoc(), var);
  return context_.refuse(expr->getExprLoc(), say::ObjectAsWhole(name));
}

void ReferenceFinder::noteUse(const VarDecl* member, const Expr* expr) {
  if (!member->getType()->isArrayType()) return;
  if (function_)
    context_.objects().useInCallee(member);
  else if (const ObjectMember* found = context_.objects().find(member))
    context_.objects().use(found->path, expr);
}

bool ReferenceFinder::checkJumps(const Stmt* body) {
  const Labels labels = labelsOf(body);
  return !labels.inwards || context_.refuse(labels.inwards->getBeginLoc(), say::GotoIntoBlock);
}

// Whether the order of the iterations shows in a variable that was there before.
static bool keepsOrder(const OMPTileDirective* tile) {
  const Stmt* loop = tile->getRawStmt();
  const SourceRange own = loop->getSourceRange();
  return llvm::any_of(changedVariables(loop), [&](const VarDecl* var) {
    const SourceLocation loc = var->getLocation();
    return (isScalarType(var->getType()) || var->getType()->isPointerType()) &&
           (loc < own.getBegin() || own.getEnd() < loc);
  });
}

const char* ReferenceFinder::unsupported(const Stmt* statement) const {
  if (isa<OMPAtomicDirective, OMPFlushDirective>(statement)) return nullptr;
  if (auto* critical = dyn_cast<OMPCriticalDirective>(statement))
    return updateOf(context_.ast, critical) || context_.facts.needlessCriticals.count(critical)
               ? nullptr
               : say::CriticalAroundMore;
  if (auto* tile = dyn_cast<OMPTileDirective>(statement))
    return changesOrder(tile) && keepsOrder(tile) ? say::TileChangesVariable : nullptr;
  if (isa<OMPUnrollDirective>(statement)) return nullptr;
  if (isa<OMPExecutableDirective>(statement)) return say::AnotherDirective;
  if (isa<IndirectGotoStmt, AddrLabelExpr>(statement)) return say::LabelAsValue;
  if (isa<AsmStmt>(statement)) return say::InlineAssembly;
  if (isa<CXXThrowExpr, CXXTryStmt>(statement)) return say::Exceptions;
  if (isa<CXXNewExpr, CXXDeleteExpr>(statement)) return say::AllocatesOrFrees;
  if (isa<CXXThisExpr>(statement) && !function_) return say::ThisAsWhole;
  if (isa<BlockExpr>(statement) || (isa<StmtExpr>(statement) && hasJumps(statement)))
    return say::BlockOrJumpingStatementExpression;
  if (isa<PredefinedExpr>(statement)) return say::FunctionName;
  if (isa<CXXTypeidExpr, CXXDynamicCastExpr>(statement)) return say::TypeInformation;
  if (isa<VAArgExpr, CoroutineBodyStmt>(statement)) return say::VariableArgumentsOrCoroutine;
  return nullptr;
}

}  // namespace muster::plugin
