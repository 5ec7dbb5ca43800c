// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a body, with the names of what stands in for objects.
#include "analysis/code/ThisUses.h"
#include "analysis/loops/Iterators.h"
#include "analysis/references/ProgramEnds.h"
#include "analysis/updates/Updates.h"
#include "rewrite/native/CopiedCallees.h"
#include "rewrite/native/LockText.h"
#include "rewrite/native/StandIns.h"
#include "rewrite/storage/ObjectTypes.h"
#include "source/AstVisitor.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

namespace {

class ThisPrinter : public PrinterHelper {
 public:
  bool handledStmt(Stmt* statement, llvm::raw_ostream& out) override {
    if (!isa<CXXThisExpr>(statement)) return false;
    out << "muster_this";
    return true;
  }
};

}  // namespace

// In front of a message before the program ends: iterations go on behind the one that ended it, and say no more.
static std::string beginFarewell(const LoopFacts& facts) {
  return "if (((const volatile muster_program_end *)muster_c->results[" +
         std::to_string(facts.results.size() + facts.records.size()) + "])->how == 0) ";
}

std::string StandIns::textOf(const Expr* expr) const {
  const ThisUses uses = thisUses(expr);
  if (uses.keywords.empty() && uses.fields.empty() && uses.prefixed.empty())
    return sourceText(spelling_.context(), expr);
  ThisPrinter helper;
  std::string text;
  llvm::raw_string_ostream out(text);
  expr->printPretty(out, &helper, spelling_.context().getPrintingPolicy());
  return text;
}

namespace {

class TypeFinder : public AstVisitor {
 public:
  std::map<SourceLocation, std::pair<unsigned, std::string>> found;  // length and what stands for it
  explicit TypeFinder(const Spelling& spelling) : spelling_(spelling), context_(spelling.context()) {}
  // Iterators are pointers in native code.
  bool VisitVarDecl(VarDecl* var) override {
    const QualType pointee = iteratorPointee(var->getType());
    if (pointee.isNull() || var->getType()->isReferenceType() || var->getType()->getContainedAutoType()) return true;
    const auto range = iteratorTypeRange(context_, var);
    if (!range) return true;
    const auto& sources = context_.getSourceManager();
    found[range->getBegin()] = {sources.getFileOffset(range->getEnd()) - sources.getFileOffset(range->getBegin()),
                                "__typeof__(" + spelling_.type(context_.getPointerType(pointee)) + ")"};
    return true;
  }
  bool VisitDecltypeTypeLoc(DecltypeTypeLoc type) override {
    const std::string text = type.getBeginLoc().isFileID() && type.getEndLoc().isFileID() ? objectType(type) : "";
    if (text.empty()) return true;
    const auto& sources = context_.getSourceManager();
    const SourceLocation end = Lexer::getLocForEndOfToken(type.getEndLoc(), 0, sources, context_.getLangOpts());
    found[type.getBeginLoc()] = {sources.getFileOffset(end) - sources.getFileOffset(type.getBeginLoc()), text};
    return true;
  }

 private:
  const Spelling& spelling_;
  const ASTContext& context_;
};

}  // namespace

// Without lines that it goes on in, so that lines stay where they are.
static unsigned lengthOfPragma(llvm::StringRef text) {
  const llvm::StringRef line = text.take_until([](char c) { return c == '\n' || c == '\r'; });
  return line.ends_with("\\") ? 0 : line.size();
}

std::string StandIns::textOf(CharSourceRange range) const {
  const SourceManager& sources = spelling_.context().getSourceManager();
  std::string text = Lexer::getSourceText(range, sources, spelling_.context().getLangOpts()).str();
  const unsigned start = sources.getFileOffset(range.getBegin());
  const ThisUses uses = thisUses(facts_.body);
  struct Edit {
    unsigned length = 0;
    std::string text;
  };
  std::map<unsigned, Edit> edits;  // by offset in the text
  for (SourceLocation loc : uses.keywords) edits[sources.getFileOffset(loc) - start] = {4, "muster_this"};
  for (SourceLocation loc : uses.prefixed) edits[sources.getFileOffset(loc) - start] = {0, "muster_this->"};
  for (const ThisCapture& capture : uses.captures)
    edits[sources.getFileOffset(capture.loc) - start] = {capture.length, capture.text};
  for (const DeclRefExpr* array : facts_.wholeArrays) {
    const std::string name = array->getDecl()->getNameAsString();
    const QualType pointer = spelling_.context().getPointerType(array->getDecl()->getType());
    edits[sources.getFileOffset(sources.getSpellingLoc(array->getLocation())) - start] = {
        static_cast<unsigned>(name.size()), "(*(" + spelling_.type(pointer) + ")" + name + ")"};
  }
  for (const CallExpr* call : copiedCalls(facts_)) {
    const CalleeCopy& copy = *copyOf(facts_, call);
    const Expr* name = call->getCallee()->IgnoreParenImpCasts();
    const unsigned at = sources.getFileOffset(name->getBeginLoc());
    const SourceLocation open = Lexer::findLocationAfterToken(name->getEndLoc(), tok::l_paren, sources,
                                                              spelling_.context().getLangOpts(), false);
    edits[at - start] = {sources.getFileOffset(open) - at,
                         copyName(spelling_, copy, owner_) + "(" + copyArguments(facts_, call->getNumArgs() == 0)};
  }
  for (unsigned i = 0; i < facts_.records.size(); ++i)
    for (const IfStmt* choice : facts_.records[i].choices)
      edits[sources.getFileOffset(cast<CompoundStmt>(choice->getThen())->getRBracLoc()) - start] = {
          0, recordChoice(facts_, i)};
  for (const OMPCriticalDirective* critical : facts_.needlessCriticals) {
    const auto name = directiveName(spelling_.context(), critical);
    if (!name) continue;
    const unsigned at = sources.getFileOffset(critical->getBeginLoc()) - start;
    edits[at] = {lengthOfPragma(llvm::StringRef(text).drop_front(at)), ""};
  }
  for (const CallExpr* call : endsInText(facts_)) {
    const Expr* name = call->getCallee()->IgnoreParenImpCasts();
    const unsigned at = sources.getFileOffset(name->getBeginLoc());
    const SourceLocation open = Lexer::findLocationAfterToken(name->getEndLoc(), tok::l_paren, sources,
                                                              spelling_.context().getLangOpts(), false);
    if (open.isInvalid()) continue;
    // Of several arguments only the last one stays: the code.
    const SourceLocation code = call->getNumArgs() < 2 ? open : call->getArg(call->getNumArgs() - 1)->getBeginLoc();
    edits[at - start] = {sources.getFileOffset(sources.getExpansionLoc(code)) - at, beginEnd(facts_, call)};
    edits[sources.getFileOffset(call->getRParenLoc()) + 1 - start] = {0, endOfEnd()};
  }
  for (const Stmt* farewell : farewellsInText(facts_))
    edits[sources.getFileOffset(farewell->getBeginLoc()) - start] = {0, beginFarewell(facts_)};
  TypeFinder types(spelling_);
  types.TraverseStmt(const_cast<Stmt*>(facts_.body));
  for (const auto& [loc, type] : types.found) edits[sources.getFileOffset(loc) - start] = {type.first, type.second};
  for (const ObjectOverlay& overlay : facts_.objects->overlays()) {
    for (const Expr* expr : overlay.texts) {
      if (expr->getBeginLoc().isMacroID() || expr->getEndLoc().isMacroID()) continue;  // a name of a member
      const unsigned at = sources.getFileOffset(expr->getBeginLoc()) - start;
      const SourceLocation end =
          Lexer::getLocForEndOfToken(expr->getEndLoc(), 0, sources, spelling_.context().getLangOpts());
      const unsigned length = sources.getFileOffset(end) - start - at;
      edits.erase(edits.lower_bound(at), edits.lower_bound(at + length));
      edits[at] = {length, nameOf(overlay)};
    }
  }
  for (const auto& [flag, var] : memberFlags(facts_)) {
    const unsigned at = sources.getFileOffset(flag->getBeginLoc()) - start;
    const SourceLocation end =
        Lexer::getLocForEndOfToken(flag->getEndLoc(), 0, sources, spelling_.context().getLangOpts());
    const unsigned length = sources.getFileOffset(end) - start - at;
    edits.erase(edits.lower_bound(at), edits.lower_bound(at + length));
    edits[at] = {length, facts_.objects->find(var)->name};
  }
  for (const auto& [range, replacement] : lockEdits(spelling_.context(), facts_)) {
    const unsigned at = sources.getFileOffset(range.getBegin()) - start;
    const unsigned length = sources.getFileOffset(range.getEnd()) - start - at;
    if (length > 0) edits.erase(edits.lower_bound(at), edits.lower_bound(at + length));
    Edit& edit = edits[at];  // of the name that the update begins with, perhaps
    edit.length = std::max(edit.length, length);
    edit.text = replacement + edit.text;
  }
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
    text.replace(edit->first, edit->second.length, edit->second.text);
  return text;
}

}  // namespace muster::plugin
