// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which earlier operations on a buffer a new one must come after, when operations go to several in-order queues
// ("lanes"). Pure, without allocation, of bounded size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace muster::cdm {

// A second lane for kernels: a small one that depends on nothing in the first fills the gaps that a large one leaves.
enum class Lane : std::uint8_t { kernels, smallKernels, writes, reads };
inline constexpr std::size_t lanes = 4;

// Per lane the number of an operation; it stands for that one and all before it.
using Clock = std::array<std::uint64_t, lanes>;

struct ByteRange {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] bool empty() const { return begin >= end; }
  [[nodiscard]] bool overlaps(const ByteRange& other) const {
    return !empty() && begin < other.end && other.begin < end;
  }
  [[nodiscard]] bool contains(const ByteRange& other) const { return begin <= other.begin && other.end <= end; }
};

// Accesses to one buffer that later ones may have to wait for.
class AccessLog {
 public:
  // Raises `after` to the operations whose effect an access must see, or must not disturb.
  void conflicts(const ByteRange& range, bool write, Clock& after) const;
  // An access by operation `number` of `lane`, which comes after what conflicts() gave for it. `completed` need not be
  // remembered. A full log becomes coarser, never forgetful.
  void add(const ByteRange& range, bool write, Lane lane, std::uint64_t number, const Clock& completed);

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Access {
    ByteRange range;
    std::uint64_t number = 0;
    Lane lane = Lane::kernels;
    bool write = false;
  };
  static constexpr std::size_t capacity = 24;

  void coarsen();

  std::array<Access, capacity> accesses_;
  std::size_t size_ = 0;
};

}  // namespace muster::cdm
