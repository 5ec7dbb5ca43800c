// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of the typed AST as OpenCL C. What C and C++ convert alike is left to C; all other conversions are
// written out. A node that is not known here refuses the kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/loops/Iterators.h"
#include "analysis/objects/RowTables.h"
#include "clang/AST/StmtVisitor.h"
#include "opencl/expressions/Atomics.h"
#include "opencl/types/Scope.h"

namespace muster::plugin::opencl {

class Expressions : public clang::ConstStmtVisitor<Expressions, Text> {
 public:
  Expressions(Program& program, Scope& scope) : program_(program), scope_(scope) {}

  // The value of an expression, or, of a glvalue, the object as C names it. (Visit of the visitor.)
  Text value(const clang::Expr* expr) { return Visit(expr); }
  // The same where the value is not used.
  Text effect(const clang::Expr* expr);
  // As an lvalue in C, which has fewer of them than C++.
  Text lvalue(const clang::Expr* expr);
  // A pointer to the object.
  Text address(const clang::Expr* expr);
  Text firstOfRow(const clang::Expr* row);
  // For a place whose C type is the expression's type: an initialiser, an argument, a returned value.
  Text converted(const clang::Expr* expr);
  // For a place that asks whether the value is 0.
  Text condition(const clang::Expr* expr);
  // What stands behind `=` in a definition, braces included.
  std::string initialiser(const clang::Expr* expr);

  // The call, or constructor, that `expr` is but for casts may end the program: the text around asks whether it did.
  // Others refuse the kernel, because what is around them would go on. nullptr: none may.
  void setMayEnd(const clang::Expr* expr);
  // Whether a call has been printed since that may.
  bool mayHaveEnded() const { return mayHaveEnded_; }

  // What a closure is made with, if `expr` makes one in the loop: the variables of its init captures.
  std::vector<const clang::VarDecl*> makeClosure(const clang::Expr* expr);

  Text VisitStmt(const clang::Stmt* node);

  // Literals and constants (Literals.cpp).
  Text VisitIntegerLiteral(const clang::IntegerLiteral* literal);
  Text VisitFloatingLiteral(const clang::FloatingLiteral* literal);
  Text VisitImaginaryLiteral(const clang::ImaginaryLiteral* literal);
  Text VisitCharacterLiteral(const clang::CharacterLiteral* literal);
  Text VisitCXXBoolLiteralExpr(const clang::CXXBoolLiteralExpr* literal);
  Text VisitCXXNullPtrLiteralExpr(const clang::CXXNullPtrLiteralExpr*) { return Text("0"); }
  Text VisitGNUNullExpr(const clang::GNUNullExpr*) { return Text("0"); }
  Text VisitUnaryExprOrTypeTraitExpr(const clang::UnaryExprOrTypeTraitExpr* expr) { return evaluated(expr); }
  Text VisitTypeTraitExpr(const clang::TypeTraitExpr* expr) { return evaluated(expr); }
  Text VisitOffsetOfExpr(const clang::OffsetOfExpr* expr) { return evaluated(expr); }
  Text VisitSizeOfPackExpr(const clang::SizeOfPackExpr* expr) { return evaluated(expr); }
  Text VisitCXXNoexceptExpr(const clang::CXXNoexceptExpr* expr) { return evaluated(expr); }
  Text VisitImplicitValueInitExpr(const clang::ImplicitValueInitExpr* expr) { return zero(expr); }
  Text VisitCXXScalarValueInitExpr(const clang::CXXScalarValueInitExpr* expr) { return zero(expr); }
  Text VisitInitListExpr(const clang::InitListExpr* list);
  Text VisitCompoundLiteralExpr(const clang::CompoundLiteralExpr* literal);

  // Names and parts (Objects.cpp).
  Text VisitDeclRefExpr(const clang::DeclRefExpr* ref);
  Text VisitMemberExpr(const clang::MemberExpr* member);
  Text VisitArraySubscriptExpr(const clang::ArraySubscriptExpr* subscript);
  Text VisitStmtExpr(const clang::StmtExpr* block);
  Text VisitCXXThisExpr(const clang::CXXThisExpr* expr);

  // Nodes that stand for their operand.
  Text VisitParenExpr(const clang::ParenExpr* expr) { return Visit(expr->getSubExpr()); }
  Text VisitGenericSelectionExpr(const clang::GenericSelectionExpr* expr) { return Visit(expr->getResultExpr()); }
  Text VisitChooseExpr(const clang::ChooseExpr* expr) { return Visit(expr->getChosenSubExpr()); }
  Text VisitConstantExpr(const clang::ConstantExpr* expr) { return Visit(expr->getSubExpr()); }
  Text VisitExprWithCleanups(const clang::ExprWithCleanups* expr) { return Visit(expr->getSubExpr()); }
  Text VisitMaterializeTemporaryExpr(const clang::MaterializeTemporaryExpr* expr) {
    return isHalf(expr->getType()) ? halfBits(expr->getSubExpr()) : Visit(expr->getSubExpr());
  }
  Text VisitCXXDefaultArgExpr(const clang::CXXDefaultArgExpr* expr) { return Visit(expr->getExpr()); }
  Text VisitCXXDefaultInitExpr(const clang::CXXDefaultInitExpr* expr) { return Visit(expr->getExpr()); }
  Text VisitSubstNonTypeTemplateParmExpr(const clang::SubstNonTypeTemplateParmExpr* expr) {
    return Visit(expr->getReplacement());
  }
  Text VisitCXXRewrittenBinaryOperator(const clang::CXXRewrittenBinaryOperator* expr) {
    const clang::Expr* translated = withPointers(program_.context, expr);
    return Visit(translated ? translated : expr->getSemanticForm());
  }

  // Operators (Operators.cpp).
  Text VisitUnaryOperator(const clang::UnaryOperator* op);
  Text VisitBinaryOperator(const clang::BinaryOperator* op);
  Text VisitCompoundAssignOperator(const clang::CompoundAssignOperator* op);
  Text VisitConditionalOperator(const clang::ConditionalOperator* op);

  // Complex numbers of the compiler's own, which std::complex holds (Complex.cpp).
  static bool isComplex(const clang::Expr* expr) { return expr->getType()->isAnyComplexType(); }
  Text complexBinary(const clang::BinaryOperator* op);
  Text complexCompound(const clang::CompoundAssignOperator* op);
  Text complexUnary(const clang::UnaryOperator* op);
  Text complexWithOppositeParts(const std::string& what, const clang::Expr* value, const clang::Expr* at);
  std::optional<Text> complexCast(const clang::CastExpr* cast);
  std::optional<Text> complexCall(const CallShape& shape, const clang::CallExpr* call);

  // _Float16 and __fp16 (HalfPrecision.cpp): Visit gives a float for a value, the 16 bits for an object.
  Text halfCall(const char* name, const std::string& argument);
  Text halfValue(const Text& bits);
  Text halfBits(const Text& value, Scalar scalar);
  Text halfBits(const clang::Expr* expr);
  std::optional<llvm::APFloat> halfConstant(const clang::Expr* expr);
  static bool isHalfArithmetic(const clang::BinaryOperator* op);
  Text halfExcess(const clang::Expr* expr);
  Text halfOperation(const clang::BinaryOperator* op);
  Text halfAssigned(const clang::Expr* assignment, const Text& text);
  Text halfCompound(const clang::CompoundAssignOperator* op);
  Text halfIncrement(const clang::UnaryOperator* op, bool isUsed);

  // Casts (Casts.cpp).
  Text VisitCastExpr(const clang::CastExpr* cast);

  // Calls (CallExpressions.cpp).
  Text VisitCallExpr(const clang::CallExpr* call);
  Text VisitCXXConstructExpr(const clang::CXXConstructExpr* construct);

  // Updates that are atomic within a device (AtomicExpressions.cpp).
  UpdateValue updateValue(const UpdateFact& update);
  std::string updateCall(const UpdateFact& update, const UpdateValue& value, bool returnsNew);
  Text VisitAtomicExpr(const clang::AtomicExpr* expr);
  Privatized* privatizedBy(const UpdateFact& update);

 private:
  Text refuse(const clang::Stmt* node, const llvm::Twine& what);
  Text evaluated(const clang::Expr* expr);
  std::optional<Text> foldedCall(const clang::CallExpr* call);
  std::optional<Text> fetch(const clang::Expr* expr);
  Text zero(const clang::Expr* expr);
  std::string elements(const clang::InitListExpr* list);
  std::string stringElements(const clang::StringLiteral* literal, const clang::Expr* at);
  Text variable(const clang::VarDecl* var, const clang::Expr* at);
  Text deref(const Text& pointer) { return Text("*" + pointer.at(Prec::Unary), Prec::Unary); }

  Scalar scalarOfType(const clang::Expr* expr) const { return scalarOf(program_.context, expr->getType()); }
  std::string typeName(clang::QualType type, Space space, const clang::Expr* at) {
    return program_.types.name(type, space, at->getExprLoc());
  }
  // Operands of an operator for which C finds the common type `common` by itself, without the casts that C++ shows;
  // with them where it would find another.
  std::pair<Text, Text> operands(const clang::Expr* left, const clang::Expr* right, Scalar common);
  Text promotedOperand(const clang::Expr* expr);
  Text assignment(const clang::BinaryOperator* op);
  bool wraps(clang::QualType type) const;
  Text wrapped(const Text& left, llvm::StringRef spelling, const Text& right, Scalar scalar);
  Text wrappedCompound(const clang::CompoundAssignOperator* op);
  Text wrappedIncrement(const clang::UnaryOperator* op);
  bool roundsToNearest(const clang::BinaryOperator* op) const;
  // Contraction.cpp
  bool mayContract(const clang::BinaryOperator* op) const;
  Text fused(const clang::BinaryOperator* product, bool isNegative, const Text& addend);
  std::optional<Text> contracted(const clang::BinaryOperator* op);
  std::optional<Text> contractedCompound(const clang::CompoundAssignOperator* op);
  Text boolCompound(const clang::CompoundAssignOperator* op, const std::string& spelling);
  void checkAssignable(const clang::Expr* target, const clang::Expr* at);
  Text cast(clang::QualType type, const clang::Expr* operand, const clang::Expr* at);
  Text pointerCast(const clang::CastExpr* cast);
  Text toBase(const clang::CastExpr* cast);
  Text noOpCast(const clang::CastExpr* cast);
  Text row(const RowUse& use);
  std::string flatOffset(const ArrayFact& array, llvm::ArrayRef<const clang::Expr*> indexes);
  Text pointerIn(const clang::Expr* place);
  Text elementOf(const std::vector<const clang::VarDecl*>& elements, const clang::ArraySubscriptExpr* subscript);

  struct ComplexType {
    Scalar part = Scalar::None;
    std::string name;
  };
  ComplexType complexType(clang::QualType type, const clang::Expr* at);
  std::string complexHelper(const clang::BinaryOperator* op, clang::BinaryOperatorKind opcode);
  Text complexCondition(const clang::Expr* expr, const Text& value);
  Text complexConverted(const Text& value, clang::QualType from, clang::QualType to, const clang::Expr* at);

  Text vectorCall(VectorOperation operation, const CallShape& shape, const clang::CallExpr* call);
  Text rowCall(VectorOperation operation, const RowUse& use, const CallShape& shape);
  std::optional<Text> mathsCall(const CallShape& shape, const clang::CallExpr* call);
  std::vector<std::string> mathsArguments(const CallShape& shape, Scalar common);
  Text selectionCall(const std::string& name, const CallShape& shape, const clang::CallExpr* call);
  Text bitsCall(const std::string& name, const CallShape& shape);
  std::optional<Text> memoryCall(const CallShape& shape, const clang::CallExpr* call);
  std::string closureArguments(const CallShape& shape);
  // A call of the function's own text.
  Text functionCall(const CallShape& shape, const clang::Expr* at);
  Text unseenCall(const CallShape& shape, const clang::Expr* at);
  std::string argumentFor(const clang::ParmVarDecl* parameter, const clang::Expr* argument);

  Program& program_;
  Scope& scope_;
  const clang::Expr* mayEnd_ = nullptr;
  bool mayHaveEnded_ = false;
};

}  // namespace muster::plugin::opencl
