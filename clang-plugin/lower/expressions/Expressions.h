// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of the typed AST as the IR's. What C and C++ convert alike is left to C; all other conversions are
// written out. A node that is not known here refuses the kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/loops/Iterators.h"
#include "analysis/objects/RowTables.h"
#include "clang/AST/StmtVisitor.h"
#include "ir/Expression.h"
#include "lower/expressions/Atomics.h"
#include "lower/types/Scope.h"

namespace muster::plugin::lower {

using ir::Expression;

class Expressions : public clang::ConstStmtVisitor<Expressions, Expression> {
 public:
  Expressions(Program& program, Scope& scope) : program_(program), scope_(scope) {}

  // The value of an expression, or, of a glvalue, the object as C names it. (Visit of the visitor.)
  Expression value(const clang::Expr* expr) { return Visit(expr); }
  // The same where the value is not used.
  Expression effect(const clang::Expr* expr);
  // As an lvalue in C, which has fewer of them than C++.
  Expression lvalue(const clang::Expr* expr);
  // A pointer to the object.
  Expression address(const clang::Expr* expr);
  Expression firstOfRow(const clang::Expr* row);
  // For a place whose C type is the expression's type: an initialiser, an argument, a returned value.
  Expression converted(const clang::Expr* expr);
  // For a place that asks whether the value is 0.
  Expression condition(const clang::Expr* expr);
  // What stands behind `=` in a definition, braces included.
  Expression initialiser(const clang::Expr* expr);

  // The call, or constructor, that `expr` is but for casts may end the program: the text around asks whether it did.
  // Others refuse the kernel, because what is around them would go on. nullptr: none may.
  void setMayEnd(const clang::Expr* expr);
  // Whether a call has been printed since that may.
  bool mayHaveEnded() const { return mayHaveEnded_; }

  // What a closure is made with, if `expr` makes one in the loop: the variables of its init captures.
  std::vector<const clang::VarDecl*> makeClosure(const clang::Expr* expr);

  Expression VisitStmt(const clang::Stmt* node);

  // Literals and constants (Literals.cpp).
  Expression VisitIntegerLiteral(const clang::IntegerLiteral* literal);
  Expression VisitFloatingLiteral(const clang::FloatingLiteral* literal);
  Expression VisitImaginaryLiteral(const clang::ImaginaryLiteral* literal);
  Expression VisitCharacterLiteral(const clang::CharacterLiteral* literal);
  Expression VisitCXXBoolLiteralExpr(const clang::CXXBoolLiteralExpr* literal);
  Expression VisitCXXNullPtrLiteralExpr(const clang::CXXNullPtrLiteralExpr*) { return ir::literal("0"); }
  Expression VisitGNUNullExpr(const clang::GNUNullExpr*) { return ir::literal("0"); }
  Expression VisitUnaryExprOrTypeTraitExpr(const clang::UnaryExprOrTypeTraitExpr* expr) { return evaluated(expr); }
  Expression VisitTypeTraitExpr(const clang::TypeTraitExpr* expr) { return evaluated(expr); }
  Expression VisitOffsetOfExpr(const clang::OffsetOfExpr* expr) { return evaluated(expr); }
  Expression VisitSizeOfPackExpr(const clang::SizeOfPackExpr* expr) { return evaluated(expr); }
  Expression VisitCXXNoexceptExpr(const clang::CXXNoexceptExpr* expr) { return evaluated(expr); }
  Expression VisitImplicitValueInitExpr(const clang::ImplicitValueInitExpr* expr) { return zero(expr); }
  Expression VisitCXXScalarValueInitExpr(const clang::CXXScalarValueInitExpr* expr) { return zero(expr); }
  Expression VisitInitListExpr(const clang::InitListExpr* list);
  Expression VisitCompoundLiteralExpr(const clang::CompoundLiteralExpr* literal);

  // Names and parts (Objects.cpp).
  Expression VisitDeclRefExpr(const clang::DeclRefExpr* ref);
  Expression VisitMemberExpr(const clang::MemberExpr* member);
  Expression VisitArraySubscriptExpr(const clang::ArraySubscriptExpr* subscript);
  Expression VisitStmtExpr(const clang::StmtExpr* block);
  Expression VisitCXXThisExpr(const clang::CXXThisExpr* expr);

  // Nodes that stand for their operand.
  Expression VisitParenExpr(const clang::ParenExpr* expr) { return Visit(expr->getSubExpr()); }
  Expression VisitGenericSelectionExpr(const clang::GenericSelectionExpr* expr) { return Visit(expr->getResultExpr()); }
  Expression VisitChooseExpr(const clang::ChooseExpr* expr) { return Visit(expr->getChosenSubExpr()); }
  Expression VisitConstantExpr(const clang::ConstantExpr* expr) { return Visit(expr->getSubExpr()); }
  Expression VisitExprWithCleanups(const clang::ExprWithCleanups* expr) { return Visit(expr->getSubExpr()); }
  Expression VisitMaterializeTemporaryExpr(const clang::MaterializeTemporaryExpr* expr) {
    return isHalf(expr->getType()) ? halfBits(expr->getSubExpr()) : Visit(expr->getSubExpr());
  }
  Expression VisitCXXDefaultArgExpr(const clang::CXXDefaultArgExpr* expr) { return Visit(expr->getExpr()); }
  Expression VisitCXXDefaultInitExpr(const clang::CXXDefaultInitExpr* expr) { return Visit(expr->getExpr()); }
  Expression VisitSubstNonTypeTemplateParmExpr(const clang::SubstNonTypeTemplateParmExpr* expr) {
    return Visit(expr->getReplacement());
  }
  Expression VisitCXXRewrittenBinaryOperator(const clang::CXXRewrittenBinaryOperator* expr) {
    const clang::Expr* translated = withPointers(program_.context, expr);
    return Visit(translated ? translated : expr->getSemanticForm());
  }

  // Operators (Operators.cpp).
  Expression VisitUnaryOperator(const clang::UnaryOperator* op);
  Expression VisitBinaryOperator(const clang::BinaryOperator* op);
  Expression VisitCompoundAssignOperator(const clang::CompoundAssignOperator* op);
  Expression VisitConditionalOperator(const clang::ConditionalOperator* op);

  // Complex numbers of the compiler's own, which std::complex holds (Complex.cpp).
  static bool isComplex(const clang::Expr* expr) { return expr->getType()->isAnyComplexType(); }
  Expression complexBinary(const clang::BinaryOperator* op);
  Expression complexCompound(const clang::CompoundAssignOperator* op);
  Expression complexUnary(const clang::UnaryOperator* op);
  Expression complexWithOppositeParts(const std::string& what, const clang::Expr* value, const clang::Expr* at);
  std::optional<Expression> complexCast(const clang::CastExpr* cast);
  std::optional<Expression> complexCall(const CallShape& shape, const clang::CallExpr* call);

  // _Float16 and __fp16 (HalfPrecision.cpp): Visit gives a float for a value, the 16 bits for an object.
  Expression halfCall(const char* name, const Expression& argument);
  Expression halfValue(const Expression& bits);
  Expression halfBits(const Expression& value, Scalar scalar);
  Expression halfBits(const clang::Expr* expr);
  std::optional<llvm::APFloat> halfConstant(const clang::Expr* expr);
  static bool isHalfArithmetic(const clang::BinaryOperator* op);
  Expression halfExcess(const clang::Expr* expr);
  Expression halfOperation(const clang::BinaryOperator* op);
  Expression halfAssigned(const clang::Expr* assignment, const Expression& text);
  Expression halfCompound(const clang::CompoundAssignOperator* op);
  Expression halfIncrement(const clang::UnaryOperator* op, bool isUsed);

  // Casts (Casts.cpp).
  Expression VisitCastExpr(const clang::CastExpr* cast);

  // Calls (CallExpressions.cpp).
  Expression VisitCallExpr(const clang::CallExpr* call);
  Expression VisitCXXConstructExpr(const clang::CXXConstructExpr* construct);

  // Updates that are atomic within a device (AtomicExpressions.cpp).
  UpdateValue updateValue(const UpdateFact& update);
  Expression updateCall(const UpdateFact& update, const UpdateValue& value, bool returnsNew);
  Expression VisitAtomicExpr(const clang::AtomicExpr* expr);
  Privatized* privatizedBy(const UpdateFact& update);

 private:
  Expression refuse(const clang::Stmt* node, const llvm::Twine& what);
  Expression evaluated(const clang::Expr* expr);
  std::optional<Expression> foldedCall(const clang::CallExpr* call);
  std::optional<Expression> fetch(const clang::Expr* expr);
  Expression zero(const clang::Expr* expr);
  Expression elements(const clang::InitListExpr* list, const std::string& type = "");
  Expression stringElements(const clang::StringLiteral* literal, const clang::Expr* at);
  Expression variable(const clang::VarDecl* var, const clang::Expr* at);
  static Expression isNonzero(const Expression& value) { return ir::binary("!=", value, ir::literal("0")); }

  Scalar scalarOfType(const clang::Expr* expr) const { return scalarOf(program_.context, expr->getType()); }
  std::string typeName(clang::QualType type, Space space, const clang::Expr* at) {
    return program_.types.name(type, space, at->getExprLoc());
  }
  // Operands of an operator for which C finds the common type `common` by itself, without the casts that C++ shows;
  // with them where it would find another.
  std::pair<Expression, Expression> operands(const clang::Expr* left, const clang::Expr* right, Scalar common);
  Expression promotedOperand(const clang::Expr* expr);
  Expression assignment(const clang::BinaryOperator* op);
  bool wraps(clang::QualType type) const;
  Expression wrapped(const Expression& left, llvm::StringRef spelling, const Expression& right, Scalar scalar);
  Expression wrappedCompound(const clang::CompoundAssignOperator* op);
  Expression wrappedIncrement(const clang::UnaryOperator* op);
  bool roundsToNearest(const clang::BinaryOperator* op) const;
  std::optional<Expression> inverseRoot(const clang::BinaryOperator* op);  // Roots.cpp
  // Contraction.cpp
  bool mayContract(const clang::BinaryOperator* op) const;
  Expression fused(const clang::BinaryOperator* product, bool isNegative, const Expression& addend);
  std::optional<Expression> contracted(const clang::BinaryOperator* op);
  std::optional<Expression> contractedCompound(const clang::CompoundAssignOperator* op);
  Expression boolCompound(const clang::CompoundAssignOperator* op, const std::string& spelling);
  void checkAssignable(const clang::Expr* target, const clang::Expr* at);
  Expression cast(clang::QualType type, const clang::Expr* operand, const clang::Expr* at);
  Expression pointerCast(const clang::CastExpr* cast);
  Expression toBase(const clang::CastExpr* cast);
  Expression noOpCast(const clang::CastExpr* cast);
  Expression row(const RowUse& use);
  Expression elementOfRow(const Expression& row, const Expression& index);
  Expression flatOffset(const ArrayFact& array, llvm::ArrayRef<const clang::Expr*> indexes);
  Expression pointerIn(const clang::Expr* place);
  Expression behind(const clang::Expr* pointer);
  Expression elementOf(const std::vector<const clang::VarDecl*>& elements, const clang::ArraySubscriptExpr* subscript);

  struct ComplexType {
    Scalar part = Scalar::None;
    std::string name;
  };
  ComplexType complexType(clang::QualType type, const clang::Expr* at);
  std::string complexHelper(const clang::BinaryOperator* op, clang::BinaryOperatorKind opcode);
  Expression complexCondition(const clang::Expr* expr, const Expression& value);
  Expression complexConverted(const Expression& value, clang::QualType from, clang::QualType to, const clang::Expr* at);

  Expression vectorCall(VectorOperation operation, const CallShape& shape, const clang::CallExpr* call);
  Expression rowCall(VectorOperation operation, const RowUse& use, const CallShape& shape);
  std::optional<Expression> mathsCall(const CallShape& shape, const clang::CallExpr* call);
  std::vector<Expression> mathsArguments(const CallShape& shape, Scalar common);
  Expression selectionCall(const std::string& name, const CallShape& shape, const clang::CallExpr* call);
  Expression bitsCall(const std::string& name, const CallShape& shape);
  std::optional<Expression> memoryCall(const CallShape& shape, const clang::CallExpr* call);
  std::vector<Expression> closureArguments(const CallShape& shape);
  // A call of the function's own text.
  Expression functionCall(const CallShape& shape, const clang::Expr* at);
  Expression unseenCall(const CallShape& shape, const clang::Expr* at);
  Expression argumentFor(const clang::ParmVarDecl* parameter, const clang::Expr* argument);

  Program& program_;
  Scope& scope_;
  const clang::Expr* mayEnd_ = nullptr;
  bool mayHaveEnded_ = false;
};

}  // namespace muster::plugin::lower
