// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/interpose/foreign_calls.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace muster::rt {
namespace {

struct Code {
  std::uintptr_t lo = 0;
  std::uintptr_t hi = 0;
  [[nodiscard]] bool holds(std::uintptr_t address) const { return address >= lo && address < hi; }
};

constexpr std::size_t kMost = 256;
constinit std::array<Code, kMost> codes;
constinit std::atomic<std::size_t> known{0};  // of them
constinit std::mutex noting;

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

void noteForeignCode(std::uintptr_t lo, std::uintptr_t hi) {
  const std::lock_guard lock(noting);
  const std::size_t next = known.load(std::memory_order_relaxed);
  if (next == kMost) return;
  codes[next] = {lo, hi};
  known.store(next + 1, std::memory_order_release);
}

void noteForeignCaller(const void* function) {
  Search search{reinterpret_cast<std::uintptr_t>(function), {}};
  if (function != nullptr) dl_iterate_phdr(visit, &search);
  if (search.found.hi != 0) noteForeignCode(search.found.lo, search.found.hi);
}

void forgetForeignCode() { known.store(0, std::memory_order_relaxed); }

bool isForeignCaller(const void* code) {
  const auto end = codes.begin() + static_cast<std::ptrdiff_t>(known.load(std::memory_order_acquire));
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  return std::any_of(codes.begin(), end, [address](const Code& foreign) { return foreign.holds(address); });
}

}  // namespace muster::rt
