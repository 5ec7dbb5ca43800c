// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers that a program gives to streams. The C library hands them to the system from within itself, where nothing of
// ours sees it. They need not be used (C11, 7.21.5.6), so a stream gets one of the C library's in place of a managed
// array.
#include <cstdio>

#include "host/arrays/managed_memory.h"
#include "host/system/next_symbol.h"

namespace {

char* unlessManaged(char* buffer) { return muster::rt::managedAddresses.extentOf(buffer) ? nullptr : buffer; }

int bufferMode(const char* given) { return given == nullptr ? _IONBF : _IOFBF; }

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

int setvbuf(FILE* stream, char* buffer, int mode, std::size_t bytes) noexcept {
  return MUSTER_NEXT(setvbuf)(stream, unlessManaged(buffer), mode, bytes);
}

void setbuf(FILE* stream, char* buffer) noexcept { (void)setvbuf(stream, buffer, bufferMode(buffer), BUFSIZ); }

void setbuffer(FILE* stream, char* buffer, std::size_t bytes) noexcept {
  (void)setvbuf(stream, buffer, bufferMode(buffer), bytes);
}

#pragma GCC visibility pop

}  // extern "C"
