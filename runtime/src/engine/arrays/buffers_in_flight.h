// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of arrays that another library reads or fills while the program goes on, such as buffers of MPI's messages
// (muster/buffers.h), and launches that would get in its way. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "muster/cap/planner.h"

namespace muster::rt {

class BuffersInFlight {
 public:
  struct Buffer {
    std::uint32_t array = 0;  // id
    cap::IntervalSet elements;
    std::string call;      // that began it
    bool fills = false;    // otherwise reads
    bool atAlias = false;  // it fills the host's memory of the array itself
  };
  struct Clash {
    cap::Access access;
    std::int64_t element = 0;
    Buffer buffer;
  };

  // A number for end(), never 0, and never one that another object gave.
  std::uint64_t begin(Buffer buffer);
  void end(std::uint64_t number);
  [[nodiscard]] bool empty() const;
  // What a launch surely does to elements that must be left alone: writes what is read, or touches what is filled.
  // Accesses of which the elements are not exactly known say nothing.
  [[nodiscard]] std::optional<Clash> clashOf(const cap::LaunchSpec& spec) const;
  // A buffer that is filled in the host's memory, where the plan has a device hold its elements, or changes them
  // merged: what comes would be lost. Which elements a loop writes is not always exactly known. arrays: those of the
  // launch.
  [[nodiscard]] std::optional<Buffer> lostBy(const cap::Plan& plan, std::span<const cap::ArrayUse> arrays) const;

  // From now on buffers of this array are filled elsewhere.
  void keepOffAlias(std::uint32_t array);
  [[nodiscard]] bool mayFillAlias(std::uint32_t array) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Buffer> buffers_;
  std::set<std::uint32_t> offAlias_;
  std::atomic<std::size_t> atAlias_{0};
};

}  // namespace muster::rt
