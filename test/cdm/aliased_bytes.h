// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Address space of any size over little memory, for transfers too large for a test's machine: the same pages lie in it
// again and again. Their number is prime, so that bytes that arrive at a wrong place show.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>

namespace muster::cdm::test {

class AliasedBytes {
 public:
  static constexpr std::size_t period = 509 * std::size_t{4096};

  explicit AliasedBytes(std::size_t bytes) : bytes_((bytes + period - 1) / period * period), used_(bytes) {
    const int file = memfd_create("aliased", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, period) != 0) throw std::runtime_error("no memory file");
    void* base = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) throw std::runtime_error("no address space");
    base_ = static_cast<std::byte*>(base);
    for (std::size_t at = 0; at < bytes_; at += period) {
      if (mmap(base_ + at, period, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file, 0) ==
          MAP_FAILED)
        throw std::runtime_error("cannot map the pages again");
    }
    close(file);
  }
  ~AliasedBytes() { munmap(base_, bytes_); }
  AliasedBytes(const AliasedBytes&) = delete;
  AliasedBytes& operator=(const AliasedBytes&) = delete;

  [[nodiscard]] std::byte* data() const { return base_; }
  [[nodiscard]] std::span<std::byte> all() const { return {base_, used_}; }
  // What stands in the pages.
  [[nodiscard]] std::span<std::byte> once() const { return {base_, std::min(period, used_)}; }

 private:
  std::size_t bytes_, used_;
  std::byte* base_ = nullptr;
};

}  // namespace muster::cdm::test
