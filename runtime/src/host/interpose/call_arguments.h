// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes valid on the host what a call of the system is about to read or fill. The kernel does not raise SIGSEGV for a
// protected page: it fails with EFAULT, or takes less. A call that failed cannot be repeated in its place (it may have
// taken a message, or bytes of a pipe), so all of this happens before. What is filled is made valid as well: the call
// may fill less than it was given.
#pragma once

#include <cstddef>

namespace muster::rt {

// Integers and pointers, in the order of the call's parameters.
using CallArguments = const long*;
using PrepareCall = void (*)(CallArguments);

// `mode`: MUSTER_READ, MUSTER_WRITE or both.
void prepareBytes(long buffer, std::size_t bytes, int mode);
std::size_t productOf(long a, long b);
// Whatever points into managed arrays among the first `count` arguments: as many bytes as any other argument can mean,
// and at least as many as a structure of the kernel's has.
void prepareAnything(CallArguments arguments, int count);
// iovec[count], msghdr, mmsghdr[count]: also what they point to.
void prepareParts(long parts, long count, int mode);
void prepareMessage(long message, int mode);
void prepareMessages(long messages, long count, int mode);
// Strings up to a null pointer, as execve takes them.
void prepareStrings(long strings);
// aiocb, and lists of them.
void prepareTransfer(long block);
void prepareTransfers(long list, long count);
// The mask that a ucontext_t holds, as the system shall keep it.
void adaptMask(long context);
// syscall(number, ...).
void prepareSystemCall(CallArguments arguments);

}  // namespace muster::rt
