// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raw lexing of a main file in search of directives.
#include "pragma/Scan.h"

#include "clang/Basic/CharInfo.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"

namespace muster::plugin {
namespace {

class Scanner {
 public:
  Scanner(llvm::StringRef text, const clang::LangOptions& options)
      : text_(text),
        lexer_(clang::SourceLocation(), options, text.begin(), text.begin(), text.end()),
        modules_(options.CPlusPlusModules),
        ownAllocator_(!options.Sanitize.empty()) {
    if (text.starts_with("\xEF\xBB\xBF")) result_.header.offset = 3;
  }

  ScanResult scan() {
    next();
    while (!token_.is(clang::tok::eof)) {
      if (token_.is(clang::tok::hash) && token_.isAtStartOfLine()) {
        preprocessorDirective();
      } else if (modules_ && token_.is(clang::tok::raw_identifier) && (token_.isAtStartOfLine() || behindExport_)) {
        moduleToken();
      } else {
        behindExport_ = false;
        codeToken();
        next();
      }
    }
    return std::move(result_);
  }

 private:
  void next() {
    lexer_.LexFromRawLexer(token_);
    end_ = static_cast<unsigned>(lexer_.getBufferLocation() - text_.begin());
    begin_ = end_ - token_.getLength();
  }

  bool onSameLine() const { return !token_.is(clang::tok::eof) && !token_.isAtStartOfLine(); }

  std::string spelling() const {
    llvm::StringRef raw = text_.slice(begin_, end_);
    if (!token_.needsCleaning()) return raw.str();
    std::string clean;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] == '\\') {
        while (i + 1 < raw.size() && clang::isWhitespace(raw[i + 1])) ++i;
      } else {
        clean += raw[i];
      }
    }
    return clean;
  }

  void codeToken() {
    if (!token_.is(clang::tok::raw_identifier)) {
      if (ownAllocator_ && token_.is(clang::tok::l_square) && previous_ == "delete") result_.needsRewriting = true;
      previous_.clear();
      return;
    }
    previous_ = spelling();
    const bool allocates = previous_ == "free" || previous_ == "realloc";
    result_.needsRewriting |= previous_ == "_Pragma" || (allocates && ownAllocator_);
    result_.namesMain |= previous_ == "main";
    codeSeen_ = true;
  }

  // At an identifier where `module` is no ordinary name if a name, ';' or ':' follows.
  void moduleToken() {
    const std::string name = spelling();
    behindExport_ = name == "export" && !behindExport_;
    codeToken();
    next();
    if (name == "module")
      result_.moduleUnit |= token_.isOneOf(clang::tok::raw_identifier, clang::tok::semi, clang::tok::colon);
  }

  void preprocessorDirective() {
    const unsigned hash = begin_;
    next();
    std::string name;
    if (onSameLine() && token_.is(clang::tok::raw_identifier)) {
      name = spelling();
      next();
    }
    if (name == "pragma") {
      pragma(hash);
    } else {
      conditional(name);
      if (name == "include" || name == "import" || name == "include_next") include();
      const bool defines = (name == "define" || name == "undef") && onSameLine();
      const bool reserved = defines && spelling().starts_with("_");
      if (defines && !reserved) plainMacros_.push_back(spelling());
      // Tokens of macro bodies count: `#define RELEASE(p) free(p)`.
      while (onSameLine()) {
        codeTokenOfDirective();
        next();
      }
      reservedSeen_ |= reserved;
      if (reservedSeen_ && depth_ == 0 && !includeSeen_ && !codeSeen_) placeHeaderHere();
    }
  }

  void codeTokenOfDirective() {
    const bool seen = codeSeen_;
    codeToken();
    codeSeen_ = seen;
  }

  void conditional(llvm::StringRef name) {
    if (name == "if" || name == "ifdef" || name == "ifndef") ++depth_;
    if (name == "endif" && depth_ > 0) --depth_;
  }

  // At the token behind `include`.
  void include() {
    includeSeen_ = true;
    if (!onSameLine()) return;
    std::string name;
    if (token_.is(clang::tok::string_literal)) {
      name = spelling();
    } else if (token_.is(clang::tok::less)) {
      const std::size_t end = text_.find_first_of(">\n", begin_);
      if (end != llvm::StringRef::npos && text_[end] == '>') name = text_.slice(begin_, end + 1).str();
    }
    result_.includes.push_back(name);
  }

  // Feature macros (_FILE_OFFSET_BITS, _GLIBCXX_ASSERTIONS) must come before the first system header, so ours goes
  // behind those that the user defines at the head of the file, also in a conditional.
  void placeHeaderHere() {
    result_.header.offset = begin_;
    result_.header.line = 1 + static_cast<unsigned>(text_.take_front(begin_).count('\n'));
    result_.header.macros = plainMacros_;
    reservedSeen_ = false;
  }

  void pragma(unsigned hash);

  llvm::StringRef text_;
  clang::Lexer lexer_;
  clang::Token token_;
  unsigned begin_ = 0, end_ = 0, depth_ = 0;
  bool includeSeen_ = false, codeSeen_ = false;
  bool reservedSeen_ = false;  // a definition of a reserved name, behind the place of the header
  const bool modules_;
  bool behindExport_ = false;
  // A sanitizer's free and delete stand in front of the runtime's, which know managed memory.
  const bool ownAllocator_;
  std::string previous_;
  std::vector<std::string> plainMacros_;  // defined so far, but for reserved names
  ScanResult result_;
};

// At the token behind `pragma`.
void Scanner::pragma(unsigned hash) {
  const unsigned sentinelBegin = begin_, sentinelEnd = end_;
  const std::string sentinel = onSameLine() && token_.is(clang::tok::raw_identifier) ? spelling() : "";
  if (sentinel != "omp" && sentinel != "ompx") {
    while (onSameLine()) next();
    return;
  }
  result_.needsRewriting = true;
  next();
  const bool ours = onSameLine() && token_.is(clang::tok::raw_identifier) && isDirectiveName(spelling());
  unsigned last = sentinelEnd;
  while (onSameLine()) {
    last = end_;
    next();
  }
  if (ours) result_.directives.push_back({hash, last, sentinelBegin, sentinelEnd});
}

// Replaces the letters of the identifier at [begin, end), which may hold line continuations, one by one.
void respell(std::string& text, unsigned begin, unsigned end, llvm::StringRef name) {
  for (unsigned at = begin; at < end && !name.empty(); ++at) {
    if (!clang::isAsciiIdentifierContinue(text[at])) continue;
    text[at] = name.front();
    name = name.drop_front();
  }
}

}  // namespace

bool isDirectiveName(llvm::StringRef name) { return name == "managed" || name == "alloc_start" || name == "alloc_end"; }

ScanResult scanText(llvm::StringRef text, const clang::LangOptions& options) { return Scanner(text, options).scan(); }

std::string withOwnNamespace(llvm::StringRef text, const ScanResult& scan) {
  std::string result = text.str();
  for (const ScannedDirective& directive : scan.directives) {
    std::string sentinel;
    for (char c : text.slice(directive.sentinelBegin, directive.sentinelEnd))
      if (clang::isAsciiIdentifierContinue(c)) sentinel += c;
    respell(result, directive.sentinelBegin, directive.sentinelEnd,
            sentinel == "ompx" ? kExtensionNamespace : kNamespace);
  }
  return result;
}

std::string withoutDirectives(llvm::StringRef text, const ScanResult& scan) {
  std::string result = text.str();
  for (const ScannedDirective& directive : scan.directives)
    for (unsigned at = directive.begin; at < directive.end; ++at)
      if (result[at] != '\n' && result[at] != '\r') result[at] = ' ';
  return result;
}

}  // namespace muster::plugin
