// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TraceWriter: events of all ranks as one file in Chrome's trace event format, which Perfetto and chrome://tracing
// open: a process per rank; threads for its host code, its messages, and each device's kernels and transfers.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "muster/cap/trace.h"
#include "trace/exchange.h"
#include "trace/trace_buffer.h"

namespace muster::rt {

// What the numbers in events stand for.
struct TraceNames {
  struct Kernel {
    std::string name, location;
  };
  struct Device {
    int rank = 0;
    std::string name;  // "cpu, AMD EPYC"
  };
  std::function<Kernel(std::uint64_t id)> kernel;
  std::function<std::string(std::uint32_t id)> array;
  std::function<std::string(std::uint64_t name)> call;
  std::vector<Device> devices;     // the job's table
  std::vector<std::string> hosts;  // by rank
  int firstRank = 0;               // what the job's first rank is called: of a program of its own, its own number
};

class TraceWriter {
 public:
  // Times in the file count from `startNs` of rank 0's clock.
  TraceWriter(std::ostream& out, const TraceNames& names, std::int64_t startNs);

  // Each rank once.
  void addRank(int rank, const RankClock& clock, const RankTrace& trace);
  void finish();

 private:
  // A row of the display. Events on a track that overlap without nesting go to further rows below it.
  struct Row {
    int thread = 0;
    std::vector<std::int64_t> ends;  // of events that are open, outermost first
  };
  struct Track {
    std::string name;
    bool nests = false;
    int firstThread = 0;
    std::vector<Row> rows;
  };
  struct Placed {
    cap::TraceEvent event;  // with times in the file
    std::uint32_t track = 0;
    int thread = 0;
  };

  [[nodiscard]] int processOf(int rank) const;
  // The threads of the program that launched at once come last.
  [[nodiscard]] std::vector<Track> tracksOf(int rank, const RankTrace& trace) const;
  [[nodiscard]] std::uint32_t devicesOf(int rank) const;
  [[nodiscard]] std::uint32_t trackOf(int rank, const cap::TraceEvent& event) const;
  static int place(Track& track, const cap::TraceEvent& event);
  void write(int rank, const Placed& placed);
  void writeFlow(int rank, const Placed& placed);
  void writeMetadata(int rank, const std::vector<Track>& tracks);
  void separate();
  [[nodiscard]] std::string title(const cap::TraceEvent& event) const;
  [[nodiscard]] std::string arguments(const cap::TraceEvent& event) const;

  std::ostream& out_;
  const TraceNames& names_;
  std::int64_t startNs_;
  bool first_ = true;
  std::vector<std::pair<int, std::uint64_t>> dropped_;  // by rank
};

}  // namespace muster::rt
