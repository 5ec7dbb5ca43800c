// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a card and events that several processes have (CUDA Driver API: cuIpc...): rooms for messages, and of each
// when it is filled. A context is current in all calls, the same one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "backends/cuda/api.h"

namespace muster::cdm {

class CudaRooms {
 public:
  static Result<std::unique_ptr<CudaRooms>> make(const CudaApi& api, std::size_t roomBytes, std::size_t count);
  // Of another process.
  static Result<std::unique_ptr<CudaRooms>> open(const CudaApi& api, std::span<const std::byte> offer);
  ~CudaRooms();
  CudaRooms(const CudaRooms&) = delete;
  CudaRooms& operator=(const CudaRooms&) = delete;

  [[nodiscard]] cuda::Pointer memory() const { return memory_; }
  [[nodiscard]] std::size_t roomBytes() const { return roomBytes_; }
  [[nodiscard]] const std::vector<cuda::Event*>& filled() const { return filled_; }
  // Of rooms that were made here.
  [[nodiscard]] Result<std::vector<std::byte>> offer() const;

 private:
  CudaRooms(const CudaApi& api, bool isOwn, std::size_t roomBytes) : api_(api), isOwn_(isOwn), roomBytes_(roomBytes) {}

  const CudaApi& api_;
  bool isOwn_;
  std::size_t roomBytes_;
  cuda::Pointer memory_ = 0;
  std::vector<cuda::Event*> filled_;
};

}  // namespace muster::cdm
