// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MUSTER_FAKE_DEVICES: machines that do not exist, for which a dry run plans and whose time it models.
// docs/configuration.md has the grammar.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "muster/cdm/status.h"

namespace muster::rt {

struct FakePark {
  enum class Kind : std::uint8_t { gpu, cpu, opencl };
  struct Device {
    Kind kind = Kind::cpu;
    double speed = 1;
    std::uint64_t memoryBytes = 0;  // 0: as much as is wanted
    bool operator==(const Device&) const = default;
  };
  // The loop at a line (of any file) is so many times as fast on devices of a kind as their speed says.
  struct LoopFactor {
    std::uint32_t line = 0;
    Kind kind = Kind::cpu;
    double factor = 1;
    bool operator==(const LoopFactor&) const = default;
  };
  std::vector<std::vector<Device>> machines;
  double networkBytesPerSecond = 1e9, networkLatency = 20e-6;
  double busBytesPerSecond = 10e9, busLatency = 10e-6;
  double secondsPerIteration = 10e-9;  // of a device of speed 1
  std::vector<LoopFactor> loops;
  bool operator==(const FakePark&) const = default;
};

// Errc::invalidArgument says what is wrong.
[[nodiscard]] Result<FakePark> parseFakePark(std::string_view text);

}  // namespace muster::rt
