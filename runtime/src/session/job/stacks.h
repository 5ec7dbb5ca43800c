// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks where the process may have small ones only (`ulimit -s`): compilers inside of drivers, and MPI, need more than
// some 100 KiB in the threads that call them, the program's own among them.
#pragma once

namespace muster::rt {

// Runs `main` on a stack of its own if that of the process is small; threads made from now on get larger ones then.
int runOnLargeStack(int (*main)(int, char**, char**), int argc, char** argv, char** environment);

}  // namespace muster::rt
