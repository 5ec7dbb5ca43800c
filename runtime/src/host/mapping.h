// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system calls behind host memory: reserving, mapping and protecting address ranges. Addresses and sizes are
// multiples of the page size. Thread-safe.
#pragma once

#include <cstddef>
#include <string>

#include "host/host_memory.h"
#include "muster/cdm/status.h"

namespace muster::rt {

std::size_t systemPageSize();
inline std::size_t roundUp(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}
// "80.0 GB", "4.1 kB": for messages.
std::string formatBytes(std::size_t bytes);

// Address space without memory; nullptr if there is not that much.
std::byte* reserveAddresses(std::size_t bytes, std::size_t alignment);
void unmap(std::byte* at, std::size_t bytes);
// Over addresses that we hold: private zero memory as malloc maps it; nothing at all.
Status mapPrivate(std::byte* at, std::size_t bytes);
Status mapNothing(std::byte* at, std::size_t bytes);
// The private pages at `from` replace, in one step, what is mapped at `to`.
Status moveMapping(std::byte* from, std::byte* to, std::size_t bytes);
// Takes the memory out of a private mapping; it reads as zero again.
void discard(std::byte* at, std::size_t bytes);
// Takes the memory out of a shared mapping; it reads as zero again.
void punchHole(std::byte* at, std::size_t bytes);
Status protect(std::byte* at, std::size_t bytes, PageAccess access);

// Memory without a name that can be mapped in several places; zero at first. It lives as long as one mapping.
class SharedMemory {
 public:
  static Result<SharedMemory> create(std::size_t bytes);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  // [offset, offset + bytes) of it, readable and writable, over addresses that we hold.
  Status mapAt(std::byte* at, std::size_t bytes, std::size_t offset) const;

 private:
  explicit SharedMemory(int file) : file_(file) {}
  int file_;
};

}  // namespace muster::rt
