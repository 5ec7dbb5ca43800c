// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates that are calls: the compiler's __sync_* and __atomic_* functions, and std::atomic_ref. As statements, whose
// result nothing uses, they are what `omp atomic` is, and else `omp atomic capture`.
#include "analysis/code/Calls.h"
#include "analysis/code/Functions.h"
#include "analysis/updates/Updates.h"
#include "clang/AST/ExprCXX.h"
#include "source/AstVisitor.h"
#include "source/ElementTypes.h"
#include "source/LibraryTypes.h"

namespace muster::plugin {

using namespace clang;

const Expr* pointedTo(const ASTContext& ast, const Expr* pointer) {
  const Expr* bare = pointer->IgnoreParenImpCasts();
  if (auto* op = dyn_cast<UnaryOperator>(bare); op && op->getOpcode() == UO_AddrOf) return op->getSubExpr();
  const QualType type = bare->getType();
  if (bare->isGLValue() && type->isPointerType())
    bare = ImplicitCastExpr::Create(ast, type.getUnqualifiedType(), CK_LValueToRValue, const_cast<Expr*>(bare), nullptr,
                                    VK_PRValue, FPOptionsOverride());
  if (!type->isPointerType() || !isScalarType(type->getPointeeType())) return nullptr;
  return UnaryOperator::Create(ast, const_cast<Expr*>(bare), UO_Deref, type->getPointeeType(), VK_LValue, OK_Ordinary,
                               bare->getBeginLoc(), false, FPOptionsOverride());
}

namespace {

// Below what a class's object is wrapped in where it is made.
const Expr* madeObject(const Expr* expr) {
  for (;;) {
    expr = expr->IgnoreParenImpCasts();
    if (auto* full = dyn_cast<FullExpr>(expr))
      expr = full->getSubExpr();
    else if (auto* temporary = dyn_cast<MaterializeTemporaryExpr>(expr))
      expr = temporary->getSubExpr();
    else if (auto* bound = dyn_cast<CXXBindTemporaryExpr>(expr))
      expr = bound->getSubExpr();
    else if (auto* cast = dyn_cast<CXXFunctionalCastExpr>(expr))
      expr = cast->getSubExpr();
    else
      return expr;
  }
}

const Expr* withoutVoid(const Expr* expr) {
  expr = expr->IgnoreParens();
  if (auto* full = dyn_cast<FullExpr>(expr)) return withoutVoid(full->getSubExpr());
  auto* cast = dyn_cast<CastExpr>(expr);
  return cast && cast->getCastKind() == CK_ToVoid ? withoutVoid(cast->getSubExpr()) : expr;
}

std::optional<BinaryOperatorKind> operationOf(llvm::StringRef name) {
  if (name == "add" || name == "+=" || name == "++") return BO_Add;
  if (name == "sub" || name == "-=" || name == "--") return BO_Sub;
  if (name == "and" || name == "&=") return BO_And;
  if (name == "or" || name == "|=") return BO_Or;
  if (name == "xor" || name == "^=") return BO_Xor;
  if (name == "min") return BO_LT;
  if (name == "max") return BO_GT;
  return std::nullopt;
}

// `fetch_and_add`, `add_and_fetch`, `fetch_add`, `add_fetch`.
std::optional<BinaryOperatorKind> operationOfName(llvm::StringRef name) {
  if (name.consume_front("fetch_"))
    name.consume_front("and_");
  else if (name.consume_back("_fetch"))
    name.consume_back("_and");
  else
    return std::nullopt;
  return operationOf(name);
}

// Not the one before.
bool returnsNewValue(llvm::StringRef name) { return !name.starts_with("fetch_"); }

// The functions convert the value to the element's type, `x += value` perhaps both to a wider one.
bool isSameArithmetic(const ASTContext& ast, QualType element, const Expr* value) {
  const QualType type = value->IgnoreParenImpCasts()->getType();
  if (type->isIntegralOrEnumerationType()) return true;
  return element->isRealFloatingType() && ast.hasSameUnqualifiedType(element, type);
}

std::optional<UpdateFact> atomicUpdate(const ASTContext& ast, const Expr* target, const Expr* value,
                                       std::optional<BinaryOperatorKind> operation, bool returnsNew) {
  if (!operation || !target || target->getType().isVolatileQualified()) return std::nullopt;
  if (value && !isSameArithmetic(ast, target->getType(), value)) return std::nullopt;
  UpdateFact update = updateBy(ast, target, value, *operation);
  update.isCall = true;
  update.returnsNew = returnsNew;
  return update.commutes ? std::optional(update) : std::nullopt;
}

std::optional<UpdateFact> ofBuiltin(const ASTContext& ast, const CallExpr* call) {
  const FunctionDecl* function = call->getDirectCallee();
  if (!function || function->getBuiltinID() == 0 || call->getNumArgs() < 2) return std::nullopt;
  llvm::StringRef name = function->getName();
  if (!name.consume_front("__sync_")) return std::nullopt;
  name = name.rtrim("0123456789").rtrim('_');
  return atomicUpdate(ast, pointedTo(ast, call->getArg(0)), call->getArg(1), operationOfName(name),
                      returnsNewValue(name));
}

// The argument for the parameter that an expression names, if it comes there as it is.
const Expr* argumentFor(const ASTContext& ast, const Expr* expr, const FunctionDecl* definition, const CallExpr* call) {
  auto* reference = expr ? dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts()) : nullptr;
  auto* parameter = reference ? dyn_cast<ParmVarDecl>(reference->getDecl()) : nullptr;
  const unsigned index = parameter ? parameter->getFunctionScopeIndex() : 0;
  if (!parameter || parameter->getDeclContext() != definition || index >= call->getNumArgs()) return nullptr;
  const Expr* argument = call->getArg(index)->IgnoreParenImpCasts();
  const bool isSame =
      ast.hasSameUnqualifiedType(argument->getType(), parameter->getType().getNonReferenceType().getUnqualifiedType());
  return isSame ? call->getArg(index) : nullptr;
}

// A function of the user's that only calls one of the compiler's for its own arguments: `fetch_and_add(a[i], 1)`.
std::optional<UpdateFact> ofWrapper(const ASTContext& ast, const CallExpr* call) {
  const FunctionDecl* function = call->getDirectCallee();
  const FunctionDecl* definition = function && !isa<CXXMethodDecl>(function) ? definitionOf(function) : nullptr;
  const Expr* only = definition ? onlyExpression(definition) : nullptr;
  auto* inner = only ? dyn_cast<CallExpr>(withoutVoid(only)->IgnoreParenImpCasts()) : nullptr;
  const auto update = inner ? ofBuiltin(ast, inner) : std::nullopt;
  if (!update) return std::nullopt;
  const Expr* target = argumentFor(ast, update->target, definition, call);
  const Expr* value = argumentFor(ast, update->value, definition, call);
  const bool isReference = target && target->isGLValue();
  if (!isReference || !value) return std::nullopt;
  return atomicUpdate(ast, target, value, update->opcode, update->returnsNew);
}

std::optional<UpdateFact> ofAtomicExpr(const ASTContext& ast, const AtomicExpr* expr) {
  llvm::StringRef name = expr->getOpAsString();
  if (!name.consume_front("__atomic_") || !operationOfName(name) || expr->getOrder()->HasSideEffects(ast))
    return std::nullopt;
  return atomicUpdate(ast, pointedTo(ast, expr->getPtr()), expr->getVal1(), operationOfName(name),
                      returnsNewValue(name));
}

// Names variables of the function, in arithmetic.
class StableIndex : public AstVisitor {
 public:
  explicit StableIndex(const std::set<const VarDecl*>& changed) : changed_(changed) {}
  bool VisitExpr(Expr* expr) override {
    return isa<DeclRefExpr, ParenExpr, ImplicitCastExpr, IntegerLiteral, BinaryOperator, UnaryOperator, CStyleCastExpr,
               CXXFunctionalCastExpr>(expr);
  }
  bool VisitUnaryOperator(UnaryOperator* op) override {
    return op->getOpcode() == UO_Minus || op->getOpcode() == UO_Plus;
  }
  bool VisitBinaryOperator(BinaryOperator* op) override { return !op->isAssignmentOp() && !op->isPtrMemOp(); }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    return var && var->hasLocalStorage() && isScalarType(var->getType()) && !changed_.count(var);
  }

 private:
  const std::set<const VarDecl*>& changed_;
};

// Whether the place denotes the same element wherever it stands in `block`.
bool isStablePlace(const Expr* place, const Stmt* block) {
  const std::set<const VarDecl*> changed = changedVariables(block);
  const Expr* base = place->IgnoreParenImpCasts();
  for (;;) {
    const Expr* index = nullptr;
    if (auto* subscript = dyn_cast<ArraySubscriptExpr>(base)) {
      index = subscript->getIdx(), base = subscript->getBase()->IgnoreParenImpCasts();
    } else if (auto* call = dyn_cast<CXXOperatorCallExpr>(base);
               call && call->getOperator() == OO_Subscript && !vectorElement(call->getArg(0)->getType()).isNull()) {
      index = call->getArg(1), base = call->getArg(0)->IgnoreParenImpCasts();
    } else {
      break;
    }
    if (!StableIndex(changed).TraverseStmt(const_cast<Expr*>(index))) return false;
  }
  auto* reference = dyn_cast<DeclRefExpr>(base);
  auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return var && base != place->IgnoreParenImpCasts() && (!changed.count(var) || !var->getType()->isPointerType());
}

}  // namespace

bool isAtomicReference(QualType type) {
  auto* record = type->getAsCXXRecordDecl();
  return record && record->isInStdNamespace() && record->getIdentifier() && record->getName() == "atomic_ref";
}

void noteAtomicReferences(const Stmt* statement, const Stmt* block, AtomicReferences& named) {
  auto* declaration = dyn_cast<DeclStmt>(statement);
  if (!declaration) return;
  for (const Decl* decl : declaration->decls())
    if (auto* var = dyn_cast<VarDecl>(decl); var && isAtomicReference(var->getType())) named[var] = block;
}

const Expr* referredBy(const Expr* object) {
  auto* construct = dyn_cast<CXXConstructExpr>(madeObject(object));
  if (!construct || !isAtomicReference(construct->getType()) || construct->getNumArgs() != 1) return nullptr;
  // A copy of a reference that is made in the same place.
  return isAtomicReference(construct->getArg(0)->getType()) ? referredBy(construct->getArg(0)) : construct->getArg(0);
}

bool isStableReference(const VarDecl* var, const AtomicReferences& named) {
  const auto block = named.find(var);
  const Expr* place = block != named.end() && var->getInit() ? referredBy(var->getInit()) : nullptr;
  return place && isStablePlace(place, block->second);
}

static const Expr* referredPlace(const Expr* object, const AtomicReferences& named) {
  object = object->IgnoreParenImpCasts();
  auto* reference = dyn_cast<DeclRefExpr>(object);
  if (!reference) return referredBy(object);
  auto* var = dyn_cast<VarDecl>(reference->getDecl());
  return isStableReference(var, named) ? referredBy(var->getInit()) : nullptr;
}

static std::optional<UpdateFact> ofReference(const ASTContext& ast, const CallExpr* call,
                                             const AtomicReferences& named) {
  const Expr* object = objectOf(call);
  const FunctionDecl* function = call->getDirectCallee();
  if (!function || !object || !isAtomicReference(object->IgnoreParenImpCasts()->getType())) return std::nullopt;
  const Expr* place = referredPlace(object, named);
  const auto arguments = argumentsOf(call);
  const OverloadedOperatorKind op = function->getOverloadedOperator();
  if (op == OO_PlusPlus || op == OO_MinusMinus)
    return atomicUpdate(ast, place, nullptr, op == OO_PlusPlus ? BO_Add : BO_Sub, arguments.empty());
  if (arguments.empty()) return std::nullopt;
  if (op != OO_None) return atomicUpdate(ast, place, arguments[0], operationOf(getOperatorSpelling(op)), true);
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (arguments[i]->HasSideEffects(ast)) return std::nullopt;
  if (!function->getDeclName().isIdentifier()) return std::nullopt;
  return atomicUpdate(ast, place, arguments[0], operationOfName(function->getName()), false);
}

std::optional<UpdateFact> atomicCall(const ASTContext& ast, const Stmt* statement, const AtomicReferences& named) {
  auto* expr = dyn_cast_or_null<Expr>(statement);
  if (!expr) return std::nullopt;
  expr = withoutVoid(expr);
  if (auto* atomic = dyn_cast<AtomicExpr>(expr)) return ofAtomicExpr(ast, atomic);
  auto* call = dyn_cast<CallExpr>(expr);
  if (!call) return std::nullopt;
  if (auto update = ofBuiltin(ast, call)) return update;
  if (auto update = ofWrapper(ast, call)) return update;
  return ofReference(ast, call, named);
}

bool mayBeAtomicCall(const CallExpr* call) {
  const FunctionDecl* function = call->getDirectCallee();
  if (!function) return false;
  const Expr* object = objectOf(call);
  if (object && isAtomicReference(object->IgnoreParenImpCasts()->getType())) return true;
  return function->getBuiltinID() != 0 && function->getDeclName().isIdentifier() &&
         function->getName().starts_with("__sync_");
}

}  // namespace muster::plugin
