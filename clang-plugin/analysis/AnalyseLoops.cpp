// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the OpenMP loops of the main file and runs the passes over each.
#include "analysis/AnalyseLoops.h"

#include "analysis/ReadLoop.h"
#include "analysis/code/Aliases.h"
#include "analysis/code/Instances.h"
#include "analysis/code/LinkerNames.h"
#include "analysis/counts/ThreadCounts.h"
#include "analysis/teams/TeamCalls.h"
#include "analysis/teams/TeamCode.h"
#include "clang/AST/ASTLambda.h"
#include "source/DirectiveText.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

namespace {

// Stops at what would be another thing in a second copy of the text.
class OnceFinder : public AstVisitor {
 public:
  bool VisitLabelStmt(LabelStmt*) override { return false; }
  bool VisitVarDecl(VarDecl* var) override { return !var->isStaticLocal(); }
};

class LoopVisitor : public AstVisitor {
 public:
  LoopVisitor(ASTContext& ast, const DirectiveTable& table, FileFacts& file)
      : ast_(ast), file_(file), reader_(ast, table, *file.aliases), counts_(ast) {}

  // A template is looked at in each of its instantiations; what is never instantiated is never run.
  bool shouldVisitTemplateInstantiations() const override { return true; }

  bool TraverseLambdaExpr(LambdaExpr* lambda) override {
    const FunctionDecl* outer = function_;
    function_ = lambda->getCallOperator();
    const bool result = AstVisitor::TraverseLambdaExpr(lambda);
    function_ = outer;
    if (FunctionTemplateDecl* generic = lambda->getLambdaClass()->getDependentLambdaCallOperator())
      for (FunctionDecl* instance : generic->specializations()) TraverseDecl(instance);
    return result;
  }

  bool TraverseDecl(Decl* decl) override {
    auto* function = dyn_cast_or_null<FunctionDecl>(decl);
    const FunctionDecl* outer = function_;
    if (function) function_ = function;
    const bool result = AstVisitor::TraverseDecl(decl);
    function_ = outer;
    return result;
  }

  // The outermost directive decides: what is inside it is part of it.
  bool TraverseStmt(Stmt* statement) override {
    auto* directive = dyn_cast_or_null<OMPExecutableDirective>(statement);
    if (!directive || !isWorksharing(directive) || isa<OMPSingleDirective>(directive))
      return AstVisitor::TraverseStmt(statement);
    if (function_ && function_->isDependentContext()) return true;
    if (directive->getDirectiveKind() == llvm::omp::OMPD_parallel)
      regions_.push_back({directive, function_});
    else if (isTeamLoop(directive) && function_)
      addOrphaned(directive);
    else if (touchesArrays(directive))
      file_.loops.push_back(reader_.read(directive, function_, nullptr));
    return true;
  }

  // Regions are decided on once all functions that they may call are known; the instances of one in a template, whose
  // text is one, together.
  void finish() {
    std::map<SourceLocation, std::vector<Region>> regions;
    for (const Region& region : regions_) regions[region.first->getBeginLoc()].push_back(region);
    for (const auto& [place, instances] : regions) addRegion(instances);
    std::multimap<SourceLocation, LoopFacts> ordered;  // of one place in the order of the walk
    for (const auto& [function, loops] : orphaned_)
      if (!loops.refusal) file_.launchedOrphans.insert(function);
    for (LoopFacts& facts : file_.loops)
      ordered.emplace(ast_.getSourceManager().getFileLoc(facts.directive->getBeginLoc()), std::move(facts));
    file_.loops.clear();
    for (auto& [place, facts] : ordered) file_.loops.push_back(std::move(facts));
  }

 private:
  using Region = std::pair<const OMPExecutableDirective*, const FunctionDecl*>;

  static bool isWorksharing(const OMPExecutableDirective* directive) {
    const OpenMPDirectiveKind kind = directive->getDirectiveKind();
    return directive->hasAssociatedStmt() && directive->getAssociatedStmt() &&
           (isOpenMPWorksharingDirective(kind) || isOpenMPParallelDirective(kind) || isOpenMPTaskingDirective(kind) ||
            isOpenMPTargetExecutionDirective(kind) || isOpenMPTeamsDirective(kind));
  }

  void addOrphaned(const OMPExecutableDirective* directive);
  void addRegion(const std::vector<Region>& instances);
  std::optional<Refusal> tryRegion(const OMPExecutableDirective* region, const FunctionDecl* function, FileFacts& own);
  std::optional<Refusal> readUnseen(const TeamCode& code, FileFacts& own) const;
  std::optional<Refusal> readCallees(const TeamCode& code, bool& distributed) const;

  // What is known of the worksharing loops of a function that are in no region of it.
  struct OrphanedLoops {
    bool distributed = false;
    std::optional<Refusal> refusal;  // of one that is not
  };

  ASTContext& ast_;
  FileFacts& file_;
  const LoopReader reader_;
  ThreadCounts counts_;
  const FunctionDecl* function_ = nullptr;
  std::vector<Region> regions_;
  std::map<const FunctionDecl*, OrphanedLoops> orphaned_;
};

void LoopVisitor::addOrphaned(const OMPExecutableDirective* directive) {
  OrphanedLoops& loops = orphaned_[function_->getCanonicalDecl()];
  if (!touchesArrays(directive)) {
    loops.refusal = Refusal{directive->getBeginLoc(), say::UsesNoArray};
    return;
  }
  const TeamScope scope = scopeOf(function_);
  LoopFacts facts = reader_.read(directive, function_, &scope);
  facts.orphaned = true;
  if (isLambdaCallOperator(function_)) facts.refusal = Refusal{directive->getBeginLoc(), say::InLambdaOutsideOfRegion};
  if (facts.refusal)
    loops.refusal = facts.refusal;
  else
    loops.distributed = true;
  file_.loops.push_back(std::move(facts));
}

// Loops in functions that are not distributed would become serial in a region of one thread.
std::optional<Refusal> LoopVisitor::readCallees(const TeamCode& code, bool& distributed) const {
  for (const auto& [callee, loc] : code.callees) {
    const auto found = orphaned_.find(callee->getCanonicalDecl());
    if (found == orphaned_.end()) continue;
    distributed |= found->second.distributed;
    if (!found->second.refusal) continue;
    const unsigned line = ast_.getSourceManager().getPresumedLineNumber(found->second.refusal->loc);
    return Refusal{loc, say::CalleeLoopStaysPlain(callee->getNameAsString(), found->second.refusal->what, line)};
  }
  return std::nullopt;
}

// What functions of other units do is known when the program runs. A loop that is not launched is there twice then: for
// a team, and as a region of its own.
std::optional<Refusal> LoopVisitor::readUnseen(const TeamCode& code, FileFacts& own) const {
  for (const auto& [callee, loc] : code.unseen) {
    for (const NestedLoop& nested : own.nested)
      if (!OnceFinder().TraverseStmt(const_cast<OMPExecutableDirective*>(nested.directive)))
        return Refusal{loc, say::UndefinedCalleeBesidePlainLoop(callee->getNameAsString())};
    own.regions.front().unseen.insert(linkerName(ast_, callee));
  }
  return std::nullopt;
}

// Why a region stays as it is; nullopt: its loops, and what becomes of those that are not distributed, are in `own`.
std::optional<Refusal> LoopVisitor::tryRegion(const OMPExecutableDirective* region, const FunctionDecl* function,
                                              FileFacts& own) {
  if (auto why = reader_.leftOut(region)) return why;
  if (startOfMetadirective(ast_, region).isValid()) return Refusal{region->getBeginLoc(), say::Metadirective};
  const TeamCode code = readTeamCode(ast_, region);
  if (code.obstacle) return code.obstacle;
  if (isLambdaCallOperator(function) && !instanceName(function).empty())
    return Refusal{region->getBeginLoc(), say::InLambdaOfTemplate};
  const TeamScope scope = scopeOf(region);
  if (auto why = unclearCopies(scope)) return why;
  own.regions.push_back({region, {}, code.counts, code.callFlags, code.slots});
  bool distributed = false;
  for (const OMPLoopDirective* loop : code.loops) {
    if (auto why = reader_.leftOut(loop)) return why;
    std::optional<LoopFacts> facts;
    if (touchesArrays(loop)) facts = reader_.read(loop, function, &scope);
    distributed |= facts && !facts->refusal;
    if (!facts || facts->refusal || facts->mayStay()) {
      Refusal why;
      auto nested = nestedLoop(ast_, scope, loop, why);
      if (!nested) return facts && facts->refusal ? facts->refusal : why;
      own.nested.push_back(std::move(*nested));
    }
    if (facts) own.loops.push_back(std::move(*facts));
  }
  if (auto why = counts_.of(region)) return why;
  if (!code.slots.empty() && !(own.nested.empty() && code.unseen.empty()))
    return Refusal{code.slots.front()->getBeginLoc(), dependsOnTeam(code.slots.front()->getDirectCallee())};
  if (auto why = readUnseen(code, own)) return why;
  if (auto why = readCallees(code, distributed)) return why;
  if (!distributed) {
    for (const LoopFacts& facts : own.loops) return facts.refusal;
    return Refusal{region->getBeginLoc(), say::RegionWithoutLoops};
  }
  return std::nullopt;
}

// What the text of nested loops depends on.
std::string nestedText(const std::vector<NestedLoop>& loops) {
  std::string text;
  for (const NestedLoop& nested : loops) {
    text += std::to_string(nested.directive->getBeginLoc().getRawEncoding()) + " private";
    for (const VarDecl* var : nested.privates) text += " " + var->getNameAsString();
    text += " lastprivate";
    for (const VarDecl* var : nested.lastprivates) text += " " + var->getNameAsString();
    for (const ResultFact& result : nested.reductions)
      text += " " + std::to_string(result.kind) + " " + result.var->getNameAsString();
  }
  return text;
}

// Calls that stand where none of `counts` does.
void addText(std::vector<const CallExpr*>& counts, const std::vector<const CallExpr*>& others) {
  for (const CallExpr* other : others)
    if (llvm::none_of(counts, [&](const CallExpr* call) { return call->getBeginLoc() == other->getBeginLoc(); }))
      counts.push_back(other);
}

void LoopVisitor::addRegion(const std::vector<Region>& instances) {
  std::vector<FileFacts> parts(instances.size());
  std::optional<Refusal> why;
  std::set<std::string> unseen;
  for (std::size_t i = 0; i < instances.size() && !why; ++i) {
    why = tryRegion(instances[i].first, instances[i].second, parts[i]);
    const bool isAlike = why || (nestedText(parts[i].nested) == nestedText(parts[0].nested) &&
                                 parts[i].regions.front().slots.empty() == parts[0].regions.front().slots.empty());
    if (!isAlike) why = Refusal{instances[i].first->getBeginLoc(), say::NotAllInstantiations};
    if (!why) unseen.insert(parts[i].regions.front().unseen.begin(), parts[i].regions.front().unseen.end());
  }
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const auto& [region, function] = instances[i];
    if (!why) {
      for (LoopFacts& facts : parts[i].loops) {
        facts.mayHaveTeam = !unseen.empty();
        facts.inTurn = !parts[i].regions.front().slots.empty();
      }
      std::move(parts[i].loops.begin(), parts[i].loops.end(), std::back_inserter(file_.loops));
      // The text of all instances is that of the first, but each may leave parts of it out.
      RegionFact& first = parts[0].regions.front();
      if (i > 0) {
        addText(first.counts, parts[i].regions.front().counts);
        addText(first.slots, parts[i].regions.front().slots);
      }
      if (i + 1 == instances.size()) {
        file_.regions.push_back(parts[0].regions.front());
        file_.regions.back().unseen = unseen;
      }
      if (i > 0) continue;
      std::move(parts[i].nested.begin(), parts[i].nested.end(), std::back_inserter(file_.nested));
    } else if (touchesArrays(region)) {
      LoopFacts facts;
      facts.directive = region;
      facts.function = function;
      facts.refusal = why;
      file_.loops.push_back(std::move(facts));
    }
  }
}

// The launch of an instantiation is found by its name.
void refuseSameNames(std::vector<LoopFacts>& loops) {
  std::map<std::pair<SourceLocation, std::string>, unsigned> uses;
  auto key = [](const LoopFacts& facts) {
    return std::pair(facts.directive->getBeginLoc(), facts.function ? instanceName(facts.function) : "");
  };
  for (const LoopFacts& facts : loops) ++uses[key(facts)];
  for (LoopFacts& facts : loops)
    if (!key(facts).second.empty() && uses[key(facts)] > 1 && !facts.refusal)
      facts.refusal = Refusal{facts.directive->getBeginLoc(), say::InstantiationsOfOneName(key(facts).second)};
}

}  // namespace

FileFacts analyseLoops(ASTContext& context, const DirectiveTable& table) {
  FileFacts file;
  file.aliases = std::make_shared<Aliases>(context);
  LoopVisitor visitor(context, table, file);
  const SourceManager& sources = context.getSourceManager();
  for (Decl* decl : context.getTranslationUnitDecl()->decls())
    if (isUserCode(sources, decl->getLocation())) visitor.TraverseDecl(decl);
  visitor.finish();
  refuseSameNames(file.loops);
  return file;
}

}  // namespace muster::plugin
