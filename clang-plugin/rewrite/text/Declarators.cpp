// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splitting of declarations by raw tokens.
#include "rewrite/text/Declarators.h"

#include <algorithm>

#include "clang/AST/TypeLoc.h"
#include "clang/Lex/Lexer.h"
#include "source/UserFiles.h"

namespace muster::plugin {
namespace {

using clang::SourceLocation;

// The first token of the declarator: a '*', '&', '(' of its type, or its name.
SourceLocation declaratorStart(const clang::SourceManager& sources, const clang::VarDecl& var) {
  SourceLocation start = var.getLocation();
  const auto consider = [&](SourceLocation loc) {
    if (loc.isValid() && sources.isBeforeInTranslationUnit(loc, start)) start = loc;
  };
  if (!var.getTypeSourceInfo()) return start;
  for (clang::TypeLoc part = var.getTypeSourceInfo()->getTypeLoc(); part; part = part.getNextTypeLoc()) {
    if (auto pointer = part.getAs<clang::PointerTypeLoc>()) consider(pointer.getStarLoc());
    if (auto reference = part.getAs<clang::ReferenceTypeLoc>()) consider(reference.getBeginLoc());
    if (auto paren = part.getAs<clang::ParenTypeLoc>()) consider(paren.getLParenLoc());
  }
  return start;
}

class Splitter {
 public:
  Splitter(const clang::ASTContext& context, const std::vector<const clang::VarDecl*>& group)
      : sources_(context.getSourceManager()), options_(context.getLangOpts()), group_(group) {}

  std::optional<Declaration> split() {
    SourceLocation begin = group_.front()->getBeginLoc();
    // `REAL u[N];`: the macro's name is as good as what it stands for.
    if (begin.isMacroID() && !clang::Lexer::isAtStartOfMacroExpansion(begin, sources_, options_, &begin))
      return std::nullopt;
    std::vector<SourceLocation> starts;
    for (const clang::VarDecl* var : group_) starts.push_back(declaratorStart(sources_, *var));
    for (SourceLocation loc : starts)
      if (!isPlain(loc)) return std::nullopt;
    if (!isPlain(begin)) return std::nullopt;
    if (!findSeparators(begin, starts)) return std::nullopt;
    Declaration result;
    result.begin = begin;
    result.end = separators_.back().getLocWithOffset(1);
    result.specifiers = slice(begin, starts.front());
    std::replace(result.specifiers.begin(), result.specifiers.end(), '\n', ' ');
    if (result.specifiers.find_first_of("{\\/#") != std::string::npos) return std::nullopt;
    for (std::size_t i = 0; i < group_.size(); ++i)
      result.declarators.push_back({group_[i], slice(starts[i], separators_[i])});
    return result;
  }

 private:
  bool isPlain(SourceLocation loc) const { return loc.isFileID() && isRewritable(sources_, loc); }

  std::string slice(SourceLocation from, SourceLocation to) const {
    const llvm::StringRef text = sources_.getBufferData(sources_.getFileID(from));
    return text.slice(sources_.getFileOffset(from), sources_.getFileOffset(to)).str();
  }

  // The comma in front of each further declarator, and the semicolon.
  bool findSeparators(SourceLocation begin, const std::vector<SourceLocation>& starts) {
    const clang::FileID file = sources_.getFileID(begin);
    const llvm::StringRef text = sources_.getBufferData(file);
    clang::Lexer lexer(sources_.getLocForStartOfFile(file), options_, text.begin(),
                       text.begin() + sources_.getFileOffset(begin), text.end());
    clang::Token token, last;
    int depth = 0;
    for (lexer.LexFromRawLexer(token); token.isNot(clang::tok::eof); last = token, lexer.LexFromRawLexer(token)) {
      if (token.is(clang::tok::hash) && token.isAtStartOfLine()) return false;
      const std::size_t next = separators_.size() + 1;
      if (next < starts.size() && token.getLocation() == starts[next]) {
        if (last.isNot(clang::tok::comma)) return false;
        separators_.push_back(last.getLocation());
      }
      if (token.isOneOf(clang::tok::l_paren, clang::tok::l_brace, clang::tok::l_square)) ++depth;
      if (token.isOneOf(clang::tok::r_paren, clang::tok::r_brace, clang::tok::r_square)) --depth;
      if (token.is(clang::tok::semi) && depth == 0) {
        separators_.push_back(token.getLocation());
        return separators_.size() == starts.size();
      }
    }
    return false;
  }

  const clang::SourceManager& sources_;
  const clang::LangOptions& options_;
  const std::vector<const clang::VarDecl*>& group_;
  std::vector<SourceLocation> separators_;
};

}  // namespace

std::optional<Declaration> splitDeclaration(const clang::ASTContext& context,
                                            const std::vector<const clang::VarDecl*>& group) {
  return Splitter(context, group).split();
}

}  // namespace muster::plugin
