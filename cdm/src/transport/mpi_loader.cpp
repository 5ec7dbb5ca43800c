// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the module that talks MPI: beside the library that holds this code, in the lib folder next to a program's bin,
// or on the default search path.
#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "muster/cdm/launcher.h"
#include "transport/mpi_module.h"

namespace muster::cdm {
namespace {

std::filesystem::path ownFolder() {
  Dl_info info = {};
  std::error_code error;
  if (dladdr(reinterpret_cast<void*>(&makeMpiTransport), &info) != 0 && info.dli_fname != nullptr &&
      std::strchr(info.dli_fname, '/') != nullptr) {
    const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, error);
    if (!error) return file.parent_path();
  }
  // Linked into the program itself, whose name here is only what the shell called it.
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : program.parent_path();
}

std::vector<std::string> candidates() {
  std::vector<std::string> files;
  if (const std::filesystem::path folder = ownFolder(); !folder.empty()) {
    for (const char* relative : {".", "../lib", "../lib64"}) {
      std::error_code error;
      const std::filesystem::path file = folder / relative / mpiModuleFile;
      if (std::filesystem::exists(file, error)) files.push_back(file.lexically_normal());
    }
  }
  files.emplace_back(mpiModuleFile);
  return files;
}

// Global, because Open MPI's own plug-ins look for its symbols there. Never closed: MPI does not survive that.
Result<MpiModuleFn> loadModule() {
  std::string tried;
  for (const std::string& file : candidates()) {
    if (void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
      if (void* entry = dlsym(module, mpiModuleEntry)) return reinterpret_cast<MpiModuleFn>(entry);
    }
    tried += std::string("\n  ") + dlerror();
  }
  return {Errc::notFound, "cannot load " + std::string(mpiModuleFile) +
                              ", which runs jobs of several ranks; install Open MPI (Debian: libopenmpi3) and keep the "
                              "file next to libmuster.so:" +
                              tried};
}

}  // namespace

Result<std::unique_ptr<Transport>> makeMpiTransport(int* argc, char*** argv, const MpiOptions& options) {
  Result<MpiModuleFn> create = loadModule();
  if (!create) return create.status();
  MpiModuleCall call;
  call.argc = argc;
  call.argv = argv;
  call.options = options;
  call.launchedRanks = launchedPlace().size;
  if (!(*create)(&call)) {
    return {Errc::unsupported,
            std::string(mpiModuleFile) +
                " is of another version of Muster than the library that loaded it; install both anew"};
  }
  if (!call.status.ok()) return call.status;
  return std::move(call.transport);
}

}  // namespace muster::cdm
