// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/AstVisitor.h"

#include "clang/AST/RecursiveASTVisitor.h"

namespace muster::plugin {
namespace {

// Clang's traversal, each step of which asks an AstVisitor.
class Traversal : public clang::RecursiveASTVisitor<Traversal> {
 public:
  using Base = clang::RecursiveASTVisitor<Traversal>;

  explicit Traversal(AstVisitor& visitor) : visitor_(visitor) {}

  [[nodiscard]] bool shouldVisitImplicitCode() const { return visitor_.shouldVisitImplicitCode(); }
  [[nodiscard]] bool shouldVisitTemplateInstantiations() const { return visitor_.shouldVisitTemplateInstantiations(); }
  bool dataTraverseStmtPre(clang::Stmt* statement) { return visitor_.dataTraverseStmtPre(statement); }

  bool TraverseStmt(clang::Stmt* statement) { return visitor_.TraverseStmt(statement); }
  bool TraverseDecl(clang::Decl* decl) { return visitor_.TraverseDecl(decl); }
  bool TraverseLambdaCapture(clang::LambdaExpr* lambda, const clang::LambdaCapture* capture, clang::Expr* value) {
    return visitor_.TraverseLambdaCapture(lambda, capture, value);
  }
  template <class... Flags>  // Clang 22 passes one
  bool TraverseDecltypeTypeLoc(clang::DecltypeTypeLoc type, Flags... /*flags*/) {
    return visitor_.TraverseDecltypeTypeLoc(type);
  }
  template <class... Flags>
  bool TraverseTypeOfExprTypeLoc(clang::TypeOfExprTypeLoc type, Flags... /*flags*/) {
    return visitor_.TraverseTypeOfExprTypeLoc(type);
  }

  bool VisitDecltypeTypeLoc(clang::DecltypeTypeLoc type) { return visitor_.VisitDecltypeTypeLoc(type); }
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc type) { return visitor_.VisitTypedefTypeLoc(type); }
  bool VisitTagTypeLoc(clang::TagTypeLoc type) { return visitor_.VisitTagTypeLoc(type); }

  bool VisitStmt(clang::Stmt* statement) { return visitor_.VisitStmt(statement); }
#define STMT(CLASS, PARENT) \
  bool Visit##CLASS(clang::CLASS* statement) { return visitor_.Visit##CLASS(statement); }
#include "clang/AST/StmtNodes.inc"
#define ABSTRACT_STMT(CLASS)
#define STMT(CLASS, PARENT) \
  bool Traverse##CLASS(clang::CLASS* statement) { return visitor_.Traverse##CLASS(statement); }
#include "clang/AST/StmtNodes.inc"

  bool VisitDecl(clang::Decl* decl) { return visitor_.VisitDecl(decl); }
#define DECL(CLASS, BASE) \
  bool Visit##CLASS##Decl(clang::CLASS##Decl* decl) { return visitor_.Visit##CLASS##Decl(decl); }
#include "clang/AST/DeclNodes.inc"
#define ABSTRACT_DECL(CLASS)
#define DECL(CLASS, BASE) \
  bool Traverse##CLASS##Decl(clang::CLASS##Decl* decl) { return visitor_.Traverse##CLASS##Decl(decl); }
#include "clang/AST/DeclNodes.inc"

 private:
  AstVisitor& visitor_;
};

}  // namespace

bool AstVisitor::TraverseStmt(clang::Stmt* statement) { return Traversal(*this).Base::TraverseStmt(statement); }
bool AstVisitor::TraverseDecl(clang::Decl* decl) { return Traversal(*this).Base::TraverseDecl(decl); }
bool AstVisitor::TraverseLambdaCapture(clang::LambdaExpr* lambda, const clang::LambdaCapture* capture,
                                       clang::Expr* value) {
  return Traversal(*this).Base::TraverseLambdaCapture(lambda, capture, value);
}
bool AstVisitor::TraverseDecltypeTypeLoc(clang::DecltypeTypeLoc type) {
  return Traversal(*this).Base::TraverseDecltypeTypeLoc(type);
}
bool AstVisitor::TraverseTypeOfExprTypeLoc(clang::TypeOfExprTypeLoc type) {
  return Traversal(*this).Base::TraverseTypeOfExprTypeLoc(type);
}

#define ABSTRACT_STMT(CLASS)
#define STMT(CLASS, PARENT)                                   \
  bool AstVisitor::Traverse##CLASS(clang::CLASS* statement) { \
    return Traversal(*this).Base::Traverse##CLASS(statement); \
  }
#include "clang/AST/StmtNodes.inc"
#define ABSTRACT_DECL(CLASS)
#define DECL(CLASS, BASE)                                            \
  bool AstVisitor::Traverse##CLASS##Decl(clang::CLASS##Decl* decl) { \
    return Traversal(*this).Base::Traverse##CLASS##Decl(decl);       \
  }
#include "clang/AST/DeclNodes.inc"

}  // namespace muster::plugin
