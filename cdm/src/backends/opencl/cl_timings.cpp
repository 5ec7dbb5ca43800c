// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the device's clock to the host's.
#include "backends/opencl/cl_timings.h"

#include <algorithm>
#include <limits>

#include "muster/cdm/clock.h"

namespace muster::cdm {

namespace {
constexpr int calibrations = 9;
}  // namespace

cl_int ClTimings::deviceTime(cl_event event, cl_profiling_info what, std::int64_t& ns) const {
  cl_ulong value = 0;
  const cl_int error = api_->GetEventProfilingInfo(event, what, sizeof value, &value, nullptr);
  ns = static_cast<std::int64_t>(value);
  return error;
}

Status ClTimings::calibrate(cl_context context, cl_device_id device) {
  cl_int error = CL_SUCCESS;
  const ClQueue queue(api_, api_->CreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error));
  if (error != CL_SUCCESS) return clFailure(info_, "clCreateCommandQueue", error);
  const ClMemory memory(api_, api_->CreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_int), nullptr, &error));
  if (error != CL_SUCCESS) return clFailure(info_, "clCreateBuffer", error);
  // A transfer starts after its call and ends before the call returns: the tightest of these bounds count.
  std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < calibrations; ++i) {
    const cl_int value = i;
    cl_event raw = nullptr;
    const std::int64_t called = traceClock();
    error = api_->EnqueueWriteBuffer(queue.get(), memory.get(), CL_TRUE, 0, sizeof value, &value, 0, nullptr, &raw);
    const std::int64_t returned = traceClock();
    if (error != CL_SUCCESS) return clFailure(info_, "clEnqueueWriteBuffer", error);
    const ClEvent event(api_, raw);
    std::int64_t begin = 0, end = 0;
    error = deviceTime(raw, CL_PROFILING_COMMAND_START, begin);
    if (error == CL_SUCCESS) error = deviceTime(raw, CL_PROFILING_COMMAND_END, end);
    if (error != CL_SUCCESS) return clFailure(info_, "times of operations", error);
    least = std::max(least, called - begin);
    most = std::min(most, returned - end);
  }
  offset_ = least + (most - least) / 2;
  return {};
}

// A driver that has no times of one operation leaves a gap in a trace, which is all that it is.
std::int64_t ClTimings::keep(cl_event event, const Label& label, Event id, std::uint64_t call) {
  if (!label.measured) {
    store(call, {label.kind, id, 0, 0, label.bytes, false, label.steps});
    return 0;
  }
  std::int64_t begin = 0, end = 0;
  if (deviceTime(label.begin ? label.begin.get() : event, CL_PROFILING_COMMAND_START, begin) != CL_SUCCESS ||
      deviceTime(event, CL_PROFILING_COMMAND_END, end) != CL_SUCCESS)
    return 0;
  offset_ = std::max(offset_, label.calledNs - begin);
  offset_ = std::min(offset_, traceClock() - end);
  Unfinished& unfinished = unfinished_[id % lanes];
  if (!unfinished.any) unfinished = {begin + offset_, 0, true};
  unfinished.bytes += label.bytes;
  if (!label.last) return end - begin;
  store(call, {label.kind, id, unfinished.beginNs, end + offset_, unfinished.bytes, true, label.steps});
  unfinished = {};
  return end - begin;
}

void ClTimings::store(std::uint64_t call, const OperationTiming& timing) {
  if (kept_.size() == capacity) kept_.pop_front();
  kept_.push_back({call, timing});
}

std::vector<OperationTiming> ClTimings::take() {
  std::sort(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) { return a.call < b.call; });
  std::vector<OperationTiming> taken;
  taken.reserve(kept_.size());
  for (const Kept& kept : kept_) taken.push_back(kept.timing);
  kept_.clear();
  return taken;
}

}  // namespace muster::cdm
