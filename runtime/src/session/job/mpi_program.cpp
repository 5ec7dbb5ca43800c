// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the dynamic symbols of what is loaded, as the dynamic linker does: those that an object needs stand in front of
// those that it offers (the GNU hash table holds only the latter, and says where they begin).
#include "session/job/mpi_program.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace muster::rt {
namespace {

constexpr std::array<std::string_view, 9> kBegins = {"MPI_Init",         "MPI_Init_thread",      "MPI_Session_init",
                                                     "PMPI_Init",        "PMPI_Init_thread",     "mpi_init_",
                                                     "mpi_init_thread_", "mpi_init_thread_f08_", "mpi_session_init_"};

struct Symbols {
  const ElfW(Sym) * table = nullptr;
  const char* names = nullptr;
  const std::uint32_t* hash = nullptr;     // DT_HASH
  const std::uint32_t* gnuHash = nullptr;  // DT_GNU_HASH

  // How many symbols of the table may be ones that the object needs.
  [[nodiscard]] std::uint32_t needed() const {
    if (gnuHash != nullptr) return gnuHash[1];
    return hash != nullptr ? hash[1] : 0;
  }
  [[nodiscard]] bool needs(std::string_view name) const {
    for (std::uint32_t i = 1; i < needed(); ++i)
      if (table[i].st_shndx == SHN_UNDEF && names + table[i].st_name == name) return true;
    return false;
  }
};

Symbols symbolsOf(const dl_phdr_info& object) {
  Symbols found;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      // glibc has made addresses of these, but for the vDSO.
      const ElfW(Addr) at =
          entry->d_un.d_ptr >= object.dlpi_addr ? entry->d_un.d_ptr : object.dlpi_addr + entry->d_un.d_ptr;
      if (entry->d_tag == DT_SYMTAB) found.table = reinterpret_cast<const ElfW(Sym)*>(at);
      if (entry->d_tag == DT_STRTAB) found.names = reinterpret_cast<const char*>(at);
      if (entry->d_tag == DT_HASH) found.hash = reinterpret_cast<const std::uint32_t*>(at);
      if (entry->d_tag == DT_GNU_HASH) found.gnuHash = reinterpret_cast<const std::uint32_t*>(at);
    }
  }
  return found;
}

// Of MPI, or of a tool that stands between it and the program: it has MPI_Init itself, or is a part of MPI such as its
// interface to Fortran.
bool belongsToMpi(const dl_phdr_info& object, const void* init) {
  const std::string_view path = object.dlpi_name == nullptr ? "" : object.dlpi_name;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (file.starts_with("libmpi") || file.starts_with("libpmpi")) return true;
  const auto at = reinterpret_cast<ElfW(Addr)>(init);
  return std::any_of(object.dlpi_phdr, object.dlpi_phdr + object.dlpi_phnum, [&](const ElfW(Phdr) & segment) {
    const ElfW(Addr) lo = object.dlpi_addr + segment.p_vaddr;
    return segment.p_type == PT_LOAD && at >= lo && at < lo + segment.p_memsz;
  });
}

int needsMpi(dl_phdr_info* object, std::size_t, void* init) {
  if (belongsToMpi(*object, init)) return 0;
  const Symbols symbols = symbolsOf(*object);
  if (symbols.table == nullptr || symbols.names == nullptr) return 0;
  return std::ranges::any_of(kBegins, [&](std::string_view name) { return symbols.needs(name); }) ? 1 : 0;
}

}  // namespace

bool callsMpi() {
  void* const init = dlsym(RTLD_DEFAULT, "MPI_Init");
  return init != nullptr && dl_iterate_phdr(needsMpi, init) != 0;
}

}  // namespace muster::rt
