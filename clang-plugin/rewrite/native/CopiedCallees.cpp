// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/native/CopiedCallees.h"

#include "analysis/code/Functions.h"
#include "clang/AST/PrettyPrinter.h"
#include "llvm/ADT/StringExtras.h"

namespace muster::plugin {

using namespace clang;

namespace {

// What copies call an array, whatever names they declare themselves.
std::string argumentName(const VarDecl* array) { return "muster_array_of_" + array->getNameAsString(); }

QualType pointerTo(const Spelling& spelling, const VarDecl* array) {
  const QualType type = array->getType();
  if (!type->isArrayType()) return type.getUnqualifiedType();
  const ASTContext& context = spelling.context();
  return context.getPointerType(context.getAsArrayType(type)->getElementType());
}

// All copies get the arrays of all, so that calls of overloaded functions are alike.
std::vector<const VarDecl*> arraysOf(const LoopFacts& facts) {
  std::vector<const VarDecl*> arrays;
  for (const CalleeCopy& copy : facts.copies)
    for (const VarDecl* array : copy.arrays)
      if (!llvm::is_contained(arrays, array)) arrays.push_back(array);
  return arrays;
}

std::string headOf(const Spelling& spelling, const LoopFacts& facts, const CalleeCopy& copy, const std::string& owner) {
  std::vector<std::string> parameters;
  for (const VarDecl* array : arraysOf(facts))
    parameters.push_back(spelling.declare(pointerTo(spelling, array), argumentName(array)));
  for (const ParmVarDecl* parameter : copy.function->parameters())
    parameters.push_back(spelling.declare(parameter->getType(), parameter->getNameAsString()));
  return "static " + spelling.declare(copy.function->getReturnType(),
                                      copyName(spelling, copy, owner) + "(" + llvm::join(parameters, ", ") + ")");
}

// In the printed text, calls of functions that are copied are calls of the copies. (What a printer's helper does
// instead does not reach initialisers.)
void redirectCalls(const Spelling& spelling, const LoopFacts& facts, const std::string& owner, CodeText& code) {
  for (const CalleeCopy& copy : facts.copies) {
    const std::string name = copy.function->getNameAsString();
    const bool hasMore = copy.function->getNumParams() > 0;
    code.raw("#pragma push_macro(\"" + name + "\")\n#undef " + name + "\n#define " + name +
             (hasMore ? "(...) " : "() ") + copyName(spelling, copy, owner) + "(" + copyArguments(facts, !hasMore) +
             (hasMore ? "__VA_ARGS__)" : ")"));
  }
}

void endRedirections(const LoopFacts& facts, CodeText& code) {
  for (auto copy = facts.copies.rbegin(); copy != facts.copies.rend(); ++copy)
    code.raw("#pragma pop_macro(\"" + copy->function->getNameAsString() + "\")");
}

}  // namespace

std::string copyName(const Spelling& spelling, const CalleeCopy& copy, const std::string& owner) {
  return spelling.dialect().functionName(owner, "copy_of_" + copy.function->getNameAsString());
}

std::string copyArguments(const LoopFacts& facts, bool isAll) {
  std::vector<std::string> names;
  for (const VarDecl* array : arraysOf(facts)) names.push_back(argumentName(array));
  return llvm::join(names, ", ") + (isAll ? "" : ", ");
}

// From the syntax tree, so that macros mean what they meant where the function stands.
void writeCalleeCopies(const Spelling& spelling, const LoopFacts& facts, const std::string& owner, CodeText& code) {
  if (facts.copies.empty()) return;
  if (spelling.dialect().isC())
    for (const CalleeCopy& copy : facts.copies) code.line(headOf(spelling, facts, copy, owner) + ";");
  redirectCalls(spelling, facts, owner, code);
  for (const CalleeCopy& copy : facts.copies) {
    std::string text;
    llvm::raw_string_ostream out(text);
    copy.function->getBody()->printPretty(out, nullptr, spelling.context().getPrintingPolicy());
    code.open(headOf(spelling, facts, copy, owner) + " {");
    for (const VarDecl* array : copy.arrays)
      if (mentions(copy.function->getBody(), {array}))
        code.line(spelling.declare(pointerTo(spelling, array), array->getNameAsString()) + " = " + argumentName(array) +
                  ";");
    code.raw(text);
    code.close();
  }
  endRedirections(facts, code);
}

std::vector<std::string> declareCalleeArrays(const Spelling& spelling, const LoopFacts& facts, CodeText& code) {
  std::vector<std::string> names;
  for (const VarDecl* array : arraysOf(facts)) {
    names.push_back(argumentName(array));
    code.line(spelling.declare(pointerTo(spelling, array), names.back()) + " = " + array->getNameAsString() + ";");
  }
  return names;
}

}  // namespace muster::plugin
