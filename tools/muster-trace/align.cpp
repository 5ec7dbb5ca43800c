// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "align.h"

#include <algorithm>
#include <numeric>

namespace muster::trace {
namespace {

std::int64_t differenceOf(const JointCalls& first, const JointCalls& other) {
  std::int64_t least = INT64_MIN, most = INT64_MAX;
  for (const auto& [number, call] : other) {
    const auto known = first.find(number);
    if (known == first.end()) continue;
    least = std::max(least, known->second.begin - call.end);
    most = std::min(most, known->second.end - call.begin);
  }
  const bool isKnown = least != INT64_MIN;
  return !isKnown || (least <= 0 && most >= 0) ? 0 : std::midpoint(least, most);
}

}  // namespace

std::vector<std::int64_t> clockDifferences(const std::vector<JointCalls>& processes) {
  std::vector<std::int64_t> differences;
  differences.reserve(processes.size());
  for (const JointCalls& process : processes) differences.push_back(differenceOf(processes.front(), process));
  return differences;
}

}  // namespace muster::trace
