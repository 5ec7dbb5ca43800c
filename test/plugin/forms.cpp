// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "forms.h"

#include "analysis/AnalyseLoops.h"
#include "clang/Tooling/Tooling.h"

namespace muster::plugin {

std::int64_t valueOf(const Polynomial& polynomial, const Values& symbols) {
  std::int64_t sum = 0;
  for (const auto& [monomial, coefficient] : polynomial) {
    std::int64_t product = coefficient;
    for (const unsigned symbol : monomial) product *= symbols.at(symbol);
    sum += product;
  }
  return sum;
}

std::int64_t valueOf(const AffineExpr& form, const Values& variables, const Values& symbols) {
  std::int64_t sum = valueOf(form.constant, symbols);
  for (const auto& [variable, factor] : form.factors) sum += variables.at(variable) * valueOf(factor, symbols);
  return sum;
}

AnalysedFile analyse(const std::string& code) {
  AnalysedFile file;
  file.unit = clang::tooling::buildASTFromCodeWithArgs(code, {"-fopenmp", "-w"}, "loops.cpp");
  EXPECT_FALSE(file.unit->getDiagnostics().hasErrorOccurred()) << code;
  file.facts = analyseLoops(file.unit->getASTContext(), {});
  return file;
}

}  // namespace muster::plugin
