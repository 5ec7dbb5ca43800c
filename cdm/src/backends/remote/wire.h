// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values as bytes and back. A Reader never reads beyond its bytes: the first value that is not there makes it
// fail, and everything after that reads as zero, so a decoder checks once, at the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "muster/cdm/transport.h"

namespace muster::cdm::remote {

class Writer {
 public:
  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  Writer& put(T value) {
    return raw(std::as_bytes(std::span(&value, 1)));
  }
  // With its length in front.
  Writer& bytes(std::span<const std::byte> data) { return put(static_cast<std::uint32_t>(data.size())).raw(data); }
  Writer& text(const std::string& text) { return bytes(std::as_bytes(std::span(text))); }
  Writer& raw(std::span<const std::byte> data) {
    bytes_.insert(bytes_.end(), data.begin(), data.end());
    return *this;
  }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class T>
    requires std::is_arithmetic_v<T>
  T get() {
    T value{};
    const std::span<const std::byte> data = raw(sizeof value);
    if (!data.empty()) std::memcpy(&value, data.data(), sizeof value);
    return value;
  }
  // Enumerators 0 .. last.
  template <class Enum>
  Enum get(Enum last) {
    const auto value = get<std::underlying_type_t<Enum>>();
    require(value >= 0 && value <= static_cast<std::underlying_type_t<Enum>>(last));
    return failed_ ? Enum{} : static_cast<Enum>(value);
  }
  bool flag() {
    const auto value = get<std::uint8_t>();
    require(value <= 1);
    return value == 1;
  }
  // The number of items that follow, each of at least `itemBytes`: no count can ask for more memory than the
  // message has bytes.
  std::uint32_t count(std::size_t itemBytes) {
    const auto items = get<std::uint32_t>();
    require(items <= left_.size() / itemBytes);
    return failed_ ? 0 : items;
  }
  std::span<const std::byte> bytes() { return raw(count(1)); }
  std::string text() {
    const std::span<const std::byte> data = bytes();
    return {reinterpret_cast<const char*>(data.data()), data.size()};
  }
  void require(bool holds) { failed_ = failed_ || !holds; }
  // All bytes were there and none is left.
  bool complete() const { return !failed_ && left_.empty(); }
  bool failed() const { return failed_; }

 private:
  std::span<const std::byte> raw(std::size_t bytes) {
    require(bytes <= left_.size());
    if (failed_) return {};
    const std::span<const std::byte> data = left_.first(bytes);
    left_ = left_.subspan(bytes);
    return data;
  }

  std::span<const std::byte> left_;
  bool failed_ = false;
};

}  // namespace muster::cdm::remote
