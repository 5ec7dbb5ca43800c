// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that a person writes by hand against the runtime in C++.
#ifndef MUSTER_MUSTER_HPP
#define MUSTER_MUSTER_HPP

#include "muster/core.hpp"
#include "muster/vectors.hpp"

#endif  // MUSTER_MUSTER_HPP
