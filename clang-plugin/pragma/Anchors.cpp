// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pragma/Anchors.h"

namespace muster::plugin {

using clang::SourceLocation;

SourceLocation Anchors::next(const Directive& directive) const {
  clang::Lexer lexer = lexerAt(directive.end);
  clang::Token token;
  lexer.LexFromRawLexer(token);
  return token.is(clang::tok::eof) ? SourceLocation() : token.getLocation();
}

std::optional<Anchor> Anchors::following(const Directive& directive) const {
  const auto first = collected_.anchors().lower_bound(sources_.getDecomposedLoc(directive.end));
  if (first == collected_.anchors().end() || first->first.first != sources_.getFileID(directive.end) ||
      !onlyAttributesBetween(directive.end, first->first.second))
    return std::nullopt;
  Anchor result = first->second;
  for (auto next = std::next(first); next != collected_.anchors().end() && next->first == first->first; ++next)
    for (const clang::DeclaratorDecl* decl : next->second.declared)
      if (!llvm::is_contained(result.declared, decl)) result.declared.push_back(decl);
  if (result.declared.empty() && !result.statement) return std::nullopt;
  return result;
}

static bool declares(const Anchor& anchor, const Operand& operand) {
  return llvm::any_of(anchor.declared, [&](const auto* decl) { return decl->getName() == operand.name; });
}

Anchor Anchors::withNext(const Anchor& first, const Directive& directive) const {
  Anchor all = first;
  while (llvm::any_of(directive.operands, [&](const Operand& operand) { return !declares(all, operand); })) {
    SourceLocation end;
    for (const clang::DeclaratorDecl* decl : all.declared) {
      const SourceLocation own = sources_.getExpansionRange(decl->getEndLoc()).getEnd();
      if (end.isInvalid() || sources_.isBeforeInTranslationUnit(end, own)) end = own;
    }
    if (end.isValid())
      end = clang::Lexer::findLocationAfterToken(end, clang::tok::semi, sources_, context_.getLangOpts(), false);
    if (end.isInvalid()) return all;
    Directive next = directive;
    next.end = end;
    const std::optional<Anchor> anchor = following(next);
    if (!anchor || llvm::none_of(directive.operands, [&](const auto& operand) { return declares(*anchor, operand); }))
      return all;
    all.declared.insert(all.declared.end(), anchor->declared.begin(), anchor->declared.end());
  }
  return all;
}

static bool startsAttribute(const clang::Token& token) {
  if (token.is(clang::tok::l_square)) return true;
  if (token.isNot(clang::tok::raw_identifier)) return false;
  const llvm::StringRef name = token.getRawIdentifier();
  return name == "alignas" || name == "__attribute__" || name == "extern";
}

// Preprocessor lines and attributes may stand between a directive and its declaration.
bool Anchors::onlyAttributesBetween(SourceLocation from, unsigned toOffset) const {
  clang::Lexer lexer = lexerAt(from);
  clang::Token token;
  for (lexer.LexFromRawLexer(token); sources_.getFileOffset(token.getLocation()) < toOffset;) {
    if (token.is(clang::tok::eof)) return false;
    if (!token.is(clang::tok::hash) || !token.isAtStartOfLine()) return startsAttribute(token);
    do lexer.LexFromRawLexer(token);
    while (!token.isAtStartOfLine() && token.isNot(clang::tok::eof));
  }
  return true;
}

clang::Lexer Anchors::lexerAt(SourceLocation from) const {
  const clang::FileID file = sources_.getFileID(from);
  const llvm::StringRef text = sources_.getBufferData(file);
  return clang::Lexer(sources_.getLocForStartOfFile(file), context_.getLangOpts(), text.begin(),
                      text.begin() + sources_.getFileOffset(from), text.end());
}

}  // namespace muster::plugin
