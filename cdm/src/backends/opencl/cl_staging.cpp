// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool of pinned slots.
#include "backends/opencl/cl_staging.h"

namespace muster::cdm {

ClStaging::~ClStaging() {
  for (const auto* slots : {&small_, &large_})
    for (const auto& slot : *slots) destroy(*slot);
}

// Errors have nobody left to tell.
void ClStaging::destroy(Slot& slot) {
  (void)api_->EnqueueUnmapMemObject(queue_, slot.memory.get(), slot.address, 0, nullptr, nullptr);
  (void)api_->Finish(queue_);
  slot.memory = ClMemory();
}

Result<std::unique_ptr<ClStaging::Slot>> ClStaging::create(std::size_t bytes) {
  cl_int error = CL_SUCCESS;
  ClMemory memory(api_,
                  api_->CreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &error));
  if (error != CL_SUCCESS) return clFailure(info_, "pinned host memory", error);
  return map(std::move(memory), bytes);
}

Result<std::unique_ptr<ClStaging::Slot>> ClStaging::pin(std::span<std::byte> memory) {
  cl_int error = CL_SUCCESS;
  ClMemory buffer(api_, api_->CreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory.size(),
                                           memory.data(), &error));
  if (error != CL_SUCCESS) return clFailure(info_, "page-locking host memory", error);
  Result<std::unique_ptr<Slot>> slot = map(std::move(buffer), memory.size());
  if (!slot || (*slot)->address == memory.data()) return slot;
  destroy(**slot);
  return Status(Errc::unsupported, info_.name + ": the driver keeps a copy of host memory that it is to page-lock");
}

// Stays mapped for the life of the slot: that is how OpenCL gives out pinned memory.
Result<std::unique_ptr<ClStaging::Slot>> ClStaging::map(ClMemory memory, std::size_t bytes) {
  cl_int error = CL_SUCCESS;
  auto slot = std::make_unique<Slot>();
  slot->bytes = bytes;
  slot->memory = std::move(memory);
  void* address = api_->EnqueueMapBuffer(queue_, slot->memory.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                         nullptr, nullptr, &error);
  if (error != CL_SUCCESS) return clFailure(info_, "mapping pinned host memory", error);
  slot->address = static_cast<std::byte*>(address);
  return slot;
}

Result<ClStaging::Slot*> ClStaging::acquire(std::size_t bytes) {
  const bool small = bytes <= smallSlot;
  auto& slots = small ? small_ : large_;
  for (const auto& slot : slots)
    if (!slot->busy) {
      slot->busy = true;
      return slot.get();
    }
  if (slots.size() >= (small ? smallSlots : largeSlots)) return static_cast<Slot*>(nullptr);
  Result<std::unique_ptr<Slot>> created = create(small ? smallSlot : largeSlot);
  if (!created) return created.status();
  slots.push_back(std::move(*created));
  slots.back()->busy = true;
  return slots.back().get();
}

}  // namespace muster::cdm
