// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/space/small_blocks.h"

#include <algorithm>
#include <cstring>

#include "host/space/mapping.h"

namespace muster::rt {

namespace {

constexpr std::size_t kLine = SmallBlocks::kAlignment;
constexpr std::size_t kSpanBytes = std::size_t{64} << 10;  // at least, if that is not too many blocks
constexpr std::size_t kLeastBlocks = 8;
constexpr unsigned kSteps = 8, kStepBits = 3;  // classes from one power of two to the next

// Classes are 1, 2, ..., 16 lines, then 18, 20, ..., 32, 36, ..., 64, ..., 512.
std::uint32_t classOf(std::size_t bytes) {
  const std::size_t last = bytes == 0 ? 0 : (bytes - 1) / kLine;
  if (last < 2 * kSteps) return static_cast<std::uint32_t>(last);
  const unsigned shift = static_cast<unsigned>(std::bit_width(last)) - kStepBits - 1;
  return static_cast<std::uint32_t>(shift * kSteps + (last >> shift));
}

// An odd number of lines where blocks are of 1 KiB and more: a processor takes a load for one of a store before it
// where both addresses end alike (in 12 bits), so that loops over several blocks that all begin a page run slower.
std::size_t strideOfClass(std::uint32_t sizeClass) {
  std::size_t lines = sizeClass + std::size_t{1};
  if (sizeClass >= 2 * kSteps) lines = (sizeClass % kSteps + kSteps + std::size_t{1}) << (sizeClass / kSteps - 1);
  return (lines >= 2 * kSteps ? lines | 1 : lines) * kLine;
}

}  // namespace

void BlockSpan::setTaken(std::uint32_t index, bool taken) {
  std::atomic<std::uint64_t>& word = taken_[index / 64];
  const std::uint64_t bit = std::uint64_t{1} << index % 64;
  const std::uint64_t now = word.load(std::memory_order_relaxed);
  word.store(taken ? now | bit : now & ~bit, std::memory_order_relaxed);
}

// There is a free block. The lowest, which may still be in a cache.
std::uint32_t BlockSpan::takeFirst() {
  while (~taken_[search_].load(std::memory_order_relaxed) == 0) ++search_;
  const auto bit = std::countr_one(taken_[search_].load(std::memory_order_relaxed));
  const std::uint32_t index = search_ * 64 + static_cast<std::uint32_t>(bit);
  setTaken(index, true);
  ++live_;
  return index;
}

std::size_t SmallBlocks::strideOf(std::size_t bytes) { return strideOfClass(classOf(bytes)); }

Result<std::byte*> SmallBlocks::take(std::size_t bytes, bool zero, const muster_array_site* site) {
  const std::uint32_t sizeClass = classOf(bytes);
  std::vector<BlockSpan*>& withRoom = withRoom_[sizeClass];
  if (withRoom.empty()) {
    const auto fresh = newSpan(sizeClass);
    if (!fresh) return fresh.status();
    addRoom(**fresh);
  }
  BlockSpan& span = *withRoom.back();
  const std::uint32_t index = span.takeFirst();
  if (span.live_ == span.count_) removeRoom(span);
  span.sites_[index] = site;
  std::byte* block = span.begin_ + std::size_t{index} * span.stride_;
  const bool isZero = span.zero_ && index >= span.used_;
  span.used_ = std::max(span.used_, index + 1);
  if (zero && !isZero) std::memset(block, 0, bytes);
  return block;
}

void SmallBlocks::give(BlockSpan& span, const std::byte* block) {
  const std::uint32_t index = span.indexOf(block);
  span.setTaken(index, false);
  span.search_ = std::min(span.search_, index / 64);
  if (span.live_-- == span.count_) addRoom(span);
  // One that is empty stays for what comes next.
  if (span.live_ == 0 && withRoom_[span.sizeClass_].size() > 1) drop(span);
}

Result<BlockSpan*> SmallBlocks::newSpan(std::uint32_t sizeClass) {
  const std::size_t stride = strideOfClass(sizeClass);
  const std::size_t bytes = roundUp(std::max(kSpanBytes, kLeastBlocks * stride), AddressTable::kPageBytes);
  const auto range = pages_.take(bytes, AddressTable::kPageBytes);
  if (!range) return range.status();
  if (unused_.empty()) unused_.push_back(&spans_.emplace_back());
  BlockSpan* span = unused_.back();
  span->begin_ = range->begin;
  span->bytes_ = bytes;
  span->stride_ = static_cast<std::uint32_t>(stride);
  span->count_ = static_cast<std::uint32_t>(std::min(bytes / stride, BlockSpan::kMost));
  span->live_ = span->used_ = span->search_ = 0;
  span->sizeClass_ = sizeClass;
  span->zero_ = range->zero;
  span->sites_.resize(span->count_);
  const auto begin = reinterpret_cast<std::uintptr_t>(range->begin);
  if (Status status = table_.set(begin, begin + bytes, PageOwner(span)); !status.ok()) {
    pages_.give(range->begin, bytes);
    return status;
  }
  unused_.pop_back();
  return span;
}

void SmallBlocks::addRoom(BlockSpan& span) {
  std::vector<BlockSpan*>& withRoom = withRoom_[span.sizeClass_];
  span.place_ = withRoom.size();
  withRoom.push_back(&span);
}

void SmallBlocks::removeRoom(const BlockSpan& span) {
  std::vector<BlockSpan*>& withRoom = withRoom_[span.sizeClass_];
  withRoom.back()->place_ = span.place_;
  withRoom[span.place_] = withRoom.back();
  withRoom.pop_back();
}

void SmallBlocks::drop(BlockSpan& span) {
  removeRoom(span);
  const auto begin = reinterpret_cast<std::uintptr_t>(span.begin_);
  if (const Status status = table_.set(begin, begin + span.bytes_, PageOwner()); !status.ok())
    panic("taking small arrays out of the table: " + status.message());
  pages_.give(span.begin_, span.bytes_);
  unused_.push_back(&span);
}

}  // namespace muster::rt
