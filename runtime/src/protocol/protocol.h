// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands that rank 0 sends to all ranks, and their bytes: little-endian, versioned, length-checked. Decoding
// accepts exactly what encoding produces; anything else is Errc::protocol, never an out-of-range read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "muster/cap/planner.h"
#include "muster/cap/region.h"
#include "muster/cdm/status.h"
#include "muster/cdm/transport.h"

namespace muster::rt::protocol {

inline constexpr std::uint32_t kMagic = 0x5254534d;  // "MSTR"
inline constexpr std::uint16_t kVersion = 1;

struct CreateArray {
  std::uint32_t id = 0;
  std::uint32_t elemSize = 0;
  std::int64_t count = 0;
  std::string name;  // "u (jacobi.cpp:7)"
  bool operator==(const CreateArray&) const = default;
};

struct ReleaseArray {
  std::uint32_t id = 0;
  bool operator==(const ReleaseArray&) const = default;
};

struct Launch {
  // An argument that is not managed: it has no id, the loop runs on the host.
  static constexpr std::uint32_t kNotManaged = UINT32_MAX;
  struct Dim {
    std::int64_t first = 0, step = 1, count = 0;
    bool operator==(const Dim&) const = default;
  };
  struct Array {
    std::uint32_t id = kNotManaged;
    std::int64_t offset = 0;  // elements
    bool opaque = false;      // the kernel's elements are not the array's: it may touch all of it
    bool absent = false;      // the pointer is null, so that the loop touches nothing behind it; the id is any array's
    bool operator==(const Array&) const = default;
  };

  std::uint64_t kernel = 0;
  std::uint64_t other = 0;  // of several steps: the kernel of each second one; 0: the same. Arguments of both follow
  bool hostOnly = false;    // natively on rank 0 over host data
  bool nativeOnly = false;  // devices that need the OpenCL text take no part
  std::uint32_t floatMode = 0;  // of the program's thread (native/float_mode.h)
  std::uint32_t steps = 1;      // so many launches at once (cdm::KernelLaunch)
  std::vector<Dim> dims;
  std::vector<std::int64_t> forms;  // as in muster_launch
  std::vector<Array> arrays;
  std::vector<cdm::Bytes> scalars;
  // Of dims[0], for this device alone; nobody: all iterations, split over all devices.
  struct Part {
    static constexpr std::uint32_t nobody = UINT32_MAX;
    std::uint32_t device = nobody;           // in the job's table
    std::int64_t lo = 0, hi = 0, grain = 0;  // as in cap::Part
    [[nodiscard]] bool isOne() const { return device != nobody; }
    bool operator==(const Part&) const = default;
  } part;
  std::vector<double> weights;  // of the devices that could take part, in their order; empty: theirs
  bool operator==(const Launch&) const = default;
};

// Of all dimensions but the first, for each iteration of that.
[[nodiscard]] double innerIterations(const Launch& launch);

struct HostAccess {
  std::uint32_t array = 0;
  cap::IntervalSet elements;
  cap::HostMode mode = cap::HostMode::read;
  bool operator==(const HostAccess&) const = default;
};

// Memories give up what they hold of arrays outside of [lo, hi); elements that no other memory has go to `spill`.
struct Evict {
  struct Part {
    std::uint32_t array = 0;
    std::uint32_t memory = 0, spill = 0;
    std::int64_t lo = 0, hi = 0;
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;
  bool operator==(const Evict&) const = default;
};

// Relative speeds, one per device of the job, and the fraction of the fastest below which one takes no part. For these
// kernels; for all of them if none is named.
struct Weights {
  std::vector<double> weights;
  double minShare = 0;
  std::vector<std::uint64_t> kernels;
  bool operator==(const Weights&) const = default;
};

// Every rank sends rank 0 what it measured since the last time (encodeMeasured).
struct Measure {
  bool finish = false;  // first waits until its devices have done everything so far
  bool operator==(const Measure&) const = default;
};

struct Shutdown {
  bool operator==(const Shutdown&) const = default;
};

using Command = std::variant<CreateArray, ReleaseArray, Launch, HostAccess, Evict, Weights, Measure, Shutdown>;

[[nodiscard]] cdm::Bytes encode(const Command& command, std::uint64_t sequence);
[[nodiscard]] cdm::Bytes encode(const Launch& launch, std::uint64_t sequence);  // the same, without a copy of it

struct Decoded {
  std::uint64_t sequence = 0;
  Command command;
};
[[nodiscard]] Result<Decoded> decode(std::span<const std::byte> bytes);

// What a rank tells all others before anything else.
struct Hello {
  std::uint32_t abiVersion = 0;
  std::string runtimeBuild;     // build id of libmuster.so
  std::string executableBuild;  // of the program
  std::string hostName;
  std::vector<std::pair<std::string, std::string>> environment;  // rank 0's MUSTER_* variables count for all
  bool operator==(const Hello&) const = default;
};
[[nodiscard]] cdm::Bytes encode(const Hello& hello);
[[nodiscard]] Result<Hello> decodeHello(std::span<const std::byte> bytes);

// What a rank tells all others of its devices, after it measured them.
struct RankDevices {
  struct Device {
    cdm::DeviceInfo info;
    double speed = 0, bytesPerSecond = 0, latencySeconds = 0;
    bool operator==(const Device&) const = default;
  };
  std::string error;                 // not empty: discovery failed on this rank
  std::uint32_t threads = 0;         // of its CPU device
  std::vector<std::uint32_t> cores;  // cdm::allowedCores()
  std::vector<Device> devices;
  std::vector<std::pair<std::string, std::string>> leftOut;  // device, reason
  bool operator==(const RankDevices&) const = default;
};
[[nodiscard]] cdm::Bytes encode(const RankDevices& devices);
[[nodiscard]] Result<RankDevices> decodeRankDevices(std::span<const std::byte> bytes);

// What one device did for one kernel.
struct KernelTime {
  std::uint64_t kernel = 0;
  std::uint32_t device = 0;  // in the job's table
  std::uint32_t launches = 0;
  std::uint64_t iterations = 0;  // of all dimensions
  std::uint64_t nanoseconds = 0;
  std::uint32_t fused = 0;  // launches that ran as one with others
  bool operator==(const KernelTime&) const = default;
};
// The answer to Measure. One size for all, so that rank 0 can wait for it without asking first.
inline constexpr std::size_t maxMeasured = 32, bytesOfMeasured = 36;
inline constexpr std::size_t measuredBytes = 16 + maxMeasured * bytesOfMeasured;
[[nodiscard]] cdm::Bytes encodeMeasured(std::span<const KernelTime> times);  // the first maxMeasured
[[nodiscard]] Result<std::vector<KernelTime>> decodeMeasured(std::span<const std::byte> bytes);

// What a rank tells rank 0 at the end of the job.
struct RankTotals {
  struct Merges {
    std::uint64_t kernel = 0, count = 0, bytesChanged = 0, bytesSent = 0;
    bool operator==(const Merges&) const = default;
  };
  std::vector<KernelTime> times;
  std::vector<Merges> merges;
  bool operator==(const RankTotals&) const = default;
};
[[nodiscard]] cdm::Bytes encode(const RankTotals& totals);
[[nodiscard]] Result<RankTotals> decodeRankTotals(std::span<const std::byte> bytes);

}  // namespace muster::rt::protocol
