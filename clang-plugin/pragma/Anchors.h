// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a directive stands before.
#pragma once

#include <optional>

#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"
#include "pragma/Collector.h"
#include "pragma/Directives.h"

namespace muster::plugin {

class Anchors {
 public:
  // `collected` is filled before it is asked for.
  Anchors(const clang::ASTContext& context, const Collector& collected)
      : context_(context), sources_(context.getSourceManager()), collected_(collected) {}

  // All declarations at the first place behind the directive that can have one, if nothing else stands before it.
  std::optional<Anchor> following(const Directive& directive) const;
  // With the declarations behind it, as long as each of them declares something that the directive names.
  Anchor withNext(const Anchor& first, const Directive& directive) const;
  // Where comments or preprocessor lines stand between, what the directive stands before is easily overlooked.
  clang::SourceLocation next(const Directive& directive) const;

 private:
  bool onlyAttributesBetween(clang::SourceLocation from, unsigned toOffset) const;
  clang::Lexer lexerAt(clang::SourceLocation from) const;

  const clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  const Collector& collected_;
};

}  // namespace muster::plugin
