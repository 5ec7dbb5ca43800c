// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/system/safe_read.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "host/system/system_call.h"

namespace muster::rt {
namespace {

// What a pipe takes at once.
constexpr std::size_t kMostBytes = 4096;

// A call of the system itself: what interposes calls fetches managed memory.
ssize_t transfer(long number, int end, const void* memory, std::size_t bytes) {
  for (;;)
    if (const ssize_t done = systemCall.get()(number, end, memory, bytes); done >= 0 || errno != EINTR) return done;
}

// The system looks at the memory, and says EFAULT, or takes less, where a fault would end the program.
bool carry(const int (&ends)[2], const std::byte* from, std::size_t bytes, std::byte* into) {
  const ssize_t taken = transfer(SYS_write, ends[1], from, bytes);
  for (ssize_t got = 0; got < taken;) {
    const ssize_t more = transfer(SYS_read, ends[0], into + got, static_cast<std::size_t>(taken - got));
    if (more <= 0) return false;
    got += more;
  }
  return taken == static_cast<ssize_t>(bytes);
}

bool readThroughPipe(const std::byte* from, std::size_t bytes, std::byte* into) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    static std::atomic_flag told;
    if (!told.test_and_set())
      std::fprintf(stderr,
                   "muster: tables of rows, and arrays that are not managed, stay on rank 0: process_vm_readv is "
                   "forbidden here, and a pipe cannot be made (%s); allow one of them\n",
                   std::strerror(errno));
    return false;
  }
  bool good = true;
  for (std::size_t done = 0; good && done < bytes; done += kMostBytes)
    good = carry(ends, from + done, std::min(kMostBytes, bytes - done), into + done);
  close(ends[0]);
  close(ends[1]);
  return good;
}

}  // namespace

bool readSafely(const void* from, std::size_t bytes, void* into) {
  iovec local{into, bytes}, remote{const_cast<void*>(from), bytes};
  const ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  if (got >= 0) return got == static_cast<ssize_t>(bytes);
  if (errno != EPERM && errno != ENOSYS) return false;
  // Forbidden, as containers do: a pipe does the same, more slowly.
  return readThroughPipe(static_cast<const std::byte*>(from), bytes, static_cast<std::byte*>(into));
}

}  // namespace muster::rt
