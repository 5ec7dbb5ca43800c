// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/job/loaded_objects.h"

#include <link.h>

#include <algorithm>
#include <iterator>

namespace muster::rt {

LoadedObjects LoadedObjects::now() {
  LoadedObjects all;
  const auto visit = [](dl_phdr_info* object, std::size_t, void* data) {
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = object->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
      const std::uintptr_t lo = object->dlpi_addr + segment.p_vaddr;
      static_cast<LoadedObjects*>(data)->segments_.push_back({lo, lo + segment.p_memsz});
    }
    return 0;
  };
  dl_iterate_phdr(visit, &all);
  std::ranges::sort(all.segments_, {}, &Segment::lo);
  return all;
}

LoadedObjects LoadedObjects::without(const LoadedObjects& others) const {
  LoadedObjects rest;
  std::ranges::set_difference(segments_, others.segments_, std::back_inserter(rest.segments_), {}, &Segment::lo,
                              &Segment::lo);
  return rest;
}

bool LoadedObjects::holds(const void* code) const {
  const auto at = reinterpret_cast<std::uintptr_t>(code);
  return std::ranges::any_of(segments_, [at](const Segment& segment) { return at >= segment.lo && at < segment.hi; });
}

}  // namespace muster::rt
