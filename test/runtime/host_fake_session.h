// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fake device behind a C interface, for test programs that see libmuster's exported functions only.
#pragma once

#include <cstddef>

#pragma GCC visibility push(default)
extern "C" {
void fakeSessionBegin();
void fakeSessionEnd();
void fakeMoveToDevice(const void* pointer);
std::size_t fakeFaults();
std::size_t fakeHostAccesses();
// As of the OpenMP library: calls from the object that holds `function`; nullptr: none.
void fakeForeignCaller(const void* function);
// As while the calling thread works for the runtime.
void fakeRuntimeSection(bool inside);
}
#pragma GCC visibility pop
