// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages for arrays that no other device sees yet: taken and given back without a system call, as malloc's are, as long
// as the heap need neither grow nor shrink. Not thread-safe.
#pragma once

#include <cstddef>
#include <functional>

#include "host/space/kept_memory.h"
#include "host/space/range_allocator.h"
#include "muster/cdm/status.h"

namespace muster::rt {

class PrivateHeap {
 public:
  // More is mapped by glibc's malloc for each array alone (DEFAULT_MMAP_THRESHOLD_MAX): its pages are zero.
  static constexpr std::size_t kLarge = std::size_t{32} << 20;

  struct Range {
    std::byte* begin;
    bool zero;  // surely
  };
  // Address space of at least so many bytes, for good.
  using Reserve = std::function<Result<std::byte*>(std::size_t bytes)>;

  // mostKept: bytes of free ranges.
  PrivateHeap(std::size_t pageSize, std::size_t mostKept, Reserve reserve)
      : pageSize_(pageSize), reserve_(std::move(reserve)), memory_(mostKept) {}

  // Readable and writable, a multiple of the page size. `alignment`: a power of two.
  Result<Range> take(std::size_t bytes, std::size_t alignment);
  // Whole pages of such a range are zero from now on.
  static void clear(std::byte* begin, std::size_t bytes);
  // A range that take() gave. Its memory is kept for others, within bounds (host/space/kept_memory.h).
  void give(std::byte* begin, std::size_t bytes);

  // Bytes of free ranges that may have memory; exceeded by what take() found in ranges without.
  [[nodiscard]] std::size_t held() const { return held_; }

 private:
  Status grow(std::size_t bytes);
  Status extend(std::size_t bytes);
  void trim();

  const std::size_t pageSize_;
  const Reserve reserve_;
  RangeAllocator free_{0};  // of all memory, in pages
  std::byte* top_ = nullptr;
  std::byte* end_ = nullptr;      // of the last reservation, which has memory up to top_
  std::byte* touched_ = nullptr;  // of the last reservation: nobody has had anything behind
  std::size_t total_ = 0;
  std::size_t held_ = 0;
  KeptMemory memory_;
};

}  // namespace muster::rt
