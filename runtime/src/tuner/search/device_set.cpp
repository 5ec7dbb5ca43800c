// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/search/device_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "muster/cdm/text.h"

namespace muster::rt {
namespace {

constexpr double kSlowMachine = 0.5;  // of the median one

std::string kindOf(const cdm::DeviceInfo& info) {
  if (info.hostAddressable) return "cpu";
  return info.kind == cdm::DeviceKind::cpu ? "opencl" : "gpu";
}

bool parseCount(std::string_view text, int& value) { return cdm::parseNumber(text, value) && value > 0; }

}  // namespace

Park::Park(std::vector<std::string> kinds, std::vector<Device> devices)
    : kinds_(std::move(kinds)), devices_(std::move(devices)) {
  for (const Device& device : devices_) machineLimit_ = std::max(machineLimit_, device.machine + 1);
}

Park Park::of(const DeviceTable& table, const std::vector<double>& speeds) {
  std::map<std::string, std::map<int, double>> byKind;  // speed of each machine's devices
  for (std::size_t d = 0; d < table.devices().size(); ++d) {
    const DeviceEntry& device = table.devices()[d];
    if (speeds[d] > 0) byKind[kindOf(device.info)][device.place.rank] += speeds[d];
  }
  std::vector<std::pair<double, std::string>> fastest;
  for (const auto& [kind, machines] : byKind) {
    double most = 0;
    for (const auto& [machine, speed] : machines) most = std::max(most, speed);
    fastest.emplace_back(-most, kind);
  }
  std::sort(fastest.begin(), fastest.end());
  std::vector<std::string> kinds;
  kinds.reserve(fastest.size());
  for (const auto& [speed, kind] : fastest) kinds.push_back(kind);
  std::vector<Device> devices;
  for (std::size_t d = 0; d < table.devices().size(); ++d) {
    const DeviceEntry& device = table.devices()[d];
    const auto own = speeds[d] > 0 ? std::find(kinds.begin(), kinds.end(), kindOf(device.info)) : kinds.end();
    const auto kind = own - kinds.begin();  // none of them: it is never a member
    devices.push_back({device.place.rank, static_cast<std::size_t>(kind), speeds[d]});
  }
  return {std::move(kinds), std::move(devices)};
}

double Park::machineSpeed(int machine, std::uint32_t kinds) const {
  double speed = 0;
  for (const Device& device : devices_) {
    if (device.machine == machine && (kinds >> device.kind & 1) != 0) speed += device.speed;
  }
  return speed;
}

std::vector<int> Park::machines(std::uint32_t kinds) const {
  std::vector<int> with;
  std::vector<double> speeds;
  for (int machine = 0; machine < machineLimit_; ++machine) {
    const bool has = std::any_of(devices_.begin(), devices_.end(), [&](const Device& device) {
      return device.machine == machine && (kinds >> device.kind & 1) != 0;
    });
    if (!has) continue;
    with.push_back(machine);
    speeds.push_back(machineSpeed(machine, kinds));
  }
  if (with.empty()) return with;
  std::nth_element(speeds.begin(), speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2), speeds.end());
  const double limit = kSlowMachine * speeds[speeds.size() / 2];
  std::stable_partition(with.begin(), with.end(), [&](int machine) { return machineSpeed(machine, kinds) >= limit; });
  return with;
}

int Park::mostPerMachine(std::uint32_t kinds) const {
  std::map<int, int> counts;
  int most = 0;
  for (const Device& device : devices_) {
    if ((kinds >> device.kind & 1) != 0) most = std::max(most, ++counts[device.machine]);
  }
  return most;
}

std::vector<bool> Park::members(const DeviceSet& set) const {
  const std::vector<int> with = machines(set.kinds);
  const auto end = with.begin() + std::min<std::ptrdiff_t>(set.machines, std::ssize(with));
  std::vector<bool> members;
  std::map<int, int> taken;
  for (const Device& device : devices_) {
    const bool member = (set.kinds >> device.kind & 1) != 0 && std::find(with.begin(), end, device.machine) != end &&
                        (set.perMachine == 0 || taken[device.machine]++ < set.perMachine);
    members.push_back(member);
  }
  return members;
}

int Park::memberCount(const DeviceSet& set) const {
  const std::vector<bool> all = members(set);
  return static_cast<int>(std::count(all.begin(), all.end(), true));
}

std::vector<int> Park::machineSteps(std::uint32_t kinds) const {
  const int most = machineCount(kinds);
  std::vector<int> steps;
  for (int machines = 1; machines < most; machines *= 2) steps.push_back(machines);
  if (most > 0) steps.push_back(most);
  return steps;
}

std::vector<std::uint32_t> Park::combinations() const {
  std::vector<std::uint32_t> all;
  for (std::uint32_t kinds = 1; kinds <= allKinds(); ++kinds) all.push_back(kinds);
  std::stable_sort(all.begin(), all.end(),
                   [](std::uint32_t a, std::uint32_t b) { return std::popcount(a) < std::popcount(b); });
  return all;
}

std::vector<DeviceSet> Park::all() const {
  std::vector<DeviceSet> sets;
  std::set<std::vector<bool>> seen;
  for (const std::uint32_t kinds : combinations()) {
    for (const int machines : machineSteps(kinds)) {
      const DeviceSet set{machines, kinds, 0};
      if (seen.insert(members(set)).second) sets.push_back(set);
    }
  }
  return sets;
}

std::string Park::text(const DeviceSet& set) const {
  std::string text = std::to_string(set.machines);
  char before = ':';
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    if ((set.kinds >> kind & 1) == 0) continue;
    text += before + kinds_[kind];
    before = '+';
  }
  return set.perMachine == 0 ? text : text + fmt::format("/{}", set.perMachine);
}

Result<DeviceSet> Park::parse(std::string_view text) const {
  const auto wrong = [](std::string message) { return Status(Errc::invalidArgument, std::move(message)); };
  DeviceSet set;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || !parseCount(text.substr(0, colon), set.machines))
    return wrong(fmt::format("'{}' is not RANKS:KINDS, such as 4:gpu or 2:gpu+cpu", text));
  std::string_view rest = text.substr(colon + 1);
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    if (!parseCount(rest.substr(slash + 1), set.perMachine))
      return wrong(fmt::format("'{}' is no number of devices per rank", rest.substr(slash + 1)));
    rest = rest.substr(0, slash);
  }
  for (bool more = true; more;) {
    const std::size_t plus = rest.find('+');
    const std::string_view word = rest.substr(0, plus);
    const auto kind = std::find(kinds_.begin(), kinds_.end(), word);
    if (kind == kinds_.end())
      return wrong(
          fmt::format("no device of this job is of the kind '{}'; there are {}", word, fmt::join(kinds_, ", ")));
    set.kinds |= std::uint32_t{1} << (kind - kinds_.begin());
    more = plus != std::string_view::npos;
    if (more) rest.remove_prefix(plus + 1);
  }
  if (set.machines > machineCount(set.kinds))
    return wrong(fmt::format("only {} ranks have devices of these kinds", machineCount(set.kinds)));
  return set;
}

}  // namespace muster::rt
