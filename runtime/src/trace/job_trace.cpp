// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/job_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace muster::rt {
namespace {

Status cannotWrite(const std::string& path, int error) {
  return {Errc::io, fmt::format("MUSTER_TRACE={}: the trace cannot be written: {}", path,
                                error != 0 ? std::strerror(error) : "unknown error")};
}

}  // namespace

Result<std::unique_ptr<JobTrace>> JobTrace::begin(cdm::Transport& transport, const std::string& path) {
  auto trace = std::make_unique<JobTrace>();
  trace->path_ = path;
  if (transport.rank() == 0) {
    errno = 0;
    trace->file_.open(path);
    if (!trace->file_) return cannotWrite(path, errno);
  }
  auto clocks = readClocks(transport);
  if (!clocks.ok()) return clocks.status();
  trace->clocks_ = std::move(*clocks);
  return trace;
}

void JobTrace::nameArray(std::uint32_t id, std::string name) {
  const std::lock_guard lock(mutex_);
  arrayNames_[id] = std::move(name);
}

void JobTrace::noteCall(const char* name, std::int64_t beginNs, bool together) {
  // Programs ask for the end of messages again and again.
  constexpr std::int64_t kShortest = 2000;
  cap::TraceEvent event{.kind = cap::TraceEvent::Kind::call, .beginNs = beginNs, .endNs = cap::traceClock()};
  if (!together && event.endNs - beginNs < kShortest) return;
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(callNames_, name);
  event.amount = static_cast<std::uint64_t>(known - callNames_.begin());
  if (known == callNames_.end()) callNames_.push_back(name);
  if (together) event.index = ++callsTogether_;
  events_.record(event);
}

Status JobTrace::end(cdm::Transport& transport, TraceNames names, const std::function<void(const std::string&)>& warn) {
  if (transport.rank() != 0) {
    const auto clocks = readClocks(transport);
    if (!clocks.ok()) return clocks.status();
    return collect(transport, encode(events_.take()), {});
  }
  names.array = [this](std::uint32_t id) {
    const std::lock_guard lock(mutex_);
    const auto found = arrayNames_.find(id);
    return found != arrayNames_.end() ? found->second : fmt::format("array {}", id);
  };
  names.call = [this](std::uint64_t name) {
    const std::lock_guard lock(mutex_);
    return name < callNames_.size() ? callNames_[name] : "call";
  };
  return write(transport, names, warn);
}

Status JobTrace::write(cdm::Transport& transport, const TraceNames& names,
                       const std::function<void(const std::string&)>& warn) {
  const auto last = readClocks(transport);
  if (!last.ok()) return last.status();
  TraceWriter writer(file_, names, clocks_.front().atNs);
  const auto take = [&](int rank, const RankTrace& trace) {
    if (trace.dropped > 0)
      warn(fmt::format("the trace leaves out {} events of rank {}, after its first {}", trace.dropped, rank,
                       trace.events.size()));
    const auto index = static_cast<std::size_t>(rank);
    errno = 0;
    writer.addRank(rank, RankClock(clocks_[index], (*last)[index]), trace);
    return file_ ? Status() : cannotWrite(path_, errno);
  };
  MUSTER_TRY(take(0, events_.take()));
  MUSTER_TRY(collect(transport, {}, [&](int rank, const cdm::Bytes& bytes) -> Status {
    if (rank == 0) return {};
    const auto trace = decodeRankTrace(bytes);
    return trace.ok() ? take(rank, *trace) : trace.status().at(fmt::format("rank {}", rank));
  }));
  writer.finish();
  errno = 0;
  file_.close();
  return file_ ? Status() : cannotWrite(path_, errno);
}

}  // namespace muster::rt
