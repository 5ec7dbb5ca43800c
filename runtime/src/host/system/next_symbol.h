// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definition behind ours of a function that libmuster.so interposes, resolved on first use.
#pragma once

#include <dlfcn.h>

#include <atomic>

namespace muster::rt {

// Constant-initialised, so that it works in code that runs before any constructor. Thread-safe: threads that race
// resolve to the same address.
template <class Function>
class NextSymbol {
 public:
  constexpr explicit NextSymbol(const char* name) : name_(name) {}

  // nullptr if it was not resolved yet.
  Function* known() const { return function_.load(std::memory_order_relaxed); }
  // nullptr if no library behind ours defines it.
  Function* get() {
    Function* function = known();
    if (function == nullptr) {
      function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name_));
      function_.store(function, std::memory_order_relaxed);
    }
    return function;
  }

 private:
  const char* name_;
  std::atomic<Function*> function_{nullptr};
};

}  // namespace muster::rt

// That of a function by its name, where ours is declared.
#define MUSTER_NEXT(name)                                                   \
  ([]() -> decltype(name)* {                                                \
    static constinit muster::rt::NextSymbol<decltype(name)> symbol_(#name); \
    return symbol_.get();                                                   \
  }())
