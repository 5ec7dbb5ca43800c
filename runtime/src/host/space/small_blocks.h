// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small arrays that no other device will ever see, several to a page, as malloc's blocks: no record each, recycled by
// size. A span is some pages with blocks of one size. Which addresses are taken can be asked at any time.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "host/space/address_table.h"
#include "host/space/extent.h"
#include "host/space/private_heap.h"
#include "muster/cdm/status.h"

struct muster_array_site;  // muster/abi.h

namespace muster::rt {

// Records are recycled and never given back to malloc, as those of arrays.
class BlockSpan {
 public:
  static constexpr std::size_t kMost = 1024;  // blocks

  // The block that holds the address, if it is taken; with all of its room. Any thread, also a signal handler.
  [[nodiscard]] std::optional<ArrayExtent> blockAt(const void* address) const {
    const std::uint32_t index = indexOf(address);
    if (index >= count_ || !isTaken(index)) return std::nullopt;
    return ArrayExtent{begin_ + std::size_t{index} * stride_, stride_};
  }
  // Of a block that is taken.
  [[nodiscard]] const muster_array_site* siteAt(const void* address) const { return sites_[indexOf(address)]; }

 private:
  friend class SmallBlocks;
  [[nodiscard]] std::uint32_t indexOf(const void* address) const {
    return static_cast<std::uint32_t>(static_cast<const std::byte*>(address) - begin_) / stride_;
  }
  [[nodiscard]] bool isTaken(std::uint32_t index) const {
    return (taken_[index / 64].load(std::memory_order_relaxed) >> index % 64 & 1) != 0;
  }
  void setTaken(std::uint32_t index, bool taken);
  std::uint32_t takeFirst();

  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint32_t stride_ = 1;
  std::uint32_t count_ = 0;
  std::uint32_t live_ = 0;
  std::uint32_t used_ = 0;    // blocks behind were never taken
  std::uint32_t search_ = 0;  // words before have no free block
  std::uint32_t sizeClass_ = 0;
  std::size_t place_ = 0;  // among those with room
  bool zero_ = false;      // blocks that were never taken are
  std::array<std::atomic<std::uint64_t>, kMost / 64> taken_{};
  std::vector<const muster_array_site*> sites_;
};

// Not thread-safe, but for what spans say.
class SmallBlocks {
 public:
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t kLargest = std::size_t{32} << 10;

  SmallBlocks(PrivateHeap& pages, AddressTable& table) : pages_(pages), table_(table) {}

  // At most kLargest bytes, also none; aligned to kAlignment.
  Result<std::byte*> take(std::size_t bytes, bool zero, const muster_array_site* site);
  // A block that is taken.
  void give(BlockSpan& span, const std::byte* block);
  // What a block for so many bytes has room for.
  [[nodiscard]] static std::size_t strideOf(std::size_t bytes);

 private:
  static constexpr std::size_t kClasses = 56;

  Result<BlockSpan*> newSpan(std::uint32_t sizeClass);
  void addRoom(BlockSpan& span);
  void removeRoom(const BlockSpan& span);
  void drop(BlockSpan& span);

  PrivateHeap& pages_;
  AddressTable& table_;
  std::deque<BlockSpan> spans_;
  std::vector<BlockSpan*> unused_;
  std::array<std::vector<BlockSpan*>, kClasses> withRoom_;
};

}  // namespace muster::rt
