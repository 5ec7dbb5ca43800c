// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/interpose/call_arguments.h"

#include <aio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>

#include "host/arrays/managed_memory.h"
#include "host/interpose/notify_thread.h"
#include "host/system/signal_mask.h"
#include "muster/abi.h"

namespace muster::rt {
namespace {

constexpr int kFill = MUSTER_READ | MUSTER_WRITE;
// More than any structure that the kernel fills, and any path.
constexpr std::size_t kLeastBytes = std::size_t{64} << 10;
// Larger values are no sizes but addresses, or negative numbers.
constexpr std::size_t kLargestSize = std::size_t{1} << 40;
// Where an argument counts elements: of an epoll_event, the largest.
constexpr std::size_t kElementBytes = 16;

const void* pointer(long argument) { return reinterpret_cast<const void*>(argument); }

template <class Element>
const Element* elements(long argument) {
  return reinterpret_cast<const Element*>(argument);
}

}  // namespace

void prepareBytes(long buffer, std::size_t bytes, int mode) {
  if (managedAddresses.table.find(pointer(buffer)) != nullptr) muster_host_access(pointer(buffer), bytes, mode);
}

std::size_t productOf(long a, long b) {
  std::size_t bytes = 0;
  return __builtin_mul_overflow(static_cast<std::size_t>(a), static_cast<std::size_t>(b), &bytes) ? SIZE_MAX : bytes;
}

void prepareAnything(CallArguments arguments, int count) {
  std::size_t bytes = kLeastBytes;
  for (int i = 0; i < count; ++i) {
    const auto value = static_cast<std::size_t>(arguments[i]);
    if (value < kLargestSize) bytes = std::max(bytes, kElementBytes * value);
  }
  for (int i = 0; i < count; ++i) prepareBytes(arguments[i], bytes, kFill);
}

void prepareParts(long parts, long count, int mode) {
  if (parts == 0) return;
  for (long i = 0; i < count; ++i) {
    const iovec& part = elements<iovec>(parts)[i];
    prepareBytes(reinterpret_cast<long>(part.iov_base), part.iov_len, mode);
  }
  if (count > 0) prepareBytes(parts, static_cast<std::size_t>(count) * sizeof(iovec), MUSTER_READ);
}

void prepareMessage(long message, int mode) {
  if (message == 0) return;
  const msghdr& head = *elements<msghdr>(message);
  prepareParts(reinterpret_cast<long>(head.msg_iov), static_cast<long>(head.msg_iovlen), mode);
  prepareBytes(reinterpret_cast<long>(head.msg_name), head.msg_namelen, mode);
  prepareBytes(reinterpret_cast<long>(head.msg_control), head.msg_controllen, mode);
  prepareBytes(message, sizeof(msghdr), kFill);
}

void prepareMessages(long messages, long count, int mode) {
  if (messages == 0) return;
  for (long i = 0; i < count; ++i) {
    const mmsghdr* const message = elements<mmsghdr>(messages) + i;
    prepareMessage(reinterpret_cast<long>(&message->msg_hdr), mode);
    prepareBytes(reinterpret_cast<long>(message), sizeof(mmsghdr), kFill);
  }
}

void prepareStrings(long strings) {
  if (strings == 0) return;
  const char* const* list = elements<const char*>(strings);
  for (; *list != nullptr; ++list) prepareBytes(reinterpret_cast<long>(*list), kLeastBytes, MUSTER_READ);
  prepareBytes(strings, reinterpret_cast<std::size_t>(list + 1) - static_cast<std::size_t>(strings), MUSTER_READ);
}

void prepareTransfer(long block) {
  if (block == 0) return;
  aiocb& transfer = *reinterpret_cast<aiocb*>(block);
  letFaultsThrough(transfer.aio_sigevent);
  prepareBytes(reinterpret_cast<long>(transfer.aio_buf), transfer.aio_nbytes, kFill);
}

void prepareTransfers(long list, long count) {
  if (list == 0) return;
  for (long i = 0; i < count; ++i) prepareTransfer(reinterpret_cast<long>(elements<aiocb*>(list)[i]));
}

void adaptMask(long context) {
  sigset_t& mask = reinterpret_cast<ucontext_t*>(context)->uc_sigmask;
  mask = keptBySystem(mask);
}

void prepareSystemCall(CallArguments arguments) {
  const long* const own = arguments + 1;  // those of the call itself
  constexpr int kMost = 6;
  switch (arguments[0]) {
    case SYS_futex:
      prepareBytes(own[0], sizeof(int), kFill);
      return;
    case SYS_gettid:
    case SYS_getpid:
    case SYS_getppid:
    case SYS_sched_yield:
      return;
    case SYS_memfd_create:
      prepareBytes(own[0], kLeastBytes, MUSTER_READ);
      return;
    case SYS_write:
    case SYS_pwrite64:
    case SYS_sendto:
      prepareBytes(own[1], static_cast<std::size_t>(own[2]), MUSTER_READ);
      return;
    case SYS_writev:
    case SYS_pwritev:
    case SYS_pwritev2:
    case SYS_vmsplice:
      prepareParts(own[1], own[2], MUSTER_READ);
      return;
    case SYS_readv:
    case SYS_preadv:
    case SYS_preadv2:
      prepareParts(own[1], own[2], kFill);
      return;
    case SYS_sendmsg:
      prepareMessage(own[1], MUSTER_READ);
      return;
    case SYS_recvmsg:
      prepareMessage(own[1], kFill);
      return;
    case SYS_sendmmsg:
      prepareMessages(own[1], own[2], MUSTER_READ);
      return;
    case SYS_recvmmsg:
      prepareMessages(own[1], own[2], kFill);
      break;
    case SYS_process_vm_readv:
      prepareParts(own[1], own[2], kFill);
      return;
    case SYS_process_vm_writev:
      prepareParts(own[1], own[2], MUSTER_READ);
      return;
    case SYS_execve:
      prepareStrings(own[1]);
      prepareStrings(own[2]);
      break;
    default:
      break;
  }
  prepareAnything(own, kMost);
}

}  // namespace muster::rt
