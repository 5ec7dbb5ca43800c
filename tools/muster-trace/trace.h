// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of MUSTER_TRACE as values (docs/configuration.md, The trace).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "intervals.h"

namespace muster::trace {

enum class Kind : std::uint8_t {
  launch,
  plan,
  command,
  wait,
  send,
  receive,
  kernel,
  transfer,
  merge,
  call,
  core,
  device
};

// A number for a text that occurs in many events.
using Text = std::uint32_t;
constexpr std::uint32_t none = UINT32_MAX;

struct Event {
  Interval time;  // nanoseconds
  std::uint64_t bytes = 0, command = 0;
  std::uint32_t rank = 0;  // index into Trace::ranks
  std::uint32_t row = 0;   // index into Trace::rows
  Text name = none, loop = none, array = none;
  std::uint32_t other = none;  // send, receive: the event at the other end
  std::int32_t peer = -1;      // the number of the other rank
  Kind kind = Kind::launch;
};

struct Rank {
  int number = 0;
  std::string host;
};

// One line of the display: rows of one track hold what overlaps.
struct Row {
  std::uint32_t rank = 0;
  std::string track;   // "host", "messages", "[0] cpu, AMD EPYC: kernels"
  std::string device;  // "[0] cpu, AMD EPYC"; empty where it belongs to none
  int order = 0;
};

struct Trace {
  std::vector<Rank> ranks;    // by number
  std::vector<Row> rows;      // by rank and order
  std::vector<Event> events;  // by begin
  std::vector<std::string> texts;
  std::map<int, std::uint64_t> leftOut;  // events by rank
  Interval time;                         // the run, or the part of it that is looked at

  [[nodiscard]] const std::string& text(Text number) const { return texts[number]; }
};

// A file that cannot be used. what() has no name of the file.
class Unusable : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
  std::string path;  // empty: none of several in particular
};

// Several files: of the ranks of one MPI program, each of which writes its own (MUSTER_RANKS=own). They are laid beside
// one another by their hosts' time of day, and by calls that all ranks make together (align.h).
[[nodiscard]] Trace readTraces(const std::vector<std::string>& paths);

// Leaves what lies between two times, cut where it crosses them. Throws where nothing does.
void cut(Trace& trace, std::optional<double> fromSeconds, std::optional<double> toSeconds);

}  // namespace muster::trace
