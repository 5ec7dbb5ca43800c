// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream's thread, and those who help it.
#include "engine/controller/command_stream.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "native/openmp.h"
#include "native/program_thread.h"

namespace muster::rt {
namespace {

using Clock = std::chrono::steady_clock;

// What waits for more of its kind is kept from its device no longer than twice this. Who leaves something behind does
// so often, or not at all: the thread that looks for it goes on for a while.
constexpr std::chrono::microseconds kPatience{100};
constexpr unsigned kLooks = 50;

thread_local const CommandStream* streamOfThread = nullptr;
thread_local bool runsTask = false;

template <class Condition>
bool spinUntil(const Condition& condition, std::chrono::microseconds spins) {
  for (const Clock::time_point end = Clock::now() + spins; Clock::now() < end; sched_yield()) {
    if (condition()) return true;
  }
  return condition();
}

}  // namespace

CommandStream::~CommandStream() { (void)end(); }

Status CommandStream::begin(OnError onError, Idle idle) {
  onError_ = std::move(onError);
  idle_ = std::move(idle);
  startOpenMp();
  const Result<pthread_t> thread = startProgramThread("muster-stream", "rank 0's commands", enter, this);
  if (!thread.ok()) return thread.status();
  thread_ = *thread;
  running_ = true;
  return {};
}

Status CommandStream::end() {
  if (!running_) return status_;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_.notify_all();
  pthread_join(thread_, nullptr);
  running_ = false;
  return status_;
}

void* CommandStream::enter(void* self) {
  static_cast<CommandStream*>(self)->serve();
  return nullptr;
}

void CommandStream::serve() {
  streamOfThread = this;
  shareCoresWithOtherOpenMpThreads();
  std::unique_lock lock(mutex_);
  for (;;) {
    if (mayRunFront()) {
      runFront(lock);
    } else if (ending_ && queue_.empty() && !busy_) {
      return;
    } else {
      sleepUntilWork(lock);
    }
  }
}

void CommandStream::sleepUntilWork(Lock& lock) {
  const Number seen = posted_.load(std::memory_order_relaxed);
  lock.unlock();
  const bool more = spinUntil([&] { return posted_.load(std::memory_order_acquire) != seen; }, briefly);
  lock.lock();
  if (more) return;
  sleeping_ = true;
  do {
    work_.wait(lock, [this] { return hasWork() || holds_; });
  } while (!hasWork() && !watchUntilWork(lock));
  sleeping_ = false;
}

bool CommandStream::watchUntilWork(Lock& lock) {
  watching_ = true;
  bool found = false;
  for (unsigned looks = 0; looks < kLooks && !found; ++looks) {
    const Number seen = posted_.load(std::memory_order_relaxed);
    found = work_.wait_for(lock, kPatience, [this] { return hasWork(); });
    if (found || !holds_) continue;
    looks = 0;
    if (seen == posted_.load(std::memory_order_relaxed) && queue_.empty() && !busy_) flush(lock);
  }
  watching_ = false;
  return found;
}

void CommandStream::flush(Lock& lock) {
  busy_ = true;
  run({.run = idle_.flush}, lock);
  busy_ = false;
  if (waiting_ > 0) doneSignal_.notify_all();
}

// Under the lock, which is given up while the task runs.
void CommandStream::run(Task task, Lock& lock) {
  const bool goesOn = status_.ok();
  lock.unlock();
  runsTask = true;
  const Status status = goesOn ? task.run() : Status();
  runsTask = false;
  task.run = nullptr;  // what it holds goes without the lock
  const bool holds = told(status);
  lock.lock();
  note(status, holds);
}

// Whether it left something behind.
bool CommandStream::told(const Status& status) const {
  if (!status.ok() && onError_) onError_(status);
  return status.ok() && idle_.holds && idle_.holds();
}

void CommandStream::note(const Status& status, bool holds) {
  if (!status.ok()) status_ = status;
  holds_ = holds;
}

void CommandStream::runFront(Lock& lock) {
  Queued front = std::move(queue_.front());
  queue_.pop_front();
  busy_ = true;
  run(std::move(front.task), lock);
  leave(front.number);
}

void CommandStream::leave(Number done) {
  busy_ = false;
  while (early_.erase(done + 1) > 0) ++done;
  done_.store(done, std::memory_order_release);
  anyEarly_.store(!early_.empty(), std::memory_order_release);
  if (waiting_ > 0) doneSignal_.notify_all();
  if (sleeping_ && (!queue_.empty() || ending_ || (holds_ && !watching_))) work_.notify_one();
}

bool CommandStream::overtake(Number task, Lock& lock) {
  if (!open_ || overtaking_ || queue_.empty()) return false;
  const auto found = std::find_if(queue_.begin(), queue_.end(), [&](const Queued& q) { return q.number == task; });
  if (found == queue_.end()) return false;
  const Number running = done_.load(std::memory_order_relaxed) + 1, after = found->task.after;
  const bool free = found->task.overtakes == Overtakes::running  ? found == queue_.begin()
                    : found->task.overtakes == Overtakes::others ? isDone(after) || after == running
                                                                 : false;
  if (!free) return false;
  Task taken = std::move(found->task);
  queue_.erase(found);
  overtaking_ = true;
  run(std::move(taken), lock);
  overtaking_ = false;
  early_.insert(task);
  anyEarly_.store(true, std::memory_order_release);
  if (waiting_ > 0) doneSignal_.notify_all();
  return true;
}

Result<CommandStream::Number> CommandStream::post(Task task) {
  if (!running_) {
    MUSTER_TRY(task.run());
    done_.fetch_add(1, std::memory_order_release);
    return posted_.fetch_add(1, std::memory_order_release) + 1;
  }
  const std::lock_guard lock(mutex_);
  if (!status_.ok()) return status_;
  const bool helps = task.waitedFor && !task.native && queue_.empty() && !busy_;
  const Number number = posted_.fetch_add(1, std::memory_order_release) + 1;
  queue_.push_back({number, std::move(task)});
  if (sleeping_ && !helps) work_.notify_one();
  return number;
}

bool CommandStream::beginAtOnce() {
  if (!running_) return false;
  const Lock lock(mutex_);
  if (busy_ || !queue_.empty() || !status_.ok()) return false;
  busy_ = runsTask = true;
  posted_.fetch_add(1, std::memory_order_release);
  return true;
}

void CommandStream::endAtOnce(const Status& status) {
  runsTask = false;
  const bool holds = told(status);
  const Lock lock(mutex_);
  note(status, holds);
  leave(done_.load(std::memory_order_relaxed) + 1);
}

// Helps with what is in front, or with `task`, meanwhile. The condition is asked under the lock.
template <class Condition>
Status CommandStream::waitUntil(const Condition& condition, Number task, std::chrono::microseconds spins) {
  if (!running_) return {};
  Lock lock(mutex_);
  bool spun = false;
  while (status_.ok() && !condition()) {
    if (runsTask)
      return {Errc::internal, "a command would wait for itself, or for one behind it; this is an error in Muster"};
    if (mayRunFront() && !queue_.front().task.native) {
      runFront(lock);
      continue;
    }
    if (overtake(task, lock)) continue;
    if (sleeping_ && mayRunFront()) work_.notify_one();
    if (!std::exchange(spun, true)) {
      lock.unlock();
      (void)spinUntil([&] { return allDoneUntil(task); }, spins);
      lock.lock();
      continue;
    }
    ++waiting_;
    doneSignal_.wait(lock);
    --waiting_;
  }
  return status_;
}

Status CommandStream::wait(Number task, std::chrono::microseconds spins) {
  return waitUntil([this, task] { return isDone(task); }, task, spins);
}

Status CommandStream::waitForAll() {
  const Number posted = posted_.load(std::memory_order_acquire);
  return waitUntil([this, posted] { return allDoneUntil(posted); }, posted);
}

Status CommandStream::waitUntilAll(Number task) {
  return waitUntil([this, task] { return allDoneUntil(task); }, task);
}

Status CommandStream::waitForRoom() {
  const Number posted = posted_.load(std::memory_order_acquire);
  if (posted <= kMostQueued || allDoneUntil(posted - kMostQueued)) return {};
  return waitUntil([this, posted] { return allDoneUntil(posted - kMostQueued); }, posted - kMostQueued);
}

bool CommandStream::done(Number task) const {
  if (allDoneUntil(task)) return true;
  if (!anyEarly_.load(std::memory_order_acquire)) return false;
  const Lock lock(mutex_);
  return isDone(task);
}

CommandStream::NativeScope::NativeScope(CommandStream& stream, bool mayBeOvertaken)
    : stream_(stream), mayBeOvertaken_(mayBeOvertaken) {
  stream_.native_.store(true);
  if (!mayBeOvertaken_) return;
  const Lock lock(stream_.mutex_);
  stream_.open_ = true;
  if (stream_.waiting_ > 0) stream_.doneSignal_.notify_all();
}

CommandStream::NativeScope::~NativeScope() {
  if (mayBeOvertaken_) {
    Lock lock(stream_.mutex_);
    stream_.open_ = false;
    while (stream_.overtaking_) {
      ++stream_.waiting_;
      stream_.doneSignal_.wait(lock);
      --stream_.waiting_;
    }
  }
  stream_.native_.store(false);
}

bool CommandStream::insideNative() const {
  return native_.load(std::memory_order_acquire) && (streamOfThread == this || insideChunkTeam());
}

}  // namespace muster::rt
