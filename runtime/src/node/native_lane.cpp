// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/native_lane.h"

#include <utility>

#include "native/openmp.h"
#include "native/program_thread.h"

namespace muster::rt {

NativeLane::~NativeLane() {
  if (!running_) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_.notify_one();
  pthread_join(thread_, nullptr);
}

Result<NativeLane::Number> NativeLane::run(std::function<Status()> task) {
  if (!running_) {
    const Result<pthread_t> thread = startProgramThread("muster-chunks", "a rank's native chunks", enter, this);
    if (!thread.ok()) return thread.status();
    thread_ = *thread;
    running_ = true;
  }
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  work_.notify_one();
  return ++posted_;
}

Status NativeLane::wait(Number task) {
  std::unique_lock lock(mutex_);
  doneSignal_.wait(lock, [&] { return isDone(task); });
  return status_;
}

void* NativeLane::enter(void* self) {
  static_cast<NativeLane*>(self)->serve();
  return nullptr;
}

void NativeLane::serve() {
  shareCoresWithOtherOpenMpThreads();
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return !tasks_.empty() || ending_; });
    if (tasks_.empty()) return;
    std::function<Status()> task = std::move(tasks_.front());
    tasks_.pop_front();
    const bool goesOn = status_.ok();
    lock.unlock();
    const Status status = goesOn ? task() : Status();
    task = nullptr;
    lock.lock();
    if (!status.ok()) status_ = status;
    done_.fetch_add(1, std::memory_order_release);
    doneSignal_.notify_all();
  }
}

}  // namespace muster::rt
