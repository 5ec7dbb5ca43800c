// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One OpenCL device with a context and an in-order queue of its own. Transfers of GPUs go through pinned
// slots: the call returns when the caller's data is in a slot, or when the read is queued; what is read
// reaches the caller's memory in wait() or finish(). CPU-type devices copy directly.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "backends/opencl/cl_events.h"
#include "backends/opencl/cl_handle.h"
#include "backends/opencl/cl_programs.h"
#include "backends/opencl/cl_staging.h"
#include "backends/opencl/inventory.h"
#include "muster/cdm/device.h"

namespace muster::cdm {

class OpenClDevice final : public ComputeDevice {
 public:
  OpenClDevice(const ClHandle& handle, DeviceInfo info, const OpenClOptions& options, ClContext context, ClQueue queue);
  ~OpenClDevice() override;

 protected:
  // Drivers put off allocating until the first use, where a failure could not be told from a lost device: one
  // byte is written at once.
  Result<BufferId> doAllocate(std::size_t bytes) override;
  Status doRelease(BufferId buffer) override;
  Result<Event> doWrite(BufferId to, std::size_t offset, const void* from, std::size_t bytes) override;
  Result<Event> doRead(BufferId from, std::size_t offset, void* to, std::size_t bytes) override;
  Result<Event> doCopy(BufferId from, std::size_t fromOffset, BufferId to, std::size_t toOffset,
                       std::size_t bytes) override;
  Status doPrepare(const KernelCode& code) override;
  Result<Event> doLaunch(const KernelLaunch& launch) override;
  Status doWait(Event event) override;
  Status doFinish() override;

 private:
  struct Buffer {
    ClMemory memory;
    std::size_t bytes = 0;
  };

  [[nodiscard]] cl_mem memoryOf(BufferId buffer) const { return buffers_.at(buffer).memory.get(); }
  [[nodiscard]] Status outOfMemory(std::size_t bytes, const std::string& why) const;
  Result<ClMemory> createMemory(std::size_t bytes);
  Result<Event> submit(cl_event event, std::function<void()> done = {});
  // Waits for transfers under way until a slot is free.
  Result<ClStaging::Slot*> slotFor(std::size_t bytes);
  Result<Event> stagedWrite(cl_mem to, std::size_t offset, const std::byte* from, std::size_t bytes);
  Result<Event> stagedRead(cl_mem from, std::size_t offset, std::byte* to, std::size_t bytes);

  // cl_launch.cpp
  Status runEmpty(const KernelLaunch& launch);
  Status setFixedArguments(cl_kernel kernel, const KernelLaunch& launch);
  Status setPieceArguments(cl_kernel kernel, const KernelLaunch& launch, const Piece& piece);
  Status setResultArguments(cl_kernel kernel, const KernelLaunch& launch, std::size_t groups);
  Status setArgument(cl_kernel kernel, const KernelCode& code, cl_uint index, std::size_t bytes, const void* value);
  Status enqueue(const CompiledKernel& compiled, const KernelLaunch& launch, const Piece& piece, const Axes& groups,
                 cl_event* event);
  Result<Event> launchPlain(const CompiledKernel& compiled, const KernelLaunch& launch,
                            const std::vector<Piece>& pieces);
  Result<Event> launchReduction(const CompiledKernel& compiled, const KernelLaunch& launch);
  Result<Event> readResults(const KernelLaunch& launch, std::size_t groups);
  Result<cl_mem> resultMemory(std::size_t index, std::size_t bytes);

  ClHandle handle_;
  const ClApi& cl_;
  ClContext context_;
  ClQueue queue_;
  bool staged_;
  ClStaging staging_;
  ClPrograms programs_;
  ClEvents events_;
  std::unordered_map<BufferId, Buffer> buffers_;
  BufferId lastId_ = 0;
  std::size_t inUse_ = 0;             // bytes of all buffers
  std::vector<Buffer> resultMemory_;  // work-groups' partials, per result; the queue's order makes reuse safe
  Buffer nothing_;                    // argument for arrays that a chunk does not touch
};

Result<std::unique_ptr<ComputeDevice>> openClDevice(const ClHandle& handle, DeviceInfo info,
                                                    const OpenClOptions& options);

}  // namespace muster::cdm
