// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "macros/Expand.h"

#include "analysis/loops/CanonicalLoop.h"
#include "analysis/teams/TeamCode.h"
#include "clang/Lex/Lexer.h"
#include "source/AstVisitor.h"
#include "source/DirectiveText.h"
#include "source/LocalMacros.h"
#include "source/SourceText.h"

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

std::string ExpandedFile::apply(llvm::StringRef original) const {
  std::string text = original.str();
  for (const auto& [begin, end] : blanks)
    for (unsigned i = begin; i < end; ++i)
      if (text[i] != '\n' && text[i] != '\r') text[i] = ' ';
  std::string result;
  unsigned at = 0;
  for (const Replacement& replacement : replacements) {
    result += text.substr(at, replacement.begin - at);
    result += replacement.text;
    at = replacement.end;
  }
  return result + text.substr(at);
}

OffsetMap ExpandedFile::offsets() const {
  OffsetMap map;
  for (const Replacement& replacement : replacements)
    map.add(replacement.begin, replacement.end, static_cast<unsigned>(replacement.text.size()));
  return map;
}

namespace {

// The constructs that can be rewritten only if they stand in the text.
class ConstructFinder : public AstVisitor {
 public:
  // `everywhere`: whatever is cut by a conditional, not only in OpenMP's constructs.
  ConstructFinder(const ASTContext& context, PreprocessorRecord& record, bool everywhere)
      : context_(context), sources_(context.getSourceManager()), record_(record), depth_(everywhere ? 1 : 0) {}

  bool TraverseStmt(Stmt* statement) override {
    const bool isConstruct = isa_and_nonnull<OMPExecutableDirective>(statement);
    depth_ += isConstruct;
    const bool result = AstVisitor::TraverseStmt(statement);
    depth_ -= isConstruct;
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

  bool VisitStmt(Stmt* statement) override {
    if (depth_ > 0) wantConditionals(statement->getBeginLoc(), statement->getEndLoc(), /*anyLine=*/false);
    return true;
  }

  // Updates under locks are rewritten in the body's text.
  bool VisitCallExpr(CallExpr* call) override {
    const FunctionDecl* function = call->getDirectCallee();
    const bool isLock = function && function->getIdentifier() && function->getName().starts_with("omp_") &&
                        function->getName().ends_with("_lock");
    if (depth_ > 0 && isLock) want(call->getBeginLoc());
    return true;
  }

  bool VisitDeclaratorDecl(DeclaratorDecl* decl) override {
    if (depth_ > 0 && !isa<FunctionDecl>(decl))
      wantConditionals(decl->getBeginLoc(), decl->getEndLoc(), /*anyLine=*/false);
    return true;
  }

  bool VisitOMPExecutableDirective(OMPExecutableDirective* directive) override {
    const bool inRegion = isTeamLoop(directive) || directive->getDirectiveKind() == llvm::omp::OMPD_parallel;
    if (inRegion || !directiveStart(context_, directive)) want(directive->getBeginLoc());
    auto* loop = dyn_cast<OMPLoopDirective>(directive);
    if (!loop || !loop->hasAssociatedStmt() || !loop->getAssociatedStmt()) return true;
    if (!context_.getLangOpts().CPlusPlus && function_) wantLocalMacros(loop);
    const SourceLocation begin = directive->getBeginLoc();
    const Stmt* statement = loop->getInnermostCapturedStmt()->getCapturedStmt();
    for (unsigned depth = 0; statement && depth <= loopsInText(loop).value_or(1); ++depth) {
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
    // What stands before the body goes away, and the body stays.
    if (statement) wantConditionals(begin, statement->getBeginLoc(), /*anyLine=*/true);
    return true;
  }

  // The invocation that follows a directive, if it declares what that names.
  void wantDeclaration(const Directive& directive) {
    const auto [file, offset] = sources_.getDecomposedLoc(directive.end);
    const llvm::StringRef text = sources_.getBufferData(file);
    Lexer lexer(sources_.getLocForStartOfFile(file), context_.getLangOpts(), text.begin(), text.begin() + offset,
                text.end());
    Token next;
    lexer.LexFromRawLexer(next);
    const Expansion* expansion = next.is(tok::eof) ? nullptr : record_.macros.find(next.getLocation());
    if (!expansion || expansion->begin != next.getLocation()) return;
    for (const ExpandedToken& made : expansion->tokens) {
      if (made.token.isAnnotation() || made.token.isLiteral()) continue;
      const IdentifierInfo* name = made.token.getIdentifierInfo();
      if (name && llvm::any_of(directive.operands, [&](const Operand& operand) { return name->isStr(operand.name); }))
        wanted_.insert(expansion);
    }
  }

  const std::set<const Expansion*>& wanted() const { return wanted_; }
  const std::map<FileID, std::set<const Conditional*>>& wantedConditionals() const { return wantedConditionals_; }

 private:
  void want(SourceLocation loc) {
    if (const Expansion* expansion = record_.macros.find(loc)) wanted_.insert(expansion);
  }

  // Those that cut the text from one token to another and the semicolon behind that.
  void wantConditionals(SourceLocation first, SourceLocation last, bool anyLine) {
    const auto [file, begin] = sources_.getDecomposedLoc(sources_.getExpansionLoc(first));
    last = sources_.getExpansionRange(last).getEnd();
    if (last.isInvalid() || sources_.getFileID(last) != file || !isRewritable(sources_, last)) return;
    unsigned end = sources_.getFileOffset(last);
    if (!anyLine)
      end = record_.conditionals.behindSemicolon(
          file, end + Lexer::MeasureTokenLength(last, sources_, context_.getLangOpts()));
    for (const Conditional* conditional : record_.conditionals.find(file, {begin, end}, anyLine))
      wantedConditionals_[file].insert(conditional);
  }

  // What the function's own macros make in a loop, which leaves the function.
  void wantLocalMacros(const OMPLoopDirective* loop) {
    const TextBefore before = textBefore(sources_, function_, loop->getBeginLoc());
    const SourceLocation last = sources_.getFileLoc(loop->getRawStmt()->getEndLoc());
    if (sources_.getFileID(last) != before.file) return;
    if (macroLines(context_, before, record_.conditionals.skipped()).empty()) return;
    const TextBefore own{before.file, before.end, sources_.getFileOffset(last) + 1};
    for (const Expansion& expansion : record_.macros.expansions()) {
      const auto isLocal = [&](const ExpandedToken& made) { return before.makes(sources_, made.token.getLocation()); };
      if (own.contains(sources_, expansion.begin) && llvm::any_of(expansion.tokens, isLocal))
        wanted_.insert(&expansion);
    }
  }

  // The semicolon of an expression may come from a macro behind it.
  void wantEndOf(const Stmt* statement) {
    const SourceLocation end = sources_.getExpansionRange(statement->getEndLoc()).getEnd();
    if (const auto next = Lexer::findNextToken(end, sources_, context_.getLangOpts())) want(next->getLocation());
  }

  const ASTContext& context_;
  const SourceManager& sources_;
  PreprocessorRecord& record_;
  unsigned depth_;  // of constructs around
  const FunctionDecl* function_ = nullptr;
  std::set<const Expansion*> wanted_;
  std::map<FileID, std::set<const Conditional*>> wantedConditionals_;
};

}  // namespace

void PreprocessorRecord::watch(Preprocessor& preprocessor) {
  macros.watch(preprocessor);
  conditionals.watch(preprocessor);
}

std::vector<ExpandedFile> expandFiles(CompilerInstance& instance, PreprocessorRecord& record,
                                      const DirectiveTable& directives) {
  record.macros.finish();
  const SourceManager& sources = instance.getSourceManager();
  ConstructFinder finder(instance.getASTContext(), record, !directives.directives.empty());
  // In the first parse clang takes ours for an error of the user's.
  const bool ours =
      llvm::any_of(record.macros.expansions(), [](const Expansion& expansion) { return expansion.hasOurs; });
  if (ours || !instance.getDiagnostics().hasErrorOccurred())
    finder.TraverseDecl(instance.getASTContext().getTranslationUnitDecl());
  for (const Directive& directive : directives.directives) finder.wantDeclaration(directive);
  std::map<FileID, ExpandedFile> files;
  std::map<FileID, std::map<unsigned, const Expansion*>> wanted;
  for (const Expansion& expansion : record.macros.expansions()) {
    if (expansion.isOpaque || !(expansion.hasOurs || finder.wanted().count(&expansion))) continue;
    if (!isRewritable(sources, expansion.begin)) continue;
    const auto [file, offset] = sources.getDecomposedLoc(expansion.begin);
    wanted[file][offset] = &expansion;
  }
  for (const auto& [file, expansions] : wanted) {
    ExpandedFile& expanded = files[file];
    for (const auto& [begin, expansion] : expansions) {
      expanded.hasOurs |= expansion->hasOurs;
      const unsigned length = Lexer::MeasureTokenLength(expansion->end, sources, instance.getLangOpts());
      expanded.replacements.push_back(
          {begin, sources.getFileOffset(expansion->end) + length, record.macros.textOf(*expansion)});
    }
  }
  for (const auto& [file, conditionals] : finder.wantedConditionals())
    for (const Conditional* conditional : conditionals)
      llvm::append_range(files[file].blanks, record.conditionals.allButTaken(file, *conditional));
  std::vector<ExpandedFile> result;
  for (auto& [file, expanded] : files) {
    if (file != sources.getMainFileID()) expanded.header = sources.getFileEntryRefForID(file);
    expanded.parsed = sources.getBufferData(file).str();
    result.push_back(std::move(expanded));
  }
  return result;
}

}  // namespace muster::plugin
