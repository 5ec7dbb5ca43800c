// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Address space for arrays: reserved, or only chosen.
#include "host/space/address_region.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "host/space/mapping.h"

namespace muster::rt {

namespace {

struct Gap {
  std::uintptr_t lo = 0, hi = 0;
};

// The largest part of the address space in which nothing is mapped. Mappings come in ascending order.
Gap largestGap() {
  constexpr std::uintptr_t kLeast = std::uintptr_t{1} << 32;  // programs of old have their data below
  Gap largest;
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return largest;
  std::uintptr_t last = kLeast;
  unsigned long lo = 0, hi = 0;
  char line[512];
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    if (std::sscanf(line, "%lx-%lx", &lo, &hi) != 2) continue;
    if (lo > last && lo - last > largest.hi - largest.lo && lo < std::uintptr_t{1} << 47) largest = {last, lo};
    last = std::max<std::uintptr_t>(last, hi);
  }
  std::fclose(maps);
  return largest;
}

// In the middle: heaps grow from one end of a gap, and the system maps from the other.
std::byte* chooseAddresses(std::size_t bytes, std::size_t alignment) {
  const Gap gap = largestGap();
  if (gap.hi - gap.lo < 4 * bytes) return nullptr;
  return reinterpret_cast<std::byte*>(roundUp(gap.lo + (gap.hi - gap.lo) / 2, alignment));
}

}  // namespace

bool addressesAreCounted() {
  static const bool counted = [] {
    rlimit limit{};
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  }();
  return counted;
}

std::byte* reserveAddresses(std::size_t bytes, std::size_t alignment) {
  const std::size_t padded = bytes + alignment;
  void* memory = mmap(nullptr, padded, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(memory);
  const std::size_t head =
      roundUp(reinterpret_cast<std::size_t>(begin), alignment) - reinterpret_cast<std::size_t>(begin);
  if (head > 0) unmap(begin, head);
  if (head < alignment) unmap(begin + head + bytes, alignment - head);
  return begin + head;
}

std::optional<AddressRegion> reserveRegion(std::size_t most, std::size_t least, std::size_t alignment) {
  for (std::size_t bytes = most; bytes >= least; bytes /= 2) {
    std::byte* begin = addressesAreCounted() ? chooseAddresses(bytes, alignment) : reserveAddresses(bytes, alignment);
    if (begin != nullptr) return AddressRegion{begin, bytes};
  }
  return std::nullopt;
}

}  // namespace muster::rt
