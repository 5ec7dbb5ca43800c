// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Speed, bandwidth and latency of one device, by medians of repeats, kept in the cache directory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "muster/cdm/benchmark_kernel.h"
#include "muster/cdm/clock.h"
#include "muster/cdm/device_manager.h"
#include "muster/cdm/file.h"

namespace muster::cdm {

namespace {

// Change it when the benchmark changes: older cache entries are then measured again.
constexpr int benchmarkVersion = 2;
constexpr std::size_t blockBytes = std::size_t{16} << 20;
constexpr std::int64_t columns = 4096;
constexpr int blocksPerArray = 4;
constexpr double sampleSeconds = 2e-3, budgetSeconds = 0.12;
constexpr int maxSamples = 9, minSamples = 3, maxLaunchesPerSample = 64;

// What a measurement holds for; the number of threads is the CPU's computeUnits.
std::string cacheKey(const DeviceInfo& info) {
  return fmt::format("v{} | {} | {} | {} | {} | {} units | {}", benchmarkVersion, info.backend, info.vendor, info.name,
                     info.driver, info.computeUnits, info.hardwareId);
}

std::filesystem::path cacheFile(const std::filesystem::path& directory, const std::string& key) {
  return directory / fmt::format("speed-{:016x}.json", XXH3_64bits(key.data(), key.size()));
}

// Nothing if there is no entry for this key, or none that makes sense.
std::optional<Measured> readCached(const std::filesystem::path& directory, const std::string& key) {
  if (directory.empty()) return {};
  const auto entry = nlohmann::json::parse(readFile(cacheFile(directory, key)), nullptr, false);
  if (!entry.is_object() || entry.value("device", nlohmann::json()) != key) return {};
  const auto number = [&](const char* name) {
    const auto at = entry.find(name);
    return at != entry.end() && at->is_number() ? at->get<double>() : 0.0;
  };
  const Measured measured{number("updatesPerSecond"), number("bytesPerSecond"), number("latencySeconds"), true};
  const auto sane = [](double value) { return std::isfinite(value) && value > 0; };
  if (!sane(measured.speed) || !sane(measured.bytesPerSecond) || !sane(measured.latencySeconds)) return {};
  return measured;
}

// A cache that cannot be written costs time at the next start and nothing else.
void writeCached(const std::filesystem::path& directory, const std::string& key, const Measured& measured) {
  if (directory.empty()) return;
  const nlohmann::json entry = {{"device", key},
                                {"updatesPerSecond", measured.speed},
                                {"bytesPerSecond", measured.bytesPerSecond},
                                {"latencySeconds", measured.latencySeconds}};
  (void)replaceFile(cacheFile(directory, key),
                    entry.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Median of the seconds that `operation` takes until the device is done; the first run is the warm-up.
Result<double> timeOf(ComputeDevice& device, const std::function<Status()>& operation) {
  const auto run = [&](int times) -> Result<double> {
    const std::int64_t began = traceClock();
    for (int i = 0; i < times; ++i) MUSTER_TRY(operation());
    MUSTER_TRY(device.finish());
    return std::max(1e-9, secondsSince(began)) / times;
  };
  Result<double> once = run(1);
  if (once) once = run(1);
  if (!once) return once;
  const int times = static_cast<int>(std::clamp(sampleSeconds / *once, 1.0, double{maxLaunchesPerSample}));
  std::vector<double> samples;
  double spent = 0;
  while (samples.size() < minSamples || (samples.size() < maxSamples && spent < budgetSeconds)) {
    const Result<double> sample = run(times);
    if (!sample) return sample;
    samples.push_back(*sample);
    spent += *sample * times;
  }
  return median(std::move(samples));
}

// Two arrays on the device, given back at the end.
class Arrays {
 public:
  explicit Arrays(ComputeDevice& device) : device_(device) {}
  // The error that matters is the benchmark's own; a device that cannot release is found by its next user.
  ~Arrays() {
    for (BufferId id : ids_)
      if (id) (void)device_.release(id);
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  Status allocate(std::size_t bytes) {
    for (BufferId& id : ids_) {
      const Result<BufferId> buffer = device_.allocate(bytes);
      if (!buffer) return buffer.status();
      id = *buffer;
    }
    return {};
  }
  [[nodiscard]] BufferId operator[](std::size_t i) const { return ids_[i]; }

 private:
  ComputeDevice& device_;
  std::array<BufferId, 2> ids_ = {0, 0};
};

// How many blocks of each array fit without filling a small device.
int blocksFor(const DeviceInfo& info) {
  const std::uint64_t room = std::min(info.memoryBytes / 8, info.maxAllocationBytes);
  return static_cast<int>(std::clamp<std::uint64_t>(room / blockBytes, 1, blocksPerArray));
}

Result<double> updatesPerSecond(ComputeDevice& device, const Arrays& arrays, int blocks) {
  const std::int64_t width = columns;
  const auto elements = static_cast<std::int64_t>(blockBytes * static_cast<std::size_t>(blocks) / sizeof(float));
  const muster_dim dim = {columns, 1, elements - 2 * columns};
  const std::array<ArrayArg, 2> arguments = {{{arrays[0], 0}, {arrays[1], 0}}};
  const std::array<const void*, 1> scalars = {&width};
  KernelLaunch launch;
  launch.code = &benchmarkKernel();
  launch.dims = {&dim, 1};
  launch.hi = dim.count;
  launch.arrays = arguments;
  launch.scalars = scalars;
  Result<double> seconds = timeOf(device, [&] { return device.launch(launch).status(); });
  if (!seconds) return seconds;
  return static_cast<double>(dim.count) / *seconds;
}

Result<Measured> benchmark(ComputeDevice& device) {
  const int blocks = blocksFor(device.info());
  const std::vector<float> block(blockBytes / sizeof(float), 1.0f);
  Arrays arrays(device);
  MUSTER_TRY(arrays.allocate(blockBytes * static_cast<std::size_t>(blocks)));
  for (int i = 0; i < blocks; ++i)
    MUSTER_TRY(device.write(arrays[0], blockBytes * static_cast<std::size_t>(i), block.data(), blockBytes).status());
  const Result<double> large =
      timeOf(device, [&] { return device.write(arrays[0], 0, block.data(), blockBytes).status(); });
  if (!large) return large.status();
  // finish() after each: latency is what one transfer takes when nothing else is under way.
  const Result<double> small = timeOf(device, [&] {
    const Status written = device.write(arrays[0], 0, block.data(), sizeof(float)).status();
    return written.ok() ? device.finish() : written;
  });
  if (!small) return small.status();
  const Result<double> speed = updatesPerSecond(device, arrays, blocks);
  if (!speed) return speed.status();
  return Measured{*speed, static_cast<double>(blockBytes) / *large, *small, false};
}

}  // namespace

Result<Measured> measure(ComputeDevice& device, const std::filesystem::path& cacheDirectory) {
  const std::string key = cacheKey(device.info());
  if (std::optional<Measured> cached = readCached(cacheDirectory, key)) return *cached;
  MUSTER_TRY(device.prepare(benchmarkKernel()).at("micro benchmark"));
  Result<Measured> measured = benchmark(device);
  if (!measured) return measured.status().at("micro benchmark");
  writeCached(cacheDirectory, key, *measured);
  return measured;
}

}  // namespace muster::cdm
