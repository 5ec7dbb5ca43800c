// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nanoseconds of events on one clock. CUDA gives the time between two events alone, in milliseconds as a float: over
// more than a second that loses what short kernels take, so the event that others are compared with follows them.
#pragma once

#include <cstdint>
#include <utility>

#include "backends/cuda/api.h"

namespace muster::cdm {

class CudaClock {
 public:
  explicit CudaClock(const CudaApi& api) : cuda_(api) {}
  // Of a complete event that has times. The device's context is current.
  std::pair<cuda::Error, std::int64_t> timeOf(cuda::Event* event);
  // Before the context goes.
  void close();

 private:
  cuda::Error follow();

  const CudaApi& cuda_;
  cuda::Stream* stream_ = nullptr;  // of its own, which is idle
  cuda::Event* reference_ = nullptr;
  std::int64_t ns_ = 0;  // of the reference
};

}  // namespace muster::cdm
