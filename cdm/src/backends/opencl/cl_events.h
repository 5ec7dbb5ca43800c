// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations under way on one in-order queue: what to do when they complete, and the Event ids that stand for
// them. Completed ones are dropped as new ones come, so the table stays short.
#pragma once

#include <deque>
#include <functional>

#include "backends/opencl/cl_handle.h"
#include "muster/cdm/device.h"

namespace muster::cdm {

class ClEvents {
 public:
  ClEvents(ClApiPtr api, const DeviceInfo& info) : api_(std::move(api)), info_(info) {}

  // `done` runs in one of the calls below, in the order of the operations, once this one has completed.
  Result<Event> add(cl_event event, std::function<void()> done = {});
  // Errc::invalidArgument for an event that was never given out.
  Status wait(Event event);
  // Waits for the oldest operation; false if none is under way.
  Result<bool> waitOldest();
  Status waitAll();
  // Forgets all operations without running what was to be done: their targets may be gone.
  void abandon() { pending_.clear(); }

  [[nodiscard]] std::size_t pending() const { return pending_.size(); }

 private:
  struct Operation {
    ClEvent event;
    std::function<void()> done;
  };

  Status retire(cl_int status);
  Status retireCompleted();

  ClApiPtr api_;
  const DeviceInfo& info_;
  std::deque<Operation> pending_;
  Event nextId_ = 1;   // of the next operation; pending_ holds those just before it
  Status firstError_;  // sticky: a device whose operation failed gives no more results
};

}  // namespace muster::cdm
