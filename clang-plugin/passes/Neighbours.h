// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that are apart by numbers and launch constants alone are named from the first of them, so that a work-item
// computes one address. Indexes of 32 bits hide from compilers that the others follow from it.
//
//   s = a[(z * n + y) * n + x] +                    const double *p = &a[(z * n + y) * n + x];
//       a[((z + 1) * n + y) * n + x - 1];           s = p[0] + p[(long)n * n - 1];
#pragma once

#include "ir/Statement.h"
#include "passes/Elements.h"

namespace muster::plugin::passes {

// `mayWiden`: launch constants whose products and sums have the same value in 64 bits, as those of `int` have in an
// index. The memory's variables are those of the code.
ir::Statements namedFromFirst(const ir::Statements& code, const Memory& memory, const IsInteger& mayWiden);

}  // namespace muster::plugin::passes
