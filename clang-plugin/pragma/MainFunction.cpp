// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises `int main(...) {` and `auto main(...) -> int {`.
#include "pragma/MainFunction.h"

#include <vector>

#include "clang/Lex/Lexer.h"

namespace muster::plugin {
namespace {

using clang::Token;

struct Word {
  std::string text;  // the token as it stands; "" for the end of the file
  unsigned end = 0;  // offset behind it
  bool isIdentifier = false;
};

class MainFinder {
 public:
  MainFinder(llvm::StringRef text, const clang::LangOptions& options)
      : text_(text), lexer_(clang::SourceLocation(), options, text.begin(), text.begin(), text.end()) {}

  std::optional<MainFunction> find() {
    std::optional<MainFunction> found;
    for (next(); !word_.text.empty();) {
      if (token_.is(clang::tok::hash) && token_.isAtStartOfLine()) {
        if (!directive()) return std::nullopt;
        continue;
      }
      if (word_.text == "main") {
        if (found || depth_ != 0 || conditions_ != 0 || (before_ != "int" && before_ != "auto")) return std::nullopt;
        found = header();
        if (!found) return std::nullopt;
        ++depth_;
      } else if (word_.text == "{" || word_.text == "<%") {
        ++depth_;
      } else if (word_.text == "}" || word_.text == "%>") {
        --depth_;
      }
      before_ = word_.text;
      next();
    }
    return depth_ == 0 ? found : std::nullopt;
  }

 private:
  void next() {
    lexer_.LexFromRawLexer(token_);
    word_.end = static_cast<unsigned>(lexer_.getBufferLocation() - text_.begin());
    word_.isIdentifier = token_.is(clang::tok::raw_identifier);
    word_.text = token_.is(clang::tok::eof) ? "" : text_.slice(word_.end - token_.getLength(), word_.end).str();
  }

  // Passes over a preprocessor line. False: it mentions main.
  bool directive() {
    next();
    const std::string name = token_.isAtStartOfLine() ? "" : word_.text;
    if (name == "if" || name == "ifdef" || name == "ifndef") ++conditions_;
    if (name == "endif") --conditions_;
    for (; !word_.text.empty() && !token_.isAtStartOfLine(); next())
      if (word_.text == "main") return false;
    return true;
  }

  // From `main` to the `{` of its body.
  std::optional<MainFunction> header() {
    std::vector<Word> parameters;
    next();
    if (word_.text != "(") return std::nullopt;
    for (next(); word_.text != ")"; next()) {
      if (word_.text.empty() || word_.text == "(" || word_.text == "#") return std::nullopt;
      parameters.push_back(word_);
    }
    next();
    if (word_.text == "->") {
      next();
      if (word_.text != "int") return std::nullopt;
      next();
    }
    if (word_.text != "{") return std::nullopt;
    const auto names = namesOf(parameters);
    if (!names) return std::nullopt;
    return MainFunction{word_.end, *names};
  }

  static std::optional<std::string> namesOf(const std::vector<Word>& words) {
    const auto spells = [&](std::initializer_list<const char*> pattern) {
      if (words.size() != pattern.size()) return false;
      std::size_t i = 0;
      for (const char* wanted : pattern) {
        const Word& word = words[i++];
        if (wanted[0] == '$' ? !word.isIdentifier : word.text != wanted) return false;
      }
      return true;
    };
    if (words.empty() || spells({"void"})) return "";
    if (spells({"int", "$", ",", "char", "*", "*", "$"})) return "(" + words[1].text + ", " + words[6].text + ")";
    if (spells({"int", "$", ",", "char", "*", "$", "[", "]"})) return "(" + words[1].text + ", " + words[5].text + ")";
    return std::nullopt;
  }

  llvm::StringRef text_;
  clang::Lexer lexer_;
  Token token_;
  Word word_;
  std::string before_;
  int depth_ = 0, conditions_ = 0;
};

}  // namespace

std::optional<MainFunction> findMain(llvm::StringRef text, const clang::LangOptions& options) {
  return MainFinder(text, options).find();
}

}  // namespace muster::plugin
