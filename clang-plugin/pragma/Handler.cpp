// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar: managed ( operand {, operand} ) | alloc_start | alloc_end
// operand: *operand, or a name, this or (operand), followed by any number of .name, ->name, ::name and [...]
#include "pragma/Handler.h"

#include "clang/Lex/Pragma.h"
#include "pragma/Scan.h"
#include "source/RefusalTexts.h"
#include "source/Remarks.h"

namespace muster::plugin {
namespace {

using clang::Token;
namespace tok = clang::tok;

class DirectiveHandler : public clang::PragmaHandler {
 public:
  DirectiveHandler(llvm::StringRef name, DirectiveKind kind, DirectiveTable& table)
      : PragmaHandler(name), kind_(kind), table_(table) {}

  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer introducer, Token& first) override {
    Directive directive;
    directive.kind = kind_;
    directive.loc = introducer.Loc;
    directive.end = behind(preprocessor, first);
    Token token;
    preprocessor.LexUnexpandedToken(token);
    const bool good = (kind_ != DirectiveKind::Managed || parseOperands(preprocessor, token, directive)) &&
                      expectEnd(preprocessor, token);
    if (good) table_.directives.push_back(std::move(directive));
    while (token.isNot(tok::eod)) preprocessor.LexUnexpandedToken(token);
  }

 private:
  static clang::SourceLocation behind(clang::Preprocessor& preprocessor, const Token& token) {
    return preprocessor.getLocForEndOfToken(token.getLocation());
  }

  // From '(' to ')'; leaves `token` behind it.
  bool parseOperands(clang::Preprocessor& preprocessor, Token& token, Directive& directive) {
    if (token.isNot(tok::l_paren)) return fail(preprocessor, token, say::ExpectedOpening);
    do {
      preprocessor.LexUnexpandedToken(token);
      if (directive.operands.empty() && token.is(tok::r_paren)) return fail(preprocessor, token, say::ExpectedAnyName);
      const Token start = token;
      std::string name;
      if (!parseOperand(preprocessor, token, name) || !addOperand(preprocessor, start, name, directive)) return false;
    } while (token.is(tok::comma));
    if (token.isNot(tok::r_paren))
      return fail(preprocessor, token, say::ExpectedCommaOrClosing(found(preprocessor, token)));
    directive.end = behind(preprocessor, token);
    preprocessor.LexUnexpandedToken(token);
    return true;
  }

  // From the first '*', '(' or name to behind the last selector; appends to `name`.
  bool parseOperand(clang::Preprocessor& preprocessor, Token& token, std::string& name) {
    while (token.is(tok::star)) take(preprocessor, token, name);
    if (!token.isOneOf(tok::identifier, tok::kw_this, tok::l_paren))
      return fail(preprocessor, token, say::ExpectedArrayName(found(preprocessor, token)));
    const bool isThis = token.is(tok::kw_this), isParen = token.is(tok::l_paren);
    take(preprocessor, token, name);
    if (isParen) {
      if (!parseOperand(preprocessor, token, name)) return false;
      if (token.isNot(tok::r_paren)) return fail(preprocessor, token, say::ExpectedClosing(found(preprocessor, token)));
      take(preprocessor, token, name);
    }
    if (isThis && token.isNot(tok::arrow)) return fail(preprocessor, token, say::ExpectedArrow);
    return parseSelectors(preprocessor, token, name);
  }

  bool parseSelectors(clang::Preprocessor& preprocessor, Token& token, std::string& name) {
    while (token.isOneOf(tok::period, tok::arrow, tok::coloncolon, tok::l_square)) {
      if (token.is(tok::l_square)) {
        name += preprocessor.getSpelling(token);
        if (!parseSubscript(preprocessor, token, name)) return false;
        continue;
      }
      take(preprocessor, token, name);
      if (!token.is(tok::identifier))
        return fail(preprocessor, token, say::ExpectedMemberName(found(preprocessor, token)));
      take(preprocessor, token, name);
    }
    return true;
  }

  static void take(clang::Preprocessor& preprocessor, Token& token, std::string& name) {
    name += preprocessor.getSpelling(token);
    preprocessor.LexUnexpandedToken(token);
  }

  // From behind '[' to behind its ']'.
  bool parseSubscript(clang::Preprocessor& preprocessor, Token& token, std::string& name) {
    for (unsigned depth = 1; depth > 0;) {
      preprocessor.LexUnexpandedToken(token);
      if (token.is(tok::eod)) return fail(preprocessor, token, say::ExpectedBracket);
      if (token.is(tok::l_square)) ++depth;
      if (token.is(tok::r_square)) --depth;
      name += preprocessor.getSpelling(token);
    }
    preprocessor.LexUnexpandedToken(token);
    return true;
  }

  bool addOperand(clang::Preprocessor& preprocessor, const Token& token, const std::string& name,
                  Directive& directive) {
    for (const Operand& operand : directive.operands)
      if (operand.name == name) return fail(preprocessor, token, say::NamedTwice(name));
    directive.operands.push_back({name, token.getLocation()});
    return true;
  }

  bool expectEnd(clang::Preprocessor& preprocessor, const Token& token) {
    if (token.is(tok::eod)) return true;
    return fail(
        preprocessor, token,
        say::ExpectedEnd(getName(), kind_ == DirectiveKind::Managed ? "(...)" : "", found(preprocessor, token)));
  }

  static std::string found(clang::Preprocessor& preprocessor, const Token& token) {
    if (token.is(tok::eod)) return "the end of the line";
    return "'" + preprocessor.getSpelling(token) + "'";
  }

  static bool fail(clang::Preprocessor& preprocessor, const Token& token, const llvm::Twine& text) {
    reportError(preprocessor.getDiagnostics(), token.getLocation(), text);
    return false;
  }

  const DirectiveKind kind_;
  DirectiveTable& table_;
};

}  // namespace

void addPragmaHandlers(clang::Preprocessor& preprocessor, DirectiveTable& table) {
  for (llvm::StringRef space : {kNamespace, kExtensionNamespace}) {
    preprocessor.AddPragmaHandler(space, new DirectiveHandler("managed", DirectiveKind::Managed, table));
    preprocessor.AddPragmaHandler(space, new DirectiveHandler("alloc_start", DirectiveKind::AllocStart, table));
    preprocessor.AddPragmaHandler(space, new DirectiveHandler("alloc_end", DirectiveKind::AllocEnd, table));
  }
}

}  // namespace muster::plugin
