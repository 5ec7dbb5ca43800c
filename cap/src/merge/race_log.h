// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of elements that two devices changed to different values in one launch.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace muster::cap {

struct Race {
  std::uint64_t kernel = 0;
  std::string write;  // "a.cpp:12", of a write to the array
  std::string loop;   // "a.cpp:10"
  std::string array;  // "u (a.cpp:7)"
  std::int64_t element = 0, count = 1;
  std::string devices;  // "rank 0 device cpu and rank 1 device cpu"
};

class RaceLog {
 public:
  // For MUSTER_CHECK=races: where it happened, and what to do.
  [[nodiscard]] static std::string describe(const Race& race);
  void add(const Race& race);
  // One warning per loop and array, then none of them again.
  void warn(const std::function<void(const std::string&)>& warn);

 private:
  std::map<std::pair<std::uint64_t, std::string>, Race> races_;  // by kernel and array
};

}  // namespace muster::cap
