// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds main in the raw tokens of a file that holds nothing else for Muster, so that such a file needs no further
// parse: headers make a parse the larger part of most compiles.
#pragma once

#include <optional>
#include <string>

#include "clang/Basic/LangOptions.h"
#include "llvm/ADT/StringRef.h"

namespace muster::plugin {

struct MainFunction {
  unsigned bodyOffset = 0;  // behind the '{'
  std::string arguments;    // "(argc, argv)", or empty where they are missing or constant
};

// nullopt unless main's definition is spelled out at file scope, outside of #if, and nowhere else mentioned.
std::optional<MainFunction> findMain(llvm::StringRef text, const clang::LangOptions& options);

}  // namespace muster::plugin
