// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The SIGSEGV handler and the service thread behind it. The handler only finds the array, hands the request over and
// waits; everything that takes locks or moves data happens in the service thread.
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <system_error>
#include <thread>

#include "host/faults/code_place.h"
#include "host/faults/fault_context.h"
#include "host/faults/fault_queue.h"
#include "host/faults/signal_chain.h"
#include "host/memory/host_memory_impl.h"
#include "host/system/runtime_section.h"
#include "host/system/signal_mask.h"
#include "host/system/system_call.h"
#include "muster/abi.h"
#include "muster/cdm/own_signals.h"

namespace muster::rt {

namespace {

constexpr unsigned kMostRepeats = 1000;

struct FaultService {
  std::mutex control;  // start and stop
  std::thread thread;
  FaultHandler handler;
  FaultQueue queue;
};

FaultService& service() {
  // A thread may fault while static destructors run: never destroyed.
  alignas(FaultService) static std::byte storage[sizeof(FaultService)];
  static auto& instance = *new (storage) FaultService;
  return instance;
}

// Set before the handler is installed: it must not run a static initialiser.
std::atomic<FaultQueue*> faultQueue{nullptr};

void writeError(const char* text, int length) {
  if (length > 0 && write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0) {
    // Nothing is left to report to.
  }
}

// Ends the process from inside the signal handler; snprintf of strings and integers takes no locks in glibc.
[[noreturn]] void endProgram(const HostArrayImpl& array, const void* address, const char* what) {
  const muster_array_site* site = array.site();
  char text[512];
  const int length =
      std::snprintf(text, sizeof text, "muster: access to %p, byte %zu of array '%s' (%s:%u): %s\n", address,
                    static_cast<std::size_t>(static_cast<const std::byte*>(address) - array.user()),
                    site ? site->name : "?", site ? site->loc.file : "?", site ? site->loc.line : 0, what);
  writeError(text, std::min<int>(length, sizeof text - 1));
  std::abort();
}

// Whether this thread faults again and again at one address although nobody took the page away in between.
bool makesNoProgress(const HostArrayImpl& array, const void* address) {
  ThreadState& thread = threadState;
  const std::uint64_t revocations = array.revocations();
  if (thread.faultAddress != address || thread.faultRevocations != revocations) {
    thread.faultAddress = address;
    thread.faultRevocations = revocations;
    thread.faultRepeats = 0;
  }
  return ++thread.faultRepeats > kMostRepeats;
}

// Returns when the access may be tried again.
void serve(HostArrayImpl& array, const void* address, const ucontext_t& context) {
  if (threadState.isFaultService) {
    endProgram(array, address, "Muster's own service thread touched a protected page; this is an error in Muster");
  }
  if (threadState.runtimeSections > 0) {
    endProgram(
        array, address,
        "a protected page was touched while the runtime works in this thread, which would wait for itself; this "
        "is an error in Muster, or a signal handler of the program that uses managed arrays: let it set a flag, and "
        "use them where no loop is launched");
  }
  if (makesNoProgress(array, address)) {
    endProgram(array, address, "still not accessible after 1,000 attempts; this is an error in Muster");
  }
  FaultRequest request;
  request.array = &array;
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - array.user());
  request.offset = array.bytes() == 0 ? 0 : std::min(offset, array.bytes() - 1);
  request.write = faultIsWrite(context);
  FaultQueue* queue = faultQueue.load(std::memory_order_acquire);
  if (queue == nullptr || !queue->submitAndWait(request)) {
    endProgram(array, address, "its data is on another device and the session has ended");
  }
  if (request.answer.load(std::memory_order_acquire) == FaultQueue::refused) {
    endProgram(array, address, "the data could not be brought to the host");
  }
}

// A fault in the program's own code is for its debugger. One in a library may be Muster's, or a driver's.
void explainForeignFault(const void* address, const ucontext_t& context) {
  if (!segvWouldEndProcess()) return;
  char text[512];
  int length = 0;
  if (managedAddresses.inRegion(address)) {
    length = std::snprintf(text, sizeof text,
                           "muster: access to %p, which is in no managed array: outside of the bounds of one, or "
                           "freed before\n",
                           address);
  } else if (const CodePlace code = placeOfCode(faultingInstruction(context)); !code.ofProgram) {
    char thread[16] = {};
    prctl(PR_GET_NAME, thread);
    length = std::snprintf(text, sizeof text,
                           "muster: SIGSEGV in %s+%#zx, in thread '%s': access to %p. Where the program gave no wrong "
                           "pointer away, this is an error in Muster or in a driver: please report this line\n",
                           code.file[0] != '\0' ? code.file : "no file", code.offset, thread, address);
  }
  writeError(text, std::min<int>(length, sizeof text - 1));
}

void onSegv(int signal, siginfo_t* info, void* context) {
  const int savedErrno = errno;
  if (signal == SIGSEGV && info->si_code > 0) {
    HostArrayImpl* array = managedAddresses.table.find(info->si_addr);
    if (array != nullptr && array->moving()) {
      while (array->moving()) sched_yield();
      errno = savedErrno;
      return;
    }
    if (array != nullptr && !array->mirrored() && array->endWatch()) {
      errno = savedErrno;
      return;
    }
    if (array != nullptr && array->mirrored()) {
      serve(*array, info->si_addr, *static_cast<const ucontext_t*>(context));
      errno = savedErrno;
      return;
    }
    explainForeignFault(info->si_addr, *static_cast<const ucontext_t*>(context));
  }
  passOnSegv(signal, info, context);
  errno = savedErrno;
}

// How many pieces the pages of all arrays may be in before holes are filled: a quarter of the mappings that the kernel
// allows a process.
std::size_t mostFragments() {
  static const std::size_t most = [] {
    std::size_t mappings = 0;
    std::ifstream("/proc/sys/vm/max_map_count") >> mappings;
    return std::max<std::size_t>(mappings, 4096) / 4;
  }();
  return most;
}

// A program that jumps about in large arrays would cut its memory into more mappings than it may have. The pages around
// its last access are then brought whole.
bool fillAround(const FaultHandler& handler, const FaultRequest& request, bool write) {
  constexpr std::size_t kWindow = std::size_t{64} << 20;
  const std::size_t lo = request.offset / kWindow * kWindow;
  const std::size_t hi = std::min(request.array->bytes(), lo + kWindow);
  const PageAccess needed = write ? PageAccess::readWrite : PageAccess::read;
  while (const auto hole = hostMemoryImpl().firstBelow(*request.array, lo, hi, needed)) {
    if (!handler(*request.array, *hole, write)) return false;
    if (hostMemoryImpl().access(*request.array, *hole) < needed) return true;  // a handler that does nothing
  }
  return true;
}

// In the service thread. True: the access will work now.
bool answerRequest(const FaultHandler& handler, const FaultRequest& request) {
  const PageAccess now = hostMemoryImpl().access(*request.array, request.offset);
  // Where the processor did not say it: an access that faults on a readable page was a write.
  const bool write = request.write.value_or(now == PageAccess::read);
  if (now >= (write ? PageAccess::readWrite : PageAccess::read)) return true;  // another thread's fault brought it
  if (!handler(*request.array, request.offset, write)) return false;
  return hostMemoryImpl().fragments() <= mostFragments() || fillAround(handler, request, write);
}

void answerAll(const FaultHandler& handler, FaultRequest* requests) {
  while (requests != nullptr) {
    FaultRequest* next = requests->next;
    FaultQueue::answer(*requests, answerRequest(handler, *requests));
    requests = next;
  }
}

void runService(FaultService& self) noexcept {
  threadState.isFaultService = true;
  pthread_setname_np(pthread_self(), "muster-faults");
  while (!self.queue.stopped()) answerAll(self.handler, self.queue.waitForRequests());
  answerAll(self.handler, self.queue.close());
}

Status startThread(FaultService& self) {
  const cdm::OwnSignalsOnly starting;
  try {
    self.thread = std::thread(runService, std::ref(self));
  } catch (const std::system_error& error) {
    return {Errc::internal, std::string("starting the fault service thread failed: ") + error.what()};
  }
  return {};
}

}  // namespace

Status startFaultService(FaultHandler handler) {
  (void)systemCall.get();  // the handler may not look it up
  FaultService& self = service();
  const std::lock_guard guard(self.control);
  if (self.thread.joinable()) return {Errc::invalidArgument, "the fault service is running already"};
  self.handler = std::move(handler);
  self.queue.open();
  faultQueue.store(&self.queue, std::memory_order_release);
  if (Status status = startThread(self); !status.ok()) {
    self.queue.close();
    return status;
  }
  if (Status status = installSegvHandler(onSegv); !status.ok()) {
    self.queue.stop();
    self.thread.join();
    return status;
  }
  letSegvThrough();
  return Status::success();
}

void stopFaultService() {
  FaultService& self = service();
  const std::lock_guard guard(self.control);
  if (!self.thread.joinable()) return;
  self.queue.stop();
  self.thread.join();
  removeSegvHandler(onSegv);
  self.handler = nullptr;
}

void abandonFaultService() {
  faultQueue.store(nullptr, std::memory_order_release);
  removeSegvHandler(onSegv);
}

}  // namespace muster::rt
