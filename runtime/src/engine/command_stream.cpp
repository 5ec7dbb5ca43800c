// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream's thread, and those who help it.
#include "engine/command_stream.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "engine/openmp.h"

namespace muster::rt {
namespace {

using Clock = std::chrono::steady_clock;

// Both sides poll for a moment before they sleep: waking a thread takes longer than most commands.
constexpr std::chrono::microseconds kSpin{20};

thread_local const CommandStream* streamOfThread = nullptr;

template <class Condition>
bool spinUntil(const Condition& condition) {
  for (const Clock::time_point end = Clock::now() + kSpin; Clock::now() < end; sched_yield()) {
    if (condition()) return true;
  }
  return condition();
}

// Chunks ran in the program's main thread before there was this one, with as much room for locals.
std::size_t stackBytes() {
  constexpr std::size_t kLeast = std::size_t{16} << 20, kMost = std::size_t{1} << 30;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return kLeast;
  if (limit.rlim_cur == RLIM_INFINITY) return std::size_t{256} << 20;
  return std::clamp<std::size_t>(limit.rlim_cur, kLeast, kMost);
}

}  // namespace

CommandStream::~CommandStream() { (void)end(); }

Status CommandStream::begin(OnError onError) {
  onError_ = std::move(onError);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes());
  // The program's signals are for its own threads; this one only takes those that its own errors raise.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&all, own);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&thread_, &attributes, enter, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error != 0)
    return {Errc::internal, std::string("starting the thread of rank 0's commands failed: ") + std::strerror(error)};
  running_ = true;
  pthread_setname_np(thread_, "muster-stream");
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

void CommandStream::sleepUntilWork(std::unique_lock<std::mutex>& lock) {
  const Number seen = posted_.load(std::memory_order_relaxed);
  lock.unlock();
  const bool more = spinUntil([&] { return posted_.load(std::memory_order_acquire) != seen; });
  lock.lock();
  if (more) return;
  sleeping_ = true;
  work_.wait(lock, [this] { return mayRunFront() || (ending_ && queue_.empty() && !busy_); });
  sleeping_ = false;
}

// Under the lock, which is given up while the task runs.
void CommandStream::runFront(std::unique_lock<std::mutex>& lock) {
  Task task = std::move(queue_.front());
  queue_.pop_front();
  busy_ = true;
  const bool run = status_.ok();
  lock.unlock();
  const Status status = run ? task.run() : Status();
  task.run = nullptr;  // what it holds goes without the lock
  if (!status.ok() && onError_) onError_(status);
  lock.lock();
  busy_ = false;
  if (!status.ok()) status_ = status;
  done_.fetch_add(1, std::memory_order_release);
  if (waiting_ > 0) doneSignal_.notify_all();
  if (sleeping_ && (!queue_.empty() || ending_)) work_.notify_one();
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
  queue_.push_back(std::move(task));
  const Number number = posted_.fetch_add(1, std::memory_order_release) + 1;
  if (sleeping_ && !helps) work_.notify_one();
  return number;
}

Status CommandStream::wait(Number task) {
  if (!running_) return {};
  std::unique_lock lock(mutex_);
  bool spun = false;
  while (status_.ok() && !done(task)) {
    if (mayRunFront() && !queue_.front().native) {
      runFront(lock);
      continue;
    }
    if (sleeping_ && mayRunFront()) work_.notify_one();
    if (!std::exchange(spun, true)) {
      lock.unlock();
      (void)spinUntil([&] { return done(task); });
      lock.lock();
      continue;
    }
    ++waiting_;
    doneSignal_.wait(lock);
    --waiting_;
  }
  return status_;
}

Status CommandStream::waitForAll() { return wait(posted_.load(std::memory_order_acquire)); }

Status CommandStream::waitForRoom() {
  const Number posted = posted_.load(std::memory_order_acquire);
  if (posted <= kMostQueued || done(posted - kMostQueued)) return {};
  return wait(posted - kMostQueued);
}

bool CommandStream::insideNative() const {
  return native_.load(std::memory_order_acquire) && (streamOfThread == this || insideOpenMpRegion());
}

}  // namespace muster::rt
