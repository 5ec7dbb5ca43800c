// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of waiting faults and its futexes.
#include "host/faults/fault_queue.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <climits>

#include "host/system/system_call.h"

namespace muster::rt {

namespace {

// Raw calls: they are async-signal-safe and keep glibc's locks out of it. A futex word may be gone when it is woken
// (its thread saw the answer and went on): the kernel then wakes nobody, or somebody who looks again.
void futexWait(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  systemCall.get()(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void futexWake(std::atomic<std::uint32_t>* word) {
  systemCall.get()(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

constinit FaultRequest FaultQueue::closedMark;

FaultRequest* FaultQueue::oldestFirst(FaultRequest* newest) {
  FaultRequest* reversed = nullptr;
  while (newest != nullptr) {
    FaultRequest* next = newest->next;
    newest->next = reversed;
    reversed = newest;
    newest = next;
  }
  return reversed;
}

void FaultQueue::open() {
  (void)systemCall.get();  // not in a signal handler for the first time
  stopped_.store(false, std::memory_order_release);
  FaultRequest* closed = &closedMark;
  newest_.compare_exchange_strong(closed, nullptr, std::memory_order_acq_rel);
}

void FaultQueue::stop() {
  stopped_.store(true, std::memory_order_release);
  wakeUp();
}

FaultRequest* FaultQueue::close() {
  FaultRequest* newest = newest_.exchange(&closedMark, std::memory_order_acq_rel);
  return newest == &closedMark ? nullptr : oldestFirst(newest);
}

bool FaultQueue::submitAndWait(FaultRequest& request) {
  FaultRequest* newest = newest_.load(std::memory_order_acquire);
  do {
    if (newest == &closedMark) return false;
    request.next = newest;
  } while (!newest_.compare_exchange_weak(newest, &request, std::memory_order_acq_rel, std::memory_order_acquire));
  wakeUp();
  while (request.answer.load(std::memory_order_acquire) == waiting) futexWait(request.answer, waiting);
  return true;
}

FaultRequest* FaultQueue::waitForRequests() {
  // Before looking for requests and for stop(): whatever comes after this load changes the word and ends the wait.
  const std::uint32_t seen = wakeUps_.load(std::memory_order_acquire);
  if (stopped()) return nullptr;
  FaultRequest* newest = newest_.load(std::memory_order_acquire);
  while (newest != nullptr && newest != &closedMark) {
    if (newest_.compare_exchange_weak(newest, nullptr, std::memory_order_acq_rel, std::memory_order_acquire)) {
      return oldestFirst(newest);
    }
  }
  futexWait(wakeUps_, seen);
  return nullptr;
}

void FaultQueue::answer(FaultRequest& request, bool served) {
  std::atomic<std::uint32_t>* word = &request.answer;
  word->store(served ? FaultQueue::served : FaultQueue::refused, std::memory_order_release);
  futexWake(word);
}

void FaultQueue::wakeUp() {
  wakeUps_.fetch_add(1, std::memory_order_acq_rel);
  futexWake(&wakeUps_);
}

}  // namespace muster::rt
