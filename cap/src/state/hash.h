// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fast hash over 64-bit words for the planner's tables. Not for data from outside.
#pragma once

#include <cstdint>

namespace muster::cap {

class Hash {
 public:
  void add(std::uint64_t word) {
    const unsigned __int128 product = static_cast<unsigned __int128>(value_ ^ word) * std::uint64_t{0x9e3779b97f4a7c15};
    value_ = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    value_ += std::uint64_t{0x2545f4914f6cdd1d};
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace muster::cap
