// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "muster/cdm/text.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>

namespace muster::cdm {

std::string formatByteCount(std::uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= (unit == 0 ? 1024 : 1023.95) && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace muster::cdm
