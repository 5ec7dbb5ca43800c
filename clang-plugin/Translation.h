// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One translation unit on its way from the user's text to the rewritten one. Where that does not compile, the stages
// run again without the construct that the rewriter misjudged: it costs the speed of one loop and never a build.
#pragma once

#include <map>
#include <optional>

#include "FunctionTable.h"
#include "Stages.h"
#include "UserSources.h"

namespace muster::plugin {

class Translation {
 public:
  Translation(clang::CompilerInstance& outer, clang::FrontendInputFile input, const Options& options);

  const UserSources& user() const { return user_; }
  NestedCompile& nested() { return nested_; }

  HeaderPlace headerPlace() const;

  // Runs the stages over the user's text, in which macros and conditionals are expanded where that has to be.
  // The result: what clang itself said about the text.
  NestedOutcome run();
  // The text that came of the last run; none: the user's text has errors, or nothing of it can be rewritten.
  const std::optional<SourceTexts>& rewritten() const { return rewritten_; }
  // The user's own, in which clang finds nothing of ours. `asksForSession`: main is still run once.
  SourceTexts plain(bool asksForSession) const;

  // Compiles a text. True: it has no error. `isLast`: its errors are the user's.
  using Compile = std::function<bool(const SourceTexts& texts, bool isLast, TextError& error)>;
  // To be called if the text that came of the last run has an error. Runs the stages without the constructs whose text
  // does not compile until `compile` accepts what comes of it, in the end the user's own text. False: it does not.
  bool settle(TextError error, const Compile& compile);
  // Whether the text of the last run compiles, found out by a parse.
  bool check(const SourceTexts& texts, TextError& error);

  // Of the last run.
  UnitFunctions functions() const { return functions_; }

  // Says what the stages reported in the last run, and what was left out.
  void report();

 private:
  struct Found {
    clang::SourceLocation loc;  // in the outer compile
    bool isArray = false;
    std::string problem;  // why it is left out
  };

  NestedOutcome parse(bool mayExpand);
  NestedOutcome parseExpanded(NestedOutcome first);
  void runStages(clang::CompilerInstance& instance, DirectiveTable& table);
  void bind(clang::ASTContext& context, DirectiveTable& table) const;
  void leaveModuleDirectives(clang::CompilerInstance& instance, const DirectiveTable& table);
  void rewrite(clang::ASTContext& context, const DirectiveTable& table, const TranslationUnitPlan& plan);
  std::optional<TextPlace> culpritOf(const TextError& error);
  std::optional<TextPlace> searchCulprit();
  std::vector<TextPlace> constructsLeft(bool arraysToo) const;
  // Runs the stages once more. False: no text came of it, or one that does not compile.
  bool retry(TextError& error, const Compile& compile);
  void leaveOut(const TextPlace& place, const std::string& problem);

  clang::CompilerInstance& outer_;
  Options options_;
  const UserSources written_;
  UserSources user_;  // with macros and conditionals expanded
  std::vector<ExpandedFile> expanded_;
  NestedCompile nested_;
  // Of the last run:
  std::vector<Report> reports_;
  std::optional<SourceTexts> rewritten_;
  const UnitFunctions functions_ = std::make_shared<std::vector<UnitFunction>>();
  std::map<TextPlace, Found> constructs_;
  std::vector<std::pair<TextPlace, EditedTexts::Placed>> placed_;  // where the constructs are in the rewritten text
  TextError conflict_;                                             // why there is no text
  std::optional<TextPlace> conflicting_;
  // Of all runs: constructs that are left out.
  std::map<TextPlace, Found> leftOut_;
  std::string fileProblem_;  // why the file stays plain
};

}  // namespace muster::plugin
