// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report for people.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/report.h"

namespace muster::rt {
namespace {

std::string plural(std::uint64_t count, std::string_view what) {
  const char* ending = count == 1 ? "" : what.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", count, what, ending);
}

// "rank 1", "ranks 0 to 3", "ranks 0, 2"
std::string rankList(const std::vector<int>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  if (ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size()))
    return fmt::format("ranks {} to {}", ranks.front(), ranks.back());
  return fmt::format("ranks {}", fmt::join(ranks, ", "));
}

}  // namespace

void Report::printDevices(std::string& out) const {
  out += "  devices\n";
  const std::vector<double> busy = busySeconds();
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const DeviceReport& device = devices_[i];
    out += fmt::format("    [{}] rank {} on {}: {}, {}", i, device.rank, device.host, device.backend, device.name);
    if (device.threads > 0) out += ", " + plural(device.threads, "thread");
    out += device.weight > 0 ? fmt::format("; weight {:.3f}", device.weight)
                             : std::string("; takes no part (MUSTER_MIN_SHARE, MUSTER_WEIGHTS)");
    if (device.bytesPerSecond > 0 && device.threads == 0)
      out += fmt::format("; from the host {:.1f} GB/s, {}", device.bytesPerSecond / 1e9,
                         formatSeconds(device.latencySeconds));
    if (!device.direct.empty()) out += fmt::format("; sends to [{}] past the host", fmt::join(device.direct, "], ["));
    if (busy[i] > 0) out += "; computed for " + formatSeconds(busy[i]);
    out += "\n";
  }
  if (directMessagesFrom_)
    out +=
        fmt::format("    where GPUs do not send past the host, MPI takes messages of {} and more from their memory\n",
                    formatByteCount(*directMessagesFrom_));
  printLeftOut(out);
}

// The same device for the same reason on several ranks is one line.
void Report::printLeftOut(std::string& out) const {
  std::vector<std::pair<std::string, std::vector<int>>> lines;
  for (const LeftOut& left : leftOut_) {
    const std::string text = left.device + ": " + left.reason;
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == text; });
    if (found == lines.end()) {
      lines.push_back({text, {left.rank}});
    } else {
      found->second.push_back(left.rank);
    }
  }
  for (const auto& [text, ranks] : lines) out += fmt::format("    left out on {}: {}\n", rankList(ranks), text);
}

void Report::printArrays(std::string& out) const {
  if (arrays_.empty()) return;
  out += "  arrays\n";
  for (const ArrayReport& array : arrays_) {
    out += fmt::format("    {} ({}): {} of {}", array.name, array.location, formatByteCount(array.bytes), array.type);
    if (array.count > 1) out += fmt::format(" in {} allocations", array.count);
    if (array.kept > 0) out += fmt::format(", {} of them in freed arrays", array.kept);
    if (array.block > 0) out += fmt::format(", placed with block {}", array.block);
    out += fmt::format(", {}", array.arrayClass);
    if (!array.reason.empty()) out += ": " + array.reason;
    out += "\n";
    if (array.fetches > 0)
      out += fmt::format("      the host fetched {} in {}\n", formatByteCount(array.fetchedBytes),
                         plural(array.fetches, "transfer"));
    if (array.bytesOut + array.bytesIn + array.bytesAcross > 0)
      out += fmt::format("      launches moved {} from the host, {} to it, {} between devices\n",
                         formatByteCount(array.bytesOut), formatByteCount(array.bytesIn),
                         formatByteCount(array.bytesAcross));
  }
}

// A line per device: its part of the last launch that was split, then its parts of all launches.
void Report::printSplit(std::string& out, const LoopReport& loop) const {
  DeviceTime sum;
  struct Line {
    const cap::Chunk* first = nullptr;
    std::size_t chunks = 0;
    std::int64_t iterations = 0;
  };
  std::map<std::uint32_t, Line> lines;
  for (const auto& [device, time] : loop.devices) {
    sum.iterations += time.iterations;
    sum.seconds += time.seconds;
    lines[device];
  }
  std::int64_t all = 0;
  if (loop.lastSplit != nullptr) {
    all = loop.lastSplit->chunks.back().hi;
    for (const cap::Chunk& chunk : loop.lastSplit->chunks) {
      Line& line = lines[chunk.device];
      if (line.chunks++ == 0) line.first = &chunk;
      line.iterations += chunk.hi - chunk.lo;
    }
  }
  const auto width = fmt::formatted_size("{}", all);
  const auto percent = [](auto part, auto whole) {
    return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  };
  for (const auto& [number, line] : lines) {
    const DeviceReport* device = number < devices_.size() ? &devices_[number] : nullptr;
    out += fmt::format("      [{}] rank {} {:<7}", number, device != nullptr ? device->rank : 0,
                       device != nullptr ? device->backend : "");
    if (line.chunks == 1) {
      out += fmt::format(" iterations {:>{}} to {:>{}}  {:5.1f} %", line.first->lo, width, line.first->hi - 1, width,
                         percent(line.iterations, all));
    } else if (line.chunks > 1) {
      out += fmt::format(" {:<{}}{:5.1f} %", fmt::format("claimed {} blocks", line.chunks), 17 + 2 * width,
                         percent(line.iterations, all));
    } else {
      out += fmt::format(" {:<{}}", all > 0 ? "not in the last split" : "", all > 0 ? 24 + 2 * width : 0);
    }
    if (const auto time = loop.devices.find(number); time != loop.devices.end()) {
      out += fmt::format("   in all {:5.1f} % of the iterations, {:5.1f} % of the time, {}",
                         percent(time->second.iterations, sum.iterations), percent(time->second.seconds, sum.seconds),
                         formatSeconds(time->second.seconds));
      if (time->second.fused > 0) out += fmt::format(", {} fused with others", plural(time->second.fused, "launch"));
    }
    out += "\n";
  }
}

void Report::printLoop(std::string& out, const LoopReport& loop) const {
  const double mean = loop.launches > 0 ? loop.seconds / static_cast<double>(loop.launches) : 0;
  out += fmt::format("    {} ({}): {}, {} in all, {} each", loop.location, loop.name, plural(loop.launches, "launch"),
                     formatSeconds(loop.seconds), formatSeconds(mean));
  if (loop.bytesMoved > 0)
    out += fmt::format("; {} moved, {} by the last launch", formatByteCount(loop.bytesMoved),
                       formatByteCount(loop.lastBytesMoved));
  out += "\n";
  printSplit(out, loop);
  if (loop.joined > 0)
    out += fmt::format("      {} of them ran as steps of {}\n", loop.joined, plural(loop.joinedInto, "launch"));
  if (loop.corrections > 0) out += fmt::format("      weights corrected {}\n", plural(loop.corrections, "time"));
  if (loop.merges > 0)
    out += fmt::format("      {}: {} changed, {} sent\n", plural(loop.merges, "merge"),
                       formatByteCount(loop.bytesChanged), formatByteCount(loop.bytesMerged));
  if (loop.nativeLaunches > 0 && loop.stepBacks.empty())
    out += fmt::format("      {}in place on rank 0's CPU\n",
                       loop.nativeLaunches < loop.launches ? plural(loop.nativeLaunches, "launch") + " " : "");
  for (const auto& [reason, launches] : loop.stepBacks)
    out += fmt::format("      {} {}\n", plural(launches, "launch"), reason);
}

std::string Report::line() const {
  const std::lock_guard lock(mutex_);
  std::string devices;
  for (const DeviceReport& device : devices_)
    devices += fmt::format("{}{}, {}", devices.empty() ? "" : "; ", device.backend, device.name);
  std::uint64_t launches = 0;
  double seconds = 0;
  for (const auto& [kernel, loop] : loops_) {
    launches += loop.launches;
    seconds += loop.seconds;
  }
  return fmt::format("{} launches in {} on {}", launches, formatSeconds(seconds), devices);
}

std::string Report::text() const {
  const std::lock_guard lock(mutex_);
  std::string out = "muster: what this run did\n";
  printDevices(out);
  printArrays(out);
  if (!loops_.empty()) out += "  loops\n";
  for (const LoopReport* loop : loopsInOrder()) printLoop(out, *loop);
  printTime(out);
  if (threads_.all() > 0)
    out += fmt::format(
        "  {} of threads that launch at once: {} on the devices of their threads, {} on cores; devices changed hands "
        "{}\n",
        plural(threads_.all(), "launch"), threads_.onDevices, threads_.onCores, plural(threads_.donations, "time"));
  if (plansMade_ > 0) out += fmt::format("  {} made, {} found again\n", plural(plansMade_, "plan"), plansFound_);
  return out;
}

}  // namespace muster::rt
