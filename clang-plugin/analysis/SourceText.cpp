// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/SourceText.h"

#include "clang/Lex/Lexer.h"
#include "llvm/Support/raw_ostream.h"

namespace muster::plugin {

std::string sourceText(const clang::ASTContext& context, const clang::Expr* expr) {
  const auto& sources = context.getSourceManager();
  auto range = clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(expr->getSourceRange()), sources,
                                               context.getLangOpts());
  if (range.isValid()) {
    bool invalid = false;
    auto text = clang::Lexer::getSourceText(range, sources, context.getLangOpts(), &invalid);
    if (!invalid && !text.empty() && text.find('\n') == llvm::StringRef::npos) return text.str();
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  expr->printPretty(out, nullptr, context.getPrintingPolicy());
  return text;
}

std::string visibleName(const clang::VarDecl* var) {
  if (var->isStaticLocal() || var->isLocalVarDeclOrParm()) return var->getNameAsString();
  return "::" + var->getQualifiedNameAsString();
}

std::string typeText(const clang::ASTContext& context, clang::QualType type) {
  auto policy = context.getPrintingPolicy();
  policy.SuppressTagKeyword = true;
  return type.getCanonicalType().getAsString(policy);
}

}  // namespace muster::plugin
