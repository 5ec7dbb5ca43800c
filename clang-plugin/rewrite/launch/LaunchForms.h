// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The affine forms of a launch: the bounds of inner variables, the accesses, and what has to fit its type.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/facts/Affine.h"
#include "rewrite/launch/LaunchText.h"

namespace muster::plugin {

class LaunchForms {
 public:
  LaunchForms(const Spelling& spelling, const KernelPlan& kernel, CodeText& code)
      : dialect_(spelling.dialect()), kernel_(kernel), facts_(*kernel.facts), code_(code) {}

  // Up to the forms. Where there are tables of rows (hasRows), in a block that is entered if they are evenly spaced.
  void write() {
    useSymbols();
    declareSymbols(/*ofRows=*/false);
    if (hasRows()) findRows();
    declareSymbols(/*ofRows=*/true);
    writeForms();
  }
  bool hasForms() const { return !facts_.inner.empty() || !facts_.accesses.empty(); }
  bool hasRows() const {
    return llvm::any_of(facts_.arrays, [](const ArrayFact& array) { return array.isTable(); });
  }

  // "g && g->table": what has to be there before the launch may read the variable; empty if nothing does.
  std::string pointersTo(const clang::VarDecl* var) const;
  static std::string ifThere(const std::string& pointers, const std::string& value, const std::string& other) {
    return pointers.empty() ? value : "(" + pointers + " ? " + value + " : " + other + ")";
  }

 private:
  std::string pointersTo(const Symbol& symbol) const;
  void addPointers(const clang::Stmt* part, std::vector<std::string>& pointers) const;
  void useSymbols();
  void declareSymbols(bool ofRows);
  void findRows();
  std::string findRows(unsigned array) const;
  std::string declareSpans(unsigned array) const;
  std::string spanOf(const std::string& span, unsigned first, unsigned count) const;
  void writeForms();
  static AffineExpr formOf(const AccessFact& access);
  std::string conditionsOf(const AccessFact& access) const;
  void appendInner();
  void appendForm(const AffineExpr* form, const std::string& comment);
  std::string number(const Polynomial& polynomial) const;

  const Dialect& dialect_;
  const KernelPlan& kernel_;
  const LoopFacts& facts_;
  CodeText& code_;
  std::set<unsigned> symbols_;  // that forms use
};

}  // namespace muster::plugin
