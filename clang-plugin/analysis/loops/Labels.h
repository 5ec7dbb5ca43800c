// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Labels and the `goto` statements that lead to them, in one body.
#pragma once

#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"

namespace muster::plugin {

struct Labels {
  // The block that a label is a statement of; none where nothing jumps to it.
  llvm::DenseMap<const clang::LabelDecl*, const clang::CompoundStmt*> blocks;
  // A `goto` into a block around which it is not, so that its declarations, or the start of its loop, are passed over.
  const clang::GotoStmt* inwards = nullptr;
  // All statements of the body behind this label come after what the `goto` statements pass over: it is the only one,
  // and none leads back to it.
  const clang::LabelDecl* landing = nullptr;
};

// Of the code of a loop's body or of a function, apart from the lambdas in it.
Labels labelsOf(const clang::Stmt* body);

}  // namespace muster::plugin
