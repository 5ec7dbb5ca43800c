// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/clock.h"

#include <cmath>

namespace muster::cdm {

namespace {

// A float has 24 bits: 60 ns of a second.
constexpr float farMilliseconds = 1000;

std::int64_t nsOf(float milliseconds) { return std::llround(double{milliseconds} * 1e6); }

}  // namespace

std::pair<cuda::Error, std::int64_t> CudaClock::timeOf(cuda::Event* event) {
  float milliseconds = 0;
  if (reference_ == nullptr)
    if (const cuda::Error error = follow()) return {error, 0};
  if (const cuda::Error error = cuda_.EventElapsedTime(&milliseconds, reference_, event)) return {error, 0};
  if (milliseconds > farMilliseconds) {  // the command's other event is to be told from the same reference
    if (const cuda::Error error = follow()) return {error, 0};
    if (const cuda::Error error = cuda_.EventElapsedTime(&milliseconds, reference_, event)) return {error, 0};
  }
  return {cuda::success, ns_ + nsOf(milliseconds)};
}

cuda::Error CudaClock::follow() {
  cuda::Event* now = nullptr;
  cuda::Error error = stream_ == nullptr ? cuda_.StreamCreate(&stream_, cuda::streamNonBlocking) : cuda::success;
  if (error == cuda::success) error = cuda_.EventCreate(&now, cuda::eventDefault);
  if (error == cuda::success) error = cuda_.EventRecord(now, stream_);
  if (error == cuda::success) error = cuda_.EventSynchronize(now);
  float passed = 0;
  if (error == cuda::success && reference_ != nullptr) error = cuda_.EventElapsedTime(&passed, reference_, now);
  cuda::Event* const old = error == cuda::success ? std::exchange(reference_, now) : now;
  if (error == cuda::success) ns_ += nsOf(passed);
  if (old != nullptr) (void)cuda_.EventDestroy_v2(old);
  return error;
}

void CudaClock::close() {
  if (reference_ != nullptr) (void)cuda_.EventDestroy_v2(reference_);
  if (stream_ != nullptr) (void)cuda_.StreamDestroy_v2(stream_);
  reference_ = nullptr;
  stream_ = nullptr;
}

}  // namespace muster::cdm
