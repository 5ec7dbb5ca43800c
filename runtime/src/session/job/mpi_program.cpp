// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the relocations of what is loaded, as the dynamic linker does: they name each symbol that an object needs.
#include "session/job/mpi_program.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace muster::rt {
namespace {

constexpr std::array<std::string_view, 9> kBegins = {"MPI_Init",         "MPI_Init_thread",      "MPI_Session_init",
                                                     "PMPI_Init",        "PMPI_Init_thread",     "mpi_init_",
                                                     "mpi_init_thread_", "mpi_init_thread_f08_", "mpi_session_init_"};

struct Symbols {
  const ElfW(Sym) * table = nullptr;
  const char* names = nullptr;
  std::vector<std::uint32_t> used;  // symbols that relocations name: all that the object needs are among them
};

struct Relocations {
  const ElfW(Rela) * first = nullptr;
  std::size_t bytes = 0;
};

Symbols symbolsOf(const dl_phdr_info& object) {
  Symbols found;
  std::array<Relocations, 2> relocations;  // of data, and of calls
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      // glibc has made addresses of these, but for the vDSO.
      const ElfW(Addr) at =
          entry->d_un.d_ptr >= object.dlpi_addr ? entry->d_un.d_ptr : object.dlpi_addr + entry->d_un.d_ptr;
      if (entry->d_tag == DT_SYMTAB) found.table = reinterpret_cast<const ElfW(Sym)*>(at);
      if (entry->d_tag == DT_STRTAB) found.names = reinterpret_cast<const char*>(at);
      if (entry->d_tag == DT_RELA) relocations[0].first = reinterpret_cast<const ElfW(Rela)*>(at);
      if (entry->d_tag == DT_RELASZ) relocations[0].bytes = entry->d_un.d_val;
      if (entry->d_tag == DT_JMPREL) relocations[1].first = reinterpret_cast<const ElfW(Rela)*>(at);
      if (entry->d_tag == DT_PLTRELSZ) relocations[1].bytes = entry->d_un.d_val;
    }
  }
  for (const Relocations& list : relocations)
    for (std::size_t i = 0; list.first != nullptr && i < list.bytes / sizeof(ElfW(Rela)); ++i)
      if (const auto symbol = static_cast<std::uint32_t>(ELF64_R_SYM(list.first[i].r_info)); symbol != 0)
        found.used.push_back(symbol);
  return found;
}

bool begins(const Symbols& symbols) {
  return std::ranges::any_of(symbols.used, [&](std::uint32_t symbol) {
    const std::string_view name = symbols.names + symbols.table[symbol].st_name;
    return std::ranges::find(kBegins, name) != kBegins.end();
  });
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
  return begins(symbols) ? 1 : 0;
}

}  // namespace

bool callsMpi() {
  void* const init = dlsym(RTLD_DEFAULT, "MPI_Init");
  return init != nullptr && dl_iterate_phdr(needsMpi, init) != 0;
}

}  // namespace muster::rt
