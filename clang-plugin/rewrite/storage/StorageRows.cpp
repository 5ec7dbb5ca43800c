// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls and assignments that may give a vector of vectors, or one of its rows, new memory (muster/rows.hpp). Rows are
// moved after they were made, and only where nobody can point to their elements yet.
#include "clang/AST/ExprCXX.h"
#include "pragma/Collector.h"
#include "rewrite/storage/Storage.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {
namespace {

class RowCallRewriter : public AstVisitor {
 public:
  RowCallRewriter(StorageRewriter& rewriter, const std::vector<const ArrayPlan*>& tables)
      : rewriter_(rewriter), tables_(tables) {}

  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) override {
    const clang::CXXMethodDecl* method = call->getMethodDecl();
    if (!method || !method->getIdentifier()) return true;
    const llvm::StringRef name = method->getName();
    const clang::Expr* object = call->getImplicitObjectArgument();
    const bool fillsAll = name == "resize" || name == "assign";
    const bool adds = name == "push_back" || name == "emplace_back";
    if (const ArrayPlan* table = tableOf(object)) {
      const bool isNew = adds && (call->getNumArgs() != 1 || rewriter_.takesOver(*table, *call->getArg(0)));
      if (fillsAll || isNew) wrap(*table, *call, *object, nullptr, isNew ? "newRowScope" : "rowsScope", "false");
    } else if (const clang::Expr* row = fillsAll ? rowOf(object) : nullptr) {
      wrapRow(*call, *row);
    }
    return true;
  }

  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) override {
    if (call->getOperator() != clang::OO_Equal || call->getNumArgs() != 2) return true;
    const clang::Expr *object = call->getArg(0), *value = call->getArg(1), *row = rowOf(object);
    const ArrayPlan* table = row ? tableOf(llvm::cast<clang::CXXOperatorCallExpr>(row)->getArg(0)) : tableOf(object);
    if (!table || !rewriter_.takesOver(*table, *value)) return true;
    if (row) {
      wrapRow(*call, *row);
      return true;
    }
    // Rows of a list are copied to those that are there.
    const clang::FunctionDecl* callee = call->getDirectCallee();
    const bool isMoved = callee && callee->getParamDecl(0)->getType()->isRValueReferenceType();
    wrap(*table, *call, *object, nullptr, "rowsScope", isMoved ? "true" : "false");
    return true;
  }

 private:
  const ArrayPlan* tableOf(const clang::Expr* object) const {
    const clang::DeclaratorDecl* decl = namedBy(object);
    if (!decl || object->getType()->isPointerType()) return nullptr;
    for (const ArrayPlan* table : tables_)
      if (table->decl->getCanonicalDecl() == decl) return table;
    return nullptr;
  }

  // `a[i]` of a table.
  const clang::Expr* rowOf(const clang::Expr* object) const {
    const auto* subscript = llvm::dyn_cast<clang::CXXOperatorCallExpr>(object->IgnoreParenImpCasts());
    const bool isRow = subscript && subscript->getOperator() == clang::OO_Subscript && tableOf(subscript->getArg(0));
    return isRow ? subscript : nullptr;
  }

  void wrapRow(const clang::Expr& call, const clang::Expr& row) {
    const auto& subscript = *llvm::cast<clang::CXXOperatorCallExpr>(&row);
    wrap(*tableOf(subscript.getArg(0)), call, *subscript.getArg(0), &row, "rowScope", "");
  }

  void wrap(const ArrayPlan& table, const clang::Expr& call, const clang::Expr& object, const clang::Expr* row,
            const std::string& scope, const std::string& last) {
    const ConstructEdits construct = rewriter_.editsOf(table);
    EditList& edits = rewriter_.edits();
    const auto* subscript = llvm::dyn_cast_or_null<clang::CXXOperatorCallExpr>(row);
    const bool hasEffects = object.HasSideEffects(rewriter_.context()) ||
                            (subscript && subscript->getArg(1)->HasSideEffects(rewriter_.context()));
    const auto name = edits.text(object.getSourceRange());
    const auto rowText = row ? edits.text(row->getSourceRange()) : std::nullopt;
    const std::size_t mark = edits.mark();
    if (!hasEffects && rewriter_.shareSite(table, call) && rewriter_.isStatement(call) && name && (!row || rowText)) {
      const std::string before = "(::muster::" + scope + "(" + *name + (row ? ", " + *rowText : "") + ", " +
                                 rewriter_.siteName(table) + (scope == "rowsScope" ? ", " + last : "") + "), ";
      if (edits.insertBefore(call.getBeginLoc(), before) && edits.insertAfter(call.getEndLoc(), ")")) return;
      edits.takeBack(mark);
    }
    remarkMissed(rewriter_.context().getDiagnostics(), rewriter_.sources().getFileLoc(call.getBeginLoc()),
                 say::RowsNotRewritten(table.decl->getName()));
  }

  StorageRewriter& rewriter_;
  const std::vector<const ArrayPlan*>& tables_;
};

}  // namespace

void rewriteRowCalls(StorageRewriter& rewriter, const std::vector<const ArrayPlan*>& tables) {
  if (!tables.empty()) RowCallRewriter(rewriter, tables).TraverseDecl(rewriter.context().getTranslationUnitDecl());
}

}  // namespace muster::plugin
