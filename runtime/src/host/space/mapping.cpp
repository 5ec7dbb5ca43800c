// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mmap, mprotect and memfd_create with errors that say what to do.
#include "host/space/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "host/space/address_region.h"
#include "muster/cdm/host_allocation.h"
#include "muster/cdm/text.h"

namespace muster::rt {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kBlockBytes = 512;                  // of st_blocks
constexpr std::size_t kMostKept = 256, kFirstKept = 512;  // open files; well below FD_SETSIZE
constexpr std::size_t kLargestStep = std::size_t{256} << 10;

Status mappingError(const char* what, std::size_t bytes, int error) {
  std::string message = std::string(what) + " " + cdm::formatByteCount(bytes) + " failed: " + std::strerror(error);
  if (error == ENOMEM) {
    message += addressesAreCounted() ? "; the process may only have so much address space (see `ulimit -v`)"
                                     : "; the host has not that much memory, or the process has too many mappings "
                                       "(see `sysctl vm.max_map_count`)";
  }
  return {Errc::outOfMemory, std::move(message)};
}

int protectionOf(PageAccess access) {
  switch (access) {
    case PageAccess::none:
      return PROT_NONE;
    case PageAccess::read:
      return PROT_READ;
    case PageAccess::readWrite:
      return PROT_READ | PROT_WRITE;
  }
  panic("unknown page access");
}

// glibc's malloc leaves huge pages to the kernel's setting unless this tunable tells it to ask for them. The same
// here, so that an array has huge pages exactly where it would have them without Muster.
bool mallocAsksForHugePages() {
  static const bool asks = [] {
    const char* tunables = std::getenv("GLIBC_TUNABLES");
    return tunables != nullptr && std::strstr(tunables, "glibc.malloc.hugetlb=1") != nullptr;
  }();
  return asks;
}

// Whether the system says for sure that no page of [lo, hi) has memory or is swapped out: it counts pages, whatever
// state they are in (since Linux 6.5).
bool hasNoPages(int file, std::size_t lo, std::size_t hi) {
#ifdef SYS_cachestat
  constexpr long kCachestat = SYS_cachestat;
#else
  constexpr long kCachestat = 451;
#endif
  struct {
    std::uint64_t begin, bytes;
  } const range{lo, hi - lo};
  struct {
    std::uint64_t cached, dirty, writeback, evicted, recentlyEvicted;
  } pages = {};
  return syscall(kCachestat, file, &range, &pages, 0) == 0 && pages.cached == 0 && pages.evicted == 0;
}

std::size_t openFileLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) panic(std::string("getrlimit: ") + std::strerror(errno));
  return static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace

std::size_t systemPageSize() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

void unmap(std::byte* at, std::size_t bytes) {
  if (munmap(at, bytes) != 0) panic(std::string("munmap of the runtime's own memory: ") + std::strerror(errno));
}

Status mapPrivate(std::byte* at, std::size_t bytes) {
  MUSTER_TRY(cdm::countHostAllocation(cdm::HostAllocation::view, bytes, "an array"));
  if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
    return mappingError("mapping", bytes, errno);
  }
  if (bytes >= kHugePage && mallocAsksForHugePages()) madvise(at, bytes, MADV_HUGEPAGE);
  return Status::success();
}

Status mapNothing(std::byte* at, std::size_t bytes) {
  if (addressesAreCounted()) return munmap(at, bytes) == 0 ? Status() : mappingError("giving back", bytes, errno);
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (mmap(at, bytes, PROT_NONE, kFlags, -1, 0) == MAP_FAILED) return mappingError("giving back", bytes, errno);
  return Status::success();
}

Status moveMapping(std::byte* from, std::byte* to, std::size_t bytes) {
  if (mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) {
    return mappingError("moving", bytes, errno);
  }
  return Status::success();
}

void discard(std::byte* at, std::size_t bytes) {
  if (madvise(at, bytes, MADV_DONTNEED) != 0) panic(std::string("MADV_DONTNEED: ") + std::strerror(errno));
}

void populate(std::byte* at, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  (void)madvise(at, bytes, MADV_POPULATE_WRITE);
#else
  (void)at, (void)bytes;
#endif
}

void punchHole(std::byte* at, std::size_t bytes) {
  if (madvise(at, bytes, MADV_REMOVE) != 0) panic(std::string("MADV_REMOVE: ") + std::strerror(errno));
}

Status protect(std::byte* at, std::size_t bytes, PageAccess access) {
  if (mprotect(at, bytes, protectionOf(access)) != 0) return mappingError("changing the protection of", bytes, errno);
  return Status::success();
}

Result<SharedMemory> SharedMemory::create(std::size_t bytes) {
  MUSTER_TRY(cdm::countHostAllocation(cdm::HostAllocation::view, bytes, "an array"));
  const int file = memfd_create("muster", MFD_CLOEXEC);
  if (file < 0) return mappingError("creating shared memory of", bytes, errno);
  struct stat made;
  if (fstat(file, &made) != 0) panic(std::string("fstat of memory just created: ") + std::strerror(errno));
  SharedMemory memory(file, bytes, made.st_dev, made.st_ino);
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0) return mappingError("creating shared memory of", bytes, errno);
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : file_(std::exchange(other.file_, -1)), bytes_(other.bytes_), device_(other.device_), inode_(other.inode_) {}

SharedMemory::~SharedMemory() {
  if (file_ >= 0 && memoryBytes()) close(file_);
}

Status SharedMemory::mapAt(std::byte* at, std::size_t bytes, std::size_t offset) const {
  constexpr int kAccess = PROT_READ | PROT_WRITE;
  if (mmap(at, bytes, kAccess, MAP_SHARED | MAP_FIXED, file_, static_cast<off_t>(offset)) == MAP_FAILED) {
    return mappingError("mapping", bytes, errno);
  }
  // Only a hint: kernels that give shared memory no huge pages refuse it, and small pages are right as well.
  if (bytes >= kHugePage) madvise(at, bytes, MADV_HUGEPAGE);
  return Status::success();
}

std::size_t SharedMemory::mostKept() { return std::min(kMostKept, openFileLimit() / 4); }

bool SharedMemory::keepAside() {
  const std::size_t first = std::min(kFirstKept, openFileLimit() / 2);
  const int aside = fcntl(file_, F_DUPFD_CLOEXEC, static_cast<int>(first));
  if (aside < 0) return false;
  close(file_);
  file_ = aside;
  return true;
}

std::optional<std::size_t> SharedMemory::memoryBytes() const {
  struct stat now;
  if (fstat(file_, &now) != 0 || now.st_dev != device_ || now.st_ino != inode_) return std::nullopt;
  return static_cast<std::size_t>(now.st_blocks) * kBlockBytes;
}

// Looks for memory from one place to the next one: where one has memory, the place after it is further away, so that
// much memory takes few calls. (SEEK_HOLE would visit each page of it.) That alone is not sure: the kernel takes a page
// for a hole while it is moved in memory (by compaction, for another NUMA node), or becomes part of a huge page.
std::vector<ByteRange> SharedMemory::untouched(std::size_t lo, std::size_t hi, std::size_t least) const {
  std::vector<ByteRange> found;
  if (full_.load(std::memory_order_relaxed)) return found;
  const std::optional<std::size_t> memory = memoryBytes();
  if (!memory) return found;
  if (*memory >= bytes_) {
    full_.store(true, std::memory_order_relaxed);
    return found;
  }
  for (std::size_t at = lo, step = least; at < hi && hi - at >= least;) {
    const off_t next = lseek(file_, static_cast<off_t>(at), SEEK_DATA);
    if (next < 0 && errno != ENXIO) break;  // a system that cannot tell
    const std::size_t end = next < 0 ? hi : std::min(hi, static_cast<std::size_t>(next));
    if (end - at >= least) {
      if (*memory == 0 || hasNoPages(file_, at, end)) found.push_back({at, end});
      step = least;
    }
    at = end + step;
    step = std::min(2 * step, std::max(kLargestStep, least));
  }
  return found;
}

}  // namespace muster::rt
