// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/trace_buffer.h"

#include <algorithm>
#include <utility>

#include "protocol/protocol.h"
#include "protocol/wire.h"

namespace muster::rt {

namespace protocol {

template <class Io>
void fields(Io& io, cap::TraceEvent& e) {
  auto kind = static_cast<std::uint8_t>(e.kind);
  io(kind);
  e.kind = static_cast<cap::TraceEvent::Kind>(kind);
  io(e.beginNs), io(e.endNs), io(e.sequence), io(e.kernel), io(e.bytes), io(e.lo), io(e.hi), io(e.amount);
  io(e.device), io(e.array), io(e.index), io(e.peer);
}
template <class Io>
void fields(Io& io, RankTrace& t) {
  io(t.dropped), io(t.events);
}

}  // namespace protocol

namespace {

// Times that no clock gives would overflow where they are put on rank 0's.
bool possible(const cap::TraceEvent& event) {
  constexpr std::int64_t kLatest = std::int64_t{1} << 61;
  const auto isTime = [](std::int64_t ns) { return ns > -kLatest && ns < kLatest; };
  return event.kind <= cap::TraceEvent::Kind::onDevice && isTime(event.beginNs) && isTime(event.endNs);
}

}  // namespace

void TraceBuffer::record(const cap::TraceEvent& event) {
  const std::lock_guard lock(mutex_);
  if (trace_.events.size() < capacity_) {
    trace_.events.push_back(event);
  } else {
    ++trace_.dropped;
  }
}

RankTrace TraceBuffer::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(trace_, {});
}

cdm::Bytes encode(const RankTrace& trace) {
  protocol::Writer writer;
  writer(protocol::kMagic);
  writer(protocol::kVersion);
  writer(trace);
  return writer.take();
}

Result<RankTrace> decodeRankTrace(std::span<const std::byte> bytes) {
  protocol::Reader reader(bytes);
  std::uint32_t magic = 0;
  std::uint16_t version = 0;
  RankTrace trace;
  reader(magic);
  reader(version);
  reader(trace);
  if (!reader.done() || magic != protocol::kMagic || version != protocol::kVersion ||
      !std::all_of(trace.events.begin(), trace.events.end(), possible))
    return Status(Errc::protocol, "the trace of a rank is malformed (" + std::to_string(bytes.size()) + " bytes)");
  return trace;
}

}  // namespace muster::rt
