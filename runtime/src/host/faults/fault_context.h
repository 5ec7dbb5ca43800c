// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the processor said about a page fault. Async-signal-safe.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <optional>

namespace muster::rt {

// Whether the access was a write; nothing where the context does not say it.
inline std::optional<bool> faultIsWrite(const ucontext_t& context) {
#if defined(__x86_64__)
  constexpr greg_t kWrite = 2;  // bit W/R of the page fault error code
  return (context.uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#elif defined(__aarch64__)
  // Records of the signal frame, each with a magic number and a size, ended by an empty one.
  constexpr std::uint32_t kEsrMagic = 0x45535201;
  constexpr std::uint64_t kWriteNotRead = 1u << 6;
  const auto* at = reinterpret_cast<const unsigned char*>(context.uc_mcontext.__reserved);
  const auto* end = at + sizeof context.uc_mcontext.__reserved;
  while (at + 2 * sizeof(std::uint32_t) <= end) {
    const auto* head = reinterpret_cast<const std::uint32_t*>(at);
    if (head[0] == kEsrMagic) return (*reinterpret_cast<const std::uint64_t*>(at + 8) & kWriteNotRead) != 0;
    if (head[0] == 0 || head[1] == 0) break;
    at += head[1];
  }
  return std::nullopt;
#else
  static_cast<void>(context);
  return std::nullopt;
#endif
}

// The instruction that faulted; nullptr where the context does not say it.
inline const void* faultingInstruction(const ucontext_t& context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(context.uc_mcontext.pc);
#else
  static_cast<void>(context);
  return nullptr;
#endif
}

}  // namespace muster::rt
