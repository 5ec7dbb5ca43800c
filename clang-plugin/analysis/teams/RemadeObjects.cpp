// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that the threads of a team make in front of a loop, and that are the same wherever they are made: a
// distribution that refers to the thread's generator of random numbers.
#include "analysis/code/Calls.h"
#include "analysis/code/Functions.h"
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/teams/TeamVariables.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Lex/Lexer.h"
#include "source/AstVisitor.h"
#include "source/ElementTypes.h"

namespace muster::plugin {

using namespace clang;

namespace {

const FieldDecl* ownField(const Expr* expr) {
  auto* member = dyn_cast<MemberExpr>(expr->IgnoreParens());
  if (!member || !isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())) return nullptr;
  return dyn_cast<FieldDecl>(member->getMemberDecl());
}

// A call of a static method, whatever object it is named by.
bool isStaticCall(const CallExpr* call) {
  auto* method = dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee());
  return method && method->isStatic() && method->isConstexpr();
}

// Stops at all in a constructor but arithmetic with its numbers, its own members, and references that it keeps.
class PlainMaker : public AstVisitor {
 public:
  bool check(const CXXConstructorDecl* constructor) {
    for (const CXXCtorInitializer* part : constructor->inits()) {
      if (!part->isMemberInitializer()) return false;
      const bool isKept =
          part->getMember()->getType()->isReferenceType() && isa<DeclRefExpr>(part->getInit()->IgnoreParens());
      auto* standing = dyn_cast<CXXDefaultInitExpr>(part->getInit());
      if (!isKept && !TraverseStmt(standing ? standing->getExpr() : part->getInit())) return false;
    }
    return TraverseStmt(constructor->getBody());
  }
  bool VisitStmt(Stmt* statement) override {
    return isa<CompoundStmt, IfStmt, DeclStmt, DeclRefExpr, MemberExpr, CXXThisExpr, ImplicitCastExpr, ParenExpr,
               ExplicitCastExpr, BinaryOperator, UnaryOperator, ConditionalOperator, IntegerLiteral, FloatingLiteral,
               CXXBoolLiteralExpr, ExprWithCleanups, CallExpr, ConstantExpr, SubstNonTypeTemplateParmExpr>(statement);
  }
  bool TraverseCallExpr(CallExpr* call) override { return isStaticCall(call); }
  bool TraverseCXXMemberCallExpr(CXXMemberCallExpr* call) override { return isStaticCall(call); }
  bool VisitMemberExpr(MemberExpr* member) override {
    return ownField(member) && !member->getMemberDecl()->getType()->isReferenceType();
  }
  bool VisitUnaryOperator(UnaryOperator* op) override {
    return op->getOpcode() != UO_AddrOf && op->getOpcode() != UO_Deref;
  }
  bool VisitVarDecl(VarDecl* var) override { return var->hasLocalStorage() && isScalarType(var->getType()); }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    if (!var) return isa<EnumConstantDecl>(reference->getDecl());
    if (!var->hasLocalStorage()) return var->isConstexpr() || (var->getType().isConstQualified() && var->hasInit());
    return isScalarType(var->getType());
  }
};

// Stops at what may change the object that a method is of, or give it away.
class OwnStateFinder : public AstVisitor {
 public:
  bool TraverseImplicitCastExpr(ImplicitCastExpr* cast) override {
    if (cast->getCastKind() == CK_LValueToRValue && ownField(cast->getSubExpr())) return true;
    return AstVisitor::TraverseImplicitCastExpr(cast);
  }
  bool TraverseMemberExpr(MemberExpr* member) override {
    if (const FieldDecl* field = ownField(member)) return field->getType()->isReferenceType();
    return AstVisitor::TraverseMemberExpr(member);
  }
  bool VisitCXXThisExpr(CXXThisExpr*) override { return false; }
};

// Whether all that a statement does with the object is to call methods that leave it as it is.
class ObjectUses : public AstVisitor {
 public:
  explicit ObjectUses(const VarDecl* var) : var_(var) {}
  bool TraverseCXXOperatorCallExpr(CXXOperatorCallExpr* call) override { return traverse(call); }
  bool TraverseCXXMemberCallExpr(CXXMemberCallExpr* call) override { return traverse(call); }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override { return reference->getDecl() != var_; }

 private:
  bool traverse(CallExpr* call) {
    const Expr* object = objectOf(call);
    auto* reference = object ? dyn_cast<DeclRefExpr>(object->IgnoreParenImpCasts()) : nullptr;
    if (!reference || reference->getDecl() != var_)
      return llvm::all_of(call->children(), [&](Stmt* child) { return TraverseStmt(child); });
    auto* method = dyn_cast<CXXMethodDecl>(call->getDirectCallee());
    const FunctionDecl* definition = method->isVirtual() ? nullptr : definitionOf(method);
    if (!definition || !OwnStateFinder().TraverseStmt(definition->getBody())) return false;
    return llvm::all_of(argumentsOf(call), [&](const Expr* part) { return TraverseStmt(const_cast<Expr*>(part)); });
  }
  const VarDecl* var_;
};

// Whether code between an object's declaration and the loop leaves everything as it is: declarations, whose values come
// from methods that are one expression.
class PlainDeclarations : public AstVisitor {
 public:
  bool VisitCallExpr(CallExpr* call) override {
    auto* method = dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee());
    const FunctionDecl* definition = method && method->isConst() ? definitionOf(method) : nullptr;
    const Expr* only = definition ? onlyExpression(definition) : nullptr;
    return isStaticCall(call) || (only && !only->HasSideEffects(method->getASTContext()));
  }
  bool VisitBinaryOperator(BinaryOperator* op) override { return !op->isAssignmentOp(); }
  bool VisitUnaryOperator(UnaryOperator* op) override { return !op->isIncrementDecrementOp(); }
  bool VisitLambdaExpr(LambdaExpr*) override { return false; }
};

// The names that are declared where an iteration makes an object, but not where the region does.
class NamesBehind : public AstVisitor {
 public:
  // Between the object's declaration and the loop, and in the heads of the loop.
  NamesBehind(const VarDecl* object, const CompoundStmt* region, const OMPLoopDirective* loop)
      : body_(innermostBody(loop)) {
    const SourceManager& sources = object->getASTContext().getSourceManager();
    for (const Stmt* statement : region->body())
      if (statement == loop || sources.isBeforeInTranslationUnit(object->getLocation(), statement->getBeginLoc()))
        TraverseStmt(const_cast<Stmt*>(statement));
  }
  std::set<llvm::StringRef> found;

  bool TraverseStmt(Stmt* statement) override { return statement == body_ || AstVisitor::TraverseStmt(statement); }
  bool VisitNamedDecl(NamedDecl* decl) override {
    if (decl->getIdentifier()) found.insert(decl->getName());
    return true;
  }

 private:
  const Stmt* body_;
};

class Finder {
 public:
  Finder(const ASTContext& ast, const TeamScope& scope, const OMPLoopDirective* loop)
      : ast_(ast), scope_(scope), loop_(loop), changed_(changedVariables(scope.code)) {}

  std::vector<const VarDecl*> run() {
    auto* region = dyn_cast<CompoundStmt>(scope_.code);
    if (!scope_.region || !region || !ast_.getLangOpts().CPlusPlus) return {};
    for (const Stmt* statement : region->body()) {
      if (statement == loop_) {
        const bool areSame = llvm::all_of(found_, [&](const VarDecl* object) { return meansTheSame(object); });
        return areSame ? found_ : std::vector<const VarDecl*>();
      }
      if (!read(statement)) found_.clear();  // what comes in between may change what they are made of
    }
    return {};
  }

 private:
  bool read(const Stmt* statement);
  bool isRemade(const VarDecl* var) const;
  bool isReferredTo(const Expr* argument) const;
  bool isSame(const Expr* argument) const;
  bool meansTheSame(const VarDecl* object) const;

  const ASTContext& ast_;
  const TeamScope& scope_;
  const OMPLoopDirective* loop_;
  const std::set<const VarDecl*> changed_;
  std::vector<const VarDecl*> found_;
};

bool Finder::read(const Stmt* statement) {
  auto* declarations = dyn_cast<DeclStmt>(statement);
  if (!declarations) return false;
  for (const Decl* decl : declarations->decls()) {
    auto* var = dyn_cast<VarDecl>(decl);
    if (!var) return false;
    if (declarations->isSingleDecl() && isRemade(var))
      found_.push_back(var);
    else if (auto* made = dyn_cast_or_null<CXXConstructExpr>(var->getInit());
             !(made && made->getConstructor()->getParent()->isInStdNamespace() && made->getNumArgs() == 0) &&
             var->getInit() && !PlainDeclarations().TraverseStmt(const_cast<Expr*>(var->getInit())))
      return false;
  }
  return true;
}

bool Finder::isRemade(const VarDecl* var) const {
  const QualType type = var->getType();
  auto* made = dyn_cast_or_null<CXXConstructExpr>(var->getInit());
  const CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (!made || !record || record->isInStdNamespace() || !var->hasLocalStorage() || type.isVolatileQualified() ||
      type->getContainedAutoType() || !record->hasTrivialDestructor() || record->getNumBases() != 0 ||
      made->isListInitialization() || var->getInitStyle() != VarDecl::CallInit || made->getNumArgs() == 0)
    return false;
  const FunctionDecl* definition = definitionOf(made->getConstructor());
  if (!definition || !PlainMaker().check(cast<CXXConstructorDecl>(definition))) return false;
  for (unsigned i = 0; i < made->getNumArgs(); ++i) {
    const bool isReference = definition->getParamDecl(i)->getType()->isReferenceType();
    if (isReference ? !isReferredTo(made->getArg(i)) : !isSame(made->getArg(i))) return false;
  }
  // Nothing else of the region knows it.
  const Stmt* body = loop_->getInnermostCapturedStmt()->getCapturedStmt();
  for (const Stmt* statement : cast<CompoundStmt>(scope_.code)->body())
    if (statement != loop_ && !isa<DeclStmt>(statement) && mentions(statement, {var})) return false;
  return ObjectUses(var).TraverseStmt(const_cast<Stmt*>(body));
}

// An object of the library that the thread has for itself, as a generator of random numbers.
bool Finder::isReferredTo(const Expr* argument) const {
  auto* reference = dyn_cast<DeclRefExpr>(argument->IgnoreParens());
  auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  const CXXRecordDecl* record = var && scope_.privates.count(var) ? var->getType()->getAsCXXRecordDecl() : nullptr;
  return record && record->isInStdNamespace() && isCopiedByBytes(var->getType());
}

namespace {

class SameValue : public AstVisitor {
 public:
  SameValue(const TeamScope& scope, const std::set<const VarDecl*>& changed) : scope_(scope), changed_(changed) {}
  bool VisitStmt(Stmt* statement) override {
    return isa<DeclRefExpr, MemberExpr, CXXThisExpr, ImplicitCastExpr, ParenExpr, CStyleCastExpr, CXXStaticCastExpr,
               CXXFunctionalCastExpr, BinaryOperator, IntegerLiteral, CXXBoolLiteralExpr, FloatingLiteral>(statement);
  }
  bool VisitBinaryOperator(BinaryOperator* op) override { return !op->isAssignmentOp() && !op->isCommaOp(); }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    return var && isScalarType(var->getType()) && !changed_.count(var) && !scope_.privates.count(var);
  }
  bool VisitMemberExpr(MemberExpr* member) override {
    return isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()) && isScalarType(member->getType()) &&
           isa<FieldDecl>(member->getMemberDecl()) && !member->getType().isVolatileQualified();
  }

 private:
  const TeamScope& scope_;
  const std::set<const VarDecl*>& changed_;
};

}  // namespace

// A number that nothing changes between the declaration and the loop (read), nor the loop itself, or it is refused.
bool Finder::isSame(const Expr* argument) const {
  return isScalarType(argument->getType()) && argument->getBeginLoc().isFileID() && argument->getEndLoc().isFileID() &&
         SameValue(scope_, changed_).TraverseStmt(const_cast<Expr*>(argument));
}

// Whether the text of the declaration means the same in the loop.
bool Finder::meansTheSame(const VarDecl* object) const {
  const NamesBehind names(object, cast<CompoundStmt>(scope_.code), loop_);
  const SourceManager& sources = ast_.getSourceManager();
  const SourceLocation end = object->getEndLoc();
  for (SourceLocation at = object->getBeginLoc();;) {
    Token token;
    if (Lexer::getRawToken(at, token, sources, ast_.getLangOpts(), true)) return false;
    if (token.is(tok::raw_identifier) && names.found.count(token.getRawIdentifier())) return false;
    if (at == end || !sources.isBeforeInTranslationUnit(at, end)) return true;
    at = token.getEndLoc();
  }
}

}  // namespace

std::vector<const VarDecl*> remadeObjects(const ASTContext& ast, const TeamScope& scope, const OMPLoopDirective* loop) {
  return Finder(ast, scope, loop).run();
}

}  // namespace muster::plugin
