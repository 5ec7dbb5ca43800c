// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the system that name no memory of the program: those of the OpenMP library, and of what came with drivers.
// The first are made with locks held that native chunks need, the others by threads that a launch waits for: a fetch
// for one of them would wait for ever. And a word that is left over in a register may look like an address of a managed
// array (syscall() is given eight, whatever the call takes).
#pragma once

#include <cstdint>

namespace muster::rt {

// Code in [lo, hi) makes such calls, from now on. Beyond 256 of them it is not noted. Thread-safe.
void noteForeignCode(std::uintptr_t lo, std::uintptr_t hi);
// The library that holds `function` does; nullptr: none.
void noteForeignCaller(const void* function);
// Once no array is mirrored any more. Not while another thread asks.
void forgetForeignCode();
// Whether code at this address does; async-signal-safe.
bool isForeignCaller(const void* code);

}  // namespace muster::rt
