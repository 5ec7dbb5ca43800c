// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/sets/set_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "muster/cdm/file.h"

namespace muster::rt {
namespace {

std::string describe(const DeviceEntry& device) {
  return fmt::format("rank {}: {}, {}", device.place.rank, device.info.backend, device.info.name);
}

}  // namespace

SetStore::SetStore(std::string path, const Park& park, const DeviceTable& table, const Warn& warn)
    : path_(std::move(path)), park_(park), table_(table) {
  read(warn);
}

std::vector<std::string> SetStore::devicesOf(const DeviceSet& set) const {
  const std::vector<bool> members = park_.members(set);
  std::vector<std::string> devices;
  for (std::size_t d = 0; d < members.size(); ++d) {
    if (members[d]) devices.push_back(describe(table_.devices()[d]));
  }
  return devices;
}

void SetStore::read(const Warn& warn) {
  std::ifstream in(path_);
  if (!in) return;  // the first run
  const auto whole = nlohmann::json::parse(in, nullptr, false);
  const auto damaged = [&] { warn(fmt::format("MUSTER_TUNE_STORE={}: damaged; searching", path_)); };
  if (!whole.is_object() || !whole.contains("sets") || !whole["sets"].is_array()) return damaged();
  std::vector<std::string> gone;
  try {
    for (const auto& one : whole["sets"]) {
      Entry entry{one.at("kernels").get<std::vector<std::uint64_t>>(), one.at("set").get<std::string>(),
                  one.at("devices").get<std::vector<std::string>>()};
      const auto set = park_.parse(entry.set);
      if (!set.ok() || devicesOf(*set) != entry.devices) {
        gone.push_back(fmt::format("{} ({})", entry.set, fmt::join(entry.devices, "; ")));
        continue;
      }
      for (const std::uint64_t kernel : entry.kernels) sets_[kernel] = *set;
      entries_.push_back(std::move(entry));
    }
  } catch (const nlohmann::json::exception&) {
    entries_.clear();
    sets_.clear();
    return damaged();
  }
  if (!gone.empty())
    warn(fmt::format("MUSTER_TUNE_STORE={}: not the devices of this job, searching: {}", path_, fmt::join(gone, ", ")));
}

std::optional<DeviceSet> SetStore::find(std::uint64_t kernel) const {
  const auto set = sets_.find(kernel);
  return set == sets_.end() ? std::nullopt : std::optional(set->second);
}

Status SetStore::write(std::span<const Tuner::Found> found) {
  for (const Tuner::Found& one : found) {
    std::erase_if(entries_, [&](const Entry& entry) {
      return std::any_of(entry.kernels.begin(), entry.kernels.end(), [&](std::uint64_t kernel) {
        return std::find(one.kernels.begin(), one.kernels.end(), kernel) != one.kernels.end();
      });
    });
    entries_.push_back({one.kernels, park_.text(one.set), devicesOf(one.set)});
  }
  nlohmann::json sets = nlohmann::json::array();
  for (const Entry& entry : entries_)
    sets.push_back({{"kernels", entry.kernels}, {"set", entry.set}, {"devices", entry.devices}});
  const Status written = cdm::replaceFile(path_, nlohmann::json{{"sets", sets}}.dump(2) + '\n', 0666);
  if (written.ok()) return {};
  return {Errc::invalidArgument, fmt::format("MUSTER_TUNE_STORE: {}", written.message())};
}

}  // namespace muster::rt
