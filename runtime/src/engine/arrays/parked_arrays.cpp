// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/arrays/parked_arrays.h"

#include <algorithm>
#include <iterator>

namespace muster::rt {
namespace {

// What an array takes at least.
constexpr std::size_t kPage = 4096;
// A program whose arrays are all of other sizes has them forgotten from time to time.
constexpr std::size_t kMostKinds = 4096;

std::size_t costOf(std::size_t bytes) { return bytes / kPage * kPage + kPage; }

}  // namespace

void ParkedArrays::countAllocation(const Kind& kind) {
  memory_.noteAllocated(costOf(kind.bytes));
  if (const auto freed = freed_.find(kind); freed != freed_.end()) freed->second = true;
}

void ParkedArrays::noteFreed(const Kind& kind) {
  memory_.noteFreed(costOf(kind.bytes));
  if (freed_.size() >= kMostKinds) freed_.clear();
  freed_.try_emplace(kind, false);
}

void ParkedArrays::park(const Kind& kind, std::uint32_t id, HostArray& array) {
  noteFreed(kind);
  const bool recurs = freed_.at(kind);
  bytes_ += costOf(kind.bytes);
  if (!recurs) onceBytes_ += costOf(kind.bytes);
  const auto added = byAge_.insert(byAge_.end(), {kind, id, &array, memory_.allocations(), recurs});
  byKind_.emplace(Key{kind, id}, added);
}

std::vector<HostArray*> ParkedArrays::surplus() {
  std::vector<HostArray*> released;
  while (!byAge_.empty() && memory_.allocations() - byAge_.front().since > KeptMemory::kShortTime)
    released.push_back(&remove(byAge_.begin()));
  const auto tooMuch = [&] { return bytes_ > room() || byAge_.size() > kMost; };
  for (auto last = byAge_.end(); last != byAge_.begin() && (onceBytes_ > KeptMemory::kSpareBytes || tooMuch());) {
    const auto parked = std::prev(last);
    if (parked->recurs)
      last = parked;
    else
      released.push_back(&remove(parked));
  }
  while (!byAge_.empty() && tooMuch()) released.push_back(&remove(std::prev(byAge_.end())));
  return released;
}

HostArray* ParkedArrays::take(const Kind& kind, std::size_t alignment) {
  for (auto found = byKind_.lower_bound({kind, 0}); found != byKind_.end(); ++found) {
    const Parked& parked = *found->second;
    if (parked.kind != kind) break;
    if (reinterpret_cast<std::uintptr_t>(parked.array->user()) % alignment != 0) continue;
    countAllocation(kind);
    return &remove(found->second);
  }
  return nullptr;
}

std::vector<HostArray*> ParkedArrays::takeAll() {
  std::vector<HostArray*> all;
  while (!byAge_.empty()) all.push_back(&remove(byAge_.begin()));
  return all;
}

HostArray& ParkedArrays::remove(ByAge::iterator parked) {
  HostArray& array = *parked->array;
  bytes_ -= costOf(parked->kind.bytes);
  if (!parked->recurs) onceBytes_ -= costOf(parked->kind.bytes);
  byKind_.erase({parked->kind, parked->id});
  byAge_.erase(parked);
  return array;
}

}  // namespace muster::rt
