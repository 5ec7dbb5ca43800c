// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace muster::cdm {

// "15.6 KiB"; thread-safe.
[[nodiscard]] std::string formatByteCount(std::uint64_t bytes);

// The whole text is one number. False leaves some value; thread-safe.
template <class T>
[[nodiscard]] bool parseNumber(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace muster::cdm
