// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/CopyNames.h"

#include <set>

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace muster::plugin::passes {

using namespace ir;

static void namesIn(const Statements& statements, std::set<std::string>& all) {
  forEach(statements, [&](const Expression& part) { all.insert(part.text()); });
  for (const Statement& statement : statements) {
    all.insert(statement.name);
    for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise}) namesIn(*inside, all);
  }
}

std::string separatorFor(const Statements& code) {
  std::set<std::string> all;
  namesIn(code, all);
  std::string separator = "__";
  const auto isIn = [&](const std::string& name) {
    for (std::size_t at = name.find(separator); at != std::string::npos; at = name.find(separator, at + 1))
      if (const std::size_t end = at + separator.size(); end < name.size() && llvm::isDigit(name[end])) return true;
    return false;
  };
  while (llvm::any_of(all, isIn)) separator += "l_";
  return separator;
}

Statement renamedDefinition(const Statement& definition, const std::string& name) {
  std::string text = definition.text;
  const std::string& old = definition.name;
  const auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + 1)) {
    const std::size_t end = at + old.size();
    if ((at > 0 && isPart(text[at - 1])) || (end < text.size() && isPart(text[end]))) continue;
    text.replace(at, old.size(), name);
    break;
  }
  return define(text, definition.value, name);
}

Statements renamed(const Statements& code, llvm::function_ref<std::string(const std::string&)> nameOf,
                   llvm::function_ref<Expression(const Expression&)> valueOf) {
  Statements copies = code;
  for (Statement& copy : copies) {
    if (copy.kind == StatementKind::Define) copy = renamedDefinition(copy, nameOf(copy.name));
    if (copy.value) copy.value = valueOf(copy.value);
    if (copy.next) copy.next = valueOf(copy.next);
    for (Statements* inside : {&copy.first, &copy.body, &copy.otherwise}) *inside = renamed(*inside, nameOf, valueOf);
  }
  return copies;
}

}  // namespace muster::plugin::passes
