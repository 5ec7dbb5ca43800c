// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "call.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "muster/buffers.h"

namespace muster::mpi {
namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "muster: error: %s\n", what.c_str());
  std::fflush(nullptr);
  std::_Exit(4);
}

// The version as text tells implementations apart, also those that share their interface with MPICH.
std::string libraryVersion() {
  auto* const version = reinterpret_cast<int (*)(char*, int*)>(dlsym(RTLD_DEFAULT, "PMPI_Get_library_version"));
  static char text[1 << 16];  // MPI_MAX_LIBRARY_VERSION_STRING is 8192 at most
  int length = 0;
  if (version == nullptr || version(text, &length) != 0) fail("the MPI library does not tell its version (MPI 3.0)");
  return text;
}

std::filesystem::path folderOfThis() {
  Dl_info info = {};
  dladdr(reinterpret_cast<void*>(&libraryVersion), &info);
  std::error_code error;
  return std::filesystem::canonical(info.dli_fname, error).parent_path();
}

const Abi* loadAbi() {
  const std::string version = libraryVersion();
  const bool isOpenMpi = version.find("Open MPI") != std::string::npos;
  const bool isMpich = version.find("MPICH") != std::string::npos || version.find("Intel") != std::string::npos ||
                       version.find("MVAPICH") != std::string::npos;
  if (!isOpenMpi && !isMpich)
    fail("this program uses an MPI that Muster does not know (it knows Open MPI, and those with MPICH's interface): " +
         version.substr(0, version.find('\n')));
  const std::string file = folderOfThis() / (isOpenMpi ? "libmuster-openmpi.so" : "libmuster-mpich.so");
  void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) fail(std::string("cannot load what reads the arguments of MPI: ") + dlerror());
  auto* const entry = reinterpret_cast<AbiEntry*>(dlsym(module, abiEntry));
  const Abi* const found = entry != nullptr ? entry(abiVersion) : nullptr;
  if (found == nullptr) fail(file + " is of another version of Muster; install all of it anew");
  return found;
}

}  // namespace

// The runtime looks for this library by it.
extern "C" __attribute__((visibility("default"))) const int muster_mpi_calls = abiVersion;

// An iteration of a loop called MPI_Abort.
extern "C" __attribute__((visibility("default"))) void muster_mpi_abort(int code) { abi().abort(code); }

const Abi& abi() {
  static const Abi* const loaded = loadAbi();
  return *loaded;
}

const CallShape& Call::shape() {
  const CallShape* known = shape_.load(std::memory_order_acquire);
  if (known == nullptr) {
    auto* const made = new CallShape(letters_);
    if (shape_.compare_exchange_strong(known, made, std::memory_order_acq_rel))
      known = made;
    else
      delete made;  // another thread was faster
  }
  return *known;
}

Word Call::next(const Word* a) {
  Function* function = next_.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name_));
    if (function == nullptr) fail(std::string("the MPI library has no ") + name_);
    next_.store(function, std::memory_order_relaxed);
  }
  return static_cast<int>(function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13]));
}

Word Call::operator()(Word* arguments) {
  if (muster_ranks() == MUSTER_RANKS_SHARED) {
    if (name_[0] == 'P') return next(arguments);  // Muster's own calls, whose memory is no array's
    muster_fail((std::string(name_) +
                 ": this program calls MPI itself, but with MUSTER_RANKS=shared rank 0 runs it for all ranks. Leave "
                 "MUSTER_RANKS unset, or set it to own")
                    .c_str());
  }
  // What a tool, or MPI, calls meanwhile is no call of the program.
  static thread_local bool isInside = false;
  const std::int64_t began = isInside ? 0 : muster_trace_begin();
  if (began == 0) return perform_(*this, arguments);
  const bool together = lasts_ == Lasts::call && joinsAll(shape(), arguments, abi());
  isInside = true;
  const Word result = perform_(*this, arguments);
  isInside = false;
  muster_trace_end(began, name_, together ? 1 : 0);
  return result;
}

}  // namespace muster::mpi
