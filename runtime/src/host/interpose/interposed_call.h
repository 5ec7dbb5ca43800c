// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of the C library that is defined again under its name, with something done before it. All have one form,
// eight machine words in and one out, whatever the function's parameters are: words that it does not have are ignored
// by what comes behind. So no header that declares such a function belongs where CALL is used.
#pragma once

#include <atomic>
#include <cerrno>

#include "host/arrays/managed_memory.h"
#include "host/interpose/call_arguments.h"
#include "host/interpose/foreign_calls.h"
#include "host/system/next_symbol.h"
#include "host/system/runtime_section.h"

namespace muster::rt {

using Call = long(long, long, long, long, long, long, long, long);

class InterposedCall {
 public:
  constexpr InterposedCall(const char* name, PrepareCall prepare) : next_(name), prepare_(prepare) {}

  // What to call now, for code at `caller`. errno is the caller's.
  Call* next(CallArguments arguments, const void* caller) {
    const bool prepares = managedAddresses.mirrored.load(std::memory_order_acquire) > 0 && isOfProgram(caller);
    Call* const known = next_.known();
    if (!prepares && known != nullptr) return known;
    const int before = errno;
    if (prepares) prepare_(arguments);
    Call* const found = next_.get();
    errno = before;
    return found != nullptr ? found : missing;
  }

 private:
  // The runtime, and what it calls, names no memory that it would have to wait for; a word that is left over in a
  // register may look so.
  static bool isOfProgram(const void* caller) {
    return threadState.runtimeSections == 0 && !threadState.isFaultService && !isForeignCaller(caller);
  }
  static long missing(long, long, long, long, long, long, long, long) {
    errno = ENOSYS;
    return -1;
  }
  NextSymbol<Call> next_;
  PrepareCall prepare_;
};

}  // namespace muster::rt

#define CALL(name, ...)                                                                                              \
  static constinit muster::rt::InterposedCall call_##name{#name, __VA_ARGS__};                                       \
  extern "C" __attribute__((visibility("default"))) long musterCall_##name(long, long, long, long, long, long, long, \
                                                                           long) __asm__(#name);                     \
  long musterCall_##name(long a, long b, long c, long d, long e, long f, long g, long h) {                           \
    const long arguments[] = {a, b, c, d, e, f, g, h};                                                               \
    return call_##name.next(arguments, __builtin_return_address(0))(a, b, c, d, e, f, g, h);                         \
  }                                                                                                                  \
  static_assert(true)
