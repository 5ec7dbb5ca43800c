// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chunk whose kernel a device refuses to build runs natively on the same rank: what it touches goes from the device
// to host scratch, what it writes goes back.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "executor/executor_impl.h"
#include "muster/cdm/host_allocation.h"

namespace muster::cap {
namespace {

// Memory that is paid for when touched; a chunk's hull may be much larger than what it uses.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes)
      : bytes_(std::max<std::size_t>(bytes, 1)),  // mmap refuses 0
        memory_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Scratch() {
    if (ok()) munmap(memory_, bytes_);
  }
  Scratch(Scratch&& other) noexcept : bytes_(other.bytes_), memory_(std::exchange(other.memory_, MAP_FAILED)) {}
  Scratch& operator=(Scratch&&) = delete;
  [[nodiscard]] bool ok() const { return memory_ != MAP_FAILED; }
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

// One per distinct array of the launch: aliases share it.
struct ScratchArray {
  const ArrayInfo* info = nullptr;
  Window window;
  Scratch memory;
  IntervalSet reads, writes;
};

std::string firstLines(const std::string& text, int lines) {
  std::size_t end = 0;
  for (int i = 0; i < lines && end != std::string::npos; ++i) end = text.find('\n', end == 0 ? 0 : end + 1);
  return text.substr(0, end);
}

enum class Direction { fromDevice, toDevice };

Status move(cdm::ComputeDevice& device, const ScratchArray& array, const IntervalSet& elements, Direction direction) {
  for (const Interval& piece : elements) {
    const std::size_t offset = static_cast<std::size_t>(piece.lo - array.window.elements.lo) * array.info->elemSize;
    const std::size_t bytes = static_cast<std::size_t>(piece.size()) * array.info->elemSize;
    std::byte* const scratch = array.memory.data() + offset;
    const auto event = direction == Direction::fromDevice ? device.read(array.window.buffer, offset, scratch, bytes)
                                                          : device.write(array.window.buffer, offset, scratch, bytes);
    if (!event.ok()) return event.status();
  }
  return device.finish();
}

}  // namespace

void Executor::Impl::warnFallback(const LocalChunk& chunk, const LaunchRequest& request, const Status& why) {
  cdm::ComputeDevice& device = chunk.storage->device();
  if (!warned_.try_emplace({request.code->id, &device}, true).second) return;
  options_.warn(fmt::format("{} could not build kernel {} ({}); its part of the loop runs natively on the CPU\n{}",
                            where(device), request.code->name, request.code->location, firstLines(why.message(), 8)));
}

Status Executor::Impl::runFallback(LocalChunk& chunk, const LaunchRequest& request) {
  cdm::ComputeDevice& device = chunk.storage->device();
  std::map<std::uint32_t, ScratchArray> scratch;
  for (std::size_t i = 0; i < request.spec->arrays.size(); ++i) {
    const std::uint32_t id = request.spec->arrays[i].array;
    const Window* window = chunk.storage->find(id);
    if (window == nullptr) continue;
    auto found = scratch.find(id);
    if (found == scratch.end()) {
      const ArrayInfo& info = record(id).info;
      const std::size_t bytes = static_cast<std::size_t>(window->elements.size()) * info.elemSize;
      MUSTER_TRY(cdm::countHostAllocation(cdm::HostAllocation::memory, bytes, "a host copy of an array").at(here()));
      Scratch memory(bytes);
      if (!memory.ok()) return cdm::noHostMemory(bytes, ("a host copy of array " + info.name).c_str()).at(here());
      found = scratch.emplace(id, ScratchArray{&info, *window, std::move(memory), {}, {}}).first;
    }
    found->second.reads.add(chunk.chunk->reads[i]);
    found->second.writes.add(chunk.chunk->writes[i]);
  }
  for (const auto& [id, array] : scratch)
    MUSTER_TRY(move(device, array, array.reads, Direction::fromDevice).at(where(device)));

  std::vector<void*> pointers;
  for (std::size_t i = 0; i < request.spec->arrays.size(); ++i) {
    const auto found = scratch.find(request.spec->arrays[i].array);
    // What the user's pointer would be; it may point outside the scratch memory.
    const auto base = found == scratch.end() ? 0 : reinterpret_cast<std::intptr_t>(found->second.memory.data());
    pointers.push_back(reinterpret_cast<void*>(base + chunk.arrays[i].originBytes));
  }
  const cdm::KernelLaunch whole{
      .code = request.code, .dims = request.dims, .lo = chunk.chunk->lo, .hi = chunk.chunk->hi, .steps = request.steps};
  std::vector<void*> own;
  MUSTER_TRY(cdm::forEachStep(whole, [&](const cdm::LaunchStep& step) -> Status {
    own.clear();
    for (const std::uint16_t array : step.arrays) own.push_back(pointers[array]);
    const muster_chunk native{.struct_size = sizeof(muster_chunk),
                              .n_dims = step.code->dimensions,
                              .dims = request.dims.data(),
                              .lo = step.lo,
                              .hi = step.hi,
                              .arrays = own.data(),
                              .scalars = request.scalars.data() + step.firstScalar,
                              .results = chunk.results.data()};
    step.code->native(&native);
    return {};
  }));
  for (const auto& [id, array] : scratch)
    MUSTER_TRY(move(device, array, array.writes, Direction::toDevice).at(where(device)));
  chunk.done = true;
  return {};
}

}  // namespace muster::cap
