// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control bits of the processor, as they differ from the standard ones.
#include "native/float_mode.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace muster::rt {
namespace {

#if defined(__x86_64__)

// MXCSR below, the x87's control word, which long double follows, above.
constexpr std::uint32_t kSse = 0xffc0, kSseStandard = 0x1f80, kX87 = 0x0f3f, kX87Standard = 0x033f;
constexpr std::uint32_t kFlush = 0x8040, kRounding = 0x6000 | (0x0c00u << 16), kTraps = 0x1f80 | (0x003fu << 16);

std::uint32_t controlBits() {
  std::uint16_t x87 = 0;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return ((_mm_getcsr() & kSse) ^ kSseStandard) | (((x87 & kX87) ^ kX87Standard) << 16);
}

void setControlBits(std::uint32_t bits) {
  const auto x87 = static_cast<std::uint16_t>((bits >> 16) ^ kX87Standard);
  __asm__ volatile("fldcw %0" : : "m"(x87));
  _mm_setcsr((_mm_getcsr() & ~kSse) | ((bits & kSse) ^ kSseStandard));
}

#elif defined(__aarch64__)

constexpr std::uint32_t kFlush = 0x01080003, kRounding = 0x00c00000, kTraps = 0x00009f00;

std::uint32_t controlBits() {
  std::uint64_t control = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return static_cast<std::uint32_t>(control);
}

void setControlBits(std::uint32_t bits) { __asm__ volatile("msr fpcr, %0" : : "r"(std::uint64_t{bits})); }

#else

constexpr std::uint32_t kFlush = 0, kRounding = ~0u, kTraps = 0;

std::uint32_t controlBits() { return static_cast<std::uint32_t>(std::fegetround() ^ FE_TONEAREST); }
void setControlBits(std::uint32_t bits) { std::fesetround(static_cast<int>(bits) ^ FE_TONEAREST); }

#endif

}  // namespace

FloatMode FloatMode::current() { return FloatMode(controlBits()); }

void FloatMode::apply() const { setControlBits(bits_); }

std::string FloatMode::whyNotOnDevices(bool anyDenormals) const {
  if ((bits_ & kRounding) != 0) return "the program rounds otherwise than to the nearest (fesetround)";
  if ((bits_ & kTraps) != 0) return "the program traps floating-point exceptions (feenableexcept)";
  if ((bits_ & kFlush) == 0 && bits_ != 0) return "the program computes in another precision";
  if ((bits_ & kFlush) != 0 && !anyDenormals)
    return "the program flushes denormal numbers to zero, which devices do in other ways (compiled with "
           "-fdenormal-fp-math=preserve-sign it leaves that open)";
  return {};
}

}  // namespace muster::rt
