// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "muster/cdm/text.h"
#include "reasons.h"

namespace muster::trace {
namespace {

constexpr std::size_t kNameWidth = 34, kWidth = 100;

// One unit for all times of a table.
struct Unit {
  const char* name;
  double nanoseconds;
};

Unit unitFor(std::int64_t nanoseconds) {
  if (nanoseconds >= 1'000'000'000) return {"s", 1e9};
  return nanoseconds >= 1'000'000 ? Unit{"ms", 1e6} : Unit{"us", 1e3};
}

std::string in(const Unit& unit, std::int64_t nanoseconds) {
  return fmt::format("{:.3f}", static_cast<double>(nanoseconds) / unit.nanoseconds);
}

std::int64_t lengthOf(const Event& event) { return event.time.end - event.time.begin; }

struct Device {
  std::string name;
  Intervals kernels, transfers;
};
// What one rank did at all.
struct Activity {
  Intervals commands, moves;
  std::int64_t planning = 0, waiting = 0;
  std::uint64_t sent = 0, received = 0;
  std::vector<Device> devices;
};
struct Loop {
  std::int64_t kernels = 0, waiting = 0, planning = 0;
  std::uint64_t moved = 0;
  std::unordered_map<std::uint32_t, std::uint64_t> launches;  // by rank

  [[nodiscard]] std::uint64_t count() const {
    std::uint64_t most = 0;
    for (const auto& [rank, number] : launches) most = std::max(most, number);
    return most;
  }
};

// A receive begins when somebody is ready for the message; it is under way once both sides are.
Interval underWay(const Trace& trace, const Event& message) {
  if (message.other == none) return message.time;
  const Event& other = trace.events[message.other];
  const Event& receive = message.kind == Kind::receive ? message : other;
  return {std::max(message.time.begin, other.time.begin), receive.time.end};
}

Device& deviceOf(Activity& rank, const std::string& name) {
  for (Device& device : rank.devices) {
    if (device.name == name) return device;
  }
  return rank.devices.emplace_back(Device{name, {}, {}});
}

void note(const Trace& trace, const Event& event, Activity& rank) {
  const std::string& device = trace.rows[event.row].device;
  switch (event.kind) {
    case Kind::kernel:
      if (!device.empty()) deviceOf(rank, device).kernels.push_back(event.time);
      break;
    case Kind::transfer:
      (device.empty() ? rank.moves : deviceOf(rank, device).transfers).push_back(event.time);
      break;
    case Kind::send:
    case Kind::receive:
      rank.moves.push_back(underWay(trace, event));
      (event.kind == Kind::send ? rank.sent : rank.received) += event.bytes;
      break;
    case Kind::call:
    case Kind::core:
    case Kind::device:
      break;  // the program's own
    case Kind::plan:
    case Kind::wait:
      (event.kind == Kind::plan ? rank.planning : rank.waiting) += lengthOf(event);
      [[fallthrough]];
    default:
      rank.commands.push_back(event.time);
  }
}

std::vector<Activity> activities(const Trace& trace) {
  std::vector<Activity> ranks(trace.ranks.size());
  for (const Row& row : trace.rows) {
    if (!row.device.empty()) deviceOf(ranks[row.rank], row.device);
  }
  for (const Event& event : trace.events) note(trace, event, ranks[event.rank]);
  for (Activity& rank : ranks) {
    rank.commands = united(std::move(rank.commands));
    rank.moves = united(std::move(rank.moves));
  }
  return ranks;
}

std::string head(const Trace& trace, std::size_t devices) {
  std::set<std::string> hosts;
  for (const Rank& rank : trace.ranks) hosts.insert(rank.host);
  const auto counted = [](std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::string text = fmt::format("{}: {} on {}, {}, {}\n", duration(trace.time.end - trace.time.begin),
                                 counted(trace.ranks.size(), "rank"), counted(hosts.size(), "host"),
                                 counted(devices, "device"), counted(trace.events.size(), "event"));
  for (const auto& [rank, count] : trace.leftOut)
    text += fmt::format("left out: the last {} events of rank {}; what is below knows nothing of them\n", count, rank);
  return text;
}

std::string deviceLine(const Device& device, const Activity& rank, const Unit& unit, std::int64_t whole) {
  const Intervals busy = united(device.kernels);
  Intervals moves = device.transfers;
  moves.insert(moves.end(), rank.moves.begin(), rank.moves.end());
  moves = without(united(std::move(moves)), busy);
  const std::int64_t waiting = length(without(without(rank.commands, busy), moves));
  const std::int64_t idle = whole - length(busy) - length(moves) - waiting;
  std::string text = fmt::format(
      "  {:<{}}", device.name.size() > kNameWidth ? device.name.substr(0, kNameWidth - 3) + "..." : device.name,
      kNameWidth);
  for (const std::int64_t part : {length(busy), length(moves), waiting, std::max<std::int64_t>(idle, 0)}) {
    const double percent = whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
    text += fmt::format(" {:>9} {:>3.0f} %", in(unit, part), percent);
  }
  return text + "\n";
}

std::string deviceTable(const Trace& trace, const std::vector<Activity>& ranks) {
  const std::int64_t whole = trace.time.end - trace.time.begin;
  const Unit unit = unitFor(whole);
  std::string header = fmt::format("\n{:<{}}", fmt::format("devices ({})", unit.name), kNameWidth + 2);
  for (const char* name : {"busy", "moving", "waiting", "idle"}) header += fmt::format(" {:>9}      ", name);
  std::string text = header.substr(0, header.find_last_not_of(' ') + 1) + "\n";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Activity& rank = ranks[i];
    text += fmt::format("rank {} on {}: planned {}, waited {}, sent {}, received {}\n", trace.ranks[i].number,
                        tail(trace.ranks[i].host, 16), duration(rank.planning), duration(rank.waiting),
                        cdm::formatByteCount(rank.sent), cdm::formatByteCount(rank.received));
    for (const Device& device : rank.devices) text += deviceLine(device, rank, unit, whole);
  }
  return text;
}

// By name; none: what the program's own accesses cause.
std::unordered_map<Text, Loop> loopsOf(const Trace& trace) {
  std::unordered_map<std::uint64_t, Text> loopOfCommand;
  for (const Event& event : trace.events) {
    if (event.loop != none && event.command != 0) loopOfCommand[event.command] = event.loop;
  }
  std::unordered_map<Text, Loop> loops;
  for (const Event& event : trace.events) {
    const auto command = loopOfCommand.find(event.command);
    const Text name = event.loop == none && command != loopOfCommand.end() ? command->second : event.loop;
    Loop& loop = loops[name];
    if (event.kind == Kind::launch) ++loop.launches[event.rank];
    if (event.kind == Kind::kernel) loop.kernels += lengthOf(event);
    if (event.kind == Kind::wait) loop.waiting += lengthOf(event);
    if (event.kind == Kind::plan) loop.planning += lengthOf(event);
    const bool copies = event.kind == Kind::transfer && trace.text(event.name).starts_with("copy");
    if (event.kind == Kind::send || copies) loop.moved += event.bytes;
  }
  return loops;
}

std::string loopTable(const Trace& trace) {
  const auto loops = loopsOf(trace);
  std::vector<Text> names;
  std::int64_t most = 0;
  for (const auto& [name, loop] : loops) {
    if (name == none && loop.kernels + loop.waiting == 0 && loop.moved == 0) continue;
    names.push_back(name);
    most = std::max({most, loop.kernels, loop.waiting, loop.planning});
  }
  std::sort(names.begin(), names.end(), [&](Text a, Text b) {
    const auto cost = [](const Loop& loop) { return loop.kernels + loop.waiting + loop.planning; };
    return std::pair(-cost(loops.at(a)), a) < std::pair(-cost(loops.at(b)), b);
  });
  const Unit unit = unitFor(most);
  const auto line = [](const auto& name, const auto&... columns) {
    std::string text = fmt::format("{:<{}}", name, kNameWidth + 2);
    ((text += fmt::format(" {:>11}", columns)), ...);
    return text + "\n";
  };
  std::string text = "\n" + line(fmt::format("loops ({}, all ranks together)", unit.name), "launches", "kernels",
                                 "waiting", "planning", "moved");
  for (const Text name : names) {
    const Loop& loop = loops.at(name);
    text +=
        line("  " + (name == none ? "(the program's own accesses)" : tail(trace.text(name), kNameWidth)), loop.count(),
             in(unit, loop.kernels), in(unit, loop.waiting), in(unit, loop.planning), cdm::formatByteCount(loop.moved));
  }
  return text;
}

// Calls of MPI by name, the longest first: all ranks together, and the rank that was in them for most of the time.
std::string callTable(const Trace& trace) {
  std::map<Text, std::vector<std::int64_t>> times;  // by rank
  std::map<Text, std::uint64_t> counts;
  for (const Event& event : trace.events) {
    if (event.kind != Kind::call) continue;
    auto& ranks = times.try_emplace(event.name, trace.ranks.size()).first->second;
    ranks[event.rank] += lengthOf(event);
    ++counts[event.name];
  }
  if (times.empty()) return "";
  const auto whole = [&](Text name) { return std::reduce(times[name].begin(), times[name].end()); };
  std::vector<Text> names;
  names.reserve(times.size());
  for (const auto& [name, ranks] : times) names.push_back(name);
  std::ranges::sort(names, {}, [&](Text name) { return std::pair(-whole(name), name); });
  const Unit unit = unitFor(whole(names.front()));
  std::string text = fmt::format("\n{:<{}} {:>11} {:>11} {:>11}  by\n", fmt::format("calls of MPI ({})", unit.name),
                                 kNameWidth + 2, "calls", "all ranks", "most");
  for (const Text name : names) {
    const auto most = std::ranges::max_element(times[name]);
    text += fmt::format("  {:<{}} {:>11} {:>11} {:>11}  rank {}\n", trace.text(name), kNameWidth, counts[name],
                        in(unit, whole(name)), in(unit, *most),
                        trace.ranks[static_cast<std::size_t>(most - times[name].begin())].number);
  }
  return text;
}

std::string loopOf(const Trace& trace, const Event& wait) {
  for (const Event& event : trace.events) {
    if (event.loop != none && event.command == wait.command) return " in " + tail(trace.text(event.loop), kNameWidth);
  }
  return "";
}

// In lines of at most kWidth columns.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string all;
  std::size_t column = kWidth;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column + 1 + (end - at) > kWidth) {
      all += all.empty() ? std::string(indent, ' ') : "\n" + std::string(indent, ' ');
      column = indent;
    } else {
      all += ' ';
      ++column;
    }
    all += text.substr(at, end - at);
    column += end - at;
    at = end + 1;
  }
  return all + "\n";
}

std::string waitList(const Trace& trace) {
  const std::vector<Wait> waits = largestWaits(trace, 3);
  if (waits.empty()) return "\nno rank waited\n";
  std::string text = "\nlargest waits\n";
  for (const Wait& wait : waits) {
    const Event& event = *wait.event;
    text +=
        fmt::format("  {}, from {:.6f} s, rank {}{}\n", duration(lengthOf(event)),
                    static_cast<double>(event.time.begin) * 1e-9, trace.ranks[event.rank].number, loopOf(trace, event));
    text += wrapped(wait.reason, 6);
  }
  return text;
}

}  // namespace

std::string toText(const Trace& trace) {
  const std::vector<Activity> ranks = activities(trace);
  std::size_t devices = 0;
  for (const Activity& rank : ranks) devices += rank.devices.size();
  return head(trace, devices) + deviceTable(trace, ranks) + loopTable(trace) + callTable(trace) + waitList(trace);
}

std::string duration(std::int64_t nanoseconds) {
  if (nanoseconds == 0) return "0 s";
  const Unit unit = unitFor(nanoseconds);
  return in(unit, nanoseconds) + " " + unit.name;
}

std::string tail(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  const std::size_t at = text.size() - width + 3, slash = text.find('/', at);
  return "..." + text.substr(slash == std::string::npos ? at : slash);
}

}  // namespace muster::trace
