// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the program's time went, and what would save most of it.
#include <fmt/format.h>

#include <algorithm>

#include "report/report.h"

namespace muster::rt {
namespace {

constexpr double kLeastShare = 0.01;     // of the program's time, to be named
constexpr std::size_t kMostCosts = 3;    // that are named
constexpr double kShortLaunch = 0.0001;  // seconds: starting it may cost more than what it does

bool isUnmanaged(const std::string& reason) {
  return reason.find("not managed") != std::string::npos || reason.find("managed array") != std::string::npos;
}

std::string remedyFor(const std::string& reason) {
  return isUnmanaged(reason) ? "mark what it uses with '#pragma omp managed'"
                             : "see docs/pitfalls.md for loops that run on all devices";
}

}  // namespace

// All that launches, allocations and fetches took of the program's time, with what the user can do.
std::vector<Report::Cost> Report::costs() const {
  std::vector<Cost> costs;
  for (const ArrayReport& array : arrays_) {
    costs.push_back(
        {array.fetchSeconds,
         fmt::format("the host waited for {} ({}), {} in {} transfers: let loops under '#pragma omp parallel "
                     "for' do what the program does with it",
                     array.name, array.location, formatByteCount(array.fetchedBytes), array.fetches)});
    costs.push_back({array.allocationSeconds,
                     fmt::format("{} ({}) was allocated {} times: allocate it once, in front of the loop over time "
                                 "steps",
                                 array.name, array.location, array.count)});
  }
  for (const auto& [kernel, loop] : loops_) {
    const std::uint64_t launches = loop.launches - loop.nativeLaunches;
    if (!loop.stepBacks.empty()) {
      const std::string& reason = loop.stepBacks.begin()->first;
      costs.push_back({loop.programSeconds + (loop.nativeLaunches > 0 ? loop.inPlaceSeconds : 0),
                       fmt::format("{} ran {}: {}", loop.location, reason, remedyFor(reason))});
    } else if (launches > 0 && loop.programSeconds < kShortLaunch * static_cast<double>(launches)) {
      costs.push_back(
          {loop.programSeconds,
           fmt::format("{} was launched {} times for {} each: make its loop larger, or fewer of them", loop.location,
                       launches, formatSeconds(loop.programSeconds / static_cast<double>(launches)))});
    }
  }
  std::erase_if(costs, [&](const Cost& cost) { return cost.seconds < kLeastShare * programSeconds_; });
  std::sort(costs.begin(), costs.end(),
            [](const Cost& a, const Cost& b) { return std::tie(b.seconds, a.text) < std::tie(a.seconds, b.text); });
  if (costs.size() > kMostCosts) costs.resize(kMostCosts);
  return costs;
}

void Report::printTime(std::string& out) const {
  if (programSeconds_ <= 0) return;
  double inPlace = 0, results = 0, launches = 0, fetches = 0, allocations = 0;
  for (const auto& [kernel, loop] : loops_) {
    inPlace += loop.inPlaceSeconds;
    (loop.hasResults ? results : launches) += loop.programSeconds;
  }
  for (const ArrayReport& array : arrays_) {
    fetches += array.fetchSeconds;
    allocations += array.allocationSeconds;
  }
  const double known = inPlace + results + launches + fetches + allocations + moveSeconds_;
  const double own = std::max(0.0, programSeconds_ - known);
  out += fmt::format("  the program's time: {}{}\n", formatSeconds(programSeconds_),
                     threads_.all() > 0 ? ", with its threads' times added up" : "");
  const auto line = [&](const char* what, double seconds) {
    if (seconds > 0)
      out +=
          fmt::format("    {:<42} {:>9}  {:5.1f} %\n", what, formatSeconds(seconds), 100 * seconds / programSeconds_);
  };
  line("its own code", own);
  line("loops in place on rank 0's CPU", inPlace);
  line("launches, with waits for their results", results);
  line("other launches", launches);
  line("waits for data that was on devices", fetches);
  line("allocations and releases of arrays", allocations);
  line("going to all devices and back", moveSeconds_);
  const std::vector<Cost> most = costs();
  if (!most.empty()) out += "  what cost most\n";
  for (const Cost& cost : most) out += fmt::format("    {}: {}\n", formatSeconds(cost.seconds), cost.text);
}

}  // namespace muster::rt
