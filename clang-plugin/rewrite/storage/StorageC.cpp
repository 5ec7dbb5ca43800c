// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/storage/StorageC.h"

#include "analysis/objects/Objects.h"
#include "clang/AST/OpenMPClause.h"
#include "source/AstVisitor.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {
namespace {

// Uses of a variable that do not decay to a pointer: operands of sizeof, & and typeof, and items of clauses.
class WholeUseFinder : public AstVisitor {
 public:
  explicit WholeUseFinder(const clang::VarDecl* var) : var_(var) {}

  std::vector<const clang::DeclRefExpr*> uses;
  bool inClause = false;

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) override {
    if (reference->getDecl() == var_) uses.push_back(reference);
    return true;
  }
  bool TraverseImplicitCastExpr(clang::ImplicitCastExpr* cast) override {
    if (cast->getCastKind() == clang::CK_ArrayToPointerDecay && isVar(cast->getSubExpr())) return true;
    return AstVisitor::TraverseImplicitCastExpr(cast);
  }
  // Captures and the items of clauses are no text that could be respelled.
  bool TraverseStmt(clang::Stmt* statement) override {
    const auto* directive = llvm::dyn_cast_or_null<clang::OMPExecutableDirective>(statement);
    if (!directive) return AstVisitor::TraverseStmt(statement);
    for (const clang::OMPClause* clause : directive->clauses()) {
      if (clause->isImplicit() || llvm::isa<clang::OMPSharedClause>(clause)) continue;
      for (const clang::Stmt* item : clause->children()) inClause |= isVar(llvm::dyn_cast_or_null<clang::Expr>(item));
    }
    return llvm::all_of(statement->children(), [this](clang::Stmt* child) { return TraverseStmt(child); });
  }
  bool TraverseCapturedStmt(clang::CapturedStmt* captured) override {
    return TraverseStmt(captured->getCapturedStmt());
  }

 private:
  bool isVar(const clang::Expr* expr) const {
    const auto* reference = expr ? llvm::dyn_cast<clang::DeclRefExpr>(expr->IgnoreParens()) : nullptr;
    return reference && reference->getDecl() == var_;
  }

  const clang::VarDecl* var_;
};

clang::QualType rowOf(StorageRewriter& rewriter, const clang::VarDecl& var) {
  return rewriter.context().getAsArrayType(var.getType())->getElementType();
}

std::string storageOf(const clang::VarDecl& var) { return "muster_storage_" + var.getNameAsString(); }

}  // namespace

StorageRewriter::Outcome respellWholeUses(StorageRewriter& rewriter, const ArrayPlan& array) {
  const auto* function = Objects::functionOf(array.var());
  WholeUseFinder finder(array.var());
  finder.TraverseStmt(function->getBody());
  if (finder.inClause) return say::ClauseNamesArray;
  clang::ASTContext& context = rewriter.context();
  const std::string whole = "(*(" + rewriter.typeName(context.getPointerType(array.var()->getType())) + ")" +
                            array.decl->getNameAsString() + ")";
  EditList& edits = rewriter.edits();
  const std::size_t mark = edits.mark();
  for (const clang::DeclRefExpr* use : finder.uses) {
    if (edits.replace(use->getSourceRange(), whole, /*givesWay=*/true)) continue;
    edits.takeBack(mark);
    return say::MacroUsesWhole;
  }
  return std::nullopt;
}

std::string declareRows(StorageRewriter& rewriter, const ArrayPlan& array, const std::string& attributes,
                        const std::string& storage) {
  const clang::QualType pointer = rewriter.context().getPointerType(rowOf(rewriter, *array.var()));
  return rewriter.declare(pointer.withConst(), array.decl->getNameAsString()) + attributes + " = " + storage + ";";
}

std::string localArrayInC(StorageRewriter& rewriter, const ArrayPlan& array, const std::string& initial, bool zero) {
  clang::ASTContext& context = rewriter.context();
  const clang::VarDecl& var = *array.var();
  const clang::QualType pointer = context.getPointerType(rowOf(rewriter, var));
  const auto* type = context.getAsConstantArrayType(var.getType());
  const std::string count = std::to_string(context.getConstantArrayElementCount(type));
  std::string text = declareRows(rewriter, array, " __attribute__((cleanup(muster_end_of_array)))",
                                 "(" + rewriter.typeName(pointer) + ")muster_array_" + (zero ? "create" : "new") +
                                     "(&" + rewriter.siteName(array) + ", " + count + ")");
  if (initial.empty()) return text;
  const std::string name = "muster_initial_" + var.getNameAsString();
  return initial + " " + text + " __builtin_memcpy(" + var.getNameAsString() + ", &" + name + ", sizeof " + name + ");";
}

std::string adoptInFunction(StorageRewriter& rewriter, const ArrayPlan& array) {
  const std::string name = array.decl->getNameAsString(), storage = storageOf(*array.var()),
                    done = "muster_done_" + name;
  return " static int " + done + "; " +
         declareRows(rewriter, array, "",
                     "(muster_adopt_once(&" + done + ", &" + rewriter.siteName(array) + ", &" + storage + ", sizeof " +
                         storage + "." + name + "), " + storage + "." + name + ")");
}

std::string adoptInFile(StorageRewriter& rewriter, const ArrayPlan& array) {
  const std::string name = array.decl->getNameAsString(), storage = storageOf(*array.var());
  return " __attribute__((constructor)) static void muster_adopt_" + name + "(void) { muster_array_adopt(&" +
         rewriter.siteName(array) + ", &" + storage + ", sizeof " + storage + "." + name + "); }";
}

}  // namespace muster::plugin
