// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Because the queue is in order, completed operations are always a prefix of the table.
#include "backends/opencl/cl_events.h"

#include <fmt/format.h>

namespace muster::cdm {

namespace {
// Asking costs a driver call each, so short tables are left alone; long ones make the caller wait.
constexpr std::size_t askAbove = 32, waitAbove = 4096;
}  // namespace

Result<Event> ClEvents::add(cl_event event, std::function<void()> done) {
  pending_.push_back({ClEvent(api_, event), std::move(done)});
  const Event id = nextId_++;
  if (pending_.size() > askAbove) MUSTER_TRY(retireCompleted());
  while (pending_.size() > waitAbove)
    if (Result<bool> waited = waitOldest(); !waited) return waited.status();
  return id;
}

// Takes the oldest operation off the table; `status` is its error if negative.
Status ClEvents::retire(cl_int status) {
  Operation operation = std::move(pending_.front());
  pending_.pop_front();
  if (status < 0 && firstError_.ok())
    firstError_ = Status(Errc::deviceLost,
                         fmt::format("{}: an operation failed on the device: {}", info_.name, clErrorName(status)));
  if (!firstError_.ok()) return firstError_;
  if (operation.done) operation.done();
  return {};
}

Status ClEvents::retireCompleted() {
  while (!pending_.empty()) {
    cl_int status = CL_COMPLETE;
    const cl_int error = api_->GetEventInfo(pending_.front().event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS,
                                            sizeof status, &status, nullptr);
    if (error != CL_SUCCESS) status = error;
    if (status > CL_COMPLETE) return {};
    MUSTER_TRY(retire(status));
  }
  return {};
}

Result<bool> ClEvents::waitOldest() {
  if (pending_.empty()) return false;
  cl_event event = pending_.front().event.get();
  cl_int status = CL_COMPLETE;
  const cl_int error = api_->WaitForEvents(1, &event);
  if (error != CL_SUCCESS) status = error;
  MUSTER_TRY(retire(status));
  return true;
}

Status ClEvents::wait(Event event) {
  if (event >= nextId_)
    return {Errc::invalidArgument, fmt::format("{}: wait: event {} was never given out", info_.name, event)};
  const Event oldest = nextId_ - pending_.size();
  if (event < oldest) return firstError_;
  // One wait for the operation itself; those before it are complete then.
  cl_event wanted = pending_[event - oldest].event.get();
  const cl_int error = api_->WaitForEvents(1, &wanted);
  for (Event id = oldest; id <= event; ++id) MUSTER_TRY(retire(error == CL_SUCCESS ? CL_COMPLETE : error));
  return firstError_;
}

Status ClEvents::waitAll() { return nextId_ > 1 ? wait(nextId_ - 1) : Status(); }

}  // namespace muster::cdm
