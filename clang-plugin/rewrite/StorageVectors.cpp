// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that may give a managed vector a new buffer.
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/StringSwitch.h"
#include "rewrite/Storage.h"

namespace muster::plugin {
namespace {

bool mayAllocate(llvm::StringRef member) {
  return llvm::StringSwitch<bool>(member)
      .Cases("resize", "assign", "reserve", "push_back", "emplace_back", true)
      .Cases("insert", "emplace", "shrink_to_fit", "append_range", "assign_range", "insert_range", true)
      .Default(false);
}

class VectorCallRewriter : public clang::RecursiveASTVisitor<VectorCallRewriter> {
 public:
  VectorCallRewriter(StorageRewriter& rewriter, const std::vector<const ArrayPlan*>& vectors)
      : rewriter_(rewriter), vectors_(vectors) {}

  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) {
    const clang::CXXMethodDecl* method = call->getMethodDecl();
    if (!method || !method->getIdentifier() || !mayAllocate(method->getName())) return true;
    if (const ArrayPlan* array = vectorOf(call->getImplicitObjectArgument())) wrap(*array, *call);
    return true;
  }

  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) {
    if (call->getOperator() != clang::OO_Equal || call->getNumArgs() != 2) return true;
    const ArrayPlan* array = vectorOf(call->getArg(0));
    if (!array) return true;
    // What a function returns was allocated there; it is taken over afterwards, where nobody uses the value.
    if (llvm::isa<clang::CallExpr>(call->getArg(1)->IgnoreUnlessSpelledInSource()) && isStatement(*call))
      append(*array, *call);
    else
      wrap(*array, *call);
    return true;
  }

 private:
  const ArrayPlan* vectorOf(const clang::Expr* object) const {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(object->IgnoreParenImpCasts());
    if (!reference) return nullptr;
    for (const ArrayPlan* array : vectors_)
      if (array->var->getCanonicalDecl() == reference->getDecl()->getCanonicalDecl()) return array;
    return nullptr;
  }

  bool isStatement(const clang::Expr& call) const {
    clang::DynTypedNode node = clang::DynTypedNode::create(call);
    while (true) {
      const auto parents = rewriter_.context().getParents(node);
      if (parents.size() != 1) return false;
      if (!parents[0].get<clang::ExprWithCleanups>()) return parents[0].get<clang::CompoundStmt>() != nullptr;
      node = parents[0];
    }
  }

  void wrap(const ArrayPlan& array, const clang::Expr& call) {
    const std::string bytes = std::to_string(rewriter_.context().getTypeSizeInChars(array.element).getQuantity());
    surround(array, call, "(muster::VectorScope(" + rewriter_.siteName(array) + ", " + bytes + "), ", ")");
  }

  void append(const ArrayPlan& array, const clang::Expr& call) {
    surround(array, call, "(",
             ", muster::manageVector(" + array.var->getNameAsString() + ", " + rewriter_.siteName(array) + "))");
  }

  void surround(const ArrayPlan& array, const clang::Expr& call, const std::string& before, const std::string& after) {
    EditList& edits = rewriter_.edits();
    const std::size_t mark = edits.mark();
    if (edits.insertBefore(call.getBeginLoc(), before) && edits.insertAfter(call.getEndLoc(), after)) return;
    edits.takeBack(mark);
    remarkMissed(rewriter_.context().getDiagnostics(), rewriter_.sources().getFileLoc(call.getBeginLoc()),
                 "vector '" + array.var->getName() +
                     "' may get memory that is not managed here: the call is written in a macro or a header");
  }

  StorageRewriter& rewriter_;
  const std::vector<const ArrayPlan*>& vectors_;
};

}  // namespace

void rewriteVectorCalls(StorageRewriter& rewriter, const std::vector<const ArrayPlan*>& vectors) {
  if (!vectors.empty()) VectorCallRewriter(rewriter, vectors).TraverseDecl(rewriter.context().getTranslationUnitDecl());
}

}  // namespace muster::plugin
