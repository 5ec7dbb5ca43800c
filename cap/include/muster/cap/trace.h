// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an executor did and when, as data: for traces (MUSTER_TRACE), for the report, and for weights that follow what
// was measured. Names are numbers here (kernel ids, array ids, devices of the job's table); whoever prints knows them.
#pragma once

#include <cstdint>

#include "muster/cdm/clock.h"

namespace muster::cap {

struct TraceEvent {
  enum class Kind : std::uint8_t {
    launch,       // one launch on one rank, from the command to its results
    plan,         // planning it
    transfer,     // copies that a command other than a launch needs
    wait,         // the rank's thread waits for messages or devices
    copy,         // elements go from one memory of the rank to another one
    send,         // a message, from when it is handed over until it is complete
    receive,      // the same on the other side
    chunk,        // a device computes iterations [lo, hi) of the outermost dimension
    deviceWrite,  // the device's own transfers
    deviceRead,
    deviceCopy,
    deviceFill,  // instead of a write, of what nobody ever touched on the host
    merge,       // what one chunk changed of a contested array is found, sent, and applied
    call,        // the program called a library that works with several processes, such as MPI
    onCore,      // one launch of a thread of the program (`index`) beside those of others, on its core
    onDevice,    // the same on its device
  };
  static constexpr std::uint32_t none = UINT32_MAX;

  Kind kind = Kind::launch;
  std::int64_t beginNs = 0, endNs = 0;  // std::chrono::steady_clock of the rank
  std::uint64_t sequence = 0;           // of the command
  std::uint64_t kernel = 0;             // 0: none
  std::uint64_t bytes = 0;              // moved; merge: sent to other ranks
  std::int64_t lo = 0, hi = 0;          // chunk: logical iterations of dims[0]
  // Chunk: iterations of all dimensions. Merge: bytes that were changed, or that devices exchanged as they are. Call:
  // its name.
  std::uint64_t amount = 0;
  std::uint32_t device = none;  // in the job's table
  std::uint32_t array = none;   // array id; none also for a message with elements of several
  // Send, receive: tells messages of one command between two ranks apart. Call: the how manieth of those from which no
  // process comes back before all have begun; 0: it is none of them. OnCore, onDevice: the thread, from 0 on.
  std::uint32_t index = 0;
  std::int32_t peer = -1;   // send, receive: the other rank
  bool measured = true;     // chunk: false for one of many short ones whose times nobody took; they are 0
  std::uint32_t fused = 1;  // chunk: of so many launches that the device ran as one
  bool operator==(const TraceEvent&) const = default;
};

// Gets the events of one rank. Called from any thread; must not fail and must not take long.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  // chunks: only events of the kinds chunk and merge are wanted, and samples of short chunks will do.
  enum class Detail : std::uint8_t { chunks, everything };
  [[nodiscard]] virtual Detail detail() const = 0;
  virtual void record(const TraceEvent& event) = 0;
};

using cdm::secondsSince;
using cdm::traceClock;

// Records an event that lasts as long as the scope. Costs a branch where there is no sink, or one for chunks only.
class TraceScope {
 public:
  TraceScope(TraceSink* sink, TraceEvent::Kind kind, std::uint64_t sequence, std::uint64_t kernel = 0)
      : sink_(sink != nullptr && sink->detail() == TraceSink::Detail::everything ? sink : nullptr) {
    if (sink_ == nullptr) return;
    event_.kind = kind;
    event_.sequence = sequence;
    event_.kernel = kernel;
    event_.beginNs = traceClock();
  }
  ~TraceScope() {
    if (sink_ == nullptr) return;
    event_.endNs = traceClock();
    sink_->record(event_);
  }
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

  [[nodiscard]] TraceEvent& event() { return event_; }

 private:
  TraceSink* sink_;
  TraceEvent event_;
};

}  // namespace muster::cap
