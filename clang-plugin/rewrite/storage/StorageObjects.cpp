// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls and initializers that may give a managed vector or unique_ptr new memory.
#include "analysis/code/Calls.h"
#include "clang/AST/ExprCXX.h"
#include "pragma/Collector.h"
#include "rewrite/storage/Storage.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {
namespace {

bool mayAllocate(llvm::StringRef member) {
  return llvm::is_contained({"resize", "assign", "reserve", "push_back", "emplace_back", "insert", "emplace",
                             "shrink_to_fit", "append_range", "assign_range", "insert_range", "reset"},
                            member);
}

// Looks for what may change some vector of the program: its own functions, and members of vectors.
class VectorChange : public AstVisitor {
 public:
  explicit VectorChange(const clang::SourceManager& sources) : sources_(sources) {}
  [[nodiscard]] bool found() const { return found_; }

  bool VisitCallExpr(clang::CallExpr* call) override {
    const auto* operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call);
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee());
    const bool isMember = llvm::isa<clang::CXXMemberCallExpr>(call) && method && !method->isConst();
    found_ |= isMember || isOurs(call->getDirectCallee()) || (operation && operation->isAssignmentOp());
    return !found_;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* construction) override {
    found_ |= !construction->getConstructor()->isTrivial() && isOurs(construction->getConstructor());
    return !found_;
  }
  bool VisitLambdaExpr(clang::LambdaExpr*) override { return !(found_ = true); }

 private:
  bool isOurs(const clang::FunctionDecl* function) const {
    return !function || !sources_.isInSystemHeader(function->getLocation());
  }

  const clang::SourceManager& sources_;
  bool found_ = false;
};

bool leavesVectorsAlone(const clang::Expr& value, const clang::SourceManager& sources) {
  VectorChange change(sources);
  change.TraverseStmt(const_cast<clang::Expr*>(&value));
  return !change.found();
}

class ObjectCallRewriter : public AstVisitor {
 public:
  ObjectCallRewriter(StorageRewriter& rewriter, const std::vector<const ArrayPlan*>& objects)
      : rewriter_(rewriter), objects_(objects) {}

  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) override {
    const clang::CXXMethodDecl* method = call->getMethodDecl();
    if (!method || !method->getIdentifier() || !mayAllocate(method->getName())) return true;
    const ArrayPlan* array = objectOf(call->getImplicitObjectArgument());
    if (array && addsOne(*array, *call))
      grow(*array, *call);
    else if (array)
      wrap(*array, *call);
    return true;
  }

  // In a template, where it is known only later what is called.
  bool VisitCallExpr(clang::CallExpr* call) override {
    const auto* member = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(call->getCallee());
    const clang::IdentifierInfo* name = member ? member->getMember().getAsIdentifierInfo() : nullptr;
    if (!name || !mayAllocate(name->getName()) || member->isImplicitAccess() || member->isArrow()) return true;
    if (const ArrayPlan* array = objectOf(member->getBase())) wrap(*array, *call);
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator* op) override {
    if (op->getOpcode() != clang::BO_Assign || !op->getLHS()->getType()->isDependentType()) return true;
    if (const ArrayPlan* array = objectOf(op->getLHS())) assign(*array, *op, *op->getLHS(), *op->getRHS());
    return true;
  }

  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) override {
    if (call->getOperator() != clang::OO_Equal || call->getNumArgs() != 2) return true;
    const ArrayPlan* array = objectOf(call->getArg(0));
    if (!array) return true;
    assign(*array, *call, *call->getArg(0), *call->getArg(1));
    return true;
  }

 private:
  const ArrayPlan* objectOf(const clang::Expr* object) const {
    const clang::DeclaratorDecl* decl = namedBy(object);
    if (!decl || object->getType()->isPointerType()) return nullptr;
    for (const ArrayPlan* array : objects_)
      if (array->decl->getCanonicalDecl() == decl) return array;
    return nullptr;
  }

  // What a function returns was allocated there; it is taken over afterwards, where nobody uses the value.
  void assign(const ArrayPlan& array, const clang::Expr& assignment, const clang::Expr& object,
              const clang::Expr& value) {
    const std::string text = rewriter_.edits().text(object.getSourceRange()).value_or("");
    if (array.storage == StorageKind::Vector && llvm::isa<clang::CallExpr>(value.IgnoreUnlessSpelledInSource()) &&
        rewriter_.takesOver(array, value) && rewriter_.isStatement(assignment) &&
        !object.HasSideEffects(rewriter_.context()) && !text.empty())
      surround(array, assignment, "(", ", " + rewriter_.manageVector(array, text) + ")");
    else
      wrap(array, assignment);
  }

  void wrap(const ArrayPlan& array, const clang::Expr& call) {
    surround(array, call, "(" + rewriter_.scope(array) + ", ", ")");
  }

  // Whether the vector grows exactly if it is full in front of the call.
  bool addsOne(const ArrayPlan& array, const clang::CXXMemberCallExpr& call) const {
    const llvm::StringRef name = call.getMethodDecl()->getName();
    return array.storage == StorageKind::Vector && !array.element->isDependentType() &&
           (name == "push_back" || name == "emplace_back") &&
           !call.getImplicitObjectArgument()->HasSideEffects(rewriter_.context()) &&
           std::all_of(call.arg_begin(), call.arg_end(),
                       [&](const clang::Expr* argument) { return leavesVectorsAlone(*argument, rewriter_.sources()); });
  }

  void grow(const ArrayPlan& array, const clang::CXXMemberCallExpr& call) {
    const clang::Expr& object = *call.getImplicitObjectArgument();
    const std::optional<std::string> text = rewriter_.edits().text(object.getSourceRange());
    const std::string vector = object.getType()->isPointerType() ? "*(" + text.value_or("") + ")" : text.value_or("");
    if (object.isImplicitCXXThis() || vector.empty()) return wrap(array, call);
    surround(array, call,
             "(::muster::growthScope(" + vector + ", " + rewriter_.siteName(array) + ", " +
                 rewriter_.elementSize(array) + "), ",
             ")");
  }

  void surround(const ArrayPlan& array, const clang::Expr& call, const std::string& before, const std::string& after) {
    const ConstructEdits construct = rewriter_.editsOf(array);
    EditList& edits = rewriter_.edits();
    const std::size_t mark = edits.mark();
    if (rewriter_.shareSite(array, call) && edits.insertBefore(call.getBeginLoc(), before) &&
        edits.insertAfter(call.getEndLoc(), after))
      return;
    edits.takeBack(mark);
    remarkMissed(rewriter_.context().getDiagnostics(), rewriter_.sources().getFileLoc(call.getBeginLoc()),
                 say::CallNotRewritten(array.decl->getName()));
  }

  StorageRewriter& rewriter_;
  const std::vector<const ArrayPlan*>& objects_;
};

// Initializers of members, in constructors and in the class.
class MemberInitializerRewriter : public AstVisitor {
 public:
  MemberInitializerRewriter(StorageRewriter& rewriter, const std::vector<const ArrayPlan*>& members)
      : rewriter_(rewriter), members_(members) {}

  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl* constructor) override {
    for (const clang::CXXCtorInitializer* init : constructor->inits())
      if (init->isMemberInitializer() && init->isWritten())
        if (const ArrayPlan* array = planOf(init->getMember())) initialize(*array, *init->getInit());
    return true;
  }

  bool VisitFieldDecl(clang::FieldDecl* field) override {
    const clang::Expr* init = field->getInClassInitializer();
    const ArrayPlan* array = init ? planOf(field) : nullptr;
    if (array) initialize(*array, *init, field->getInClassInitStyle() == clang::ICIS_ListInit ? " = " : "");
    return true;
  }

 private:
  const ArrayPlan* planOf(const clang::FieldDecl* field) const {
    for (const ArrayPlan* array : members_)
      if (array->decl->getCanonicalDecl() == field->getCanonicalDecl()) return array;
    return nullptr;
  }

  // The scope goes in front of the first argument: it lives until the member is made.
  // `equals` is what a list needs in front of an expression in its place: a class cannot have `T member(...);`.
  void initialize(const ArrayPlan& array, const clang::Expr& init, const char* equals = "") {
    const ConstructEdits construct = rewriter_.editsOf(array);
    if (array.storage == StorageKind::RowVectors && !rewriter_.takesOver(array, init)) return;
    const clang::Expr* value = init.IgnoreImplicit();
    if (const auto* cast = llvm::dyn_cast<clang::CXXFunctionalCastExpr>(value)) value = cast->getSubExpr();
    const auto* construction = llvm::dyn_cast<clang::CXXConstructExpr>(value->IgnoreImplicit());
    if (construction && construction->isListInitialization() && construction->getNumArgs() > 0) {
      list(array, *construction, construction->getParenOrBraceRange(), equals);
      return;
    }
    if (const auto* braces = llvm::dyn_cast<clang::InitListExpr>(value)) {
      if (braces->getNumInits() > 0) list(array, init, braces->getSourceRange(), equals);
      return;
    }
    if (const auto* parens = llvm::dyn_cast<clang::ParenListExpr>(value)) {  // in a template
      if (parens->getNumExprs() == 0) return;
      value = parens->getExpr(0);
    }
    const clang::Expr* first = value;
    if (construction && construction->getNumArgs() == 0) return;  // empty: nothing is allocated
    if (construction && !llvm::isa<clang::CXXTemporaryObjectExpr>(construction)) first = construction->getArg(0);
    EditList& edits = rewriter_.edits();
    const std::size_t mark = edits.mark();
    if (edits.insertBefore(first->getBeginLoc(), "(" + scopeOf(array) + ", ") &&
        edits.insertAfter(first->getEndLoc(), ")"))
      return;
    edits.takeBack(mark);
    refuse(array, init);
  }

  // It ends when the member is made.
  std::string scopeOf(const ArrayPlan& array) {
    if (array.storage != StorageKind::RowVectors) return rewriter_.scope(array);
    return "::muster::rowsScope(this->" + array.decl->getNameAsString() + ", " + rewriter_.siteName(array) + ", true)";
  }

  // {1, 2, 3} may not become expressions that are no constants.
  void list(const ArrayPlan& array, const clang::Expr& init, clang::SourceRange braces, const std::string& equals) {
    const std::optional<std::string> text = rewriter_.edits().text(braces);
    const std::string type = rewriter_.typeName(array.decl->getType().getUnqualifiedType());
    if (!text || !rewriter_.edits().replace(braces, equals + "((" + scopeOf(array) + ", " + type + *text + "))"))
      refuse(array, init);
  }

  void refuse(const ArrayPlan& array, const clang::Expr& init) {
    remarkMissed(rewriter_.context().getDiagnostics(), rewriter_.sources().getFileLoc(init.getBeginLoc()),
                 say::InitializationNotRewritten(array.decl->getName()));
  }

  StorageRewriter& rewriter_;
  const std::vector<const ArrayPlan*>& members_;
};

}  // namespace

void rewriteObjectCalls(StorageRewriter& rewriter, const std::vector<const ArrayPlan*>& objects) {
  if (!objects.empty()) ObjectCallRewriter(rewriter, objects).TraverseDecl(rewriter.context().getTranslationUnitDecl());
}

void rewriteMemberInitializers(StorageRewriter& rewriter, const std::vector<const ArrayPlan*>& members) {
  if (members.empty()) return;
  MemberInitializerRewriter(rewriter, members).TraverseDecl(rewriter.context().getTranslationUnitDecl());
  for (const ArrayPlan* member : members) rewriter.finish(*member, std::nullopt);
}

}  // namespace muster::plugin
