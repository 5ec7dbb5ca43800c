// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tracks, rows and JSON. Written line by line: a trace may be much larger than what a JSON document in memory should
// be.
#include "trace/trace_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

namespace muster::rt {
namespace {

using Kind = cap::TraceEvent::Kind;

constexpr std::uint32_t kHostTrack = 0, kMessageTrack = 1, kFirstDeviceTrack = 2;
constexpr int kThreadsPerTrack = 1000;

// Perfetto takes process 0 and thread 0 for the idle task of Linux: names get lost, and sums of rows are wrong.
constexpr int kFirst = 1;

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Nanoseconds as the format's microseconds, without a detour over floating point.
std::string microseconds(std::int64_t ns) {
  const char* sign = ns < 0 ? "-" : "";
  const auto size = static_cast<std::uint64_t>(ns < 0 ? -ns : ns);
  return fmt::format("{}{}.{:03}", sign, size / 1000, size % 1000);
}

const char* category(Kind kind) {
  switch (kind) {
    case Kind::launch:
    case Kind::plan:
    case Kind::transfer:
    case Kind::wait:
      return "host";
    case Kind::send:
    case Kind::receive:
      return "message";
    case Kind::chunk:
      return "kernel";
    case Kind::copy:
    case Kind::deviceWrite:
    case Kind::deviceRead:
    case Kind::deviceCopy:
    case Kind::deviceFill:
      return "transfer";
    case Kind::merge:
      return "merge";
    case Kind::call:
      return "call";
    case Kind::onCore:
      return "core";
    case Kind::onDevice:
      return "device";
  }
  return "";
}

bool isOfThread(const cap::TraceEvent& event) { return event.kind == Kind::onCore || event.kind == Kind::onDevice; }

}  // namespace

TraceWriter::TraceWriter(std::ostream& out, const TraceNames& names, std::int64_t startNs)
    : out_(out), names_(names), startNs_(startNs) {
  out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
}

void TraceWriter::separate() {
  if (!first_) out_ << ",\n";
  first_ = false;
}

int TraceWriter::processOf(int rank) const { return names_.firstRank + rank + kFirst; }

std::vector<TraceWriter::Track> TraceWriter::tracksOf(int rank, const RankTrace& trace) const {
  std::vector<Track> tracks = {{"host", true, 0, {}}, {"messages", false, 0, {}}};
  for (std::size_t i = 0; i < names_.devices.size(); ++i) {
    if (names_.devices[i].rank != rank) continue;
    tracks.push_back({fmt::format("[{}] {}: kernels", i, names_.devices[i].name), false, 0, {}});
    tracks.push_back({fmt::format("[{}] {}: transfers", i, names_.devices[i].name), false, 0, {}});
  }
  std::uint32_t threads = 0;
  for (const cap::TraceEvent& event : trace.events)
    if (isOfThread(event)) threads = std::max(threads, event.index + 1);
  for (std::uint32_t t = 0; t < threads; ++t) tracks.push_back({fmt::format("thread {}", t), true, 0, {}});
  for (std::size_t i = 0; i < tracks.size(); ++i)
    tracks[i].firstThread = kFirst + static_cast<int>(i) * kThreadsPerTrack;
  return tracks;
}

std::uint32_t TraceWriter::devicesOf(int rank) const {
  return static_cast<std::uint32_t>(std::count_if(names_.devices.begin(), names_.devices.end(),
                                                  [&](const auto& device) { return device.rank == rank; }));
}

std::uint32_t TraceWriter::trackOf(int rank, const cap::TraceEvent& event) const {
  if (event.kind == Kind::send || event.kind == Kind::receive) return kMessageTrack;
  if (isOfThread(event)) return kFirstDeviceTrack + 2 * devicesOf(rank) + event.index;
  if (event.device >= names_.devices.size() || names_.devices[event.device].rank != rank) return kHostTrack;
  std::uint32_t before = 0;
  for (std::uint32_t i = 0; i < event.device; ++i) before += names_.devices[i].rank == rank ? 1 : 0;
  return kFirstDeviceTrack + 2 * before + (category(event.kind) == std::string_view("transfer") ? 1 : 0);
}

// Events come by the time of their beginning, longer ones first.
int TraceWriter::place(Track& track, const cap::TraceEvent& event) {
  for (Row& row : track.rows) {
    while (!row.ends.empty() && row.ends.back() <= event.beginNs) row.ends.pop_back();
    const bool fits = row.ends.empty() || (track.nests && event.endNs <= row.ends.back());
    if (!fits) continue;
    row.ends.push_back(event.endNs);
    return row.thread;
  }
  const int number = std::min(static_cast<int>(track.rows.size()), kThreadsPerTrack - 1);
  track.rows.push_back({track.firstThread + number, {event.endNs}});
  return track.rows.back().thread;
}

void TraceWriter::addRank(int rank, const RankClock& clock, const RankTrace& trace) {
  std::vector<Placed> events;
  events.reserve(trace.events.size());
  for (const cap::TraceEvent& event : trace.events) {
    Placed& placed = events.emplace_back();
    placed.event = event;
    placed.event.beginNs = clock.onRankZero(event.beginNs) - startNs_;
    placed.event.endNs = std::max(placed.event.beginNs, clock.onRankZero(event.endNs) - startNs_);
    placed.track = trackOf(rank, event);
  }
  std::sort(events.begin(), events.end(), [](const Placed& a, const Placed& b) {
    return std::pair(a.event.beginNs, -a.event.endNs) < std::pair(b.event.beginNs, -b.event.endNs);
  });
  std::vector<Track> tracks = tracksOf(rank, trace);
  for (Placed& placed : events) {
    placed.thread = place(tracks[placed.track], placed.event);
    write(rank, placed);
    writeFlow(rank, placed);
  }
  writeMetadata(rank, tracks);
  if (trace.dropped > 0) dropped_.emplace_back(rank, trace.dropped);
}

std::string TraceWriter::title(const cap::TraceEvent& event) const {
  const std::string array = event.array != cap::TraceEvent::none ? " " + names_.array(event.array) : "";
  switch (event.kind) {
    case Kind::launch:
      return "launch " + names_.kernel(event.kernel).location;
    case Kind::plan:
      return "plan";
    case Kind::transfer:
      return "transfer" + array;
    case Kind::wait:
      return "wait";
    case Kind::copy:
      return "copy" + array;
    case Kind::send:
      return fmt::format("send{} to rank {}", array, event.peer);
    case Kind::receive:
      return fmt::format("receive{} from rank {}", array, event.peer);
    case Kind::chunk:
      return names_.kernel(event.kernel).name;
    case Kind::deviceWrite:
      return "write" + array;
    case Kind::deviceRead:
      return "read" + array;
    case Kind::deviceCopy:
      return "device copy" + array;
    case Kind::deviceFill:
      return "fill" + array;
    case Kind::merge:
      return "merge" + array;
    case Kind::call:
      return names_.call(event.amount);
    case Kind::onCore:
    case Kind::onDevice:
      return names_.kernel(event.kernel).name;
  }
  return "";
}

std::string TraceWriter::arguments(const cap::TraceEvent& event) const {
  std::string text = fmt::format("\"command\":{}", event.sequence);
  if (event.kernel != 0) {
    const TraceNames::Kernel kernel = names_.kernel(event.kernel);
    text += fmt::format(",\"loop\":{},\"kernel\":{}", quoted(kernel.location), quoted(kernel.name));
  }
  if (event.kind == Kind::chunk)
    text += fmt::format(",\"lo\":{},\"hi\":{},\"iterations\":{}", event.lo, event.hi, event.amount);
  if (event.kind == Kind::merge) text += fmt::format(",\"bytesChanged\":{}", event.amount);
  if (event.kind == Kind::call && event.index > 0) text += fmt::format(",\"together\":{}", event.index);
  if (event.array != cap::TraceEvent::none) text += fmt::format(",\"array\":{}", quoted(names_.array(event.array)));
  if (event.bytes > 0) text += fmt::format(",\"bytes\":{}", event.bytes);
  if (event.peer >= 0) text += fmt::format(",\"peer\":{}", event.peer);
  return text;
}

void TraceWriter::write(int rank, const Placed& placed) {
  const cap::TraceEvent& event = placed.event;
  separate();
  out_ << fmt::format(R"({{"name":{},"cat":"{}","ph":"X","ts":{},"dur":{},"pid":{},"tid":{},"args":{{{}}}}})",
                      quoted(title(event)), category(event.kind), microseconds(event.beginNs),
                      microseconds(event.endNs - event.beginNs), processOf(rank), placed.thread, arguments(event));
}

// An arrow from a message's send to its receive; each end lies within its event.
void TraceWriter::writeFlow(int rank, const Placed& placed) {
  const cap::TraceEvent& event = placed.event;
  const bool sends = event.kind == Kind::send;
  if (!sends && event.kind != Kind::receive) return;
  const std::int64_t at = sends ? event.beginNs : std::max(event.beginNs, event.endNs - 1);
  separate();
  out_ << fmt::format(
      R"({{"name":"message","cat":"message","ph":"{}",{}"id":"{}-{}-{}-{}","ts":{},"pid":{},"tid":{}}})",
      sends ? "s" : "f", sends ? "" : R"("bp":"e",)", sends ? rank : event.peer, sends ? event.peer : rank,
      event.sequence, event.index, microseconds(at), processOf(rank), placed.thread);
}

void TraceWriter::writeMetadata(int rank, const std::vector<Track>& tracks) {
  const auto name = [&](const char* what, int thread, const std::string& text) {
    separate();
    out_ << fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})", what, processOf(rank),
                        thread, quoted(text));
  };
  const auto order = [&](const char* what, int thread, int index) {
    separate();
    out_ << fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"sort_index":{}}}}})", what,
                        processOf(rank), thread, index);
  };
  name("process_name", kFirst,
       fmt::format("rank {} on {}", names_.firstRank + rank, names_.hosts.at(static_cast<std::size_t>(rank))));
  order("process_sort_index", kFirst, names_.firstRank + rank);
  for (const Track& track : tracks) {
    for (const Row& row : track.rows) {
      const int number = row.thread - track.firstThread;
      name("thread_name", row.thread, number == 0 ? track.name : fmt::format("{} ({})", track.name, number + 1));
      order("thread_sort_index", row.thread, row.thread);
    }
  }
}

void TraceWriter::finish() {
  // For traces of several programs to be laid beside one another (muster-trace).
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t nowNs = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  out_ << fmt::format("\n],\"otherData\":{{\"time of day at 0, in ns\":{}", nowNs - (cdm::traceClock() - startNs_));
  for (const auto& [rank, count] : dropped_)
    out_ << fmt::format(R"(,"events left out on rank {}":{})", names_.firstRank + rank, count);
  out_ << "}}\n";
}

}  // namespace muster::rt
