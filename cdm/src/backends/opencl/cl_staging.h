// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pinned host memory for transfers: a GPU reads it at full speed and while the host goes on. Slots are kept and
// used again; their number is bounded, so that a large transfer becomes a pipeline over a few of them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backends/opencl/api.h"

namespace muster::cdm {

class ClStaging {
 public:
  static constexpr std::size_t smallSlot = std::size_t{64} << 10, largeSlot = std::size_t{4} << 20;
  static constexpr std::size_t smallSlots = 64, largeSlots = 8;

  struct Slot {
    ClMemory memory;
    std::byte* address = nullptr;
    std::size_t bytes = 0;
    bool busy = false;
  };

  ClStaging(ClApiPtr api, cl_context context, cl_command_queue queue, const DeviceInfo& info)
      : api_(std::move(api)), context_(context), queue_(queue), info_(info) {}
  ~ClStaging();
  ClStaging(const ClStaging&) = delete;
  ClStaging& operator=(const ClStaging&) = delete;

  // A slot for at most `bytes` (maybe fewer: look at Slot::bytes), or nullptr if all are busy.
  Result<Slot*> acquire(std::size_t bytes);
  static void release(Slot* slot) { slot->busy = false; }

  // A slot outside of the pool, to be destroyed by its owner.
  Result<std::unique_ptr<Slot>> create(std::size_t bytes);
  // The same in memory of the caller's. Errc::unsupported if the driver transfers through memory of its own.
  Result<std::unique_ptr<Slot>> pin(std::span<std::byte> memory);
  void destroy(Slot& slot);

 private:
  Result<std::unique_ptr<Slot>> map(ClMemory memory, std::size_t bytes);

  ClApiPtr api_;
  cl_context context_;
  cl_command_queue queue_;
  const DeviceInfo& info_;
  std::vector<std::unique_ptr<Slot>> small_, large_;
};

}  // namespace muster::cdm
