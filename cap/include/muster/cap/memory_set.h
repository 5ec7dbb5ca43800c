// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of memories: who holds an element.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace muster::cap {

// 0 is the host view of rank 0 (and so the memory of rank 0's CPU device); the others belong to one device each.
using MemoryId = std::uint32_t;
inline constexpr MemoryId hostMemory = 0;

// Immutable. A few memories (neighbours) are inside, as they are in nearly all pieces of a state; many (all devices
// have read it) are shared by all copies, so that a copy never costs more for more of them.
class MemorySet {
 public:
  MemorySet() = default;
  // Ascending, no duplicates.
  MemorySet(std::initializer_list<MemoryId> memories) : MemorySet(memories.begin(), memories.end()) {}
  template <class Iterator>
  MemorySet(Iterator first, Iterator last) {
    const auto size = static_cast<std::size_t>(std::distance(first, last));
    if (size <= few_.size()) {
      std::copy(first, last, few_.begin());
      size_ = static_cast<std::uint32_t>(size);
    } else {
      many_ = std::make_shared<const std::vector<MemoryId>>(first, last);
    }
  }

  [[nodiscard]] const MemoryId* begin() const { return many_ ? many_->data() : few_.data(); }
  [[nodiscard]] const MemoryId* end() const { return begin() + size(); }
  [[nodiscard]] std::size_t size() const { return many_ ? many_->size() : size_; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] MemoryId front() const { return *begin(); }
  [[nodiscard]] MemoryId back() const { return end()[-1]; }

  [[nodiscard]] bool contains(MemoryId memory) const {
    return many_ ? std::binary_search(begin(), end(), memory) : std::find(begin(), end(), memory) != end();
  }
  // others: ascending.
  [[nodiscard]] bool contains(std::span<const MemoryId> others) const {
    if (others.size() > few_.size()) return std::includes(begin(), end(), others.begin(), others.end());
    return std::all_of(others.begin(), others.end(), [this](MemoryId memory) { return contains(memory); });
  }
  // more: ascending.
  [[nodiscard]] MemorySet with(std::span<const MemoryId> more) const;
  [[nodiscard]] MemorySet without(MemoryId memory) const;
  // Bytes outside of the object.
  [[nodiscard]] std::size_t allocated() const { return many_ ? many_->size() * sizeof(MemoryId) : 0; }

  bool operator==(const MemorySet& other) const {
    return (many_ && many_ == other.many_) || std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  std::uint32_t size_ = 0;  // of few_
  std::array<MemoryId, 3> few_ = {};
  std::shared_ptr<const std::vector<MemoryId>> many_;
};

}  // namespace muster::cap
