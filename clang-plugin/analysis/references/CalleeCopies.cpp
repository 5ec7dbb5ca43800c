// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/references/CalleeCopies.h"

#include "analysis/code/Functions.h"
#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/Lex/Lexer.h"
#include "source/AstVisitor.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

namespace {

// What a function's text, or the body's, names and calls.
class UseReader : public AstVisitor {
 public:
  std::vector<const CallExpr*> calls;
  std::set<const VarDecl*> variables;
  std::set<const VarDecl*> wholes;  // arrays that do not decay to pointers: operands of sizeof and &
  std::set<const CallExpr*> inLambda;
  std::set<const IdentifierInfo*> names;  // of what is not declared in it
  bool hasMacroNames = false;             // printed again, a name would be expanded
  // Statements that the printer of the syntax tree is not trusted with.
  bool isPlain = true;

  bool VisitStmt(Stmt* statement) override {
    isPlain &= !isa<LambdaExpr, CXXForRangeStmt, AttributedStmt>(statement) &&
               (isa<OMPAtomicDirective>(statement) || !isa<OMPExecutableDirective>(statement));
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr* lambda) override {
    isPlain = false;
    ++lambdas_;
    const bool goOn = AstVisitor::TraverseLambdaExpr(lambda);
    --lambdas_;
    return goOn;
  }
  bool VisitNamedDecl(NamedDecl* decl) override { return note(decl); }
  bool VisitMemberExpr(MemberExpr* member) override { return note(member->getMemberDecl()); }
  bool VisitCallExpr(CallExpr* call) override {
    calls.push_back(call);
    if (lambdas_ > 0) inLambda.insert(call);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    note(reference->getDecl());
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    if (!var || !var->isLocalVarDeclOrParm()) names.insert(reference->getDecl()->getIdentifier());
    if (!var) return true;
    variables.insert(var);
    if (var->getType()->isArrayType() && !decayed_.count(reference)) wholes.insert(var);
    return true;
  }
  bool TraverseImplicitCastExpr(ImplicitCastExpr* cast) override {
    if (cast->getCastKind() == CK_ArrayToPointerDecay)
      if (auto* reference = dyn_cast<DeclRefExpr>(cast->getSubExpr()->IgnoreParens())) decayed_.insert(reference);
    return AstVisitor::TraverseImplicitCastExpr(cast);
  }
  bool VisitTypedefTypeLoc(TypedefTypeLoc type) override {
    note(type.getTypePtr()->getDecl());
    names.insert(type.getTypePtr()->getDecl()->getIdentifier());
    return true;
  }
  bool VisitTagTypeLoc(TagTypeLoc type) override {
    note(type.getDecl());
    names.insert(type.getDecl()->getIdentifier());
    return true;
  }

 private:
  bool note(const NamedDecl* decl) {
    hasMacroNames |= decl->getIdentifier() && decl->getIdentifier()->hadMacroDefinition();
    return true;
  }

  unsigned lambdas_ = 0;
  std::set<const DeclRefExpr*> decayed_;
};

UseReader usesOf(const Stmt* statement) {
  UseReader reader;
  reader.TraverseStmt(const_cast<Stmt*>(statement));
  return reader;
}

const FunctionDecl* calleeOf(const CallExpr* call) { return definitionOf(call->getDirectCallee()); }

// What a function declares, at any depth.
class DeclaredNames : public AstVisitor {
 public:
  std::set<const IdentifierInfo*> names;
  bool VisitNamedDecl(NamedDecl* decl) override {
    names.insert(decl->getIdentifier());
    return true;
  }
};

class CopyMaker {
 public:
  explicit CopyMaker(LoopContext& context) : context_(context), facts_(context.facts) {}

  bool make() {
    for (const FunctionDecl* callee : facts_.callees) uses_.emplace(callee, usesOf(callee->getBody()));
    findNeeds();
    if (needs_.empty()) return true;
    declared_.TraverseDecl(const_cast<FunctionDecl*>(facts_.function));
    for (const FunctionDecl* callee : facts_.callees) {
      const auto need = needs_.find(callee);
      if (need == needs_.end()) continue;
      if (!canBeCopied(callee, need->second)) return refuse(callee);
      CalleeCopy copy{callee, {}};
      for (const ArrayFact& array : facts_.arrays)
        if (need->second.count(array.var)) copy.arrays.push_back(array.var);
      facts_.copies.push_back(std::move(copy));
    }
    return checkBody();
  }

 private:
  // Arrays that the function names, and those of the functions that it calls.
  void findNeeds() {
    for (bool again = true; again;) {
      again = false;
      for (const auto& [callee, uses] : uses_) {
        std::set<const VarDecl*> needs;
        for (const VarDecl* var : uses.variables)
          if (context_.arrayOf.count(var) && var->hasGlobalStorage()) needs.insert(var);
        for (const CallExpr* call : uses.calls)
          if (const auto inner = needs_.find(calleeOf(call)); inner != needs_.end())
            needs.insert(inner->second.begin(), inner->second.end());
        if (needs.empty() || needs_[callee] == needs) continue;
        needs_[callee] = std::move(needs);
        again = true;
      }
    }
  }
  bool canBeCopied(const FunctionDecl* callee, const std::set<const VarDecl*>& arrays) const;
  bool canBeMoved(const FunctionDecl* callee, const UseReader& uses) const;
  bool checkBody();
  bool checkNames(const std::vector<const CallExpr*>& calls);
  bool refuse(const FunctionDecl* callee) {
    const std::set<const VarDecl*>& needs = needs_.at(callee);
    const VarDecl* var = llvm::find_if(facts_.arrays, [&](const auto& array) { return needs.count(array.var); })->var;
    return context_.refuse(callee->getLocation(),
                           say::CalleeUsesGlobalArray(callee->getNameAsString(), var->getNameAsString()));
  }

  LoopContext& context_;
  LoopFacts& facts_;
  std::map<const FunctionDecl*, UseReader> uses_;
  std::map<const FunctionDecl*, std::set<const VarDecl*>> needs_;
  DeclaredNames declared_;
};

// Whether the function's text means the same in front of, or in C++ inside of, the function that holds the loop.
bool CopyMaker::canBeMoved(const FunctionDecl* callee, const UseReader& uses) const {
  if (!context_.ast.getLangOpts().CPlusPlus) return true;
  if (facts_.function->isTemplateInstantiation() || facts_.function->isDependentContext()) return false;
  // What lies between the two may hide names that the callee uses.
  const DeclContext* own = callee->getDeclContext()->getRedeclContext();
  for (const DeclContext* around = facts_.function->getDeclContext()->getRedeclContext(); !around->Equals(own);
       around = around->getParent()->getRedeclContext()) {
    if (around->isTranslationUnit() || around->isRecord()) return false;
    for (const IdentifierInfo* name : uses.names)
      if (name && !around->lookup(name).empty()) return false;
  }
  return llvm::none_of(uses.names, [&](const IdentifierInfo* name) { return name && declared_.names.count(name) > 0; });
}

bool CopyMaker::canBeCopied(const FunctionDecl* callee, const std::set<const VarDecl*>& arrays) const {
  const UseReader& uses = uses_.at(callee);
  const auto isVariable = [](const ParmVarDecl* parameter) { return parameter->getType()->isVariablyModifiedType(); };
  if (isa<CXXMethodDecl>(callee) || callee->getTemplatedKind() != FunctionDecl::TK_NonTemplate ||
      llvm::any_of(callee->parameters(), isVariable) || !uses.isPlain || uses.hasMacroNames ||
      !canBeMoved(callee, uses))
    return false;
  const std::set<const VarDecl*> changed = changedVariables(callee->getBody());
  return llvm::all_of(arrays, [&](const VarDecl* var) {
    const ArrayForm form = facts_.arrays[context_.arrayOf.at(var)].form;
    const bool isKnown =
        form == ArrayForm::Pointer || form == ArrayForm::PointerToArray || form == ArrayForm::ConstantArray;
    const bool isSeen = var->getDeclContext()->getRedeclContext()->Encloses(facts_.function->getDeclContext());
    return isKnown && isSeen && !declared_.names.count(var->getIdentifier()) && !uses.wholes.count(var) &&
           (var->getType()->isArrayType() || !changed.count(var));
  });
}

// Its text is edited, and that of clauses is not.
bool CopyMaker::checkBody() {
  const UseReader body = usesOf(facts_.body);
  std::vector<const Stmt*> others;
  for (const OMPClause* clause : facts_.directive->clauses())
    for (const Stmt* part : const_cast<OMPClause*>(clause)->children()) others.push_back(part);
  for (const ResultFact& result : facts_.results)
    if (result.declared)
      others.insert(others.end(), {result.declared->getCombiner(), result.declared->getInitializer()});
  for (const Stmt* other : others)
    if (other)
      for (const CallExpr* call : usesOf(other).calls)
        if (needs_.count(calleeOf(call))) return refuse(calleeOf(call));
  for (const CallExpr* call : body.calls) {
    const FunctionDecl* callee = calleeOf(call);
    if (!needs_.count(callee)) continue;
    const Expr* name = call->getCallee()->IgnoreParenImpCasts();
    if (body.inLambda.count(call)) return refuse(callee);
    const auto open = Lexer::findLocationAfterToken(name->getEndLoc(), tok::l_paren, context_.ast.getSourceManager(),
                                                    context_.ast.getLangOpts(), false);
    if (!isa<DeclRefExpr>(name) || name->getBeginLoc().isMacroID() || name->getEndLoc().isMacroID() || open.isInvalid())
      return refuse(callee);
  }
  const auto takesDefault = [](const CallExpr* call) {
    return llvm::any_of(call->arguments(), [](const Expr* argument) { return isa<CXXDefaultArgExpr>(argument); });
  };
  std::vector<const CallExpr*> all = body.calls;
  for (const auto& [callee, uses] : uses_) all.insert(all.end(), uses.calls.begin(), uses.calls.end());
  for (const CallExpr* call : all)
    if (needs_.count(calleeOf(call)) && takesDefault(call)) return refuse(calleeOf(call));
  return checkNames(all);
}

// A copy's name stands for the function's in the text of copies, whichever of several functions it is.
bool CopyMaker::checkNames(const std::vector<const CallExpr*>& calls) {
  for (const auto& [copied, needs] : needs_)
    for (const CallExpr* call : calls) {
      const auto* callee = dyn_cast_or_null<NamedDecl>(call->getCalleeDecl());
      const FunctionDecl* function = calleeOf(call);
      if (!callee || callee->getDeclName() != copied->getDeclName()) continue;
      if (needs_.count(function) && (function->getNumParams() == 0) == (copied->getNumParams() == 0)) continue;
      return refuse(copied);
    }
  return true;
}

}  // namespace

bool copyCallees(LoopContext& context) { return CopyMaker(context).make(); }

const CalleeCopy* copyOf(const LoopFacts& facts, const CallExpr* call) {
  const FunctionDecl* callee = calleeOf(call);
  const auto copy = llvm::find_if(facts.copies, [&](const CalleeCopy& one) { return one.function == callee; });
  return callee && copy != facts.copies.end() ? &*copy : nullptr;
}

std::vector<const CallExpr*> copiedCalls(const LoopFacts& facts) {
  std::vector<const CallExpr*> calls;
  if (facts.copies.empty()) return calls;
  for (const CallExpr* call : usesOf(facts.body).calls)
    if (copyOf(facts, call)) calls.push_back(call);
  return calls;
}

}  // namespace muster::plugin
