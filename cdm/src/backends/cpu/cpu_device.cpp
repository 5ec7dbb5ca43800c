// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is complete on return: a launch is a call of the native code, which has its own OpenMP team.
#include "backends/cpu/cpu_device.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "core/topology.h"
#include "muster/cdm/host.h"
#include "muster/cdm/host_allocation.h"

namespace muster::cdm {

namespace {

// Below this a huge page would only waste memory.
constexpr std::size_t hugePageThreshold = std::size_t{4} << 20;

class CpuDevice final : public ComputeDevice {
 public:
  explicit CpuDevice(DeviceInfo info) : ComputeDevice(std::move(info)) {}

  ~CpuDevice() override {
    for (const auto& [id, memory] : buffers_)
      if (memory.owned) munmap(memory.base, memory.bytes);
  }

 protected:
  // Reserves address space only: a rank asks for room for the whole array and touches its own window.
  Result<BufferId> doAllocate(std::size_t bytes) override {
    MUSTER_TRY(countHostAllocation(HostAllocation::memory, bytes, "an array's part on this CPU"));
    void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
      return Status(Errc::outOfMemory, fmt::format("{}: cannot reserve {} bytes of address space: {}", info_.name,
                                                   bytes, std::strerror(errno)));
    // Only a hint: kernels without transparent huge pages refuse it.
    if (bytes >= hugePageThreshold) (void)madvise(base, bytes, MADV_HUGEPAGE);
    return keep({static_cast<std::byte*>(base), bytes, true});
  }

  Result<BufferId> doWrap(void* memory, std::size_t bytes) override {
    return keep({static_cast<std::byte*>(memory), bytes, false});
  }

  Status doRelease(BufferId buffer) override {
    auto at = buffers_.find(buffer);
    const Memory memory = at->second;
    buffers_.erase(at);
    if (memory.owned && munmap(memory.base, memory.bytes) != 0)
      return {Errc::internal,
              fmt::format("{}: cannot release {} bytes: {}", info_.name, memory.bytes, std::strerror(errno))};
    return {};
  }

  void* doAddress(BufferId buffer) override { return base(buffer); }

  Result<Event> doWrite(BufferId to, std::size_t offset, const void* from, std::size_t bytes) override {
    // The caller may hold the buffer's own address: then source and target can be the same bytes.
    std::memmove(base(to) + offset, from, bytes);
    return Event{0};
  }

  Result<Event> doRead(BufferId from, std::size_t offset, void* to, std::size_t bytes) override {
    std::memmove(to, base(from) + offset, bytes);
    return Event{0};
  }

  Result<Event> doCopy(BufferId from, std::size_t fromOffset, BufferId to, std::size_t toOffset,
                       std::size_t bytes) override {
    // Two wraps of overlapping memory are two buffers: memmove.
    std::memmove(base(to) + toOffset, base(from) + fromOffset, bytes);
    return Event{0};
  }

  Result<Event> doFill(BufferId to, std::size_t offset, std::byte value, std::size_t bytes) override {
    std::memset(base(to) + offset, std::to_integer<int>(value), bytes);
    return Event{0};
  }

  Status doPrepare(const KernelCode& code, double /*iterations*/) override {
    if (code.native && info_.computeUnits > 0) return {};
    return {Errc::unsupported, fmt::format("{}: kernel {} ({}) {}", info_.name, code.name, code.location,
                                           code.native ? "cannot run in memory" : "has no native code")};
  }

  Result<Event> doLaunch(const KernelLaunch& launch) override {
    MUSTER_TRY(prepare(*launch.code));
    arguments_.clear();
    for (const ArrayArg& array : launch.arrays) arguments_.push_back(argument(array));
    muster_chunk chunk{};
    chunk.struct_size = sizeof chunk;
    chunk.n_dims = static_cast<std::uint32_t>(launch.dims.size());
    chunk.dims = launch.dims.data();
    chunk.lo = launch.lo;
    chunk.hi = launch.hi;
    chunk.arrays = arguments_.data();
    chunk.scalars = launch.scalars.data();
    chunk.results = launch.results.data();
    launch.code->native(&chunk);
    return Event{0};
  }

  Status doWait(Event event) override {
    return {Errc::invalidArgument, fmt::format("{}: wait: event {} was never given out", info_.name, event)};
  }

  Status doFinish() override { return {}; }

 private:
  struct Memory {
    std::byte* base;
    std::size_t bytes;
    bool owned;
  };

  BufferId keep(Memory memory) {
    buffers_.emplace(++lastId_, memory);
    return lastId_;
  }

  std::byte* base(BufferId buffer) const { return buffers_.at(buffer).base; }

  // The user's pointer may lie outside the buffer, so this is arithmetic on integers, not on pointers.
  void* argument(const ArrayArg& array) const {
    const std::byte* start = array.buffer == 0 ? nullptr : base(array.buffer);
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(start) +
                                   static_cast<std::uintptr_t>(array.originBytes));
  }

  std::unordered_map<BufferId, Memory> buffers_;
  BufferId lastId_ = 0;
  std::vector<void*> arguments_;  // of the launch that runs; kept to save an allocation each time
};

DeviceInfo memoryInfo() {
  DeviceInfo info;
  info.driver = "native";
  info.backend = "cpu";
  info.kind = DeviceKind::cpu;
  info.memoryBytes = hostMemoryBytes();
  info.maxAllocationBytes = info.memoryBytes;
  info.hostAddressable = true;
  return info;
}

}  // namespace

std::unique_ptr<ComputeDevice> makeHostMemory() {
  DeviceInfo info = memoryInfo();
  info.name = "host memory";
  return std::make_unique<CpuDevice>(std::move(info));
}

std::unique_ptr<ComputeDevice> makeCpuDevice(unsigned threads) {
  const CpuModel model = cpuModel();
  DeviceInfo info = memoryInfo();
  info.name = model.name;
  info.vendor = model.vendor;
  info.selector = "cpu";
  info.computeUnits = threads;
  return std::make_unique<CpuDevice>(std::move(info));
}

}  // namespace muster::cdm
