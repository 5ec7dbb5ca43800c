// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults that tests inject (MUSTER_INJECT): the n-th call of a function fails. Costs nothing where none is asked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "muster/cdm/status.h"

namespace muster::cdm {

class Transport;

struct Fault {
  std::string call;          // "clFinish", "send"; "opencl", "transport" or "host": any call of these
  std::uint64_t number = 0;  // 1 is the first call of this process
  int rank = -1;             // -1: on every rank
  bool operator==(const Fault&) const = default;
};

// "clFinish:3", "opencl:10@1". The error says what is wrong with it.
[[nodiscard]] Result<Fault> parseFault(std::string_view text);
// All that can be named before the colon.
[[nodiscard]] std::vector<std::string> faultyCalls();

// Counts calls. Thread-safe.
class Faults {
 public:
  // Those of one rank.
  Faults(const std::vector<Fault>& faults, int rank);
  [[nodiscard]] bool empty() const { return counted_.empty(); }
  // Counts a call; true if it is to fail.
  bool fails(std::string_view group, std::string_view call);

 private:
  struct Counted {
    Fault fault;
    std::atomic<std::uint64_t> calls{0};
  };
  std::vector<std::unique_ptr<Counted>> counted_;
};

// The same transport if no fault is for its rank.
std::unique_ptr<Transport> withFaults(std::unique_ptr<Transport> transport, const std::vector<Fault>& faults);

}  // namespace muster::cdm
