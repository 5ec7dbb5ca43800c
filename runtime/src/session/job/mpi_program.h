// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the program is an MPI program of its own.
#pragma once

namespace muster::rt {

// The executable, or a library that it needs, refers to a function that begins MPI (MPI_Init and the like, also
// Fortran's). Libraries of MPI itself, which define these functions, do not count. For the time before main().
[[nodiscard]] bool callsMpi();

}  // namespace muster::rt
