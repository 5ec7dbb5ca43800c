// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JobTrace: one rank's part in MUSTER_TRACE, from the start of the job to its end.
#pragma once

#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "muster/cdm/transport.h"
#include "trace/exchange.h"
#include "trace/trace_buffer.h"
#include "trace/trace_writer.h"

namespace muster::rt {

class JobTrace {
 public:
  // Collective. Rank 0 opens the file: one that cannot be written is known before the program runs.
  [[nodiscard]] static Result<std::unique_ptr<JobTrace>> begin(cdm::Transport& transport, const std::string& path);

  [[nodiscard]] TraceBuffer& events() { return events_; }
  // Rank 0: what an array is called. Names stay, because events outlive arrays.
  void nameArray(std::uint32_t id, std::string name);
  // A call of the program that ends now (TraceEvent::Kind::call). name: of static storage.
  void noteCall(const char* name, std::int64_t beginNs, bool together);

  // Collective, when no command is under way any more. Rank 0 writes everybody's events; `names` needs no arrays, and
  // is not looked at elsewhere. `warn` hears of events that are missing.
  Status end(cdm::Transport& transport, TraceNames names, const std::function<void(const std::string&)>& warn);

 private:
  Status write(cdm::Transport& transport, const TraceNames& names, const std::function<void(const std::string&)>& warn);

  std::string path_;
  std::ofstream file_;  // rank 0
  TraceBuffer events_;
  std::vector<ClockReading> clocks_;  // rank 0, at the start
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, std::string> arrayNames_;
  std::vector<const char*> callNames_;
  std::uint32_t callsTogether_ = 0;
};

}  // namespace muster::rt
