// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file may be much larger than memory: each event is taken as soon as it is read, and its JSON forgotten.
#include "trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "align.h"

namespace muster::trace {
namespace {

using nlohmann::json;

std::optional<Kind> kindOf(std::string_view category, std::string_view name) {
  const auto is = [&](std::string_view word) {
    return name.starts_with(word) && (name.size() == word.size() || name[word.size()] == ' ');
  };
  if (category == "kernel") return Kind::kernel;
  if (category == "transfer") return Kind::transfer;
  if (category == "merge") return Kind::merge;
  if (category == "call") return Kind::call;
  if (category == "core") return Kind::core;
  if (category == "device") return Kind::device;
  if (category == "message") return is("send") ? Kind::send : Kind::receive;
  if (category != "host") return std::nullopt;
  if (is("launch")) return Kind::launch;
  if (is("plan")) return Kind::plan;
  return is("wait") ? Kind::wait : Kind::command;
}

class Reader {
 public:
  // Each file once.
  void read(std::istream& in) {
    starts_.push_back({trace_.events.size(), std::nullopt, {}});
    const auto known = processes_.size();
    const json rest = json::parse(in, [this](int depth, json::parse_event_t what, json& value) {
      if (what == json::parse_event_t::key && depth == 1) inEvents_ = value == "traceEvents";
      if (what != json::parse_event_t::object_end || depth != 2 || !inEvents_) return true;
      take(value);
      return false;
    });
    if (!rest.is_object() || !rest.contains("traceEvents") || processes_.size() == known)
      throw Unusable("is no trace of MUSTER_TRACE");
    const json other = rest.value("otherData", json::object());
    for (const auto& [key, count] : other.items()) noteLeftOut(key, count);
    if (other.contains(kTimeOfDay)) starts_.back().timeOfDay = other[kTimeOfDay].get<std::int64_t>();
  }

  Trace finish() {
    if (starts_.size() > 1) align();
    const auto rankIndexes = nameRanks();
    const auto rowIndexes = nameRows(rankIndexes);
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      const auto row = rowIndexes.find(threads_[i]);
      if (row == rowIndexes.end()) throw Unusable("is no trace of MUSTER_TRACE: a row has no name");
      trace_.events[i].row = row->second;
      trace_.events[i].rank = trace_.rows[row->second].rank;
    }
    connect();
    for (const Event& event : trace_.events) {
      trace_.time.begin = std::min(trace_.time.begin, event.time.begin);
      trace_.time.end = std::max(trace_.time.end, event.time.end);
    }
    return std::move(trace_);
  }

 private:
  using Thread = std::pair<int, int>;

  void take(const json& event) {
    const std::string phase = event.value("ph", "");
    if (phase == "M") return takeName(event);
    if (phase == "s" || phase == "f") return takeFlow(event, phase == "s");
    if (phase != "X") return;
    const std::string name = event.value("name", "");
    const auto kind = kindOf(event.value("cat", ""), name);
    if (!kind) return;
    Event taken;
    taken.kind = *kind;
    taken.time.begin = std::llround(event.at("ts").get<double>() * 1000);
    taken.time.end = taken.time.begin + std::llround(event.at("dur").get<double>() * 1000);
    taken.name = number(name);
    const json arguments = event.value("args", json::object());
    takeArguments(taken, arguments);
    if (arguments.contains("together")) starts_.back().joint[arguments["together"].get<std::uint32_t>()] = taken.time;
    trace_.events.push_back(taken);
    threads_.emplace_back(event.at("pid").get<int>(), event.at("tid").get<int>());
  }

  void takeArguments(Event& event, const json& args) {
    event.command = args.value("command", std::uint64_t{0});
    event.bytes = args.value("bytes", std::uint64_t{0});
    event.peer = args.value("peer", -1);
    if (args.contains("loop")) event.loop = number(args["loop"].get<std::string>());
    if (args.contains("array")) event.array = number(args["array"].get<std::string>());
  }

  // Arrows follow the event that they belong to.
  void takeFlow(const json& event, bool begins) {
    if (trace_.events.empty()) return;
    const auto own = static_cast<std::uint32_t>(trace_.events.size() - 1);
    auto& [from, to] = flows_[fmt::format("{} {}", starts_.size(), event.at("id").get<std::string>())];
    (begins ? from : to) = own;
  }

  void takeName(const json& event) {
    const std::string what = event.value("name", "");
    const int process = event.at("pid").get<int>();
    const json args = event.value("args", json::object());
    const std::string name = args.value("name", "");
    if (what == "process_name" && !processes_.try_emplace(process, rankOf(name)).second)
      throw Unusable(fmt::format("has rank {}, as another file has: these are not the traces of one program",
                                 rankOf(name).number));
    if (what == "thread_name") rowNames_[{process, event.at("tid").get<int>()}] = name;
  }

  static Rank rankOf(const std::string& name) {
    Rank rank;
    char host[256] = "";
    if (std::sscanf(name.c_str(), "rank %d on %255[^\n]", &rank.number, host) < 1)
      throw Unusable("is no trace of MUSTER_TRACE");
    rank.host = host;
    return rank;
  }

  void noteLeftOut(const std::string& key, const json& count) {
    int rank = 0;
    if (std::sscanf(key.c_str(), "events left out on rank %d", &rank) == 1 && count.is_number())
      trace_.leftOut[rank] = count.get<std::uint64_t>();
  }

  Text number(const std::string& text) {
    const auto [place, isNew] = numbers_.try_emplace(text, static_cast<Text>(trace_.texts.size()));
    if (isNew) trace_.texts.push_back(text);
    return place->second;
  }

  // Each file's time 0 as a time of day of the first file's host.
  [[nodiscard]] std::vector<std::int64_t> beginnings() const {
    std::vector<std::int64_t> begins;
    std::vector<JointCalls> calls;
    for (const Start& start : starts_) {
      if (!start.timeOfDay) throw Unusable("cannot be laid beside others: it says nothing of the time of day");
      begins.push_back(*start.timeOfDay);
      for (auto& [number, time] : calls.emplace_back(start.joint))
        time = {time.begin + begins.back(), time.end + begins.back()};
    }
    const std::vector<std::int64_t> differences = clockDifferences(calls);
    for (std::size_t i = 0; i < begins.size(); ++i) begins[i] += differences[i];
    return begins;
  }

  // Time 0 is that of the file that began first.
  void align() {
    const std::vector<std::int64_t> begins = beginnings();
    const std::int64_t first = *std::ranges::min_element(begins);
    std::size_t file = 0;
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      while (file + 1 < starts_.size() && starts_[file + 1].event <= i) ++file;
      Interval& time = trace_.events[i].time;
      time = {time.begin + begins[file] - first, time.end + begins[file] - first};
    }
  }

  std::map<int, std::uint32_t> nameRanks() {
    std::map<int, int> processOf;
    for (const auto& [process, rank] : processes_) processOf[rank.number] = process;
    std::map<int, std::uint32_t> indexes;
    for (const auto& [rank, process] : processOf) {
      indexes[process] = static_cast<std::uint32_t>(trace_.ranks.size());
      trace_.ranks.push_back(processes_[process]);
    }
    return indexes;
  }

  std::map<Thread, std::uint32_t> nameRows(const std::map<int, std::uint32_t>& ranks) {
    std::vector<std::pair<Row, Thread>> rows;
    for (const auto& [thread, name] : rowNames_) {
      const auto rank = ranks.find(thread.first);
      if (rank != ranks.end()) rows.emplace_back(rowOf(name, rank->second, thread.second), thread);
    }
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first.rank, a.first.order) < std::pair(b.first.rank, b.first.order);
    });
    std::map<Thread, std::uint32_t> indexes;
    for (auto& [row, thread] : rows) {
      indexes[thread] = static_cast<std::uint32_t>(trace_.rows.size());
      trace_.rows.push_back(std::move(row));
    }
    return indexes;
  }

  // "[0] cpu: kernels (2)" is the second row of that track.
  static Row rowOf(const std::string& name, std::uint32_t rank, int order) {
    Row row{rank, name, "", order};
    const auto bracket = name.rfind(" (");
    const bool isFurther = bracket != std::string::npos && name.back() == ')' && bracket + 3 < name.size() &&
                           name.find_first_not_of("0123456789", bracket + 2) == name.size() - 1;
    if (isFurther) row.track.resize(bracket);
    const auto colon = row.track.rfind(": ");
    if (row.track.starts_with('[') && colon != std::string::npos) row.device = row.track.substr(0, colon);
    return row;
  }

  // Puts events in their order and lets the ends of each message know each other.
  void connect() {
    std::vector<std::uint32_t> order(trace_.events.size()), places(trace_.events.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      const auto key = [this](std::uint32_t i) { return std::pair(trace_.events[i].time.begin, i); };
      return key(a) < key(b);
    });
    std::vector<Event> sorted;
    sorted.reserve(order.size());
    for (const std::uint32_t old : order) {
      places[old] = static_cast<std::uint32_t>(sorted.size());
      sorted.push_back(trace_.events[old]);
    }
    trace_.events = std::move(sorted);
    for (const auto& [id, ends] : flows_) {
      if (ends.first == none || ends.second == none) continue;
      trace_.events[places[ends.first]].other = places[ends.second];
      trace_.events[places[ends.second]].other = places[ends.first];
    }
  }

  // Of a file: its first event, what its host's clock said at its time 0, and calls of all ranks.
  struct Start {
    std::size_t event = 0;
    std::optional<std::int64_t> timeOfDay;
    JointCalls joint;
  };
  static constexpr const char* kTimeOfDay = "time of day at 0, in ns";

  struct Ends {
    std::uint32_t first = none, second = none;
  };

  Trace trace_;
  bool inEvents_ = false;
  std::vector<Start> starts_;
  std::vector<Thread> threads_;  // of each event
  std::map<int, Rank> processes_;
  std::map<Thread, std::string> rowNames_;
  std::unordered_map<std::string, Ends> flows_;
  std::unordered_map<std::string, Text> numbers_;
};

void readFile(Reader& reader, const std::string& path) {
  if (std::filesystem::is_directory(path)) throw Unusable("is a folder");
  errno = 0;
  std::ifstream in(path);
  if (!in) throw Unusable(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (in.peek() == std::ifstream::traits_type::eof())
    throw Unusable("is empty: the trace is written when the program ends, and that one was killed or still runs");
  try {
    reader.read(in);
  } catch (const json::parse_error& error) {
    if (in.eof()) throw Unusable("is cut off: the program was killed while it wrote the trace, or the disk is full");
    throw Unusable(fmt::format("is no trace of MUSTER_TRACE: no JSON at byte {}", error.byte));
  } catch (const json::exception& error) {
    throw Unusable(fmt::format("is no trace of MUSTER_TRACE: {}", error.what()));
  }
}

}  // namespace

Trace readTraces(const std::vector<std::string>& paths) {
  Reader reader;
  for (const std::string& path : paths) {
    try {
      readFile(reader, path);
    } catch (Unusable& why) {
      why.path = path;
      throw;
    }
  }
  return reader.finish();
}

void cut(Trace& trace, std::optional<double> fromSeconds, std::optional<double> toSeconds) {
  const auto nanoseconds = [](double seconds) { return std::llround(std::clamp(seconds, -1e9, 1e9) * 1e9); };
  Interval& time = trace.time;
  if (fromSeconds) time.begin = std::max<std::int64_t>(time.begin, nanoseconds(*fromSeconds));
  if (toSeconds) time.end = std::min<std::int64_t>(time.end, nanoseconds(*toSeconds));
  if (time.begin >= time.end) throw Unusable("has nothing between these times");
  std::vector<std::uint32_t> places(trace.events.size(), none);
  std::vector<Event> left;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    Event event = trace.events[i];
    if (event.time.end < time.begin || event.time.begin > time.end) continue;
    event.time = {std::max(event.time.begin, time.begin), std::min(event.time.end, time.end)};
    places[i] = static_cast<std::uint32_t>(left.size());
    left.push_back(event);
  }
  for (Event& event : left) event.other = event.other == none ? none : places[event.other];
  trace.events = std::move(left);
}

}  // namespace muster::trace
