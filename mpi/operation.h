// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The managed buffers of one call of MPI, and those of calls that go on after they have returned: until their request
// is complete, their window is synchronised, or another call ends what they began.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "transfer.h"

namespace muster::mpi {

class Operation {
 public:
  // Puts the addresses that MPI is to use into `arguments`.
  Operation(const CallShape& shape, Word* arguments, Lasts lasts, const Abi& abi, const char* call);
  // None of its buffers needs anything more.
  [[nodiscard]] bool isOver() const;
  [[nodiscard]] bool receives() const;
  // Memory of a device.
  [[nodiscard]] bool borrows() const;
  [[nodiscard]] Counts counts() const { return counts_; }
  [[nodiscard]] bool repeats() const { return lasts_ == Lasts::starts; }
  [[nodiscard]] Word target() const { return target_; }
  // Loops may use its buffers from now on, for all that MUSTER_CHECK=races can know.
  void land();
  // Of one that repeats.
  void start();
  // received: bytes that came, if that is known.
  void end(std::size_t received);

 private:
  std::vector<Transfer> transfers_;
  Lasts lasts_;
  Word target_ = 0;  // of a window
  Counts counts_;
  bool active_;
};

// By a request, or by a window or a file, which may have several.
// Thread-safety: any thread; one operation is in one thread's hands at a time, as MPI wants it of its request.
class OpenOperations {
 public:
  void add(Word key, std::shared_ptr<Operation> operation);
  [[nodiscard]] bool any() const { return count_.load(std::memory_order_acquire) > 0; }
  // nullptr: there is none. It stays, or is taken out.
  [[nodiscard]] std::shared_ptr<Operation> find(Word key) const;
  [[nodiscard]] std::shared_ptr<Operation> takeOne(Word key);
  // All of this key; with a target only those.
  [[nodiscard]] std::vector<std::shared_ptr<Operation>> take(Word key, const Word* target = nullptr);

 private:
  mutable std::mutex mutex_;
  std::unordered_multimap<Word, std::shared_ptr<Operation>> open_;
  std::atomic<std::size_t> count_{0};
};

OpenOperations& openRequests();
OpenOperations& openAccesses();  // of windows, and of files

}  // namespace muster::mpi
