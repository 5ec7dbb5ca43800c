// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/fake_park.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <span>

namespace muster::rt {
namespace {

constexpr std::size_t kMostMachines = 4096, kMostDevices = 64;  // per machine

Status wrong(std::string message) { return {Errc::invalidArgument, std::move(message)}; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// A number above 0, with one of the suffixes if wanted: their factors count.
struct Suffix {
  std::string_view text;
  double factor;
};
template <std::size_t N>
std::optional<double> number(std::string_view text, const Suffix (&suffixes)[N]) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc() || !std::isfinite(value) || value <= 0) return {};
  for (const Suffix& suffix : suffixes) {
    if (rest == suffix.text) return value * suffix.factor;
  }
  return {};
}
constexpr Suffix kPlain[] = {{"", 1}};
constexpr Suffix kBytes[] = {{"", 1}, {"K", 1024}, {"M", 1048576}, {"G", 1073741824.0}, {"T", 1099511627776.0}};
constexpr Suffix kBandwidth[] = {{"K", 1e3}, {"M", 1e6}, {"G", 1e9}};
constexpr Suffix kTime[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};

std::optional<FakePark::Kind> kindOf(std::string_view word) {
  if (word == "gpu") return FakePark::Kind::gpu;
  if (word == "cpu") return FakePark::Kind::cpu;
  if (word == "opencl") return FakePark::Kind::opencl;
  return {};
}

// "3*rest" -> 3, and text becomes "rest"; 1 without a star.
std::optional<std::size_t> takeCount(std::string_view& text, std::size_t most) {
  const std::size_t star = text.find('*');
  if (star == std::string_view::npos || star > text.find('(')) return 1;
  const auto count = number(trim(text.substr(0, star)), kPlain);
  text = trim(text.substr(star + 1));
  if (!count || *count != std::floor(*count) || *count > static_cast<double>(most)) return {};
  return static_cast<std::size_t>(*count);
}

// "2*gpu:20:4G"
Status addDevices(std::string_view text, std::vector<FakePark::Device>& devices) {
  const std::string_view whole = text;
  const auto count = takeCount(text, kMostDevices);
  const std::vector<std::string_view> fields = split(text, ':');
  const auto kind = kindOf(fields[0]);
  FakePark::Device device;
  bool good = count.has_value() && kind.has_value() && fields.size() <= 3;
  if (good && fields.size() > 1) {
    const auto speed = number(fields[1], kPlain);
    good = speed.has_value();
    device.speed = speed.value_or(1);
  }
  if (good && fields.size() > 2) {
    const auto bytes = number(fields[2], kBytes);
    good = bytes.has_value();
    device.memoryBytes = static_cast<std::uint64_t>(bytes.value_or(0));
  }
  if (!good || devices.size() + *count > kMostDevices)
    return wrong(fmt::format("'{}' is not [N*]KIND[:SPEED[:MEMORY]] with a KIND of gpu, cpu or opencl", whole));
  device.kind = *kind;
  devices.insert(devices.end(), *count, device);
  return {};
}

// "8*(2*gpu:20,cpu)"
Status addMachines(std::string_view text, FakePark& park) {
  const std::string_view whole = text;
  const auto count = takeCount(text, kMostMachines);
  if (!count || text.size() < 2 || text.front() != '(' || text.back() != ')' ||
      park.machines.size() + *count > kMostMachines)
    return wrong(fmt::format("'{}' is not [N*](DEVICE,DEVICE,...), at most {} machines", whole, kMostMachines));
  std::vector<FakePark::Device> devices;
  for (const std::string_view device : split(text.substr(1, text.size() - 2), ','))
    MUSTER_TRY(addDevices(device, devices));
  park.machines.insert(park.machines.end(), *count, devices);
  return {};
}

Status addLink(std::span<const std::string_view> words, double& bandwidth, double& latency) {
  const auto bytes = number(words[1], kBandwidth), seconds = number(words[2], kTime);
  if (!bytes || !seconds) return wrong(fmt::format("{} takes a bandwidth and a latency, such as 590M 20us", words[0]));
  bandwidth = *bytes;
  latency = *seconds;
  return {};
}

Status addSection(std::string_view text, FakePark& park) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  if (words.size() == 3 && words[0] == "network")
    return addLink(words, park.networkBytesPerSecond, park.networkLatency);
  if (words.size() == 3 && words[0] == "bus") return addLink(words, park.busBytesPerSecond, park.busLatency);
  if (words.size() == 2 && words[0] == "iteration") {
    if (const auto seconds = number(words[1], kTime)) {
      park.secondsPerIteration = *seconds;
      return {};
    }
  }
  if (words.size() == 4 && words[0] == "loop") {
    const auto line = number(words[1], kPlain), factor = number(words[3], kPlain);
    const auto kind = kindOf(words[2]);
    if (line && factor && kind) {
      park.loops.push_back({static_cast<std::uint32_t>(*line), *kind, *factor});
      return {};
    }
  }
  return wrong(
      fmt::format("'{}' is none of: network BANDWIDTH LATENCY, bus BANDWIDTH LATENCY, iteration TIME, loop "
                  "LINE KIND FACTOR",
                  text));
}

}  // namespace

Result<FakePark> parseFakePark(std::string_view text) {
  FakePark park;
  const std::vector<std::string_view> sections = split(text, '|');
  for (const std::string_view machines : split(sections[0], ';')) MUSTER_TRY(addMachines(machines, park));
  for (std::size_t i = 1; i < sections.size(); ++i) MUSTER_TRY(addSection(sections[i], park));
  return park;
}

}  // namespace muster::rt
