// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel's arguments were set to last: to set one takes a driver some tenths of a microsecond, and most of them
// are the same at the next launch. A memory object is known by its handle, which a driver may give again once another
// object has gone: `generation` changes whenever one is made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace muster::cdm {

class KnownArguments {
 public:
  // In front of the others; forgets all where memory objects were made since.
  void at(std::uint64_t generation) {
    if (generation != generation_) values_.clear();
    generation_ = generation;
  }
  [[nodiscard]] bool has(std::size_t index, std::size_t bytes, const void* value) const {
    return index < values_.size() && values_[index].bytes == bytes &&
           std::memcmp(values_[index].value.data(), value, bytes) == 0;
  }
  // Large ones are set each time.
  void keep(std::size_t index, std::size_t bytes, const void* value) {
    if (index >= values_.size()) values_.resize(index + 1);
    Value& kept = values_[index];
    kept.bytes = bytes <= kMost ? bytes : 0;
    std::memcpy(kept.value.data(), value, kept.bytes);
  }

 private:
  static constexpr std::size_t kMost = 16;
  struct Value {
    std::size_t bytes = 0;  // 0: not known
    std::array<std::byte, kMost> value{};
  };
  std::vector<Value> values_;
  std::uint64_t generation_ = 0;
};

}  // namespace muster::cdm
