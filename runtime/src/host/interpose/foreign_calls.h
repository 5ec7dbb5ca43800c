// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the system that name no memory of the program: those of the OpenMP library. It makes them while it holds
// locks that native chunks need, so that a fetch for one of them would wait for ever; and a word that is left over in a
// register may look like an address of a managed array (syscall() is given eight, whatever the call takes).
#pragma once

namespace muster::rt {

// The library that holds `function` makes such calls; nullptr: none does. Not while another thread asks.
void noteForeignCaller(const void* function);
// Whether code at this address does; async-signal-safe.
bool isForeignCaller(const void* code);

}  // namespace muster::rt
