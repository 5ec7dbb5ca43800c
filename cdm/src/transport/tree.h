// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree that commands go down: rank 0 is the root, every rank forwards to at most four others. Header only, for
// the MPI module.
#pragma once

#include <algorithm>

namespace muster::cdm {

inline constexpr int treeArity = 4;

inline int treeParent(int rank) { return (rank - 1) / treeArity; }
// The children are the ranks [first, last).
inline int firstTreeChild(int rank, int size) { return std::min(size, treeArity * rank + 1); }
inline int lastTreeChild(int rank, int size) { return std::min(size, treeArity * rank + 1 + treeArity); }

}  // namespace muster::cdm
