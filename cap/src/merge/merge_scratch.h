// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory that merges use again: fresh memory for each launch would be cleared and mapped page by page, which takes
// longer than what is done with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "muster/cdm/transport.h"

namespace muster::cap {

class MergeScratch {
 public:
  using Positions = std::vector<std::uint32_t>;

  // Of any size and contents.
  [[nodiscard]] cdm::Bytes takeBytes() { return take(bytes_); }
  [[nodiscard]] Positions takePositions() { return take(positions_); }
  void keep(cdm::Bytes bytes) { keep(bytes_, std::move(bytes)); }
  void keep(Positions positions) { keep(positions_, std::move(positions)); }
  void release() {
    bytes_.clear();
    positions_.clear();
    held_ = 0;
  }

 private:
  static constexpr std::size_t kMostVectors = 64, kMostBytes = std::size_t{512} << 20;

  template <class Vector>
  static std::size_t sizeOf(const Vector& vector) {
    return vector.capacity() * sizeof(typename Vector::value_type);
  }
  template <class Vector>
  Vector take(std::vector<Vector>& spare) {
    if (spare.empty()) return {};
    Vector vector = std::move(spare.back());
    spare.pop_back();
    held_ -= sizeOf(vector);
    return vector;
  }
  template <class Vector>
  void keep(std::vector<Vector>& spare, Vector vector) {
    if (sizeOf(vector) == 0 || spare.size() >= kMostVectors || held_ + sizeOf(vector) > kMostBytes) return;
    held_ += sizeOf(vector);
    spare.push_back(std::move(vector));
  }

  std::vector<cdm::Bytes> bytes_;
  std::vector<Positions> positions_;
  std::size_t held_ = 0;  // bytes
};

}  // namespace muster::cap
