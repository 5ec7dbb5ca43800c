// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowest address first.
#include "host/space/private_heap.h"

#include <algorithm>
#include <cstring>

#include "host/space/mapping.h"

namespace muster::rt {

namespace {

constexpr std::size_t kReservation = 2 * PrivateHeap::kLarge;
constexpr std::size_t kLeastStep = std::size_t{128} << 10;  // glibc's M_TOP_PAD
constexpr std::size_t kMostStep = std::size_t{32} << 20;

std::size_t number(const std::byte* address) { return reinterpret_cast<std::size_t>(address); }
std::byte* address(std::size_t number) { return reinterpret_cast<std::byte*>(number); }

}  // namespace

Result<PrivateHeap::Range> PrivateHeap::take(std::size_t bytes, std::size_t alignment) {
  const std::size_t pages = bytes / pageSize_, alignmentPages = std::max<std::size_t>(1, alignment / pageSize_);
  auto found = free_.take(pages, alignmentPages);
  if (!found) {
    MUSTER_TRY(grow(bytes + (alignmentPages - 1) * pageSize_));
    found = free_.take(pages, alignmentPages);
    if (!found) return Status(Errc::internal, "the heap of private arrays grew too little");
  }
  std::byte* begin = address(*found * pageSize_);
  memory_.noteAllocated(bytes);
  const bool isFresh = begin >= touched_ && begin + bytes <= top_;
  if (begin < top_) touched_ = std::max(touched_, begin + bytes);
  if (!isFresh) held_ -= std::min(held_, bytes);
  return Range{begin, isFresh};
}

// As after calloc, the threads that use parts of a large array first have them near.
void PrivateHeap::clear(std::byte* begin, std::size_t bytes) {
  if (bytes > kLarge)
    discard(begin, bytes);
  else
    std::memset(begin, 0, bytes);
}

void PrivateHeap::give(std::byte* begin, std::size_t bytes) {
  free_.give(number(begin) / pageSize_, bytes / pageSize_);
  memory_.noteFreed(bytes);
  held_ += bytes;
  if (held_ > memory_.room()) trim();
}

void PrivateHeap::trim() {
  free_.forEachFree(
      [&](std::size_t page, std::size_t count) { discard(address(page * pageSize_), count * pageSize_); });
  held_ = 0;
}

// The larger the heap is, the more at once.
Status PrivateHeap::grow(std::size_t bytes) {
  const std::size_t step = roundUp(std::max({bytes, std::min(total_ / 8, kMostStep), kLeastStep}), pageSize_);
  const auto left = static_cast<std::size_t>(end_ - top_);
  if (step <= left) return extend(step);
  if (bytes <= left) return extend(left);
  if (left > 0) MUSTER_TRY(extend(left));
  const std::size_t reservation = roundUp(std::max(step, kReservation), pageSize_);
  const auto begin = reserve_(reservation);
  if (!begin) return begin.status();
  top_ = touched_ = *begin;
  end_ = *begin + reservation;
  return extend(step);
}

Status PrivateHeap::extend(std::size_t bytes) {
  MUSTER_TRY(mapPrivate(top_, bytes));
  free_.give(number(top_) / pageSize_, bytes / pageSize_);
  top_ += bytes;
  total_ += bytes;
  return {};
}

}  // namespace muster::rt
