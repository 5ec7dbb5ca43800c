// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "macros/Expand.h"

#include "analysis/CanonicalLoop.h"
#include "analysis/DirectiveText.h"
#include "analysis/Regions.h"
#include "analysis/SourceText.h"
#include "analysis/UserFiles.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"

namespace muster::plugin {

using namespace clang;

void OffsetMap::add(unsigned begin, unsigned end, unsigned length) {
  const unsigned shifted = replaced_.empty() ? begin : begin - replaced_.back().originalEnd + replaced_.back().end;
  replaced_.push_back({shifted, shifted + length, end});
}

unsigned OffsetMap::original(unsigned offset) const {
  unsigned end = 0, originalEnd = 0;  // of the last replacement in front
  for (const Replaced& replaced : replaced_) {
    if (offset < replaced.begin) break;
    if (offset < replaced.end) return originalEnd + (replaced.begin - end);
    end = replaced.end;
    originalEnd = replaced.originalEnd;
  }
  return originalEnd + (offset - end);
}

std::string ExpandedFile::apply(llvm::StringRef text) const {
  std::string result;
  unsigned at = 0;
  for (const Replacement& replacement : replacements) {
    result += text.slice(at, replacement.begin);
    result += replacement.text;
    at = replacement.end;
  }
  return result + text.drop_front(at).str();
}

OffsetMap ExpandedFile::offsets() const {
  OffsetMap map;
  for (const Replacement& replacement : replacements)
    map.add(replacement.begin, replacement.end, static_cast<unsigned>(replacement.text.size()));
  return map;
}

namespace {

// The constructs that can be rewritten only if they stand in the text.
class ConstructFinder : public RecursiveASTVisitor<ConstructFinder> {
 public:
  ConstructFinder(const ASTContext& context, const MacroRecorder& recorder) : context_(context), recorder_(recorder) {}

  bool VisitOMPExecutableDirective(OMPExecutableDirective* directive) {
    const bool inRegion = isTeamLoop(directive) || directive->getDirectiveKind() == llvm::omp::OMPD_parallel;
    if (inRegion || !directiveStart(context_, directive)) want(directive->getBeginLoc());
    auto* loop = dyn_cast<OMPLoopDirective>(directive);
    if (!loop || !loop->hasAssociatedStmt() || !loop->getAssociatedStmt()) return true;
    const Stmt* statement = loop->getInnermostCapturedStmt()->getCapturedStmt();
    for (unsigned depth = 0; statement && depth <= loop->getLoopsNumber(); ++depth) {
      if (!statementRange(context_, statement)) {
        want(statement->getBeginLoc());
        want(statement->getEndLoc());
        wantEndOf(statement);
      }
      if (const ForStmt* nested = onlyLoop(statement))
        statement = nested->getBody();
      else if (const auto* range = dyn_cast<CXXForRangeStmt>(statement))
        statement = range->getBody();
      else
        break;
    }
    return true;
  }

  const std::set<const Expansion*>& wanted() const { return wanted_; }

 private:
  void want(SourceLocation loc) {
    if (const Expansion* expansion = recorder_.find(loc)) wanted_.insert(expansion);
  }

  // The semicolon of an expression may come from a macro behind it.
  void wantEndOf(const Stmt* statement) {
    const SourceManager& sources = context_.getSourceManager();
    const SourceLocation end = sources.getExpansionRange(statement->getEndLoc()).getEnd();
    if (const auto next = Lexer::findNextToken(end, sources, context_.getLangOpts())) want(next->getLocation());
  }

  const ASTContext& context_;
  const MacroRecorder& recorder_;
  std::set<const Expansion*> wanted_;
};

}  // namespace

std::vector<ExpandedFile> expandMacros(CompilerInstance& instance, MacroRecorder& recorder) {
  recorder.finish();
  if (recorder.expansions().empty()) return {};
  const SourceManager& sources = instance.getSourceManager();
  ConstructFinder finder(instance.getASTContext(), recorder);
  // In the first parse clang takes ours for an error of the user's.
  const bool ours = llvm::any_of(recorder.expansions(), [](const Expansion& expansion) { return expansion.hasOurs; });
  if (ours || !instance.getDiagnostics().hasErrorOccurred()) finder.TraverseAST(instance.getASTContext());
  std::map<FileID, std::map<unsigned, const Expansion*>> wanted;
  for (const Expansion& expansion : recorder.expansions()) {
    if (expansion.isOpaque || !(expansion.hasOurs || finder.wanted().count(&expansion))) continue;
    if (!isRewritable(sources, expansion.begin)) continue;
    const auto [file, offset] = sources.getDecomposedLoc(expansion.begin);
    wanted[file][offset] = &expansion;
  }
  std::vector<ExpandedFile> files;
  for (const auto& [file, expansions] : wanted) {
    ExpandedFile expanded;
    if (file != sources.getMainFileID()) expanded.header = sources.getFileEntryRefForID(file);
    expanded.parsed = sources.getBufferData(file).str();
    for (const auto& [begin, expansion] : expansions) {
      expanded.hasOurs |= expansion->hasOurs;
      const unsigned length = Lexer::MeasureTokenLength(expansion->end, sources, instance.getLangOpts());
      expanded.replacements.push_back(
          {begin, sources.getFileOffset(expansion->end) + length, recorder.textOf(*expansion)});
    }
    files.push_back(std::move(expanded));
  }
  return files;
}

}  // namespace muster::plugin
