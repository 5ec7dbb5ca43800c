// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What forms are worth, and loops that the analysis has read.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "analysis/facts/Facts.h"
#include "clang/Frontend/ASTUnit.h"

namespace muster::plugin {

using Values = std::vector<std::int64_t>;

// Variables and symbols have these values.
std::int64_t valueOf(const Polynomial& polynomial, const Values& symbols);
std::int64_t valueOf(const AffineExpr& form, const Values& variables, const Values& symbols);

struct AnalysedFile {
  std::unique_ptr<clang::ASTUnit> unit;
  FileFacts facts;
};

// `code` includes nothing.
AnalysedFile analyse(const std::string& code);

}  // namespace muster::plugin
