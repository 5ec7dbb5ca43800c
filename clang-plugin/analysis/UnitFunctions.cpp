// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/UnitFunctions.h"

#include <map>

#include "analysis/code/Functions.h"
#include "analysis/code/LinkerNames.h"
#include "analysis/code/TeamSizes.h"
#include "analysis/counts/ThreadCounts.h"
#include "analysis/references/ProgramEnds.h"
#include "analysis/references/ReferenceFinder.h"
#include "analysis/teams/TeamCode.h"
#include "analysis/walk/BodyWalker.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Mangle.h"
#include "llvm/ADT/StringExtras.h"
#include "muster/abi.h"
#include "source/ElementTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

namespace {

// Each function is read once; what it leads to is found out for each one that other units see.
class FunctionReader {
 public:
  FunctionReader(ASTContext& ast, const std::set<const FunctionDecl*>& launchedOrphans)
      : ast_(ast), launchedOrphans_(launchedOrphans), counts_(ast) {}

  UnitFunction read(const FunctionDecl* function) {
    UnitFunction result;
    result.name = linkerName(ast_, function);
    std::set<const FunctionDecl*> reached = {function};
    std::vector<const FunctionDecl*> left = {function};
    while (!left.empty()) {
      const Own& own = ownOf(left.back());
      left.pop_back();
      if (!own.why.empty()) {
        result.whyTeam = result.whyHere = own.why;
        result.unseen.clear();
        return result;
      }
      result.unseen.insert(own.unseen.begin(), own.unseen.end());
      result.addsUp |= own.addsUp;
      if (own.protects) result.whyTeam = say::KeepsOtherThreadsAway;
      for (const FunctionDecl* callee : own.callees)
        if (reached.insert(callee).second) left.push_back(callee);
    }
    if (const auto counted = counts_.of(function)) result.whyTeam = counted->what;
    result.updates = counts_.updates(function);
    readForLaunches(function, result);
    return result;
  }

 private:
  // As if a loop's body called it.
  void readForLaunches(const FunctionDecl* function, UnitFunction& result) {
    if (!passesPlainData(function)) {
      result.whyHere = say::PassesMoreThanPlainData;
      return;
    }
    auto facts = std::make_shared<LoopFacts>();
    facts->function = function;
    facts->body = function->getBody();
    facts->objects = std::make_shared<Objects>(ast_, nullptr, nullptr, std::set<const VarDecl*>());
    LoopContext context{ast_, *facts, {}, {}, {}, {}, {}, {}};
    context.changed = changedVariables(facts->body);
    for (const ParmVarDecl* parameter : function->parameters()) context.declaredInside.insert(parameter);
    ObjectBindings inside;
    inside.isCallee = true;
    ReferenceFinder finder(context, function, {function}, std::move(inside));
    finder.traverseBody(facts->body);
    if (facts->refusal)
      result.whyHere = facts->refusal->what;
    else if (!facts->arrays.empty() || !facts->scalars.empty())
      result.whyHere = say::UsesVariablesOfItsFile;
    else if (mayReport(*facts))
      result.whyHere = say::MayPrint;
    else
      readGiven(function, context, result);
    if (!result.whyHere.empty()) return;
    result.definition = function;
    result.facts = std::move(facts);
  }

  // What the function does with elements of a loop's arrays that it is given. Callers count on it to do what the types
  // of its parameters say, and nothing else.
  static void readGiven(const FunctionDecl* function, const LoopContext& context, UnitFunction& result) {
    LoopFacts facts = context.facts;
    LoopContext own{context.ast, facts, {}, {}, context.declaredInside, context.changed, {}, {}};
    own.lambdas = context.lambdas;
    std::map<const ParmVarDecl*, unsigned> arrays;
    std::vector<QualType> given;
    const auto add = [&](QualType reached) {
      facts.arrays.push_back({.element = reached.getUnqualifiedType()});
      given.push_back(reached);
      return given.size() - 1;
    };
    auto* method = dyn_cast<CXXMethodDecl>(function);
    std::optional<unsigned> object;
    if (method && method->isInstance()) object = add(method->getThisType()->getPointeeType());
    for (const ParmVarDecl* parameter : function->parameters())
      if (const QualType reached = givenAway(parameter->getType()); !reached.isNull()) arrays[parameter] = add(reached);
    if (given.empty()) return;
    BodyWalker walker(own);
    walker.runFunction(function, arrays, object);
    if (facts.refusal) result.whyHere = facts.refusal->what;
    for (const AccessFact& access : facts.accesses)
      if (access.update || access.atomic || access.ordered) result.whyHere = say::UpdatesAtomically;
    for (unsigned i = 0; i < given.size(); ++i) {
      if (facts.arrays[i].compared) result.whyHere = say::ComparesGivenPointers;
      if (facts.arrays[i].written && given[i].isConstQualified()) result.whyHere = say::WritesConstants;
      result.reaches.push_back(walker.reachOf(i).value_or(std::pair(-MUSTER_REACH_FAR, MUSTER_REACH_FAR)));
    }
  }

  struct Own {
    std::string why;
    std::vector<const FunctionDecl*> callees;
    std::set<std::string> unseen;
    bool addsUp = false, protects = false;
  };

  const Own& ownOf(const FunctionDecl* function) {
    const auto [place, isNew] = own_.try_emplace(function);
    if (isNew) place->second = readOwn(function);
    return place->second;
  }

  Own readOwn(const FunctionDecl* function) const {
    Own own;
    const TeamCode code = readTeamCode(ast_, function);
    if (code.obstacle)
      own.why = code.obstacle->what;
    else if (!code.loops.empty() && !launchedOrphans_.count(function->getCanonicalDecl()))
      own.why = say::OrphanedLoopStaysPlain;
    own.addsUp = code.addsUp;
    own.protects = (code.callFlags & MUSTER_CALLS_PROTECTED) != 0;
    for (const auto& [callee, loc] : code.callees) own.callees.push_back(callee);
    for (const auto& [callee, loc] : code.unseen) own.unseen.insert(linkerName(ast_, callee));
    return own;
  }

  ASTContext& ast_;
  const std::set<const FunctionDecl*>& launchedOrphans_;
  ThreadCounts counts_;  // with the functions that it calls
  std::map<const FunctionDecl*, Own> own_;
};

class DefinitionFinder : public AstVisitor {
 public:
  explicit DefinitionFinder(ASTContext& ast) : ast_(ast) {}
  std::vector<const FunctionDecl*> found;
  bool hasMain = false;

  bool TraverseStmt(Stmt*) override { return true; }
  bool VisitFunctionDecl(FunctionDecl* function) override {
    hasMain |= function->isMain() && function->doesThisDeclarationHaveABody();
    // Constructors and destructors have several names.
    if (!function->doesThisDeclarationHaveABody() || function->isDependentContext() || function->isInvalidDecl() ||
        function->isMain() || isa<CXXConstructorDecl, CXXDestructorDecl>(function))
      return true;
    // Others are merged by the linker, or are this unit's own.
    if (ast_.GetGVALinkageForFunction(function) == GVA_StrongExternal) found.push_back(function);
    return true;
  }

 private:
  ASTContext& ast_;
};

}  // namespace

std::vector<UnitFunction> unitFunctions(ASTContext& context, const std::set<const FunctionDecl*>& launchedOrphans) {
  DefinitionFinder finder(context);
  for (Decl* decl : context.getTranslationUnitDecl()->decls())
    if (isUserCode(context.getSourceManager(), decl->getLocation())) finder.TraverseDecl(decl);
  FunctionReader reader(context, launchedOrphans);
  std::vector<UnitFunction> functions;
  for (const FunctionDecl* function : finder.found) functions.push_back(reader.read(function));
  // Others have to know that there is another one.
  UnitFunction unit;
  unit.tellsThreads = TeamSizes(context).toldToOthers();
  if (unit.tellsThreads || finder.hasMain) functions.push_back(std::move(unit));
  return functions;
}

}  // namespace muster::plugin
