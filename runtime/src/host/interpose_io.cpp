// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that give the program's buffers to the kernel. The kernel does not raise SIGSEGV for a protected page, it fails
// with EFAULT; so the range is made valid first. A buffer that is read into is made valid as well: the call may fill
// less than it was given.
#undef _FORTIFY_SOURCE  // would make some of the names below inline functions
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>

#include "host/interpose.h"
#include "muster/abi.h"

// glibc maps these names to one another with macros in some configurations; the plain names are what is defined here.
#undef fread_unlocked
#undef fwrite_unlocked

namespace {

using muster::rt::managedAddresses;
using muster::rt::NextSymbol;

void prepare(const void* buffer, std::size_t bytes, int mode) {
  if (managedAddresses.table.find(buffer) != nullptr) muster_host_access(buffer, bytes, mode);
}
void prepareToRead(const void* buffer, std::size_t bytes) { prepare(buffer, bytes, MUSTER_READ); }
void prepareToFill(const void* buffer, std::size_t bytes) { prepare(buffer, bytes, MUSTER_READ | MUSTER_WRITE); }

void prepareAll(const iovec* parts, int count, int mode) {
  for (int i = 0; i < count; ++i) prepare(parts[i].iov_base, parts[i].iov_len, mode);
}

std::size_t product(std::size_t a, std::size_t b) {
  std::size_t bytes = 0;
  return __builtin_mul_overflow(a, b, &bytes) ? SIZE_MAX : bytes;
}

constexpr int kFill = MUSTER_READ | MUSTER_WRITE;

}  // namespace

// The definition behind ours.
#define NEXT(name)                                              \
  ([]() -> decltype(name)* {                                    \
    static constinit NextSymbol<decltype(name)> symbol_(#name); \
    return symbol_.get();                                       \
  }())

extern "C" {

#pragma GCC visibility push(default)

ssize_t read(int fd, void* buffer, size_t bytes) {
  prepareToFill(buffer, bytes);
  return NEXT(read)(fd, buffer, bytes);
}

ssize_t write(int fd, const void* buffer, size_t bytes) {
  prepareToRead(buffer, bytes);
  return NEXT(write)(fd, buffer, bytes);
}

ssize_t pread(int fd, void* buffer, size_t bytes, off_t offset) {
  prepareToFill(buffer, bytes);
  return NEXT(pread)(fd, buffer, bytes, offset);
}

ssize_t pread64(int fd, void* buffer, size_t bytes, off64_t offset) {
  prepareToFill(buffer, bytes);
  return NEXT(pread64)(fd, buffer, bytes, offset);
}

ssize_t pwrite(int fd, const void* buffer, size_t bytes, off_t offset) {
  prepareToRead(buffer, bytes);
  return NEXT(pwrite)(fd, buffer, bytes, offset);
}

ssize_t pwrite64(int fd, const void* buffer, size_t bytes, off64_t offset) {
  prepareToRead(buffer, bytes);
  return NEXT(pwrite64)(fd, buffer, bytes, offset);
}

ssize_t readv(int fd, const iovec* parts, int count) {
  prepareAll(parts, count, kFill);
  return NEXT(readv)(fd, parts, count);
}

ssize_t writev(int fd, const iovec* parts, int count) {
  prepareAll(parts, count, MUSTER_READ);
  return NEXT(writev)(fd, parts, count);
}

ssize_t preadv(int fd, const iovec* parts, int count, off_t offset) {
  prepareAll(parts, count, kFill);
  return NEXT(preadv)(fd, parts, count, offset);
}

ssize_t preadv64(int fd, const iovec* parts, int count, off64_t offset) {
  prepareAll(parts, count, kFill);
  return NEXT(preadv64)(fd, parts, count, offset);
}

ssize_t pwritev(int fd, const iovec* parts, int count, off_t offset) {
  prepareAll(parts, count, MUSTER_READ);
  return NEXT(pwritev)(fd, parts, count, offset);
}

ssize_t pwritev64(int fd, const iovec* parts, int count, off64_t offset) {
  prepareAll(parts, count, MUSTER_READ);
  return NEXT(pwritev64)(fd, parts, count, offset);
}

size_t fread(void* buffer, size_t size, size_t count, FILE* file) {
  prepareToFill(buffer, product(size, count));
  return NEXT(fread)(buffer, size, count, file);
}

size_t fread_unlocked(void* buffer, size_t size, size_t count, FILE* file) {
  prepareToFill(buffer, product(size, count));
  return NEXT(fread_unlocked)(buffer, size, count, file);
}

size_t fwrite(const void* buffer, size_t size, size_t count, FILE* file) {
  prepareToRead(buffer, product(size, count));
  return NEXT(fwrite)(buffer, size, count, file);
}

size_t fwrite_unlocked(const void* buffer, size_t size, size_t count, FILE* file) {
  prepareToRead(buffer, product(size, count));
  return NEXT(fwrite_unlocked)(buffer, size, count, file);
}

ssize_t send(int fd, const void* buffer, size_t bytes, int flags) {
  prepareToRead(buffer, bytes);
  return NEXT(send)(fd, buffer, bytes, flags);
}

ssize_t sendto(int fd, const void* buffer, size_t bytes, int flags, const sockaddr* to, socklen_t length) {
  prepareToRead(buffer, bytes);
  return NEXT(sendto)(fd, buffer, bytes, flags, to, length);
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  prepareAll(message->msg_iov, static_cast<int>(message->msg_iovlen), MUSTER_READ);
  return NEXT(sendmsg)(fd, message, flags);
}

ssize_t recv(int fd, void* buffer, size_t bytes, int flags) {
  prepareToFill(buffer, bytes);
  return NEXT(recv)(fd, buffer, bytes, flags);
}

ssize_t recvfrom(int fd, void* buffer, size_t bytes, int flags, sockaddr* from, socklen_t* length) {
  prepareToFill(buffer, bytes);
  return NEXT(recvfrom)(fd, buffer, bytes, flags, from, length);
}

ssize_t recvmsg(int fd, msghdr* message, int flags) {
  prepareAll(message->msg_iov, static_cast<int>(message->msg_iovlen), kFill);
  return NEXT(recvmsg)(fd, message, flags);
}

// What the calls above become in programs built with _FORTIFY_SOURCE; `room` is the size of the buffer's object. glibc
// declares them only then.
ssize_t __read_chk(int fd, void* buffer, size_t bytes, size_t room);
ssize_t __pread_chk(int fd, void* buffer, size_t bytes, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void* buffer, size_t bytes, off64_t offset, size_t room);
size_t __fread_chk(void* buffer, size_t room, size_t size, size_t count, FILE* file);
size_t __fread_unlocked_chk(void* buffer, size_t room, size_t size, size_t count, FILE* file);
ssize_t __recv_chk(int fd, void* buffer, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void* buffer, size_t bytes, size_t room, int flags, sockaddr* from, socklen_t* length);

ssize_t __read_chk(int fd, void* buffer, size_t bytes, size_t room) {
  prepareToFill(buffer, bytes);
  return NEXT(__read_chk)(fd, buffer, bytes, room);
}

ssize_t __pread_chk(int fd, void* buffer, size_t bytes, off_t offset, size_t room) {
  prepareToFill(buffer, bytes);
  return NEXT(__pread_chk)(fd, buffer, bytes, offset, room);
}

ssize_t __pread64_chk(int fd, void* buffer, size_t bytes, off64_t offset, size_t room) {
  prepareToFill(buffer, bytes);
  return NEXT(__pread64_chk)(fd, buffer, bytes, offset, room);
}

size_t __fread_chk(void* buffer, size_t room, size_t size, size_t count, FILE* file) {
  prepareToFill(buffer, product(size, count));
  return NEXT(__fread_chk)(buffer, room, size, count, file);
}

size_t __fread_unlocked_chk(void* buffer, size_t room, size_t size, size_t count, FILE* file) {
  prepareToFill(buffer, product(size, count));
  return NEXT(__fread_unlocked_chk)(buffer, room, size, count, file);
}

ssize_t __recv_chk(int fd, void* buffer, size_t bytes, size_t room, int flags) {
  prepareToFill(buffer, bytes);
  return NEXT(__recv_chk)(fd, buffer, bytes, room, flags);
}

ssize_t __recvfrom_chk(int fd, void* buffer, size_t bytes, size_t room, int flags, sockaddr* from, socklen_t* length) {
  prepareToFill(buffer, bytes);
  return NEXT(__recvfrom_chk)(fd, buffer, bytes, room, flags, from, length);
}

#pragma GCC visibility pop

}  // extern "C"
