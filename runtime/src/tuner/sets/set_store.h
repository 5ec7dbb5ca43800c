// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MUSTER_TUNE_STORE: the device sets that a search found, as JSON, for the next start of the same program. Each entry
// names the loops' kernels, the set and its devices.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "devices/device_table.h"
#include "tuner/sets/tuner.h"

namespace muster::rt {

class SetStore {
 public:
  using Warn = std::function<void(const std::string&)>;
  // Takes what the file has, if there is one. An entry whose devices are gone, or a damaged file: a warning.
  SetStore(std::string path, const Park& park, const DeviceTable& table, const Warn& warn);

  [[nodiscard]] bool empty() const { return sets_.empty(); }
  [[nodiscard]] std::optional<DeviceSet> find(std::uint64_t kernel) const;
  // Adds what was found, or puts it in the place of what was there, and writes the file: all of it or nothing.
  Status write(std::span<const Tuner::Found> found);

 private:
  struct Entry {
    std::vector<std::uint64_t> kernels;
    std::string set;
    std::vector<std::string> devices;
  };
  void read(const Warn& warn);
  [[nodiscard]] std::vector<std::string> devicesOf(const DeviceSet& set) const;

  const std::string path_;
  const Park& park_;
  const DeviceTable& table_;
  std::vector<Entry> entries_;
  std::unordered_map<std::uint64_t, DeviceSet> sets_;  // by kernel
};

}  // namespace muster::rt
