// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/interpose/foreign_calls.h"

#include <link.h>

#include <cstdint>

namespace muster::rt {
namespace {

struct Code {
  std::uintptr_t lo = 0;
  std::uintptr_t hi = 0;
  [[nodiscard]] bool holds(std::uintptr_t address) const { return address >= lo && address < hi; }
};

constinit Code foreign;

struct Search {
  std::uintptr_t address;
  Code found;
};

int visit(dl_phdr_info* object, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    const Code code{object->dlpi_addr + segment.p_vaddr, object->dlpi_addr + segment.p_vaddr + segment.p_memsz};
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && code.holds(search.address)) search.found = code;
  }
  return search.found.hi != 0 ? 1 : 0;
}

}  // namespace

void noteForeignCaller(const void* function) {
  Search search{reinterpret_cast<std::uintptr_t>(function), {}};
  if (function != nullptr) dl_iterate_phdr(visit, &search);
  foreign = search.found;
}

bool isForeignCaller(const void* code) { return foreign.holds(reinterpret_cast<std::uintptr_t>(code)); }

}  // namespace muster::rt
