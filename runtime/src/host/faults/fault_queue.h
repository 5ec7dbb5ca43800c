// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands page faults from signal handlers to one service thread. Lock-free on the faulting side: a request lies on the
// faulting thread's own stack, is pushed to a list with one compare-and-swap, and is waited for with a futex. Closed at
// first and after close().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace muster::rt {

class HostArrayImpl;

struct FaultRequest {
  HostArrayImpl* array = nullptr;
  std::size_t offset = 0;
  std::optional<bool> write;
  FaultRequest* next = nullptr;
  std::atomic<std::uint32_t> answer{0};  // an Answer
};

class FaultQueue {
 public:
  enum Answer : std::uint32_t { waiting = 0, served = 1, refused = 2 };

  void open();
  // Makes waitForRequests() return; requests still come in.
  void stop();
  // After it no request comes in any more; the list of those that were there, oldest first.
  FaultRequest* close();

  // Faulting thread, async-signal-safe: returns when the request was answered. False: the queue is closed.
  bool submitAndWait(FaultRequest& request);
  // Service thread: all requests there are, oldest first; waits for one. May return nullptr, and does after stop().
  FaultRequest* waitForRequests();
  // The request must not be touched after its answer: its thread goes on.
  static void answer(FaultRequest& request, bool served);
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_acquire); }

 private:
  void wakeUp();
  static FaultRequest* oldestFirst(FaultRequest* newest);

  static FaultRequest closedMark;
  std::atomic<FaultRequest*> newest_{&closedMark};
  std::atomic<std::uint32_t> wakeUps_{0};
  std::atomic<bool> stopped_{false};
};

}  // namespace muster::rt
