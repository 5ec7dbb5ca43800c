// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/SourceText.h"

#include "clang/AST/OpenMPClause.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/raw_ostream.h"
#include "source/UserFiles.h"

namespace muster::plugin {

// Text of a _Pragma stands in a buffer of its own; what it maps to in the file is the macro that holds it.
static bool isInFile(const clang::SourceManager& sources, clang::SourceLocation loc) {
  return sources.getFileEntryRefForID(sources.getFileID(sources.getSpellingLoc(loc))).has_value();
}

std::string sourceText(const clang::ASTContext& context, const clang::Expr* expr) {
  const auto& sources = context.getSourceManager();
  auto range = clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(expr->getSourceRange()), sources,
                                               context.getLangOpts());
  if (range.isValid() && isInFile(sources, expr->getBeginLoc())) {
    bool invalid = false;
    auto text = clang::Lexer::getSourceText(range, sources, context.getLangOpts(), &invalid);
    if (!invalid && !text.empty() && text.find('\n') == llvm::StringRef::npos) return text.str();
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  expr->printPretty(out, nullptr, context.getPrintingPolicy());
  return text;
}

std::optional<std::string> constantText(const clang::ASTContext& context, const clang::Expr* expr) {
  if (context.getLangOpts().CPlusPlus || !expr->getType()->isIntegerType()) return std::nullopt;
  const auto value = expr->getIntegerConstantExpr(context);
  if (!value || !value->isRepresentableByInt64()) return std::nullopt;
  return castText(context, typeText(context, expr->getType()), std::to_string(value->getExtValue()) + "ll");
}

std::string visibleName(const clang::VarDecl* var) {
  if (!var->getASTContext().getLangOpts().CPlusPlus || var->isStaticLocal() || var->isLocalVarDeclOrParm())
    return var->getNameAsString();
  clang::PrintingPolicy policy = var->getASTContext().getPrintingPolicy();
  policy.SuppressUnwrittenScope = true;
  std::string text = "::";
  llvm::raw_string_ostream out(text);
  var->printQualifiedName(out, policy);
  return text;
}

bool isVisibleInFile(const clang::VarDecl* var) {
  const bool inFunction = var->getLexicalDeclContext()->isFunctionOrMethod();
  return var->hasGlobalStorage() && (var->getASTContext().getLangOpts().CPlusPlus || !inFunction);
}

std::string castText(const clang::ASTContext& context, const std::string& type, const std::string& value) {
  if (!context.getLangOpts().CPlusPlus) return "(" + type + ")(" + value + ")";
  return "static_cast<" + type + ">(" + value + ")";
}

std::string typeText(const clang::ASTContext& context, clang::QualType type) {
  auto policy = context.getPrintingPolicy();
  policy.SuppressTagKeyword = context.getLangOpts().CPlusPlus;
  policy.SuppressUnwrittenScope = true;
  return type.getCanonicalType().getAsString(policy);
}

// The part of a statement that its text ends with.
static const clang::Stmt* lastPart(const clang::Stmt* statement) {
  using namespace clang;
  if (auto* loop = dyn_cast<ForStmt>(statement)) return lastPart(loop->getBody());
  if (auto* loop = dyn_cast<CXXForRangeStmt>(statement)) return lastPart(loop->getBody());
  if (auto* loop = dyn_cast<WhileStmt>(statement)) return lastPart(loop->getBody());
  if (auto* choice = dyn_cast<SwitchStmt>(statement)) return lastPart(choice->getBody());
  if (auto* condition = dyn_cast<IfStmt>(statement))
    return lastPart(condition->getElse() ? condition->getElse() : condition->getThen());
  if (auto* attributed = dyn_cast<AttributedStmt>(statement)) return lastPart(attributed->getSubStmt());
  if (auto* label = dyn_cast<SwitchCase>(statement)) return lastPart(label->getSubStmt());
  // By itself it ends with its line.
  if (auto* directive = dyn_cast<OMPExecutableDirective>(statement); directive && directive->hasAssociatedStmt())
    return lastPart(directive->getRawStmt());
  return statement;
}

// An attribute may be spelled as a pragma in the lines before its statement, which then belongs to the text whole.
static clang::SourceLocation beginOfPragma(const clang::SourceManager& sources, clang::SourceLocation begin) {
  const auto [file, offset] = sources.getDecomposedLoc(begin);
  const llvm::StringRef before = sources.getBufferData(file).take_front(offset);
  const llvm::StringRef line = before.substr(before.rfind('\n') + 1);
  if (!line.ltrim().starts_with("#")) return begin;
  return begin.getLocWithOffset(-static_cast<int>(line.ltrim().size()));
}

std::optional<clang::CharSourceRange> statementRange(const clang::ASTContext& context, const clang::Stmt* statement) {
  using namespace clang;
  const SourceManager& sources = context.getSourceManager();
  const Stmt* last = lastPart(statement);
  CharSourceRange range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(statement->getBeginLoc(), last->getEndLoc()), sources, context.getLangOpts());
  if (range.isInvalid() || !isRewritable(sources, range.getBegin())) return std::nullopt;
  if (isa<AttributedStmt>(statement)) range.setBegin(beginOfPragma(sources, range.getBegin()));
  if (isa<CompoundStmt, NullStmt, DeclStmt>(last)) return range;
  const FileID file = sources.getFileID(range.getEnd());
  const llvm::StringRef buffer = sources.getBufferData(file);
  Lexer lexer(sources.getLocForStartOfFile(file), context.getLangOpts(), buffer.begin(),
              buffer.begin() + sources.getFileOffset(range.getEnd()), buffer.end());
  Token token;
  lexer.LexFromRawLexer(token);
  if (token.isNot(tok::semi)) return std::nullopt;
  range.setEnd(token.getEndLoc());
  return range;
}

clang::SourceLocation startOfFunction(const clang::ASTContext& context, const clang::FunctionDecl* function) {
  const clang::SourceManager& sources = context.getSourceManager();
  clang::SourceLocation start = sources.getExpansionLoc(function->getBeginLoc());
  for (const clang::Attr* attribute : function->attrs()) {
    if (attribute->isImplicit() || attribute->isInherited()) continue;
    const clang::SourceLocation loc = sources.getExpansionLoc(attribute->getRange().getBegin());
    if (loc.isValid() && sources.isWrittenInMainFile(loc) && sources.isBeforeInTranslationUnit(loc, start)) start = loc;
  }
  if (!sources.isWrittenInMainFile(start)) return start;
  start = beginOfPragma(sources, start);
  const unsigned offset = sources.getFileOffset(start);
  const llvm::StringRef before = sources.getBufferData(sources.getMainFileID()).take_front(offset).rtrim();
  if (!before.ends_with("[[")) return start;
  return start.getLocWithOffset(static_cast<int>(before.size()) - 2 - static_cast<int>(offset));
}

std::optional<clang::CharSourceRange> directiveName(const clang::ASTContext& context,
                                                    const clang::OMPExecutableDirective* directive) {
  using namespace clang;
  const SourceManager& sources = context.getSourceManager();
  const SourceLocation start = directive->getBeginLoc();
  if (start.isMacroID() || !whyNotRewritable(sources, start).empty()) return std::nullopt;
  const FileID file = sources.getFileID(start);
  const llvm::StringRef buffer = sources.getBufferData(file);
  Lexer lexer(sources.getLocForStartOfFile(file), context.getLangOpts(), buffer.begin(),
              buffer.begin() + sources.getFileOffset(start), buffer.end());
  llvm::SmallVector<llvm::StringRef> words = {"#", "pragma", "omp"};
  llvm::omp::getOpenMPDirectiveName(directive->getDirectiveKind()).split(words, ' ');
  CharSourceRange range;
  for (std::size_t i = 0; i < words.size(); ++i) {
    Token token;
    lexer.LexFromRawLexer(token);
    if (Lexer::getSpelling(token, sources, context.getLangOpts()) != words[i]) return std::nullopt;
    if (i == 3) range = CharSourceRange::getCharRange(token.getLocation(), token.getEndLoc());
    range.setEnd(token.getEndLoc());
  }
  return range;
}

std::optional<clang::CharSourceRange> clauseRange(const clang::ASTContext& context, const clang::OMPClause* clause) {
  using namespace clang;
  const SourceManager& sources = context.getSourceManager();
  CharSourceRange range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(clause->getBeginLoc(), clause->getEndLoc()), sources, context.getLangOpts());
  if (range.isInvalid() || !whyNotRewritable(sources, range.getBegin()).empty()) return std::nullopt;
  return range;
}

}  // namespace muster::plugin
