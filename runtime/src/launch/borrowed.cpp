// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of unmanaged arrays, and when they can be made.
#include "launch/borrowed.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <optional>

#include "host/host_memory.h"
#include "host/managed_memory.h"
#include "host/safe_read.h"
#include "launch/launch_forms.h"
#include "muster/cap/access.h"

namespace muster::rt {
namespace {

constexpr std::size_t kMostCopies = 32;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 36;

// Bytes of the program, from the array pointer on; the first ones may not be touched.
struct Extent {
  std::int64_t base = 0;  // where the copy begins: 0, or below for indexes from a negative one on
  std::int64_t lo = 0, hi = 0;
};

struct Copy {
  const std::byte* from = nullptr;
  std::size_t bytes = 0;
  std::uint32_t elemSize = 0;
  std::byte* memory = nullptr;
};

struct Copies {
  std::mutex mutex;
  std::list<Copy> list;  // the last used first
  std::map<const muster_array_param*, muster_array_site> sites;
  std::vector<std::byte> scratch;
};

Copies& copies() {
  static auto& instance = *new Copies;  // arrays outlive static objects
  return instance;
}

bool isManaged(const void* pointer) { return hostMemory().find(pointer) != nullptr; }

// The elements that the launch may read through a parameter; none if that is not known.
std::optional<Extent> extentOf(const muster_launch& launch, unsigned parameter) {
  const auto [space, accesses] = accessesOf(launch, parameter);
  const auto size = static_cast<std::int64_t>(launch.kernel->arrays[parameter].elem_size);
  // Indexes are moved to the middle of an array that holds whatever is allowed.
  const std::int64_t middle = kMostBytes / size;
  std::optional<cap::Interval> hull;
  for (const cap::Access& access : accesses) {
    if (access.unbounded) return std::nullopt;
    const auto region = cap::regionOf(access, space, 0, space.dims[0].count, middle, 2 * middle, 1);
    if (region.elements.empty()) continue;
    const cap::Interval all = region.elements.hull();
    if (all.lo == 0 || all.hi == 2 * middle) return std::nullopt;
    hull = hull ? cap::Interval{std::min(hull->lo, all.lo), std::max(hull->hi, all.hi)} : all;
  }
  if (!hull) return std::nullopt;
  const std::int64_t lo = (hull->lo - middle) * size, hi = (hull->hi - middle) * size;
  return Extent{std::min<std::int64_t>(lo, 0), lo, hi};
}

const muster_array_site& siteOf(Copies& all, const muster_kernel& kernel, unsigned index) {
  const muster_array_param& parameter = kernel.arrays[index];
  muster_array_site site{};
  site.loc = kernel.loc;
  site.name = parameter.name;
  site.type_name = "copy of an array that is not managed";
  site.elem_size = parameter.elem_size;
  site.elem_type = parameter.type;
  site.array_class = MUSTER_REPLICATED;
  site.reason = "it is not managed and only read: a copy is sent along";
  return all.sites.emplace(&parameter, site).first->second;
}

Copy* copyFor(Copies& all, const muster_kernel& kernel, unsigned index, const std::byte* from, std::size_t bytes) {
  const std::uint32_t elemSize = kernel.arrays[index].elem_size;
  const auto known = std::find_if(all.list.begin(), all.list.end(), [&](const Copy& copy) {
    return copy.from == from && copy.bytes == bytes && copy.elemSize == elemSize;
  });
  if (known != all.list.end()) {
    all.list.splice(all.list.begin(), all.list, known);
    return &all.list.front();
  }
  void* memory = allocateManaged(siteOf(all, kernel, index), bytes, 1, true);
  if (memory == nullptr) return nullptr;
  all.list.push_front({from, bytes, elemSize, static_cast<std::byte*>(memory)});
  return &all.list.front();
}

// Makes the copy's bytes from `offset` on equal to `now`.
void update(const Copy& copy, std::size_t offset, const std::vector<std::byte>& now) {
  std::byte* target = copy.memory + offset;
  // Devices only read the copy, so that the host's part of it is valid.
  if (std::memcmp(target, now.data(), now.size()) == 0) return;
  muster_host_access(target, now.size(), MUSTER_READ | MUSTER_WRITE);
  std::memcpy(target, now.data(), now.size());
}

}  // namespace

BorrowedArrays::BorrowedArrays(const muster_launch& launch) : launch_(launch) {
  const muster_kernel& kernel = *launch.kernel;
  if ((launch.flags & MUSTER_LAUNCH_HOST) != 0) return;
  std::vector<std::pair<unsigned, Extent>> borrowed;
  for (unsigned i = 0; i < kernel.n_arrays; ++i) {
    if (isManaged(launch.arrays[i])) continue;
    if (kernel.arrays[i].mode != MUSTER_READ) return;
    const auto extent = extentOf(launch, i);
    // What it reaches may be managed although the pointer is none of it, as that of `u - 1`.
    if (!extent || isManaged(static_cast<const std::byte*>(launch.arrays[i]) + extent->lo)) return;
    borrowed.emplace_back(i, *extent);
  }
  if (borrowed.empty() || borrowed.size() == kernel.n_arrays) return;  // nothing here is managed
  Copies& all = copies();
  std::unique_lock lock(all.mutex);
  std::vector<void*> arrays(launch.arrays, launch.arrays + kernel.n_arrays);
  std::string names;
  for (const auto& [i, extent] : borrowed) {
    const auto* pointer = static_cast<const std::byte*>(launch.arrays[i]);
    all.scratch.resize(static_cast<std::size_t>(extent.hi - extent.lo));
    // The bounds may reach further than the array, where a condition keeps the loop from doing so.
    if (!readSafely(pointer + extent.lo, all.scratch.size(), all.scratch.data())) return;
    const Copy* copy =
        copyFor(all, kernel, i, pointer + extent.base, static_cast<std::size_t>(extent.hi - extent.base));
    if (copy == nullptr) return;
    update(*copy, static_cast<std::size_t>(extent.lo - extent.base), all.scratch);
    arrays[i] = copy->memory - extent.base;
    names += (names.empty() ? "" : ", ") + std::string(kernel.arrays[i].name);
  }
  while (all.list.size() > std::max(kMostCopies, borrowed.size())) {
    muster_free(all.list.back().memory);
    all.list.pop_back();
  }
  names_ = std::move(names);
  arrays_ = std::move(arrays);
  launch_.arrays = arrays_.data();
  lock_ = std::move(lock);
}

}  // namespace muster::rt
