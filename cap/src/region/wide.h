// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic that cannot be wrong: values beyond 2^62 raise a flag instead of wrapping around.
#pragma once

#include <cstdint>

namespace muster::cap {

using Wide = __int128;

// Operands come from these operations or are 64-bit, so no intermediate result leaves 128 bits.
class Arithmetic {
 public:
  [[nodiscard]] bool overflowed() const { return overflowed_; }
  void clear() { overflowed_ = false; }
  [[nodiscard]] Wide add(Wide a, Wide b) { return checked(a + b); }
  [[nodiscard]] Wide multiply(Wide a, Wide b) { return checked(a * b); }

 private:
  [[nodiscard]] Wide checked(Wide value) {
    constexpr Wide limit = Wide{1} << 62;
    if (value >= -limit && value <= limit) return value;
    overflowed_ = true;
    return 0;
  }

  bool overflowed_ = false;
};

// Rounds towards minus infinity; divisor > 0. (Divisions of 128 bits take long, and most are by 1.)
[[nodiscard]] constexpr Wide floorDivide(Wide value, Wide divisor) {
  if (divisor == 1) return value;
  return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

// Rounds towards plus infinity; divisor > 0.
[[nodiscard]] constexpr Wide ceilDivide(Wide value, Wide divisor) { return -floorDivide(-value, divisor); }

}  // namespace muster::cap
