// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meter: sums up, on one rank, how long which device computed for which kernel: for weights that follow what was
// measured, and for the report at the end. Short chunks of which only samples are timed count as the samples of about
// their size do, by their iterations. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "muster/cap/trace.h"
#include "protocol/protocol.h"

namespace muster::rt {

class Meter final : public cap::TraceSink {
 public:
  // Everything is handed on to `next`, unless it is nullptr.
  explicit Meter(cap::TraceSink* next) : next_(next) {}

  [[nodiscard]] Detail detail() const override { return next_ != nullptr ? next_->detail() : Detail::chunks; }
  void record(const cap::TraceEvent& event) override;

  // What was measured since the last call. Leaves out launches that are no measure of speed: the first ones of each
  // kernel on each device (code is compiled, pages are touched for the first time). Never more than maxMeasured; what
  // did not fit comes with the next call.
  [[nodiscard]] std::vector<protocol::KernelTime> takeWindow();
  // Weights change with this command: what was measured before belongs to another split, the next launches move data.
  void startEpoch(std::uint64_t sequence);

  [[nodiscard]] protocol::RankTotals totals() const;

 private:
  struct Sums {
    // Chunks whose iterations have as many bits.
    struct Size {
      std::uint64_t iterations = 0, nanoseconds = 0;
      std::uint64_t otherIterations = 0;  // of chunks that were not timed
    };
    std::uint32_t launches = 0, fused = 0;
    std::map<int, Size> sizes;
    void add(const cap::TraceEvent& chunk, bool newLaunch);
    [[nodiscard]] Size timed() const;
    // Of all chunks; without time if none was timed.
    [[nodiscard]] protocol::KernelTime all(std::uint64_t kernel, std::uint32_t device) const;
  };
  struct Entry {
    Sums window, total;
    std::uint64_t lastSequence = 0;
    std::uint32_t launchesOfEpoch = 0;
  };
  void recordChunk(const cap::TraceEvent& event);

  cap::TraceSink* next_;
  mutable std::mutex mutex_;
  std::uint64_t epoch_ = 0;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Entry> entries_;  // by kernel and device
  std::map<std::uint64_t, protocol::RankTotals::Merges> merges_;      // by kernel
};

}  // namespace muster::rt
