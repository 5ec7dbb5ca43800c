// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files share that define functions of the C and C++ libraries under their own names. libmuster.so comes
// before those libraries in the search order, so a program's calls reach ours first.
#pragma once

#include <cstddef>

#include "host/arrays/managed_memory.h"
#include "host/system/next_symbol.h"

// AddressSanitizer has to see every allocation and release itself: a runtime built with it defines none of them, and
// in a program built with it the sanitizer's definitions come first. muster_free() covers managed pointers then.
#if defined(__SANITIZE_ADDRESS__)
#define MUSTER_INTERPOSE_ALLOCATION 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MUSTER_INTERPOSE_ALLOCATION 0
#endif
#endif
#ifndef MUSTER_INTERPOSE_ALLOCATION
#define MUSTER_INTERPOSE_ALLOCATION 1
#endif
