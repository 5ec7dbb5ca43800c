// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system calls behind host memory: reserving, mapping and protecting address ranges. Addresses and sizes are
// multiples of the page size. Thread-safe.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "host/space/extent.h"
#include "muster/cdm/status.h"

namespace muster::rt {

std::size_t systemPageSize();
inline std::size_t roundUp(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Address space without memory; nullptr if there is not that much.
std::byte* reserveAddresses(std::size_t bytes, std::size_t alignment);
void unmap(std::byte* at, std::size_t bytes);

// The one region in which arrays lie. Where the process may only have so much address space (`ulimit -v`), its
// addresses are chosen, far from all others, and not reserved: only what arrays take counts.
struct AddressRegion {
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
};
// The largest that there is of `most`, `most` / 2, ... `least`; nothing if there is none.
std::optional<AddressRegion> reserveRegion(std::size_t most, std::size_t least, std::size_t alignment);
// Over addresses that we hold: private zero memory as malloc maps it; nothing at all (in the region).
Status mapPrivate(std::byte* at, std::size_t bytes);
Status mapNothing(std::byte* at, std::size_t bytes);
// The private pages at `from` replace, in one step, what is mapped at `to`.
Status moveMapping(std::byte* from, std::byte* to, std::size_t bytes);
// Gives pages their memory, all at once, ahead of their first touch. Where the system cannot, that touch does.
void populate(std::byte* at, std::size_t bytes);
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

  // How many of them may stay open besides their mappings: a part of what the process may open.
  static std::size_t mostKept();
  // Before it is kept: gives it a number that the program's own files do not expect. False: there is none.
  bool keepAside();
  // As HostArray::untouched. None if the program has closed the file, as those do that close all they find.
  [[nodiscard]] std::vector<ByteRange> untouched(std::size_t lo, std::size_t hi, std::size_t least) const;

 private:
  SharedMemory(int file, std::size_t bytes, dev_t device, ino_t inode)
      : file_(file), bytes_(bytes), device_(device), inode_(inode) {}
  // Bytes that have memory; nothing if the number stands for another file now.
  [[nodiscard]] std::optional<std::size_t> memoryBytes() const;
  int file_;
  std::size_t bytes_;
  dev_t device_;  // with inode_: which file it is
  ino_t inode_;
  mutable std::atomic<bool> full_ = false;  // all of it has been touched, and stays so
};

}  // namespace muster::rt
