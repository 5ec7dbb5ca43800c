// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables of a loop's native code: what the launch gives it, under the user's names.
#pragma once

#include <string>
#include <vector>

#include "analysis/objects/Objects.h"
#include "rewrite/text/LoopText.h"

namespace muster::plugin {

class NativeVariables {
 public:
  NativeVariables(const Spelling& spelling, const LoopFacts& facts, CodeText& code)
      : spelling_(spelling), dialect_(spelling.dialect()), context_(spelling.context()), facts_(facts), code_(code) {}

  void declare() {
    declareArrays();
    declareCallees();
    declareScalars();
    declareResults();
    declarePrivates();
  }
  // Private objects of C++, which each iteration declares in front of the user's text, not the loop's clause.
  bool isOfIteration(const clang::VarDecl* var) const;
  void declareOfIteration();
  // After the loop.
  void endRowPointers();

  // Shared variables that no iteration changes.
  const std::vector<std::string>& firstprivate() const { return firstprivate_; }
  std::string name(const clang::VarDecl* var) const {
    const ObjectMember* member = facts_.objects->find(var);
    return member ? member->name : var->getNameAsString();
  }

 private:
  void declareArrays();
  void declareCallees();
  void declareCopy(const clang::VarDecl* var, const std::string& address);
  void declarePointer(const ArrayFact& array, const std::string& address);
  void declareVector(const ArrayFact& array, const std::string& address);
  void declareWhole(const clang::VarDecl* var, const std::string& address);
  void declareRows(const ArrayFact& array, const std::string& address);
  void declareRowPointers(const ArrayFact& array, const std::string& address);
  void declareRowVectors(const ArrayFact& array, const std::string& address);
  void declareScalars();
  void declareResults();
  void declarePrivates();

  const Spelling& spelling_;
  const Dialect& dialect_;
  const clang::ASTContext& context_;
  const LoopFacts& facts_;
  CodeText& code_;
  std::vector<std::string> firstprivate_;
};

}  // namespace muster::plugin
