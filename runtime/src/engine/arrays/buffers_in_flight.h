// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of arrays that another library reads or fills while the program goes on, such as buffers of MPI's messages
// (muster/buffers.h), and loops that get in its way (MUSTER_CHECK=races). Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "muster/cap/planner.h"

namespace muster::rt {

class BuffersInFlight {
 public:
  struct Buffer {
    std::uint32_t array = 0;  // id
    cap::IntervalSet elements;
    std::string call;    // that began it
    bool fills = false;  // otherwise reads
  };
  struct Clash {
    cap::Access access;
    std::int64_t element = 0;
    Buffer buffer;
  };

  // A number for end(), never 0, and never one that another object gave.
  std::uint64_t begin(Buffer buffer);
  void end(std::uint64_t number);
  // What a launch surely does to elements that must be left alone: writes what is read, or touches what is filled.
  // Accesses of which the elements are not exactly known say nothing.
  [[nodiscard]] std::optional<Clash> clashOf(const cap::LaunchSpec& spec) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Buffer> buffers_;
};

}  // namespace muster::rt
