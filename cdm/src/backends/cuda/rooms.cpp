// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/rooms.h"

#include <cstdint>
#include <cstring>

namespace muster::cdm {

using cuda::Error;
using cuda::IpcHandle;

namespace {

// At the beginning of an offer. The events' handles follow.
struct Head {
  IpcHandle memory;
  std::uint64_t roomBytes = 0, count = 0;
};

// Cards that are no peers, and those that share no memory, are as they are.
Status whyNot(const CudaApi& api, Error error) {
  const Status why = cudaStatus(api, error);
  const bool isSo = error == cuda::peerAccessUnsupported || error == cuda::notSupported;
  return isSo ? Status(Errc::unsupported, why.message()) : why;
}

}  // namespace

Result<std::unique_ptr<CudaRooms>> CudaRooms::make(const CudaApi& api, std::size_t roomBytes, std::size_t count) {
  std::unique_ptr<CudaRooms> rooms(new CudaRooms(api, true, roomBytes));
  if (const Error error = api.MemAlloc_v2(&rooms->memory_, roomBytes * count))
    return cudaStatus(api, error).at("cuMemAlloc");
  for (std::size_t i = 0; i < count; ++i) {
    cuda::Event* event = nullptr;
    if (const Error error = api.EventCreate(&event, cuda::eventNoTimes | cuda::eventOfProcesses))
      return cudaStatus(api, error).at("cuEventCreate");
    rooms->filled_.push_back(event);
  }
  return rooms;
}

Result<std::vector<std::byte>> CudaRooms::offer() const {
  Head head;
  head.roomBytes = roomBytes_;
  head.count = filled_.size();
  std::vector<std::byte> offer(sizeof head + filled_.size() * sizeof(IpcHandle));
  if (const Error error = api_.IpcGetMemHandle(&head.memory, memory_))
    return cudaStatus(api_, error).at("cuIpcGetMemHandle");
  std::memcpy(offer.data(), &head, sizeof head);
  for (std::size_t i = 0; i < filled_.size(); ++i) {
    IpcHandle handle;
    if (const Error error = api_.IpcGetEventHandle(&handle, filled_[i]))
      return cudaStatus(api_, error).at("cuIpcGetEventHandle");
    std::memcpy(offer.data() + sizeof head + i * sizeof handle, &handle, sizeof handle);
  }
  return offer;
}

Result<std::unique_ptr<CudaRooms>> CudaRooms::open(const CudaApi& api, std::span<const std::byte> offer) {
  Head head;
  if (offer.size() < sizeof head) return Status(Errc::protocol, "an offer of rooms is too short");
  std::memcpy(&head, offer.data(), sizeof head);
  if ((offer.size() - sizeof head) / sizeof(IpcHandle) != head.count)
    return Status(Errc::protocol, "an offer of rooms lacks events");
  std::unique_ptr<CudaRooms> rooms(new CudaRooms(api, false, head.roomBytes));
  if (const Error error = api.IpcOpenMemHandle_v2(&rooms->memory_, head.memory, cuda::enablesPeers))
    return whyNot(api, error).at("cuIpcOpenMemHandle");
  for (std::size_t i = 0; i < head.count; ++i) {
    IpcHandle handle;
    std::memcpy(&handle, offer.data() + sizeof head + i * sizeof handle, sizeof handle);
    cuda::Event* event = nullptr;
    if (const Error error = api.IpcOpenEventHandle(&event, handle))
      return cudaStatus(api, error).at("cuIpcOpenEventHandle");
    rooms->filled_.push_back(event);
  }
  return rooms;
}

// Whatever fails here has nobody left to tell.
CudaRooms::~CudaRooms() {
  for (cuda::Event* event : filled_) (void)api_.EventDestroy_v2(event);
  if (memory_ != 0) (void)(isOwn_ ? api_.MemFree_v2(memory_) : api_.IpcCloseMemHandle(memory_));
}

}  // namespace muster::cdm
