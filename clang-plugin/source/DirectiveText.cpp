// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/DirectiveText.h"

#include "clang/Basic/CharInfo.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/Regex.h"

namespace muster::plugin {

using namespace clang;

// "NAME" or "NAME(...)" and nothing behind it.
static bool isOneInvocation(llvm::StringRef text) {
  text = text.trim();
  text = text.drop_while([](char c) { return isAsciiIdentifierContinue(c); }).ltrim();
  if (text.empty()) return true;
  if (!text.starts_with("(") || !text.ends_with(")")) return false;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && text[i - 1] != '\\') quoted = !quoted;
    if (quoted) continue;
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0 && i + 1 != text.size()) return false;
  }
  return depth == 0 && !quoted;
}

// Whether the macro whose body holds the character at `loc` consists of what starts there.
static bool isWholeBody(const SourceManager& sources, SourceLocation loc) {
  const auto [file, offset] = sources.getDecomposedLoc(loc);
  if (!sources.getFileEntryRefForID(file)) return false;
  const llvm::StringRef buffer = sources.getBufferData(file);
  const llvm::StringRef before = buffer.take_front(offset), behind = buffer.drop_front(offset);
  static const llvm::Regex define("^[ \t]*#[ \t]*define[ \t]+[A-Za-z0-9_]+(\\([^()]*\\))?[ \t]+$");
  const llvm::StringRef line = behind.take_until([](char c) { return c == '\n' || c == '\r'; });
  return define.match(before.substr(before.rfind('\n') + 1)) && !line.ends_with("\\") && isOneInvocation(line);
}

std::optional<SourceLocation> directiveStart(const ASTContext& context, const OMPExecutableDirective* directive) {
  const SourceManager& sources = context.getSourceManager();
  SourceLocation loc = directive->getBeginLoc();
  for (; loc.isMacroID(); loc = sources.getImmediateExpansionRange(loc).getBegin())
    if (sources.isMacroArgExpansion(loc) || !isWholeBody(sources, sources.getImmediateSpellingLoc(loc)))
      return std::nullopt;
  if (!sources.getFileEntryRefForID(sources.getFileID(loc))) return std::nullopt;
  return loc;
}

SourceLocation startOfMetadirective(const ASTContext& context, const OMPExecutableDirective* directive) {
  const SourceManager& sources = context.getSourceManager();
  const SourceLocation loc = directive->getBeginLoc();
  if (loc.isMacroID()) return {};
  const auto [file, offset] = sources.getDecomposedLoc(loc);
  const llvm::StringRef buffer = sources.getBufferData(file);
  std::size_t line = buffer.rfind('\n', offset);
  while (line != llvm::StringRef::npos && buffer.take_front(line).rtrim("\r").ends_with("\\"))
    line = buffer.rfind('\n', line);
  const std::size_t begin = line == llvm::StringRef::npos ? 0 : line + 1;
  Lexer lexer(sources.getLocForStartOfFile(file), context.getLangOpts(), buffer.begin(), buffer.begin() + begin,
              buffer.end());
  Token hash, token;
  lexer.LexFromRawLexer(hash);
  for (const char* word : {"pragma", "omp", "metadirective"}) {
    lexer.LexFromRawLexer(token);
    if (!token.is(tok::raw_identifier) || token.getRawIdentifier() != word) return {};
  }
  return hash.getLocation();
}

}  // namespace muster::plugin
