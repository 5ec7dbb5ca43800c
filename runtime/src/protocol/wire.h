// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values as bytes. One `fields` function per type serves both directions, so that they cannot disagree.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "muster/cdm/transport.h"

namespace muster::rt::protocol {

static_assert(std::endian::native == std::endian::little, "the wire format is little-endian");

class Writer {
 public:
  template <class T>
    requires std::is_arithmetic_v<T>
  void operator()(const T& value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
  }
  void operator()(const std::string& text) { sequence(text); }
  template <class T>
  void operator()(const std::vector<T>& items) {
    sequence(items);
  }
  template <class A, class B>
  void operator()(const std::pair<A, B>& pair) {
    (*this)(pair.first);
    (*this)(pair.second);
  }
  template <class T>
    requires requires(Writer& w, T& t) { fields(w, t); }
  void operator()(const T& value) {
    fields(*this, const_cast<T&>(value));  // a writer changes nothing
  }

  cdm::Bytes take() { return std::move(bytes_); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  void patch(std::size_t at, std::uint64_t value) { std::memcpy(bytes_.data() + at, &value, sizeof value); }

 private:
  template <class Items>
  void sequence(const Items& items) {
    using Item = typename Items::value_type;
    (*this)(static_cast<std::uint32_t>(items.size()));
    if constexpr (std::is_arithmetic_v<Item> || std::is_same_v<Item, std::byte>) {
      const auto* from = reinterpret_cast<const std::byte*>(items.data());
      bytes_.insert(bytes_.end(), from, from + items.size() * sizeof(Item));
    } else {
      for (const auto& item : items) (*this)(item);
    }
  }

  cdm::Bytes bytes_;
};

// After the first value that does not fit, everything reads as zero and ok() is false.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
    requires std::is_arithmetic_v<T>
  void operator()(T& value) {
    value = T{};
    if (!take(sizeof value)) return;
    if constexpr (std::is_same_v<T, bool>) {
      const auto byte = static_cast<std::uint8_t>(taken_[0]);
      if (byte > 1) ok_ = false;
      value = byte == 1;
    } else {
      std::memcpy(&value, taken_.data(), sizeof value);
    }
  }
  void operator()(std::string& text) { sequence(text); }
  template <class T>
  void operator()(std::vector<T>& items) {
    sequence(items);
  }
  template <class A, class B>
  void operator()(std::pair<A, B>& pair) {
    (*this)(pair.first);
    (*this)(pair.second);
  }
  template <class T>
    requires requires(Reader& r, T& t) { fields(r, t); }
  void operator()(T& value) {
    fields(*this, value);
  }

  // What was read cannot be: nothing is ok any more.
  void refuse() { ok_ = false; }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool done() const { return ok_ && rest_.empty(); }

 private:
  bool take(std::size_t bytes) {
    if (!ok_ || bytes > rest_.size()) {
      ok_ = false;
      return false;
    }
    taken_ = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return true;
  }

  template <class Items>
  void sequence(Items& items) {
    using Item = typename Items::value_type;
    items.clear();
    std::uint32_t count = 0;
    (*this)(count);
    if constexpr (std::is_arithmetic_v<Item> || std::is_same_v<Item, std::byte>) {
      if (!take(std::size_t{count} * sizeof(Item))) return;
      items.resize(count);
      if (count > 0) std::memcpy(items.data(), taken_.data(), taken_.size());
    } else {
      // Every item takes a byte or more: a count that cannot be true allocates nothing.
      if (count > rest_.size()) ok_ = false;
      for (std::uint32_t i = 0; ok_ && i < count; ++i) (*this)(items.emplace_back());
    }
  }

  std::span<const std::byte> rest_;
  std::span<const std::byte> taken_;
  bool ok_ = true;
};

}  // namespace muster::rt::protocol
