// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of unmanaged arrays, and when they can be made.
#include "launch/borrowed.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <optional>

#include "host/arrays/managed_memory.h"
#include "host/memory/host_memory.h"
#include "host/system/safe_read.h"
#include "launch/launch_forms.h"
#include "muster/cap/access.h"

namespace muster::rt {
namespace {

constexpr std::size_t kMostCopies = 32;
constexpr std::uint64_t kMostUpdated = 4096;  // bytes of an array that no directive names
constexpr std::int64_t kMostBytes = std::int64_t{1} << 36;
constexpr std::size_t kUpdateBlock = std::size_t{64} * 1024;  // bytes that are written again where some of them differ
constexpr std::size_t kCompareElements = 64;                  // that are compared at once

// Bytes of the program, from the array pointer on; the first ones may not be touched.
struct Extent {
  std::int64_t base = 0;  // where the copy begins: 0, or below for indexes from a negative one on
  std::int64_t lo = 0, hi = 0;
  bool sure = false;  // the array is there as far as that
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
};

Copies& copies() {
  static auto& instance = *new Copies;  // arrays outlive static objects
  return instance;
}

// A small array whose size its type says, and of which the loop only updates elements, as a histogram. One that it
// writes may be meant for one thread's use, where a program asks how many there are.
bool isSmallSum(const muster_array_param& array) {
  return array.bytes != 0 && array.bytes <= kMostUpdated && (array.mode & MUSTER_WRITE) == 0;
}

bool isManaged(const void* pointer) { return hostMemory().find(pointer) != nullptr; }

// The elements that the launch may use through a parameter; none if that is not known.
std::optional<Extent> extentOf(const muster_launch& launch, unsigned parameter) {
  const auto [space, accesses] = accessesOf(launch, parameter);
  const muster_array_param& array = launch.kernel->arrays[parameter];
  const auto size = static_cast<std::int64_t>(array.elem_size);
  const auto known = static_cast<std::int64_t>(array.bytes);
  // Indexes are moved to the middle of an array that holds whatever is allowed.
  const std::int64_t middle = kMostBytes / size;
  std::optional<cap::Interval> hull;
  bool everywhere = false;
  for (const cap::Access& access : accesses) {
    everywhere |= access.unbounded;
    if (access.unbounded) continue;
    const auto region = cap::regionOf(access, space, 0, space.dims[0].count, middle, 2 * middle, 1);
    if (region.elements.empty()) continue;
    const cap::Interval all = region.elements.hull();
    everywhere |= all.lo == 0 || all.hi == 2 * middle;
    hull = hull ? cap::Interval{std::min(hull->lo, all.lo), std::max(hull->hi, all.hi)} : all;
  }
  if (everywhere && known == 0) return std::nullopt;
  if (everywhere) return Extent{0, 0, known, true};
  if (!hull) return std::nullopt;
  std::int64_t lo = (hull->lo - middle) * size, hi = (hull->hi - middle) * size;
  // Bounds may reach further than the array, where a condition keeps the loop from doing so.
  if (known != 0) lo = std::max<std::int64_t>(lo, 0), hi = std::min(hi, known);
  if (lo >= hi) return std::nullopt;
  return Extent{std::min<std::int64_t>(lo, 0), lo, hi, known != 0};
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
  site.reason = (parameter.flags & MUSTER_ARRAY_EMBEDDED) != 0
                    ? "it lies inside of an object: a copy travels to and fro"
                    : "it is not managed: a copy is sent along";
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

// Calls action(offset, bytes) for each block in which [left, left + bytes) and [right, right + bytes) differ.
template <class Action>
void forDifferences(const std::byte* left, const std::byte* right, std::size_t bytes, std::size_t block,
                    Action action) {
  for (std::size_t at = 0; at < bytes; at += block) {
    const std::size_t length = std::min(block, bytes - at);
    if (std::memcmp(left + at, right + at, length) != 0) action(at, length);
  }
}

// Makes bytes of a copy equal to `now`. The host's part of them is valid: what devices changed was written back.
void update(std::byte* target, const std::byte* now, std::size_t bytes) {
  forDifferences(target, now, bytes, kUpdateBlock, [&](std::size_t at, std::size_t length) {
    muster_host_access(target + at, length, MUSTER_READ | MUSTER_WRITE);
    std::memcpy(target + at, now + at, length);
  });
}

}  // namespace

BorrowedArrays::BorrowedArrays(const muster_launch& launch) : launch_(launch) {
  const muster_kernel& kernel = *launch.kernel;
  if ((launch.flags & MUSTER_LAUNCH_HOST) != 0 || !findParts(launch) || !joinOverlapping() || !copyParts(kernel)) {
    parts_.clear();
    return;
  }
  arrays_.assign(launch.arrays, launch.arrays + kernel.n_arrays);
  for (const Part& part : parts_) {
    for (const unsigned i : part.parameters) {
      arrays_[i] = part.copy + (static_cast<std::byte*>(launch.arrays[i]) - part.base);
      std::string& names = (kernel.arrays[i].flags & MUSTER_ARRAY_EMBEDDED) != 0 ? embeddedNames_ : names_;
      names += (names.empty() ? "" : ", ") + std::string(kernel.arrays[i].name);
    }
  }
  launch_.arrays = arrays_.data();
}

// False: nothing is to be copied.
bool BorrowedArrays::findParts(const muster_launch& launch) {
  const muster_kernel& kernel = *launch.kernel;
  bool anyMarked = false;
  for (unsigned i = 0; i < kernel.n_arrays; ++i) {
    const muster_array_param& parameter = kernel.arrays[i];
    const bool embedded = (parameter.flags & MUSTER_ARRAY_EMBEDDED) != 0;
    auto* pointer = static_cast<std::byte*>(launch.arrays[i]);
    anyMarked |= embedded || isManaged(pointer);
    if (isManaged(pointer)) continue;
    if (pointer == nullptr || leavesAlone(launch, i)) continue;  // nothing is behind it, or is used
    const bool written = parameter.mode != MUSTER_READ;
    // A copy is nowhere near what the program compares its address with.
    const bool isCompared = MUSTER_ARRAY_GROUP_OF(parameter.flags) != 0;
    if (isCompared || (written && !embedded && !isSmallSum(parameter))) return false;
    const auto extent = extentOf(launch, i);
    // What it reaches may be managed although the pointer is none of it, as that of `u - 1`.
    if (!extent || isManaged(pointer + extent->lo)) return false;
    parts_.push_back({{i},
                      pointer + extent->base,
                      pointer + extent->lo,
                      pointer + extent->hi,
                      parameter.elem_size,
                      written,
                      extent->sure});
  }
  return anyMarked && !parts_.empty();
}

// One element that the loop writes may not be in two copies. False: elements of several types overlap.
bool BorrowedArrays::joinOverlapping() {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    for (std::size_t j = i + 1; j < parts_.size(); ++j) {
      Part &part = parts_[i], &other = parts_[j];
      if (part.hi <= other.lo || other.hi <= part.lo || !(part.written || other.written)) continue;
      if (part.elemSize != other.elemSize || (part.base - other.base) % std::ptrdiff_t{part.elemSize} != 0)
        return false;
      part.parameters.insert(part.parameters.end(), other.parameters.begin(), other.parameters.end());
      part.base = std::min(part.base, other.base);
      part.lo = std::min(part.lo, other.lo);
      part.hi = std::max(part.hi, other.hi);
      part.written |= other.written;
      part.sure &= other.sure;
      parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(j));
      j = i;  // it has grown
    }
  }
  return true;
}

bool BorrowedArrays::copyParts(const muster_kernel& kernel) {
  Copies& all = copies();
  std::unique_lock lock(all.mutex);
  for (Part& part : parts_) {
    std::vector<std::byte> now(static_cast<std::size_t>(part.hi - part.lo));
    if (part.sure)
      std::memcpy(now.data(), part.lo, now.size());
    else if (!readSafely(part.lo, now.size(), now.data()))
      return false;
    const Copy* copy =
        copyFor(all, kernel, part.parameters.front(), part.base, static_cast<std::size_t>(part.hi - part.base));
    if (copy == nullptr) return false;
    part.copy = copy->memory;
    update(part.copy + (part.lo - part.base), now.data(), now.size());
    if (part.written) part.before = std::move(now);
  }
  while (all.list.size() > std::max(kMostCopies, parts_.size())) {
    muster_free(all.list.back().memory);
    all.list.pop_back();
  }
  lock_ = std::move(lock);
  return true;
}

void BorrowedArrays::writeBack() {
  for (const Part& part : parts_) {
    if (!part.written) continue;
    const std::byte *after = part.copy + (part.lo - part.base), *before = part.before.data();
    const std::size_t bytes = part.before.size(), element = part.elemSize;
    muster_host_access(after, bytes, MUSTER_READ);
    forDifferences(after, before, bytes, kCompareElements * element, [&](std::size_t block, std::size_t length) {
      forDifferences(after + block, before + block, length, element, [&](std::size_t at, std::size_t size) {
        std::memcpy(part.lo + block + at, after + block + at, size);
      });
    });
  }
}

}  // namespace muster::rt
