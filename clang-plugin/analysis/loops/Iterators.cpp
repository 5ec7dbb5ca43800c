// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/loops/Iterators.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"
#include "source/LibraryTypes.h"

namespace muster::plugin {

using namespace clang;

QualType iteratorPointee(QualType type) {
  auto* record = dyn_cast_or_null<ClassTemplateSpecializationDecl>(type.getNonReferenceType()->getAsCXXRecordDecl());
  if (!record || !(record->getName() == "__normal_iterator" || record->getName() == "__wrap_iter")) return {};
  const auto& arguments = record->getTemplateArgs();
  if (arguments.size() == 0 || arguments[0].getKind() != TemplateArgument::Type) return {};
  const QualType pointer = arguments[0].getAsType();
  // libstdc++ has the same class for the iterators of other containers.
  if (arguments.size() > 1 && vectorElement(arguments[1].getAsType()).isNull()) return {};
  return pointer->isPointerType() ? pointer->getPointeeType() : QualType();
}

QualType withoutIterator(const ASTContext& ast, QualType type) {
  const QualType pointee = type->isReferenceType() ? QualType() : iteratorPointee(type);
  if (pointee.isNull()) return type;
  const QualType pointer = ast.getPointerType(pointee);
  return type.isConstQualified() ? ast.getConstType(pointer) : pointer;
}

std::optional<CharSourceRange> iteratorTypeRange(const ASTContext& ast, const VarDecl* var) {
  if (!var->getTypeSourceInfo()) return std::nullopt;
  const TypeLoc type = var->getTypeSourceInfo()->getTypeLoc().getUnqualifiedLoc();
  // A declarator around it is no iterator.
  if (type.getBeginLoc().isInvalid() || type.getBeginLoc().isMacroID() || type.getEndLoc().isMacroID())
    return std::nullopt;
  const SourceLocation end = Lexer::getLocForEndOfToken(type.getEndLoc(), 0, ast.getSourceManager(), ast.getLangOpts());
  return CharSourceRange::getCharRange(type.getBeginLoc(), end);
}

Expr* callMember(const ASTContext& context, const Expr* vector, llvm::StringRef name) {
  auto& ast = const_cast<ASTContext&>(context);
  for (NamedDecl* found : vector->getType()->getAsCXXRecordDecl()->lookup(&ast.Idents.get(name))) {
    auto* method = dyn_cast<CXXMethodDecl>(found);
    if (!method || !(method->isConst() || !vector->getType().isConstQualified())) continue;
    if (name == "data" && method->isConst() != vector->getType().isConstQualified()) continue;
    auto* member = MemberExpr::CreateImplicit(ast, const_cast<Expr*>(vector), false, method, ast.BoundMemberTy,
                                              VK_PRValue, OK_Ordinary);
    return CXXMemberCallExpr::Create(ast, member, {}, method->getReturnType(), VK_PRValue, SourceLocation(),
                                     FPOptionsOverride());
  }
  return nullptr;
}

namespace {

bool isIterator(const Expr* expr) { return !iteratorPointee(expr->getType()).isNull(); }

const Expr* withoutCopies(const Expr* expr) {
  for (;;) {
    expr = expr->IgnoreParens();
    auto* cast = dyn_cast<ImplicitCastExpr>(expr);
    auto* construct = dyn_cast<CXXConstructExpr>(expr);
    if (auto* full = dyn_cast<FullExpr>(expr))
      expr = full->getSubExpr();
    else if (auto* temporary = dyn_cast<MaterializeTemporaryExpr>(expr))
      expr = temporary->getSubExpr();
    else if (auto* argument = dyn_cast<CXXDefaultArgExpr>(expr))
      expr = argument->getExpr();
    else if (cast && (cast->getCastKind() == CK_NoOp || cast->getCastKind() == CK_ConstructorConversion))
      expr = cast->getSubExpr();
    else if (construct && !isa<CXXTemporaryObjectExpr>(construct) && construct->getNumArgs() > 0 &&
             isIterator(construct) && isIterator(construct->getArg(0)))
      expr = construct->getArg(0);
    else
      return expr;
  }
}

class Translation {
 public:
  explicit Translation(const ASTContext& context) : ast_(const_cast<ASTContext&>(context)) {}

  // Of an iterator: the pointer's value; nullptr: not known.
  Expr* pointer(const Expr* expr) {
    expr = withoutCopies(expr);
    if (Expr* variable = place(expr))
      return ImplicitCastExpr::Create(ast_, variable->getType().getUnqualifiedType(), CK_LValueToRValue, variable,
                                      nullptr, VK_PRValue, FPOptionsOverride());
    Expr* translated = operation(expr);
    if (!translated || !translated->getType()->isPointerType() || !translated->isGLValue()) return translated;
    return ImplicitCastExpr::Create(ast_, translated->getType().getUnqualifiedType(), CK_LValueToRValue, translated,
                                    nullptr, VK_PRValue, FPOptionsOverride());
  }

  // `v.begin()`, `v.end()`.
  Expr* edge(const Expr* vector, llvm::StringRef name) {
    vector = withoutCopies(vector);
    const bool isEnd = name == "end" || name == "cend";
    if (vectorElement(vector->getType()).isNull() || !rowVectorElement(vector->getType()).isNull() ||
        !vector->isGLValue() || !(isEnd || name == "begin" || name == "cbegin"))
      return nullptr;
    Expr* start = callMember(ast_, vector, "data");
    if (!start || !start->getType()->isPointerType()) return nullptr;
    Expr* size = isEnd ? callMember(ast_, vector, "size") : nullptr;
    return isEnd ? binary(start, size, BO_Add, start->getType(), vector) : start;
  }

  Expr* operation(const Expr* expr) {
    if (auto* rewritten = dyn_cast<CXXRewrittenBinaryOperator>(expr)) {
      const auto form = rewritten->getDecomposedForm();
      return isIterator(form.LHS) ? comparison(form.Opcode, form.LHS, form.RHS, rewritten) : nullptr;
    }
    auto* call = dyn_cast<CallExpr>(expr);
    const FunctionDecl* function = call ? call->getDirectCallee() : nullptr;
    if (!function) return nullptr;
    if (auto* op = dyn_cast<CXXOperatorCallExpr>(call)) return operatorCall(op);
    if (!function->getDeclName().isIdentifier()) return nullptr;
    const llvm::StringRef name = function->getName();
    if (auto* member = dyn_cast<CXXMemberCallExpr>(call)) {
      const Expr* vector = member->getImplicitObjectArgument();
      if (call->getNumArgs() != 0) return nullptr;
      return name == "front" || name == "empty" ? first(member, name == "empty") : edge(vector, name);
    }
    if (!function->isInStdNamespace()) return nullptr;
    if (call->getNumArgs() == 1 && !isIterator(call->getArg(0))) return edge(call->getArg(0), name);
    if (name == "distance" && call->getNumArgs() == 2) return difference(call->getArg(1), call->getArg(0), call);
    if ((name == "next" || name == "prev") && call->getNumArgs() == 2)
      return moved(call->getArg(0), withoutCopies(call->getArg(1)), name == "next" ? BO_Add : BO_Sub, call);
    return nullptr;
  }

 private:
  // A variable, as one of the pointer's type.
  Expr* place(const Expr* expr) {
    auto* reference = dyn_cast<DeclRefExpr>(withoutCopies(expr));
    auto* var = reference ? dyn_cast<VarDecl>(const_cast<ValueDecl*>(reference->getDecl())) : nullptr;
    if (!var || !isIterator(reference)) return nullptr;
    return DeclRefExpr::Create(ast_, NestedNameSpecifierLoc(), SourceLocation(), var,
                               reference->refersToEnclosingVariableOrCapture(), reference->getLocation(),
                               withoutIterator(ast_, reference->getType()), VK_LValue);
  }

  // `v.front()`, `v.empty()`
  Expr* first(const CXXMemberCallExpr* call, bool isTest) {
    const Expr* vector = withoutCopies(call->getImplicitObjectArgument());
    const bool isOfRows = !rowVectorElement(vector->getType()).isNull();
    if (vectorElement(vector->getType()).isNull() || isOfRows || !vector->isGLValue()) return nullptr;
    if (!isTest) return unary(callMember(ast_, vector, "data"), UO_Deref, call->getType(), VK_LValue, call);
    Expr* size = callMember(ast_, vector, "size");
    const llvm::APInt zero(ast_.getTypeSize(size->getType()), 0);
    return binary(size, IntegerLiteral::Create(ast_, zero, size->getType(), call->getExprLoc()), BO_EQ, ast_.BoolTy,
                  call);
  }
  Expr* binary(Expr* left, Expr* right, BinaryOperatorKind opcode, QualType type, const Expr* at) {
    return BinaryOperator::Create(ast_, left, right, opcode, type, VK_PRValue, OK_Ordinary, at->getExprLoc(),
                                  FPOptionsOverride());
  }
  Expr* moved(const Expr* iterator, const Expr* distance, BinaryOperatorKind opcode, const Expr* at) {
    Expr* start = isIterator(iterator) ? pointer(iterator) : nullptr;
    return start ? binary(start, const_cast<Expr*>(distance), opcode, start->getType(), at) : nullptr;
  }
  Expr* difference(const Expr* left, const Expr* right, const Expr* at) { return comparison(BO_Sub, left, right, at); }
  Expr* comparison(BinaryOperatorKind opcode, const Expr* left, const Expr* right, const Expr* at) {
    if (!isIterator(left) || !isIterator(right)) return nullptr;
    Expr *first = pointer(left), *second = pointer(right);
    return first && second ? binary(first, second, opcode, at->getType(), at) : nullptr;
  }
  Expr* assignment(const CXXOperatorCallExpr* call, BinaryOperatorKind opcode) {
    Expr* target = place(call->getArg(0));
    Expr* value = opcode == BO_Assign ? pointer(call->getArg(1)) : const_cast<Expr*>(call->getArg(1));
    if (!target || !value) return nullptr;
    const QualType type = target->getType();
    if (opcode == BO_Assign)
      return BinaryOperator::Create(ast_, target, value, opcode, type, VK_LValue, OK_Ordinary, call->getExprLoc(),
                                    FPOptionsOverride());
    return CompoundAssignOperator::Create(ast_, target, value, opcode, type, VK_LValue, OK_Ordinary, call->getExprLoc(),
                                          FPOptionsOverride(), type, type);
  }
  Expr* unary(Expr* operand, UnaryOperatorKind opcode, QualType type, ExprValueKind kind, const Expr* at) {
    if (!operand) return nullptr;
    return UnaryOperator::Create(ast_, operand, opcode, type, kind, OK_Ordinary, at->getExprLoc(), false,
                                 FPOptionsOverride());
  }
  Expr* count(const CXXOperatorCallExpr* call) {
    Expr* target = place(call->getArg(0));
    if (!target) return nullptr;
    const bool up = call->getOperator() == OO_PlusPlus, isPrefix = call->getNumArgs() == 1;
    const UnaryOperatorKind opcode = isPrefix ? (up ? UO_PreInc : UO_PreDec) : (up ? UO_PostInc : UO_PostDec);
    return unary(target, opcode, target->getType(), isPrefix ? VK_LValue : VK_PRValue, call);
  }

  Expr* operatorCall(const CXXOperatorCallExpr* call) {
    const Expr* first = call->getArg(0);
    const Expr* second = call->getNumArgs() > 1 ? call->getArg(1) : nullptr;
    const OverloadedOperatorKind op = call->getOperator();
    if (!isIterator(first)) return op == OO_Plus && second ? moved(second, first, BO_Add, call) : nullptr;
    const QualType element = iteratorPointee(first->getType());
    switch (op) {
      case OO_Star:
        return second ? nullptr : unary(pointer(first), UO_Deref, element, VK_LValue, call);
      case OO_Arrow:
        return pointer(first);
      case OO_Subscript:
        if (Expr* start = pointer(first))
          return new (ast_)
              ArraySubscriptExpr(start, const_cast<Expr*>(second), element, VK_LValue, OK_Ordinary, call->getEndLoc());
        return nullptr;
      case OO_PlusPlus:
      case OO_MinusMinus:
        return count(call);
      case OO_Equal:
        return assignment(call, BO_Assign);
      case OO_PlusEqual:
        return assignment(call, BO_AddAssign);
      case OO_MinusEqual:
        return assignment(call, BO_SubAssign);
      case OO_Plus:
        return second ? moved(first, second, BO_Add, call) : nullptr;
      case OO_Minus:
        if (!second) return nullptr;
        return isIterator(second) ? difference(first, second, call) : moved(first, second, BO_Sub, call);
      case OO_EqualEqual:
      case OO_ExclaimEqual:
      case OO_Less:
      case OO_LessEqual:
      case OO_Greater:
      case OO_GreaterEqual:
        return comparison(BinaryOperator::getOverloadedOpcode(op), first, second, call);
      default:
        return nullptr;
    }
  }

  ASTContext& ast_;
};

}  // namespace

const Expr* withPointers(const ASTContext& ast, const Expr* expr) {
  if (!isa<CallExpr, CXXRewrittenBinaryOperator>(expr)) {
    auto* construct = dyn_cast<CXXConstructExpr>(expr);
    return construct && isIterator(construct) && withoutCopies(construct) != construct
               ? Translation(ast).pointer(construct)
               : nullptr;
  }
  return Translation(ast).operation(expr);
}

const Expr* pointerOf(const ASTContext& ast, const Expr* iterator) { return Translation(ast).pointer(iterator); }

std::pair<const Expr*, const Expr*> edgesOf(const ASTContext& ast, const Expr* vector) {
  return {Translation(ast).edge(vector, "begin"), Translation(ast).edge(vector, "end")};
}

}  // namespace muster::plugin
