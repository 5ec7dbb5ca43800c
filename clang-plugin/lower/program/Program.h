// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program text around one kernel: types, tables, helpers and called functions, printed once and on demand, each
// before what uses it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/code/LinkerNames.h"
#include "analysis/facts/Facts.h"
#include "lower/types/Refusals.h"
#include "lower/types/Spaces.h"

namespace muster::plugin::lower {

// A called function for one combination of address spaces.
struct Function {
  std::string name;
  // Kernel arguments that it uses under their own name (global variables), and vectors whose size it asks for, passed
  // on by every caller.
  std::vector<const clang::VarDecl*> captures, capturedSizes;
  // Variables of the function around a lambda that it names, or that a lambda names which it calls: pointers to them.
  std::vector<const clang::VarDecl*> outer;
  bool ends = false;        // it may end the program
  bool isComplete = false;  // false while its body is being printed: a call then is a recursion
  // Of one that only gives back a value, without any effect; none: it is another one. Calls may have it in their place.
  ir::Expression value = {};
  std::vector<std::string> parameters = {};  // names in `value`, one for each argument
};

// An array whose updates a work-group may collect in local memory (plan/Schedule.h): its names in the text.
struct Privatized {
  std::string buffer, own, count, room;
  const UpdateFact* update = nullptr;  // one of those that it is for; nullptr: the text has none
};

class Program {
  using FunctionKey = std::tuple<const clang::FunctionDecl*, std::vector<Space>, std::string>;

 public:
  // `amongOthers`: it is one of several texts, which may have the same helpers and structs.
  Program(const clang::ASTContext& context, const LoopFacts& facts, bool amongOthers)
      : context(context),
        facts(facts),
        refusals(context),
        types(context, refusals, names, amongOthers),
        amongOthers_(amongOthers) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const clang::ASTContext& context;
  const LoopFacts& facts;
  Names names;
  Refusals refusals;
  Types types;

  std::map<const clang::VarDecl*, Privatized> privatized;

  bool isArray(const clang::VarDecl* var) const;              // an array argument of the kernel
  const ScalarFact* scalar(const clang::VarDecl* var) const;  // a scalar argument (not a vector's size), or nullptr
  bool isFirstprivate(const clang::VarDecl* var) const;
  // The type under which a kernel argument is seen by the code: a pointer to the elements, or a value.
  clang::QualType argumentType(const clang::VarDecl* var) const;

  // An array or struct of constants, as __constant data at program scope. Empty: the variable is not one.
  std::string table(const clang::VarDecl* var);
  // The text of what a constant scalar variable holds, if the compiler knows it.
  std::optional<ir::Expression> foldedVariable(const clang::VarDecl* var);

  // The helper called `name`; `text` is its definition.
  const std::string& helper(const std::string& name, const std::string& text);
  // nullptr: refused. `spaces`: `this` first, then one for each parameter; `bindings`: those that are no arguments.
  const Function* function(const clang::FunctionDecl* callee, const std::vector<Space>& spaces,
                           const ObjectBindings& bindings, const clang::Expr* at);
  // The name of such a function for a call, in front of which its text has to be.
  const std::string& called(const Function& function);
  bool hasFunctions() const { return !functionText_.empty(); }
  bool hasTypesOrTables() const { return !types.definitions().empty() || !tableText_.empty(); }
  // The outside objects that a function gets, which are no arguments of its text.
  ObjectBindings bindingsOf(const CallShape& call, const ObjectBindings& caller) const;
  // What a function that returns a pointer or reference points into.
  Space returnedSpace(const clang::FunctionDecl* callee, const std::vector<Space>& spaces,
                      const ObjectBindings& bindings);

  // The call operator of a lambda that captured nothing or is made in the loop, and the type of the latter. Its object
  // is not passed on: what it captured is named where it is.
  bool isLambda(const clang::FunctionDecl* function) const;
  bool isClosure(clang::QualType type) const { return facts.objects->ownLambda(type) != nullptr; }
  // A lambda is made in a function whose pointers have these spaces; from here on its calls mean this one.
  void enterLambda(const clang::LambdaExpr* lambda, const Spaces& spaces);
  // Of the pointers around the lambdas.
  const std::map<const clang::VarDecl*, Space>& outerSpaces() const { return outerSpaces_; }

  // All of it, `last` at its end. Helpers are there once, also where such texts stand behind each other.
  std::string text(const std::string& last) const;

 private:
  FunctionKey keyOf(const clang::FunctionDecl* definition, const std::vector<Space>& spaces,
                    const ObjectBindings& bindings) const;

  const bool amongOthers_;
  std::map<const clang::VarDecl*, std::string> tables_;
  std::map<std::string, std::string> helpers_;
  std::map<FunctionKey, Function> functions_;
  std::map<const Function*, std::string> uncalled_;  // texts that nothing has needed yet
  std::map<FunctionKey, Space> returned_;
  std::map<const clang::CXXRecordDecl*, unsigned> lambdas_;  // a number for each time that one was made
  std::map<const clang::VarDecl*, Space> outerSpaces_;
  std::string tableText_, functionText_;
};

// What kernels of other units call a function, where its arguments point into these spaces.
std::string deviceName(llvm::StringRef linkerName, const std::vector<Space>& spaces);

}  // namespace muster::plugin::lower
