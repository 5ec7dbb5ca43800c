// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "IncludeFolder.h"

#include <dlfcn.h>

#include "clang/Lex/HeaderSearch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace muster::plugin {

std::string includeFolder() {
  Dl_info library;
  if (!dladdr(reinterpret_cast<const void*>(&includeFolder), &library) || !library.dli_fname) return "";
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(library.dli_fname, real)) return "";
  // lib/ or lib/<architecture>/
  llvm::StringRef folder = llvm::sys::path::parent_path(real);
  for (int up = 0; up < 2; ++up) {
    folder = llvm::sys::path::parent_path(folder);
    const std::string candidate = (folder + "/include").str();
    if (llvm::sys::fs::exists(candidate + "/muster/muster.hpp")) return candidate;
  }
  return "";
}

void addIncludeFolder(clang::Preprocessor& preprocessor) {
  if (const auto entry = preprocessor.getFileManager().getOptionalDirectoryRef(includeFolder()))
    preprocessor.getHeaderSearchInfo().AddSystemSearchPath(
        clang::DirectoryLookup(*entry, clang::SrcMgr::C_System, /*isFramework=*/false));
}

}  // namespace muster::plugin
