// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The visitor that all of the plugin's visitors derive from: clang::RecursiveASTVisitor with virtual functions. That
// one is a template, whose whole traversal the compiler would make once more for each class that derives from it: ten
// seconds and two megabytes each. This one is made once.
#pragma once

#include "clang/AST/ASTFwd.h"
#include "clang/AST/TypeLoc.h"

namespace clang {
class LambdaCapture;
}

namespace muster::plugin {

// Each Visit* and Traverse* means what it means in clang::RecursiveASTVisitor: a Visit* looks at one node, a Traverse*
// at what is below it, too; false ends all of it. Statements are visited before their children, by plain recursion.
// Only the parts of types that the plugin looks at have functions here.
class AstVisitor {
 public:
  virtual ~AstVisitor() = default;

  [[nodiscard]] virtual bool shouldVisitImplicitCode() const { return false; }
  [[nodiscard]] virtual bool shouldVisitTemplateInstantiations() const { return false; }
  // False: a statement is left out, with all that is below it.
  virtual bool dataTraverseStmtPre(clang::Stmt* /*statement*/) { return true; }

  virtual bool TraverseStmt(clang::Stmt* statement);
  virtual bool TraverseDecl(clang::Decl* decl);
  virtual bool TraverseLambdaCapture(clang::LambdaExpr* lambda, const clang::LambdaCapture* capture,
                                     clang::Expr* value);
  virtual bool TraverseDecltypeTypeLoc(clang::DecltypeTypeLoc type);
  virtual bool TraverseTypeOfExprTypeLoc(clang::TypeOfExprTypeLoc type);

  virtual bool VisitDecltypeTypeLoc(clang::DecltypeTypeLoc /*type*/) { return true; }
  virtual bool VisitTypedefTypeLoc(clang::TypedefTypeLoc /*type*/) { return true; }
  virtual bool VisitTagTypeLoc(clang::TagTypeLoc /*type*/) { return true; }

  virtual bool VisitStmt(clang::Stmt* /*statement*/) { return true; }
#define STMT(CLASS, PARENT) \
  virtual bool Visit##CLASS(clang::CLASS* /*statement*/) { return true; }
#include "clang/AST/StmtNodes.inc"
#define ABSTRACT_STMT(CLASS)
#define STMT(CLASS, PARENT) virtual bool Traverse##CLASS(clang::CLASS* statement);
#include "clang/AST/StmtNodes.inc"

  virtual bool VisitDecl(clang::Decl* /*decl*/) { return true; }
#define DECL(CLASS, BASE) \
  virtual bool Visit##CLASS##Decl(clang::CLASS##Decl* /*decl*/) { return true; }
#include "clang/AST/DeclNodes.inc"
#define ABSTRACT_DECL(CLASS)
#define DECL(CLASS, BASE) virtual bool Traverse##CLASS##Decl(clang::CLASS##Decl* decl);
#include "clang/AST/DeclNodes.inc"
};

}  // namespace muster::plugin
