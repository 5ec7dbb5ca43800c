// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in a kernel's program: close to the user's, all different, none that OpenCL C or CUDA C++ claims.
#pragma once

#include <set>
#include <string>

#include "llvm/ADT/StringRef.h"

namespace muster::plugin::lower {

class Names {
 public:
  // A name that nothing else in the program has.
  std::string unique(llvm::StringRef wanted);
  // The same outside of functions, where CUDA has functions that variables of a function may hide.
  std::string uniqueOutside(llvm::StringRef wanted);
  // The name that each text of several has for what is alike in them: `what` says all of it.
  static std::string common(llvm::StringRef wanted, llvm::StringRef what);
  // A name for a place where clashes with other names do not matter (a field).
  static std::string legal(llvm::StringRef wanted);
  // Keeps a name that is fixed from being given to anything else.
  void reserve(llvm::StringRef name) { used_.insert(name.str()); }
  // What all names from now on end with.
  void setEnding(std::string ending) { ending_ = std::move(ending); }

 private:
  std::string numbered(const std::string& base);

  std::string ending_;
  std::set<std::string> used_;
};

}  // namespace muster::plugin::lower
