// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank's events until the end of the job, and their way to rank 0. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "muster/cap/trace.h"
#include "muster/cdm/transport.h"

namespace muster::rt {

struct RankTrace {
  std::vector<cap::TraceEvent> events;  // in the order in which they ended
  std::uint64_t dropped = 0;            // later ones, for which there was no room
};

class TraceBuffer final : public cap::TraceSink {
 public:
  // About 25 MB.
  static constexpr std::size_t defaultCapacity = std::size_t{1} << 18;
  // Keeps the first `capacity` events, so that a trace has no holes up to there, and counts the others.
  explicit TraceBuffer(std::size_t capacity = defaultCapacity) : capacity_(capacity) {}

  [[nodiscard]] Detail detail() const override { return Detail::everything; }
  void record(const cap::TraceEvent& event) override;
  // What there is; the buffer is empty afterwards.
  [[nodiscard]] RankTrace take();

 private:
  std::size_t capacity_;
  std::mutex mutex_;
  RankTrace trace_;
};

[[nodiscard]] cdm::Bytes encode(const RankTrace& trace);
[[nodiscard]] Result<RankTrace> decodeRankTrace(std::span<const std::byte> bytes);

}  // namespace muster::rt
