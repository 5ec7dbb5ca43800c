// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/job/copies.h"

#include <dlfcn.h>
#include <link.h>

#include <vector>

namespace muster::rt {
namespace {

int keepName(dl_phdr_info* object, std::size_t, void* names) {
  if (object->dlpi_name != nullptr && object->dlpi_name[0] != 0)
    static_cast<std::vector<std::string>*>(names)->emplace_back(object->dlpi_name);
  return 0;
}

// The library that a name of the ABI means to an object: itself, or the first that it needs.
std::string libraryOf(void* object) {
  void* const symbol = dlsym(object, "muster_launch_loop");
  Dl_info info = {};
  return symbol != nullptr && dladdr(symbol, &info) != 0 ? info.dli_fname : "";
}

}  // namespace

std::string otherCopyOfLibrary() {
  const std::string first = libraryOf(RTLD_DEFAULT);
  std::vector<std::string> names;  // dlopen() must not be called while objects are walked through
  dl_iterate_phdr(keepName, &names);
  for (const std::string& name : names) {
    void* const object = dlopen(name.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    if (object == nullptr) continue;  // such as the kernel's own
    const std::string library = libraryOf(object);
    dlclose(object);
    if (!library.empty() && library != first) return library;
  }
  return "";
}

}  // namespace muster::rt
