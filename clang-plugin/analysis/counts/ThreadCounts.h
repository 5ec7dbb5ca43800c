// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that counts the threads of a team: what each of them adds up outside of worksharing loops depends on how many
// there are, as in `omp atomic count++`. One thread must not run it in their place.
#pragma once

#include <memory>

#include "analysis/counts/SharedUses.h"

namespace muster::plugin {

struct CountingFunction;

class ThreadCounts {
 public:
  explicit ThreadCounts(const clang::ASTContext& ast);
  ~ThreadCounts();
  // Of a region, with the functions of this unit that it calls.
  std::optional<Refusal> of(const clang::OMPExecutableDirective* region);
  // Of a function that regions of other units may call.
  std::optional<Refusal> of(const clang::FunctionDecl* definition);
  // Whether that may count threads which call it one after the other.
  bool updates(const clang::FunctionDecl* definition);

 private:
  friend class EffectReader;
  const CountingFunction* read(const clang::FunctionDecl* definition);
  // What it does otherwise if another thread has called it before, in its turn.
  const CountingFunction* readTurn(const clang::FunctionDecl* definition);

  const clang::ASTContext& ast_;
  NeutralFunctions functions_;
  FunctionUses uses_;
  std::map<const clang::FunctionDecl*, std::unique_ptr<CountingFunction>> read_, turns_;
};

}  // namespace muster::plugin
