// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text that an outlined loop becomes. Names that it introduces start with muster_; the user's names keep
// their meaning inside the body.
#pragma once

#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "plan/Plan.h"
#include "rewrite/text/Dialect.h"
#include "rewrite/text/LineMarkers.h"

namespace muster::plugin {

// Lines of code, indented by the braces around them. For debuggers and the optimiser's remarks they all are at one line
// of the user's, `userLine`.
class CodeText {
 public:
  explicit CodeText(unsigned userLine) : userLine_(userLine) {}

  void line(const std::string& text) {
    markLine();
    text_ += std::string(2 * depth_, ' ') + text + "\n";
  }
  // In front of raw text that is ours.
  void markLine() {
    if (!text_.empty()) text_ += ownLineMarker(userLine_);
  }
  // A line that opens, or closes, a pair of braces.
  void open(const std::string& text) {
    line(text);
    ++depth_;
  }
  void close(const std::string& text = "}") {
    --depth_;
    line(text);
  }
  // A preprocessor line, or text that is not to be touched.
  void raw(const std::string& text) { text_ += text + "\n"; }
  const std::string& text() const { return text_; }

  // Macros of the user's that have the names of members which the text uses: they are undefined in text that is ours,
  // and defined in text that holds the user's own. It starts as the user's.
  void setMacros(std::vector<std::string> names) { macros_ = std::move(names); }
  void beginOurs() {
    if (ours_) return;
    ours_ = true;
    for (const std::string& name : macros_) raw("#pragma push_macro(\"" + name + "\")\n#undef " + name);
  }
  void beginTheirs() {
    if (!ours_) return;
    ours_ = false;
    for (const std::string& name : macros_) raw("#pragma pop_macro(\"" + name + "\")");
  }

 private:
  std::string text_;
  const unsigned userLine_;
  unsigned depth_ = 0;
  std::vector<std::string> macros_;
  bool ours_ = false;
};

// Declarators and literals in the source language.
class Spelling {
 public:
  // `inTemplate`: the text is part of a template, where the user's variables have types that depend on its parameters.
  explicit Spelling(const clang::ASTContext& context, bool inTemplate = false)
      : context_(context), dialect_(context.getLangOpts()), inTemplate_(inTemplate) {}

  // "const double *u", "double (&a)[4][8]": a declaration of `name`.
  std::string declare(clang::QualType type, const std::string& name) const;
  std::string type(clang::QualType type) const { return declare(type, ""); }
  // The type of a scalar variable, as text that is right in its scope.
  std::string scalarType(const clang::VarDecl* var) const;
  // The type of a variable without reference, const or volatile, as text that is right in its scope.
  std::string valueType(const clang::VarDecl* var) const;
  // MUSTER_TYPE_F64.
  std::string typeCode(clang::QualType type) const;
  std::string literal(const std::string& text) const;  // "..." with escapes
  // The initialiser of a constant or of an array of constants, whose values the compiler knows and which are finite.
  std::string constant(const clang::VarDecl* var) const;

  const clang::ASTContext& context() const { return context_; }
  const Dialect& dialect() const { return dialect_; }
  bool inTemplate() const { return inTemplate_; }

 private:
  std::string initialiser(const clang::APValue& value, clang::QualType type, const std::string& typeName) const;

  const clang::ASTContext& context_;
  const Dialect dialect_;
  const bool inTemplate_;
};

// The native code and the functions that combine results: static members of the local struct `owner`, in C functions of
// the file that are named after it. Their names start with muster_ too, since they hide functions of the user's in the
// body.
void writeNativeFunctions(const Spelling& spelling, const KernelPlan& kernel, const std::string& owner, CodeText& code);

// What is appended to names of static objects in a function that several translation units may define: units that
// found out different things about a loop must not share its descriptors. Empty for other functions.
std::string mergeTag(const KernelPlan& kernel);

// Descriptors and the call of muster_launch_loop; `owner` as above. `launched`: the variable to be set once that is
// done, empty where it always is. A loop over tables of rows is not launched where the rows are not evenly spaced.
void writeLaunch(const Spelling& spelling, const KernelPlan& kernel, const std::string& owner,
                 const std::string& launched, CodeText& code);

// What a reduction starts with, as a value that converts to `type`, which the text calls `typeName`.
std::string identityOf(const Spelling& spelling, unsigned kind, clang::QualType type, const std::string& typeName);
// The statement that combines muster_b, of `type`, into *muster_a.
std::string combination(const Spelling& spelling, unsigned kind, const std::string& type);
// The function that combines partial results; `name`: what native code calls the variable.
void writeCombine(const Spelling& spelling, const std::string& owner, const std::string& name, const ResultFact& result,
                  CodeText& code);
// Records of a loop (RecordFact): their types and the functions that combine them, variables of these types in native
// code and at the launch, the end of a choice's block in native code, and what the launch does with the winners.
std::string recordName(unsigned number);
std::string recordType(const Dialect& dialect, const std::string& owner, unsigned number);
void writeRecordTypes(const Spelling& spelling, const LoopFacts& facts, const std::string& owner, CodeText& code);
void declareRecords(const Spelling& spelling, const LoopFacts& facts, const std::string& owner, bool atLaunch,
                    CodeText& code);
std::string recordChoice(const LoopFacts& facts, unsigned number);
void storeRecords(const LoopFacts& facts, CodeText& code);
// A type that native code declares, at the launch site.
std::string outsideOwner(const Spelling& spelling, const std::string& owner, const std::string& type);
// The same for reductions by operators of the user's.
std::string boxType(const Dialect& dialect, const std::string& owner, const std::string& name);
std::string boxOf(const ResultFact& result);
void writeBoxes(const Spelling& spelling, const LoopFacts& facts, const std::string& owner, CodeText& code);
// The name of the reduction of a struct by its members.
std::string memberOperator(const ResultFact& result);
void declareBoxes(const Spelling& spelling, const LoopFacts& facts, const std::string& owner, bool atLaunch,
                  CodeText& code);
// The result of a loop that may end the program, or report something: its descriptor, what it is at the launch, and
// what becomes of it there.
std::string endParameter();
std::string declareEnd(const LoopFacts& facts, CodeText& code);
void endProgram(const Spelling& spelling, const LoopFacts& facts, CodeText& code);
// In native code, what stands in front of and behind the code of such a call in the body's text, and behind the body.
std::string beginEnd(const LoopFacts& facts, const clang::CallExpr* call);
std::string endOfEnd();
void writeLeft(const LoopFacts& facts, CodeText& code);
// How far the variable of a `linear` clause is from its start where the loop's variable is `number`, of 64 bits.
std::string distanceText(const Dialect& dialect, const LinearFact& linear, const std::string& number);
// "+", "min": a reduction's operator in a clause.
const char* reductionOperator(unsigned kind);

// Lines before and after the launch for reductions that no clause names, empty for others. A flag's reduction has a
// variable of its own at the launch site; a maximum that was below all numbers stays what it was if nothing is above
// it.
std::string beforeLaunch(const Spelling& spelling, const LoopFacts& facts, const ResultFact& result);
std::string afterLaunch(const Spelling& spelling, const LoopFacts& facts, const ResultFact& result);
// The variable of a flag there.
std::string flagName(const LoopFacts& facts, const ResultFact& flag);

}  // namespace muster::plugin
